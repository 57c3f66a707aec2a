package certify

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
)

// mostSleep is the limit of the time that a frame waits for operations, in milliseconds.
const mostSleep = 10 * 60 * 1000

// modelName is the name of the only configured model.
const modelName = "model"

// isModel reports whether there is a model of that name.
func isModel(model string) bool { return model == "" || model == modelName }

// modelInfo answers with everything that a host can know about a model.
func (s *scene) modelInfo(query *abi.ModelQuery) (abi.Status, encodable) {
	if !isModel(query.Model) {
		return abi.ENOENT, nil
	}
	return abi.StatusOK, &abi.ModelInfo{
		AudioInputs: new(false), ImageInputs: new(true), ImageToolMessage: new(true), MaxInputTokens: 200_000, MaxOutputTokens: 8_000, Name: modelName,
		PDFInputs: new(true), PDFToolMessage: new(false), Provider: "provider", ReasoningOutput: true, StructuredOutput: true, VideoInputs: new(false),
	}
}

func (s *scene) tokensCount(query *abi.TokenQuery) (abi.Status, encodable) {
	if !isModel(query.Model) {
		return abi.ENOENT, nil
	}
	const bytesOfToken = 4
	var count abi.TokenCount
	for i := range query.Messages {
		if !slices.Contains([]abi.Role{abi.RoleHuman, abi.RoleAI, abi.RoleTool, abi.RoleSystem}, query.Messages[i].Role) {
			return abi.EINVAL, nil
		}
		count.Tokens += uint64(len(document(&query.Messages[i])) / bytesOfToken)
	}
	return abi.StatusOK, &count
}

// toolsRead answers with the tools that the request offers.
func (s *scene) toolsRead() (abi.Status, encodable) {
	if s.export != string(abi.WrapModelCall) {
		return abi.ENOTSUP, nil
	}
	list := abi.ToolList{Tools: []abi.ToolSpec{}}
	for _, name := range s.tools {
		list.Tools = append(list.Tools, abi.ToolSpec{
			Name: name, Description: "It helps: Grüße.", Parameters: value(map[string]any{
				"type": "object", "properties": map[string]any{"q": map[string]any{"type": "string"}},
			}),
		})
	}
	return abi.StatusOK, &list
}

// leastReply returns the smallest reply of an operation that tells something, or nil if it has no optional keys.
func leastReply(op string) encodable {
	switch op {
	case abi.OpRunInfo:
		return &abi.RunInfo{}
	case abi.OpModelInfo:
		return &abi.ModelInfo{Name: modelName}
	case abi.OpToolsRead:
		return &abi.ToolList{Tools: []abi.ToolSpec{}}
	default:
		return nil
	}
}
