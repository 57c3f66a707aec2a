package protocol

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/runs"
)

// End returns the last frames of a run that is over. after is what the thread held then; nil: what the events have told.
func (t *Translator) End(run *runs.Run, after *host.Snapshot) []json.RawMessage {
	t.take(run.Updated)
	t.leaveAll(t.main, "the run has ended")
	if after != nil {
		t.begun = true
		t.catchUp(after)
	}
	asked, next := t.waiting(run, after)
	questions, calls := Questions(asked, history.List{}.Append(t.now.messages...))
	ids := make([]string, len(calls))
	for i := range calls {
		ids[i] = calls[i].ID
	}
	slices.SortStableFunc(ids, func(a, b string) int { return t.placeOf(a) - t.placeOf(b) })
	if len(questions) == 0 {
		t.answerVoid(&ids)
	}
	if t.begun {
		t.showState()
		t.showMessages()
	}
	switch {
	case run.Failure != nil:
		t.emit(runError, "", t.spent(frame{"message": run.Failure.Message, "code": run.Failure.Type}))
	case run.Status != runs.Success:
		t.finish(frame{"type": "cancelled"})
	case len(questions) > 0:
		interrupts := make([]frame, len(questions))
		for i, q := range questions {
			interrupts[i] = interruptOf(q)
			t.emit(customEvent, "", frame{"name": OnInterrupt, "value": legacy(q)})
		}
		t.finish(frame{"type": "interrupt", "interrupts": interrupts})
	case len(ids) > 0:
		t.finish(frame{"type": "success", "pendingToolCallIds": ids})
	case next != "":
		t.finish(frame{"type": "interrupt", "interrupts": []frame{{
			"id": Breakpoint, "reason": reasonBreakpoint, "message": "The run stopped before the step " + next + ". Resume it to go on.",
		}}})
	default:
		t.finish(frame{"type": "success"})
	}
	return t.out
}

// Ask returns the frames that say what a thread waits for, after those of Start: no run can begin before that is answered.
func (t *Translator) Ask(s *host.Snapshot) []json.RawMessage {
	t.now, t.end = stateOf(s, t.config.Hidden), &host.Event{Status: host.Interrupted, Interrupts: s.Interrupts, Next: s.Next}
	return t.End(&runs.Run{Status: runs.Success}, nil)
}

// catchUp shows what the thread holds and no event has told: the results of calls that are done while others of their answer wait.
func (t *Translator) catchUp(after *host.Snapshot) {
	now := stateOf(after, t.config.Hidden)
	for i := range now.messages {
		m := &now.messages[i]
		if m.Role == abi.RoleTool && !t.config.Known[m.ID] && t.now.message(m.ID) == nil {
			t.result("", m)
		}
	}
	t.now = now
}

// waiting returns what a run waits for, and the step before which it stopped; "" if it is over.
func (t *Translator) waiting(run *runs.Run, after *host.Snapshot) ([]host.Interrupt, string) {
	switch {
	case run.Status != runs.Success:
		return nil, ""
	case after != nil:
		return after.Interrupts, after.Next
	case t.end != nil && t.end.Status == host.Interrupted:
		return t.end.Interrupts, t.end.Next
	default:
		return nil, ""
	}
}

// placeOf returns the place of a call in its answer.
func (t *Translator) placeOf(call string) int {
	if m := t.now.caller(call); m != nil {
		return slices.IndexFunc(m.ToolCalls, func(c abi.ToolCall) bool { return c.ID == call })
	}
	return -1
}

// finish adds the last frame of a run that did not fail.
func (t *Translator) finish(outcome frame) {
	f := frame{"threadId": t.config.Thread, "runId": t.config.Run, "outcome": outcome}
	if t.config.Older {
		delete(outcome, "pendingToolCallIds")
		if outcome["type"] == "cancelled" {
			delete(f, "outcome")
		}
	}
	t.emit(runFinished, "", t.spent(f))
}

// spent adds the tokens of the run.
func (t *Translator) spent(f frame) frame {
	if len(t.usage) > 0 {
		f["usage"] = t.usage
	}
	return f
}

// Fail returns the frame that ends a stream which cannot go on.
func (t *Translator) Fail(code, message string) []json.RawMessage {
	t.out = nil
	t.emit(runError, "", frame{"message": strings.TrimSpace(message), "code": code})
	return t.out
}
