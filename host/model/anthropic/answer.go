package anthropic

import (
	"encoding/json"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// answer is a message of the API. Unlike in Anthropic's SDK, a value of a wrong type does not count as missing, nor do
// arguments of a call that are not JSON count as an empty object.
type answer struct {
	answerEnd

	Content parts       `json:"content"` // nil: absent
	ID      provider.ID `json:"id"`
	Model   string      `json:"model"`
	Type    string      `json:"type"`
	Usage   usage       `json:"usage"` // nil: not reported

	before *abi.Usage // of the requests that this answer continues
}

// answerEnd describes how an answer ended. In a stream it comes late.
type answerEnd struct {
	Container    json.RawMessage `json:"container"`
	StopDetails  json.RawMessage `json:"stop_details"`
	StopReason   string          `json:"stop_reason"`
	StopSequence json.RawMessage `json:"stop_sequence"`
}

// readAnswer reads the response to a request that is not streamed.
func readAnswer(body []byte) (*answer, error) {
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, malformed("the response", err)
	}
	if a.Type == "error" {
		return nil, provider.InStream(Provider, body)
	}
	return &a, nil
}

// check returns an error for an answer that is none.
func (a *answer) check() error {
	if a.Content == nil {
		return provider.Broken(Provider, "the response has no content")
	}
	if len(a.Content) == 0 && a.StopReason == "" {
		return provider.Broken(Provider, "the response is empty")
	}
	return nil
}

// response returns the answer to a request, under the name of its provider.
func (a *answer) response(req *model.Request, by string) (*model.Response, error) {
	out := abi.Message{Role: abi.RoleAI, Usage: a.used(), Meta: a.meta(by)}
	blocks := make([]abi.Block, 0, len(a.Content))
	ordered := a.Content.callsLast()
	for i, p := range a.Content {
		block, err := p.read(&out, i < ordered)
		if err != nil {
			return nil, malformed(fmt.Sprintf("block %d of the response", i), err)
		}
		if len(block.Fields()) > 0 {
			blocks = append(blocks, block)
		}
	}
	if a.StopReason == stopRefusal {
		blocks = append(blocks, a.refusal())
	}
	out.Content = provider.Blocks(blocks)
	resp := &model.Response{Messages: []abi.Message{out}, Model: a.Model, StopReason: a.StopReason}
	if req.Format != nil {
		resp.Structured = provider.Structured(&out)
	}
	return resp, nil
}

// stopRefusal is the stop reason of an answer in which the model declines to answer.
const stopRefusal = "refusal"

// refusal returns the block of a refusal. The details are optional:
// https://platform.claude.com/docs/en/test-and-evaluate/strengthen-guardrails/handle-streaming-refusals.
func (a *answer) refusal() abi.Block {
	var details struct {
		Category    string `json:"category"`
		Explanation string `json:"explanation"`
	}
	if err := json.Unmarshal(a.StopDetails, &details); err != nil {
		return abi.RefusalBlock("", "")
	}
	return abi.RefusalBlock(details.Explanation, details.Category)
}

// meta returns what a message keeps of its answer.
func (a *answer) meta(by string) wire.Map {
	meta := wire.Map{{Key: "provider", Value: wire.String(by)}}
	for _, of := range []struct{ key, value string }{{"id", string(a.ID)}, {"model", a.Model}, {"stop_reason", a.StopReason}} {
		if of.value != "" {
			meta.Set(of.key, wire.String(of.value))
		}
	}
	for _, of := range []struct {
		key   string
		value json.RawMessage
	}{{"container", a.Container}, {"stop_details", a.StopDetails}, {"stop_sequence", a.StopSequence}} {
		if value, err := wire.FromJSON(of.value, wire.Limits{}); err == nil && !value.IsNil() {
			meta.Set(of.key, value)
		}
	}
	return meta
}
