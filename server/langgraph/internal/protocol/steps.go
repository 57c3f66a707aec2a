package protocol

import (
	"encoding/json"
	"strconv"

	"github.com/agenthost/agenthost/host"
)

// step is a step that is being performed, which LangGraph calls a task.
type step struct {
	id, name string
}

// start tells that a step begins.
func (t *Translator) start(e *host.Event) {
	t.step = &step{t.id("step/" + strconv.Itoa(t.attempt) + "/" + strconv.Itoa(e.Index)), e.Step}
	t.began(t.step)
}

func (t *Translator) began(s *step) {
	t.tell(Tasks, func() any { return map[string]any{"id": s.id, "name": s.name, "input": nil, "triggers": []string{}} })
}

// finish tells that the present step has ended, and what it changed; nil is nothing.
func (t *Translator) finish(changes func() map[string]any) {
	if t.step == nil {
		return
	}
	t.result(t.step, changes, nil, nil)
	t.step = nil
}

// stop tells that the present step did not end: it asked something, or it failed.
func (t *Translator) stop(asked []host.Interrupt, failure any) {
	if t.step == nil {
		return
	}
	t.result(t.step, nil, asked, failure)
	t.step = nil
}

// result tells what became of a step.
func (t *Translator) result(s *step, changes func() map[string]any, asked []host.Interrupt, failure any) {
	t.tell(Tasks, func() any {
		questions := make([]map[string]any, len(asked))
		for i := range asked {
			questions[i] = map[string]any{"id": asked[i].ID, "value": json.RawMessage(asked[i].Value.JSON())}
		}
		out := map[string]any{"id": s.id, "name": s.name, "result": struct{}{}, "error": failure, "interrupts": questions}
		if changes != nil {
			out["result"] = changes()
		}
		return out
	})
}
