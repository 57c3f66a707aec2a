package host

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
)

// DefaultMaxMalformed is the number of unusable responses in a row that a run tolerates if the Config sets no limit.
const DefaultMaxMalformed = 3

// MalformedError makes a run fail because the model keeps writing tool calls that cannot be parsed.
type MalformedError struct{ Responses int }

func (e *MalformedError) Error() string {
	return fmt.Sprintf("%d responses in a row had malformed tool calls", e.Responses)
}

// answerMalformed returns the update that answers the malformed calls of a response; nil if there are none. The text is the one
// with which LangChain repairs a history, followed by the parse error. updates are the response and the updates of wrap hooks.
// If there were too many such responses in a row, it also answers the other calls and returns an error, which fails the run.
func (b *budget) answerMalformed(resp *model.Response, updates []sourcedUpdate, modelName string) (*Update, error) {
	malformed := resp.AI().InvalidToolCalls
	if len(malformed) == 0 {
		return nil, nil //nolint:nilnil // nothing to answer
	}
	update := &Update{}
	for i := range malformed {
		call := &malformed[i]
		if answerIn(updates, call.ID) != nil {
			continue
		}
		text := fmt.Sprintf("Tool call %s with id %s could not be executed - arguments were malformed or truncated.",
			cmp.Or(call.Name, "unknown"), call.ID)
		if why := parseError(call); why != "" {
			text += " " + why
		}
		update.Messages = append(update.Messages, abi.ToolFailure(abi.ToolCall{ID: call.ID, Name: call.Name}, text))
	}
	if b.unusable < b.limits.MaxMalformed {
		return update, nil
	}
	err := &MalformedError{Responses: b.unusable + 1}
	for _, call := range unanswered(resp, updates) {
		update.Messages = append(update.Messages, abi.ToolFailure(*call, fmt.Sprintf("This call was not executed: %v.", err)))
	}
	return update, &ModelError{Model: modelName, Err: err}
}

// parseError returns why arguments could not be parsed, in the provider's words or those of our parser.
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
