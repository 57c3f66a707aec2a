package a2a_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/runs"
	runsmemory "github.com/agenthost/agenthost/runs/memory"
	"github.com/agenthost/agenthost/server"
)

// kinds returns what the events of a stream are: their kinds, and the states and texts in them.
func kinds(events []doc) (out []string) {
	for _, e := range events {
		for kind, value := range e {
			body, _ := value.(doc)
			switch kind {
			case "artifactUpdate":
				out = append(out, strings.Join(texts([]any{body["artifact"]}), ""))
			case "statusUpdate":
				state, _ := stateOf(body).(string)
				out = append(out, strings.TrimPrefix(state, "TASK_STATE_"))
			default:
				out = append(out, kind)
			}
		}
	}
	return out
}

func TestATaskIsFollowed(t *testing.T) {
	t.Parallel()
	r := setup(t, "listen: 127.0.0.1:8123")
	for name, path := range map[string]string{"JSON-RPC": "/a2a/agent", "HTTP+JSON": "/a2a/agent/message:stream"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var body any = message("weather Paris")
			if name == "JSON-RPC" {
				body = doc{"jsonrpc": "2.0", "id": 1, "method": "SendStreamingMessage", "params": body}
			}
			events := r.events(r.send(t.Context(), "POST", path, body))
			task, _ := events[0]["task"].(doc)
			require.NotNil(t, task, "the first event is the task")
			told := kinds(events)
			require.Equal(t, []string{"task", "WORKING", "WORKING"}, told[:3])
			require.Equal(t, "COMPLETED", told[len(told)-1])
			require.Contains(t, strings.Join(told, ""), "The tool said: sunny in Paris")
			last, _ := r.result("GetTask", doc{"id": task["id"]})["artifacts"].([]any)
			artifact, _ := events[len(events)-2]["artifactUpdate"].(doc)
			require.Equal(t, objectIn(last[0])["artifactId"], objectIn(artifact["artifact"])["artifactId"], "a message has one id everywhere")
			require.Equal(t, true, artifact["lastChunk"])
		})
	}
	events := r.events(r.send(t.Context(), "POST", "/a2a/agent/message:stream", message("write it")))
	require.Equal(t, "INPUT_REQUIRED", kinds(events)[len(events)-1])
}

// swift is a store with which a run is over before its client learns that it was submitted.
type swift struct {
	runs.Store
	over chan struct{}
}

func (s *swift) Submit(ctx context.Context, r *runs.Run, create bool, most int, note func(t *runs.Thread)) error {
	if err := s.Store.Submit(ctx, r, create, most, note); err != nil {
		return err
	}
	select {
	case <-s.over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *swift) Finish(ctx context.Context, w *runs.Worker, o *runs.Outcome) error {
	err := s.Store.Finish(ctx, w, o)
	s.over <- struct{}{}
	return err
}

// A stream of a new message shows the same events however fast the run is.
func TestAStreamOfAFastRunShowsAll(t *testing.T) {
	t.Parallel()
	store := &swift{runsmemory.New(runsmemory.Options{}), make(chan struct{}, 10)}
	r := setupWith(t, "listen: 127.0.0.1:8123", server.Config{Runs: store})
	events := r.events(r.send(t.Context(), "POST", "/a2a/agent/message:stream", message("write it")))
	task := objectIn(events[0]["task"])
	require.Equal(t, "TASK_STATE_SUBMITTED", stateOf(task))
	require.NotContains(t, task, "artifacts")
	told := kinds(events)
	require.Contains(t, strings.Join(told, ""), "I write it.")
	require.Equal(t, "INPUT_REQUIRED", told[len(told)-1])

	events = r.events(r.send(t.Context(), "POST", "/a2a/agent/message:stream", message("approve", "taskId", task["id"])))
	task = objectIn(events[0]["task"])
	require.Equal(t, "TASK_STATE_WORKING", stateOf(task))
	require.Equal(t, []string{"I write it."}, texts(task["artifacts"]))
	told = kinds(events)
	require.Contains(t, strings.Join(told, ""), "The tool said: wrote it")
	require.Equal(t, "COMPLETED", told[len(told)-1])
}

// A client that comes in the middle gets the task as it is, and then the rest.
func TestAClientComesBack(t *testing.T) {
	t.Parallel()
	r := setup(t, "listen: 127.0.0.1:8123")
	started := message("block")
	started["configuration"] = doc{"returnImmediately": true}
	task := r.task(started)
	<-r.began
	path := "/a2a/agent/tasks/" + textIn(task["id"]) + ":subscribe"
	response := r.send(t.Context(), "POST", path, nil)
	lines := bufio.NewReader(response.Body)
	first := frame(t, lines) // events are written together, so the task may have a part of the answer only
	said := strings.Join(texts(objectIn(first["task"])["artifacts"]), "")
	r.let <- struct{}{}
	var all []doc
	for {
		event := frame(t, lines)
		if event == nil {
			break
		}
		all = append(all, event)
	}
	told := kinds(all)
	require.Equal(t, "COMPLETED", told[len(told)-1])
	require.Contains(t, said+strings.Join(told, ""), "I wait.")
	require.Contains(t, strings.Join(told, ""), "The tool said: done")
	status, answer := r.do("POST", path, nil)
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, objectIn(answer["error"])["message"], "the task is over")
}

// frame reads the next event of a stream; nil at its end.
func frame(t *testing.T, lines *bufio.Reader) doc {
	t.Helper()
	for {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			return nil
		}
		require.NoError(t, err)
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			var event doc
			require.NoError(t, json.Unmarshal([]byte(data), &event))
			return event
		}
	}
}

// A stream of a task that needs input goes on when somebody answers, by whichever door.
func TestASubscriberWaitsForTheAnswer(t *testing.T) {
	t.Parallel()
	r := setup(t, "listen: 127.0.0.1:8123")
	task := r.task(message("write it"))
	response := r.send(t.Context(), "POST", "/a2a/agent/tasks/"+textIn(task["id"])+":subscribe", nil)
	lines := bufio.NewReader(response.Body)
	require.Equal(t, "TASK_STATE_INPUT_REQUIRED", stateOf(frame(t, lines)["task"]))
	status, _ := r.do("POST", "/threads/"+textIn(task["contextId"])+"/runs/wait", doc{
		"assistant_id": "agent", "command": doc{"resume": doc{"decisions": []any{doc{"type": "approve"}}}},
	})
	require.Equal(t, http.StatusOK, status)
	var all []doc
	for event := frame(t, lines); event != nil; event = frame(t, lines) {
		all = append(all, event)
	}
	require.Equal(t, "COMPLETED", kinds(all)[len(all)-1])
	require.Equal(t, "TASK_STATE_COMPLETED", stateOf(r.result("GetTask", doc{"id": task["id"]})))
}

// A server that stops ends streams and blocking calls, and the task can be asked for.
func TestStreamsEndWhenTheServerStops(t *testing.T) {
	t.Parallel()
	r := setup(t, "listen: 127.0.0.1:8123")
	response := r.send(t.Context(), "POST", "/a2a/agent/message:stream", message("block"))
	lines := bufio.NewReader(response.Body)
	require.NotNil(t, frame(t, lines)["task"])
	<-r.began
	waiting := make(chan doc, 1)
	go func() {
		_, answer := r.do("POST", "/a2a/agent/message:send", message("block"))
		waiting <- answer
	}()
	<-r.began
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	r.stop(ctx)
	for event := frame(t, lines); event != nil; event = frame(t, lines) {
		require.NotEqual(t, "TASK_STATE_COMPLETED", stateOf(event["statusUpdate"]))
	}
	answer := <-waiting
	require.Contains(t, []any{"TASK_STATE_WORKING", "TASK_STATE_SUBMITTED"}, stateOf(answer["task"]), "%v", answer)
}

func TestStreamsAreCounted(t *testing.T) {
	t.Parallel()
	r := setup(t, "limits: {streams_per_owner: 1}")
	response := r.send(t.Context(), "POST", "/a2a/agent/message:stream", message("block"))
	require.Equal(t, http.StatusOK, response.StatusCode)
	<-r.began
	for path, body := range map[string]any{
		"/a2a/agent/message:send": message("hi"),
		"/a2a/agent":              doc{"jsonrpc": "2.0", "id": "x", "method": "SendStreamingMessage", "params": message("hi")},
	} {
		refused := r.send(t.Context(), "POST", path, body)
		require.Equal(t, http.StatusTooManyRequests, refused.StatusCode, path)
		require.NotEmpty(t, refused.Header.Get("Retry-After"))
		text, err := io.ReadAll(refused.Body)
		require.NoError(t, err)
		require.Contains(t, string(text), "which is the limit of this server")
	}
	r.let <- struct{}{}
	_, err := io.Copy(io.Discard, response.Body)
	require.NoError(t, err)
}
