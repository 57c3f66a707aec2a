package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
)

// metaStored is the key in the Meta of an answer that OpenAI has stored. Its value identifies the answer and the history that it was given
// to: if a middleware changes one of them, OpenAI's copy is another conversation, and the history must be sent.
const metaStored = "openai_stored"

// continued asks with the id of the last answer if possible and, if OpenAI no longer has that answer, with the whole history.
func (m *Model) continued(ask func(*past) (*model.Response, error)) (*model.Response, error) {
	history := &past{model: m}
	resp, err := ask(history)
	if err != nil && history.previous != "" && isForgotten(err) {
		history = &past{model: m, whole: true}
		resp, err = ask(history)
	}
	if err == nil && history.mark != "" {
		ai := resp.AI()
		ai.Meta.Set(metaStored, wire.String(history.markOf(history.mark, *ai)))
	}
	return resp, err
}

// isForgotten reports whether OpenAI does not know the answer with which the request goes on: it has expired, was deleted, or belongs to
// another account.
func isForgotten(err error) bool {
	refused, ok := errors.AsType[*model.Error](err)
	if !ok || refused.Kind != model.ErrorNotFound && refused.Kind != model.ErrorInvalidRequest {
		return false
	}
	text := strings.ToLower(strings.ReplaceAll(refused.Err.Error(), "_", " "))
	return strings.Contains(text, "previous response") && strings.Contains(text, "not found")
}

// put sets the fields of a request for the history.
func (p *past) put(body object, all []abi.Message, stored bool) {
	p.stored = stored && !p.whole // what OpenAI has forgotten is not there for references, either
	if !p.model.UsePreviousResponseID || !stored {
		body["input"] = p.read(all)
		return
	}
	p.mark = p.markOf("", all...)
	if rest, ok := p.goesOn(all); ok {
		body["previous_response_id"], body["input"] = p.previous, p.read(rest)
		return
	}
	body["input"] = p.read(all)
}

// goesOn finds the last answer that OpenAI has stored together with the history before it. It returns the messages after it; false if the
// whole history must be sent.
func (p *past) goesOn(all []abi.Message) (rest []abi.Message, ok bool) {
	last := len(all) - 1
	for last >= 0 && all[last].Role != abi.RoleAI {
		last--
	}
	if p.whole || last < 0 || last == len(all)-1 {
		return nil, false
	}
	answer := &all[last]
	id, _ := answer.Meta.Get("id").AsString()
	mark, _ := answer.Meta.Get(metaStored).AsString()
	rest = all[last+1:]
	if !isID().MatchString(id) || mark == "" || !p.model.mine(answer) || !allAnswered(answer, rest) ||
		mark != p.markOf(p.markOf("", all[:last]...), *answer) {
		return nil, false
	}
	p.previous, p.waiting = id, openCallsOf(callsOf(answer, rest))
	return rest, true
}

// allAnswered reports whether all calls of an answer have one. The API refuses to go on with an answer whose calls are open.
func allAnswered(m *abi.Message, rest []abi.Message) bool {
	open := map[string]bool{}
	for i := range m.ToolCalls {
		open[m.ToolCalls[i].ID] = true
	}
	for i := range m.InvalidToolCalls {
		open[m.InvalidToolCalls[i].ID] = true
	}
	for i := range rest {
		if rest[i].Role == abi.RoleTool {
			delete(open, rest[i].ToolCallID)
		}
	}
	return len(open) == 0
}

// markOf identifies messages after others with this mark. It depends only on what is sent of them, and on the server.
func (p *past) markOf(before string, messages ...abi.Message) string {
	fresh := past{model: p.model, stored: true, plain: p.plain}
	text, err := json.Marshal([]any{p.model.BaseURL, before, fresh.read(messages)})
	if err != nil {
		return "" // it cannot be sent, either
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
