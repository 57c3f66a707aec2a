package answer

import (
	"encoding/json"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
)

// transcript is what the agent has said in a run so far.
type transcript struct {
	messages   []abi.Message   // of the agent, as its thread has them
	structured json.RawMessage // the value that it answers with; nil: none
	usage      abi.Usage
}

func (s *transcript) clone() transcript {
	out := *s
	out.messages = slices.Clone(s.messages)
	return out
}

// spend counts the tokens of a model call.
func (s *transcript) spend(messages []abi.Message) {
	for i := range messages {
		if u := messages[i].Usage; u != nil {
			s.usage = s.usage.Add(*u)
		}
	}
}

const (
	inputStep       = "input"               // the step of what the client sent
	structuredField = "structured_response" // the field with the value that an agent answers with
)

// apply applies what a step changed, and returns the messages of the agent that it added.
func (s *transcript) apply(e *host.Event) (added []abi.Message) {
	if value := e.State.Get(structuredField); !value.IsZero() {
		s.structured = nil
		if !value.IsNil() {
			s.structured = json.RawMessage(value.JSON())
		}
	}
	s.messages = slices.DeleteFunc(s.messages, func(m abi.Message) bool { return slices.Contains(e.Remove, m.ID) })
	for i := range e.Patch {
		s.replace(&e.Patch[i])
	}
	if e.Reset { // the list has earlier messages of the thread too, which are no part of the answer
		s.reset(e.Messages)
		return nil
	}
	if e.Step == inputStep {
		return nil
	}
	for i := range e.Messages {
		if e.Messages[i].Role == abi.RoleAI {
			added = append(added, e.Messages[i])
		}
	}
	s.messages = append(s.messages, added...)
	return added
}

func (s *transcript) replace(m *abi.Message) {
	if at := slices.IndexFunc(s.messages, func(old abi.Message) bool { return old.ID == m.ID }); at >= 0 {
		s.messages[at] = *m
	}
}

// reset keeps those messages that a whole new history still has.
func (s *transcript) reset(history []abi.Message) {
	kept := s.messages[:0:0]
	for _, old := range s.messages {
		if at := slices.IndexFunc(history, func(m abi.Message) bool { return m.ID == old.ID }); at >= 0 {
			kept = append(kept, history[at])
		}
	}
	s.messages = kept
}
