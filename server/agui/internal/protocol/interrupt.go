package protocol

import (
	"encoding/json"
	"slices"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/question"
)

// Breakpoint is the id of the interrupt of a run that stopped at a breakpoint.
const Breakpoint = "breakpoint"

// The reasons of interrupts.
const (
	reasonCall       = "tool_call"      // somebody must decide about calls of tools
	reasonInput      = "input_required" // a hook or tool asks something
	reasonBreakpoint = "breakpoint"
)

// Questions returns what a run waits for, apart from the results of the client's tools, and the calls of these.
func Questions(asked []host.Interrupt, messages history.List) (questions []*question.Question, calls []host.ClientCall) {
	var rest []checkpoint.Question
	for i := range asked {
		in := &asked[i]
		if call, ok := in.ClientCall(); ok {
			calls = append(calls, call)
			continue
		}
		rest = append(rest, checkpoint.Question{ID: in.ID, Step: in.Step, CallID: in.CallID, Key: in.Key, Value: in.Value})
	}
	return question.Read(rest, messages), calls
}

// interruptOf returns a question for clients.
func interruptOf(q *question.Question) frame {
	f := frame{
		"id": q.ID, "reason": reasonCall,
		"metadata": map[string]any{"agenthost": map[string]any{"step": q.Step, "key": q.Key, "value": json.RawMessage(q.Value.JSON())}},
	}
	if q.Kind == question.Other {
		f["reason"] = reasonInput
	}
	switch {
	case len(q.Calls) == 1 && q.Calls[0].ID != "":
		f["toolCallId"] = q.Calls[0].ID
	case len(q.Calls) == 0 && q.CallID != "":
		f["toolCallId"] = q.CallID
	}
	if text := promptOf(q); text != "" {
		f["message"] = text
	}
	if schema := answerSchema(q); schema != nil {
		f["responseSchema"] = schema
	}
	return f
}

// promptOf returns the text of a question for people; "" if it has none.
func promptOf(q *question.Question) string {
	if text, ok := q.Value.AsString(); ok {
		return text
	}
	for _, c := range q.Calls {
		if c.Description != "" {
			return c.Description
		}
	}
	var value wire.Map
	if q.Value.IsMap() {
		if _, err := value.UnmarshalMsg(q.Value); err == nil {
			for _, key := range []string{"message", "question", "description"} {
				if text, ok := value.Get(key).AsString(); ok {
					return text
				}
			}
		}
	}
	return ""
}

// answerSchema returns the JSON Schema of answers; nil if any value is one.
func answerSchema(q *question.Question) map[string]any {
	if len(q.Calls) == 0 {
		return nil
	}
	yesNo := map[string]any{"type": "object", "properties": map[string]any{"approved": map[string]any{"type": "boolean"}}, "required": []string{"approved"}}
	if q.Kind != question.Review {
		return either(decisionSchema(q.Calls[0].Allowed), yesNo)
	}
	var allowed []question.Type
	for _, c := range q.Calls {
		for _, one := range c.Allowed {
			if !slices.Contains(allowed, one) {
				allowed = append(allowed, one)
			}
		}
	}
	list := map[string]any{"type": "array", "minItems": len(q.Calls), "maxItems": len(q.Calls), "items": decisionSchema(allowed)}
	decisions := map[string]any{"type": "object", "properties": map[string]any{"decisions": list}, "required": []string{"decisions"}}
	return either(decisions, yesNo)
}

func either(a, b map[string]any) map[string]any {
	return map[string]any{"type": "object", "anyOf": []any{a, b}}
}

func decisionSchema(allowed []question.Type) map[string]any {
	return map[string]any{
		"type": "object", "required": []string{"type"},
		"properties": map[string]any{
			"type":    map[string]any{"type": "string", "enum": allowed},
			"message": map[string]any{"type": "string"},
			"edited_action": map[string]any{"type": "object", "properties": map[string]any{
				"name": map[string]any{"type": "string"}, "args": map[string]any{"type": "object"},
			}},
		},
	}
}

// legacy returns the value of a question as CopilotKit's clients get it: a text.
func legacy(q *question.Question) string {
	if text, ok := q.Value.AsString(); ok {
		return text
	}
	return q.Value.JSON()
}
