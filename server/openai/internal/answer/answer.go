package answer

import (
	"encoding/json"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/runs"
)

// Answer is what came of a run.
type Answer struct {
	Messages   []abi.Message        // what the agent said, as its thread keeps it
	Structured json.RawMessage      // the value that the agent answers with; nil: none
	Questions  []*question.Question // what it asks
	Calls      []host.ClientCall    // of tools of the client, whose results it waits for
	Usage      abi.Usage            // of all model calls of the run
	Failure    *runs.Failure        // why it failed; nil: it did not
	Cancelled  bool                 // somebody cancelled it
}

// Text returns the answer as one text: the value of an agent that answers with one, or else the texts of its messages, and then its questions.
func (a *Answer) Text() string {
	var parts []string
	if a.Structured != nil {
		parts = append(parts, string(a.Structured))
	} else {
		for i := range a.Messages {
			if said := Said(&a.Messages[i]); said != "" {
				parts = append(parts, said)
			}
		}
	}
	if asked := a.Asked(); asked != "" {
		parts = append(parts, asked)
	}
	return strings.Join(parts, Gap)
}

// Gap is between two messages of an answer that are shown as one text.
const Gap = "\n\n"

// Reasoning returns what the model thought.
func (a *Answer) Reasoning() string {
	var parts []string
	for i := range a.Messages {
		if thought := Thought(&a.Messages[i]); thought != "" {
			parts = append(parts, thought)
		}
	}
	return strings.Join(parts, Gap)
}

// Thought returns the reasoning of a message.
func Thought(m *abi.Message) string {
	var out strings.Builder
	for _, block := range m.Content.Blocks() {
		if block.Type() == abi.BlockReasoning {
			out.WriteString(block.Text())
		}
	}
	return out.String()
}

// Ending returns how the last message of the agent ended.
func (a *Answer) Ending() model.Ending {
	if len(a.Messages) == 0 {
		return model.Complete
	}
	reason, _ := a.Messages[len(a.Messages)-1].Meta.Get("stop_reason").AsString()
	return model.EndingOf(reason)
}
