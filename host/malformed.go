package host

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
)

// DefaultMaxMalformed is how many responses with malformed tool calls in a row are answered if the Config does not say.
const DefaultMaxMalformed = 3

// MalformedError is the cause of a run that fails because the model keeps writing tool calls that cannot be parsed.
type MalformedError struct{ Responses int }

func (e *MalformedError) Error() string {
	return fmt.Sprintf("%d responses in a row had malformed tool calls", e.Responses)
}

// answerMalformed returns the update that answers the malformed calls of a response; nil if there are none. The text is
// the one with which LangChain repairs a history, and why the arguments could not be parsed.
func answerMalformed(resp *model.Response) *Update {
	m := resp.AI()
	if m == nil || len(m.InvalidToolCalls) == 0 {
		return nil
	}
	update := &Update{}
	for i := range m.InvalidToolCalls {
		call := &m.InvalidToolCalls[i]
		text := fmt.Sprintf("Tool call %s with id %s could not be executed - arguments were malformed or truncated.",
			cmp.Or(call.Name, "unknown"), call.ID)
		if why := parseError(call); why != "" {
			text += " " + why
		}
		update.Messages = append(update.Messages, abi.ToolFailure(abi.ToolCall{ID: call.ID, Name: call.Name}, text))
	}
	return update
}

// parseError says why arguments could not be parsed: as the provider said it, or as our parser does.
func parseError(call *abi.InvalidToolCall) string {
	if call.Error != "" {
		return call.Error
	}
	var arguments map[string]any
	if err := json.Unmarshal([]byte(call.Args), &arguments); err != nil {
		return err.Error()
	}
	return ""
}

// countMalformed counts responses with malformed calls in a row; beyond the limit the run fails, with all of them
// answered.
func (r *run) countMalformed(some bool) error {
	if !some {
		r.malformed = 0
		return nil
	}
	r.malformed++
	if r.malformed <= r.agent.toolCalls.MaxMalformed {
		return nil
	}
	return &ModelError{Model: r.agent.config.Model.Info().Name, Err: &MalformedError{Responses: r.malformed}}
}
