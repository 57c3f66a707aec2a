package openai

import (
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// These are the stop reasons that need special handling.
const (
	stopFilter  = "content_filter"
	stopRefusal = "refusal"
)

// MetaFiltered is the key in a message's Meta for the categories that the content filter of Azure found in an answer, such as "hate (high)".
const MetaFiltered = "content_filter"

// answerEnd is what a server reports about its answer.
type answerEnd struct {
	id, model, stop string

	filtered []string        // what the filter of the provider has found, if it says so
	logprobs []model.Logprob // the candidates for the first token, if it reports them
}

// response makes the response for a message. It returns an error if the provider refused to answer, or the answer is empty.
func (m *Model) response(message *abi.Message, end answerEnd, req *model.Request) (*model.Response, error) {
	switch said := model.Says(message); {
	case said, req.TopLogprobs > 0: // one token may be blank
	case end.stop == stopFilter:
		why := "the provider's filter removed the whole answer (" + stopFilter + ")"
		if len(end.filtered) > 0 {
			why += ", because it found " + strings.Join(end.filtered, ", ")
		}
		return nil, provider.Refused(m.provider(), why)
	case end.stop == "" && message.Content.IsZero():
		return nil, provider.Broken(m.provider(), "the answer is empty")
	}
	message.Role = abi.RoleAI
	for _, of := range []struct{ key, value string }{
		{"id", end.id},
		{"model", end.model},
		{"provider", m.provider()},
		{metaServer, m.server()},
		{"stop_reason", end.stop},
	} {
		if of.value != "" {
			message.Meta.Set(of.key, wire.String(of.value))
		}
	}
	if len(end.filtered) > 0 {
		found := make([]any, len(end.filtered))
		for i, category := range end.filtered {
			found[i] = category
		}
		if value, err := wire.Of(found); err == nil {
			message.Meta.Set(MetaFiltered, value)
		}
	}
	resp := &model.Response{Messages: []abi.Message{*message}, Model: end.model, StopReason: end.stop}
	if req.TopLogprobs > 0 {
		resp.Logprobs = end.logprobs
	}
	if req.Format != nil {
		resp.Structured = provider.Structured(message)
	}
	return resp, nil
}

// mine reports whether a message is, as far as known, an answer of this server. Only this server understands the private
// data in its blocks and Meta. An answer of an older version does not say which server of that provider gave it.
func (m *Model) mine(message *abi.Message) bool {
	by, _ := message.Meta.Get("provider").AsString()
	server, _ := message.Meta.Get(metaServer).AsString()
	return by == "" || by == m.provider() && (server == "" || server == m.server())
}
