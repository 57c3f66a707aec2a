package frames

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/agenthost/agenthost/host"
)

// task is a step that is being performed, which LangGraph calls a task.
type task struct {
	id     string
	name   string
	step   int
	began  time.Time
	before json.RawMessage // the state before it, if somebody wants to see it
	tuple  json.RawMessage // its metadata for pieces of messages
}

// toolsStep is the step that calls tools. LangGraph starts it with the calls, and other steps with the state.
const toolsStep = "tools"

// PathOf says in LangGraph's words how a step came to be performed.
func PathOf(step string) []any {
	if step == toolsStep {
		return []any{"__pregel_push", 0, false}
	}
	return []any{"__pregel_pull", step}
}

// triggers says in LangGraph's words why a step is performed.
func (k *task) triggers() []string {
	if k.name == toolsStep {
		return []string{"__pregel_push"}
	}
	return []string{"branch:to:" + k.name}
}

func (k *task) describe(out map[string]any, within string) {
	namespace := k.name + ":" + k.id
	if within != "" {
		namespace = within[1:] + "|" + namespace
	}
	out["langgraph_step"], out["langgraph_node"] = k.step, k.name
	out["langgraph_triggers"], out["langgraph_path"] = k.triggers(), PathOf(k.name)
	out["langgraph_checkpoint_ns"], out["checkpoint_ns"] = namespace, namespace
}

// start shows that a step begins.
func (t *Translator) start(e *host.Event) {
	t.task = &task{id: t.id("step/" + strconv.Itoa(t.attempt) + "/" + strconv.Itoa(e.Index)), name: e.Step, step: e.Index, began: e.Time}
	if t.want[Tasks] || t.want[Debug] || t.want[Events] {
		t.task.before = t.inputOf(e.Step)
	}
	payload := map[string]any{
		"id": t.task.id, "name": e.Step, "input": t.task.before, "triggers": t.task.triggers(), "metadata": t.common,
	}
	if t.want[Tasks] {
		t.emit("tasks", payload)
	}
	t.debug(e.Time, "task", payload)
	t.chains.started()
}

// inputOf returns what a step begins with.
func (t *Translator) inputOf(step string) json.RawMessage {
	if step == toolsStep {
		if calls := t.now.calls(); calls != nil {
			return calls
		}
	}
	text, err := t.now.MarshalJSON()
	if err != nil { // its parts are texts in JSON
		return json.RawMessage("null")
	}
	return text
}

// finish shows that the present step has ended, and what it changed; nil is nothing.
func (t *Translator) finish(result map[string]any) {
	if t.task == nil {
		return
	}
	if t.want[Updates] {
		t.emit("updates", map[string]any{t.task.name: result})
	}
	t.taskResult(result, nil, nil)
	t.chains.finished(result)
	t.task = nil
}

// stop shows that the present step did not end: it asked something, or it failed.
func (t *Translator) stop(asked []interrupt, failure any) {
	if t.task == nil {
		return
	}
	t.taskResult(nil, asked, failure)
	t.task = nil
}

func (t *Translator) taskResult(result map[string]any, asked []interrupt, failure any) {
	if !t.want[Tasks] && !t.want[Debug] {
		return
	}
	if result == nil {
		result = map[string]any{}
	}
	if asked == nil {
		asked = []interrupt{}
	}
	payload := map[string]any{"id": t.task.id, "name": t.task.name, "error": failure, "result": result, "interrupts": asked}
	if t.want[Tasks] {
		t.emit("tasks", payload)
	}
	t.debug(t.task.began, "task_result", payload)
}

// debug shows a payload of the mode debug.
func (t *Translator) debug(at time.Time, kind string, payload map[string]any) {
	if !t.want[Debug] {
		return
	}
	step := 0
	if t.task != nil {
		step = t.task.step
	}
	t.emit("debug", map[string]any{"step": step, "timestamp": at.UTC().Format(time.RFC3339Nano), "type": kind, "payload": payload})
}
