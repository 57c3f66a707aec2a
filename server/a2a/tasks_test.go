package a2a_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAMessageLeadsToATask(t *testing.T) {
	t.Parallel()
	r := setup(t, "listen: 127.0.0.1:8123")
	task := r.task(message("hi"))
	require.Equal(t, "TASK_STATE_COMPLETED", stateOf(task))
	require.Equal(t, []string{"You said: hi"}, texts(task["artifacts"]))
	require.Equal(t, []string{"hi", "You said: hi"}, texts(task["history"]))
	require.Equal(t, task, r.result("GetTask", doc{"id": task["id"]}))

	next := r.task(message("again", "contextId", task["contextId"]))
	require.Equal(t, task["contextId"], next["contextId"])
	require.NotEqual(t, task["id"], next["id"])
	require.Equal(t, []string{"You said: again"}, texts(next["artifacts"]), "a task has its own messages alone")
	require.Equal(t, task, r.result("GetTask", doc{"id": task["id"]}), "and keeps them")

	short := r.result("GetTask", doc{"id": task["id"], "historyLength": 1})
	require.Equal(t, []string{"You said: hi"}, texts(short["history"]))
	require.Nil(t, r.result("GetTask", doc{"id": task["id"], "historyLength": 0})["history"])
	require.Contains(t, r.refused(-32004, "SendMessage", message("more", "taskId", task["id"])), "the task is over")
	require.Contains(t, r.refused(-32001, "GetTask", doc{"id": "nobody"}), `there is no task "nobody"`)
}

func TestAQuestionIsAnswered(t *testing.T) {
	t.Parallel()
	r := setup(t, "listen: 127.0.0.1:8123")
	ask := func() doc {
		task := r.task(message("write it"))
		require.Equal(t, "TASK_STATE_INPUT_REQUIRED", stateOf(task))
		return task
	}
	for name, test := range map[string]struct {
		part   doc
		answer string
	}{
		"approved":         {doc{"text": "approve"}, "The tool said: wrote it"},
		"rejected":         {doc{"text": "Reject: not now"}, "not now"},
		"answered instead": {doc{"text": "respond: I did it"}, "The tool said: I did it"},
		"edited": {doc{"data": doc{"decisions": []any{doc{
			"type": "edit", "edited_action": doc{"name": "write_file", "args": doc{"content": "other"}},
		}}}}, "wrote other"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := ask()
			answered := r.task(message("-", "taskId", task["id"], "parts", []any{test.part}))
			require.Equal(t, task["id"], answered["id"])
			require.Equal(t, "TASK_STATE_COMPLETED", stateOf(answered))
			said := texts(answered["artifacts"])
			require.Contains(t, said[len(said)-1], test.answer)
			require.Equal(t, "I write it.", said[0])
			require.Equal(t, answered, r.result("GetTask", doc{"id": task["id"]}))
		})
	}
	task := ask()
	require.Contains(t, r.refused(-32602, "SendMessage", message("yes please", "taskId", task["id"])), "is not a decision")
	require.Contains(t, r.refused(-32602, "SendMessage", message("edit", "taskId", task["id"])), "is not a decision")
	require.Contains(t, r.refused(-32602, "SendMessage", message("approve", "taskId", task["id"], "contextId", "other")), "belongs to")
	require.Equal(t, "TASK_STATE_INPUT_REQUIRED", stateOf(r.result("GetTask", doc{"id": task["id"]})), "nothing was decided")

	question := r.task(message("ask What color?"))
	status, _ := question["status"].(doc)
	require.Contains(t, texts([]any{status["message"]})[0], "What color?")
	answered := r.task(message("blue", "taskId", question["id"]))
	require.Equal(t, []string{"The tool said: blue"}, texts(answered["artifacts"]))
	require.Equal(t, []string{"ask What color?", "blue", "The tool said: blue"}, texts(answered["history"]))
}

func TestTasksAreCancelled(t *testing.T) {
	t.Parallel()
	r := setup(t, "listen: 127.0.0.1:8123")
	started := message("block")
	started["configuration"] = doc{"returnImmediately": true}
	task := r.task(started)
	<-r.began
	require.Equal(t, "TASK_STATE_WORKING", stateOf(r.result("GetTask", doc{"id": task["id"]})))
	require.Contains(t, r.refused(-32004, "SendMessage", message("more", "taskId", task["id"])), "is being worked on")
	require.Equal(t, "TASK_STATE_CANCELED", stateOf(r.result("CancelTask", doc{"id": task["id"]})))
	require.Contains(t, r.refused(-32002, "CancelTask", doc{"id": task["id"]}), "the task is over")

	waiting := r.task(message("write it"))
	require.Equal(t, "TASK_STATE_CANCELED", stateOf(r.result("CancelTask", doc{"id": waiting["id"]})))
	r.refused(-32004, "SendMessage", message("approve", "taskId", waiting["id"]))
	status, thread := r.do("GET", "/threads/"+textIn(waiting["contextId"]), nil)
	require.Equal(t, 200, status)
	require.Empty(t, thread["interrupts"], "nobody can answer by another door")
	require.Equal(t, []string{"You said: hi"}, texts(r.task(message("hi", "contextId", waiting["contextId"]))["artifacts"]))
}

func TestTasksAreListed(t *testing.T) {
	t.Parallel()
	r := setup(t, "listen: 127.0.0.1:8123")
	var ids []any
	for _, text := range []string{"one", "two", "write it"} {
		ids = append([]any{r.task(message(text))["id"]}, ids...)
	}
	list := func(params doc) (out []any, answer doc) {
		answer = r.result("ListTasks", params)
		for _, task := range listIn(answer["tasks"]) {
			out = append(out, objectIn(task)["id"])
		}
		return out, answer
	}
	got, answer := list(doc{})
	require.Equal(t, ids, got)
	require.InDelta(t, 3, answer["totalSize"], 0)
	require.Empty(t, answer["nextPageToken"])
	require.NotContains(t, listIn(answer["tasks"])[0], "artifacts")

	first, answer := list(doc{"pageSize": 2})
	second, last := list(doc{"pageSize": 2, "pageToken": answer["nextPageToken"]})
	require.Equal(t, ids, append(first, second...))
	require.Empty(t, last["nextPageToken"])

	waiting, _ := list(doc{"status": "TASK_STATE_INPUT_REQUIRED"})
	require.Equal(t, ids[:1], waiting)
	none, _ := list(doc{"contextId": "nobody"})
	require.Empty(t, none)
	all := listIn(r.result("ListTasks", doc{"includeArtifacts": true, "historyLength": 1})["tasks"])
	require.Equal(t, []string{"You said: two"}, texts(objectIn(all[1])["artifacts"]))
	require.Contains(t, r.refused(-32602, "ListTasks", doc{"pageSize": 101}), "pageSize")
	require.Contains(t, r.refused(-32602, "ListTasks", doc{"pageToken": "x"}), "pageToken")
	require.Contains(t, r.refused(-32602, "ListTasks", doc{"status": "DONE"}), "status")
}
