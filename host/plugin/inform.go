package plugin

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
)

// This file holds the operations that tell a guest about its run, and change nothing.

func (i *instance) runInfo() (abi.Status, []byte) {
	rt := i.frame.rt
	return i.bounded(&abi.RunInfo{Agent: rt.AgentName(), Parent: rt.ParentRun(), Usage: rt.Usage()})
}

// modelCalled returns a configured model; for "", that of the request in wrap_model_call, and otherwise the agent's. nil: there is none of
// that name.
func (i *instance) modelCalled(name string) model.Model {
	if name != "" {
		return i.frame.rt.ModelNamed(name)
	}
	if r := i.call.input.request; r != nil && r.Model != nil {
		return r.Model
	}
	return i.frame.rt.Model()
}

func (i *instance) modelInfo(query *abi.ModelQuery) (abi.Status, []byte) {
	m := i.modelCalled(query.Model)
	if m == nil {
		return abi.ENOENT, nil
	}
	info := m.Info()
	return i.bounded(&abi.ModelInfo{
		AudioInputs: known(info.Audio), ImageInputs: known(info.Images), ImageToolMessage: known(info.ToolImages),
		MaxInputTokens:  uint64(max(0, info.MaxInputTokens)),
		MaxOutputTokens: uint64(max(0, info.MaxOutputTokens)), Name: info.Name, PDFInputs: known(info.Files), PDFToolMessage: known(info.ToolFiles),
		Provider: info.Provider, ReasoningOutput: info.Reasoning, StructuredOutput: info.StructuredOutput, VideoInputs: known(info.Video),
	})
}

// known returns what is known of a model's support for something, or nil.
func known(s model.Support) *bool {
	switch s {
	case model.SupportYes:
		return new(true)
	case model.SupportNo:
		return new(false)
	case model.SupportUnknown:
	}
	return nil
}

func (i *instance) toolsRead() (abi.Status, []byte) {
	r := i.call.input.request
	if r == nil {
		return abi.ENOTSUP, nil
	}
	return i.bounded(&abi.ToolList{Tools: r.Tools})
}

func (i *instance) tokensCount(query *abi.TokenQuery) (abi.Status, []byte) {
	m := i.modelCalled(query.Model)
	if m == nil {
		return abi.ENOENT, nil
	}
	var count abi.TokenCount
	for n := range query.Messages {
		if !isRole(query.Messages[n].Role) {
			return abi.EINVAL, nil
		}
		count.Tokens += uint64(max(0, model.CountTokens(m, &query.Messages[n])))
	}
	return i.bounded(&count)
}
