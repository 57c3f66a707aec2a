package anthropic

import (
	"encoding/json"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// MaxPauses is how often the model's turn goes on after the API has paused it. Each time is a paid request.
const MaxPauses = 16

// stopPause is the stop reason of a long turn that the API has paused, because a server tool ran too often in one request:
// https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons#pause-turn.
const stopPause = "pause_turn"

// finish asks for an answer, and goes on with it while the API pauses. A turn that is still paused after MaxPauses has this stop
// reason. ask sends one request.
func (m *Model) finish(req *model.Request, stream bool, ask func(provider.Call) (*answer, error)) (*model.Response, error) {
	var sum *answer
	asked := req
	for pauses := 0; ; pauses++ {
		call, err := m.call(asked, stream)
		if err != nil {
			return nil, err
		}
		sum.reuse(call.Body)
		next, err := ask(call)
		if err != nil {
			return nil, err
		}
		if sum, err = sum.with(next); err != nil {
			return nil, err
		}
		resp, err := sum.response(req, m.provider())
		if err != nil || pauses == MaxPauses || !next.pauses() {
			return resp, err
		}
		asked = req.WithMessages(req.Messages.Append(*resp.AI())) // which the API continues
	}
}

// pauses reports whether the API wants to continue the answer in another request. It first needs the answers to calls.
func (a *answer) pauses() bool {
	return a.StopReason == stopPause && !slices.ContainsFunc(a.Content, func(p part) bool { return string(p["type"]) == `"`+kindToolUse+`"` })
}

// with returns the answer and its continuation as one. The answer is nil if there is nothing to continue.
func (a *answer) with(next *answer) (*answer, error) {
	if err := next.check(); err != nil || a == nil {
		return next, err
	}
	if len(a.Content)+len(next.Content) > maxParts {
		return nil, malformed("the continued answer", errParts)
	}
	out := *next
	out.Content = slices.Concat(a.Content, next.Content)
	out.before = a.used()
	if len(out.Container) == 0 {
		out.Container = a.Container
	}
	return &out, nil
}

// used returns the token counts of all requests for the answer; nil if none was reported.
func (a *answer) used() *abi.Usage {
	counted := a.Usage.counted()
	if a.before == nil || counted == nil {
		if counted == nil {
			return a.before
		}
		return counted
	}
	sum := a.before.Add(*counted)
	return &sum
}

// reuse makes a request use the container in which the code of the answer ran so far. A setting may hold further options.
func (a *answer) reuse(body object) {
	if a == nil {
		return
	}
	var container struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(a.Container, &container) != nil || container.ID == "" {
		return
	}
	if options, ok := body["container"].(object); ok {
		options["id"] = container.ID
		return
	}
	body["container"] = container.ID
}
