package gemini

import (
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// These are finish reasons: https://ai.google.dev/api/generate-content#FinishReason.
const (
	reasonStop          = "STOP"
	reasonMaxTokens     = "MAX_TOKENS"
	reasonMalformedCall = "MALFORMED_FUNCTION_CALL"
	reasonNoSignature   = "MISSING_THOUGHT_SIGNATURE"
)

// filtered lists the reasons with which the provider refuses to answer.
var filtered = []string{
	"SAFETY", "RECITATION", "PROHIBITED_CONTENT", "SPII", "BLOCKLIST", "LANGUAGE", "MODEL_ARMOR",
	"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION",
}

// judge returns the error for an unusable answer. A call that the provider itself could not parse becomes a malformed call of
// the message, if the provider names it.
func (a *answer) judge(m *abi.Message, req *model.Request) error {
	if !a.some && a.blocked == "" {
		return provider.Broken(Provider, "there is no answer in the response")
	}
	if a.finishReason == "" && a.say != nil && a.blocked == "" {
		return provider.Broken(Provider, "the stream ended before the answer was complete")
	}
	why := strings.TrimSpace(a.finishReason + " " + a.finishMessage)
	if a.finishReason == reasonMalformedCall {
		tool := a.malformed(req)
		if tool == "" {
			return provider.Broken(Provider, "the model made a malformed tool call: "+why)
		}
		m.InvalidToolCalls = append(m.InvalidToolCalls, abi.InvalidToolCall{
			Name: tool, Args: a.finishMessage, Error: "the call is malformed; write its arguments as a JSON object",
		})
		return nil
	}
	if model.Says(m) {
		return nil
	}
	switch {
	case slices.Contains(filtered, a.finishReason):
		return provider.Refused(Provider, why)
	case a.blocked != "":
		return provider.Refused(Provider, "the prompt: "+a.blocked)
	case a.finishReason == reasonNoSignature:
		out := provider.Broken(Provider, why)
		out.Kind, out.Retryable = model.ErrorInvalidRequest, false
		return out
	case a.finishReason == reasonMaxTokens, a.parts > 0 && (a.finishReason == reasonStop || a.finishReason == ""):
		return nil
	default:
		return provider.Broken(Provider, "the answer is empty: "+why)
	}
}

// malformed returns the tool that the model tried to call, from a finish message such as "Malformed function call:
// print(default_api.get_weather(city='Bern')"; "" if the message names none.
func (a *answer) malformed(req *model.Request) string {
	name, first := "", -1
	for _, tool := range req.Tools {
		for _, end := range []string{"(", "{", ":"} {
			at := strings.Index(a.finishMessage, tool.Name+end)
			if at >= 0 && (first < 0 || at < first || at == first && len(tool.Name) > len(name)) {
				name, first = tool.Name, at
			}
		}
	}
	return name
}
