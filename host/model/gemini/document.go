package gemini

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// document is a response, or a piece of one: https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse.
type document struct {
	Candidates     []candidate     `json:"candidates"`
	Error          json.RawMessage `json:"error"`
	ModelVersion   string          `json:"modelVersion"`
	PromptFeedback struct {
		BlockReason        string `json:"blockReason"`
		BlockReasonMessage string `json:"blockReasonMessage"`
	} `json:"promptFeedback"`
	ResponseID    provider.ID `json:"responseId"`
	UsageMetadata *usage      `json:"usageMetadata"`
}

type candidate struct {
	Content struct {
		Parts []json.RawMessage `json:"parts"`
	} `json:"content"`
	ContinuationToken string `json:"continuationToken"`
	FinishMessage     string `json:"finishMessage"`
	FinishReason      string `json:"finishReason"`
	Index             int    `json:"index"`

	// These fields are kept unchanged in the message's Meta.
	AvgLogprobs        json.RawMessage `json:"avgLogprobs"`
	CitationMetadata   json.RawMessage `json:"citationMetadata"`
	GroundingMetadata  json.RawMessage `json:"groundingMetadata"`
	LogprobsResult     json.RawMessage `json:"logprobsResult"`
	SafetyRatings      json.RawMessage `json:"safetyRatings"`
	URLContextMetadata json.RawMessage `json:"urlContextMetadata"`
}

// about returns the fields kept in the message's Meta, by the API's names.
func (c *candidate) about() map[string]json.RawMessage {
	return map[string]json.RawMessage{
		"avgLogprobs": c.AvgLogprobs, "citationMetadata": c.CitationMetadata, "groundingMetadata": c.GroundingMetadata,
		"logprobsResult": c.LogprobsResult, "safetyRatings": c.SafetyRatings, "urlContextMetadata": c.URLContextMetadata,
	}
}

// said is a part of an answer, of a known kind.
type said struct {
	FunctionCall *functionCall `json:"functionCall"`
	InlineData   *struct {
		Data     []byte `json:"data"`
		MIMEType string `json:"mimeType"`
	} `json:"inlineData"`
	Text             *string `json:"text"`
	Thought          bool    `json:"thought"`
	ThoughtSignature string  `json:"thoughtSignature"`
}

// usage counts tokens.
type usage struct {
	CachedContentTokenCount int64 `json:"cachedContentTokenCount"`
	CandidatesTokenCount    int64 `json:"candidatesTokenCount"`
	PromptTokenCount        int64 `json:"promptTokenCount"`
	ThoughtsTokenCount      int64 `json:"thoughtsTokenCount"`
	ToolUsePromptTokenCount int64 `json:"toolUsePromptTokenCount"`
}

// tokens returns the usage for a message. The prompt's count includes cached tokens, but not the results of Google's own
// tools; the count of the answer does not include thoughts.
func (u *usage) tokens() abi.Usage {
	count := func(n int64) uint64 { return uint64(max(n, 0)) }
	out := abi.Usage{
		CacheReadTokens: count(u.CachedContentTokenCount),
		InputTokens:     count(u.PromptTokenCount) + count(u.ToolUsePromptTokenCount),
		OutputTokens:    count(u.CandidatesTokenCount) + count(u.ThoughtsTokenCount),
		ReasoningTokens: count(u.ThoughtsTokenCount),
	}
	out.TotalTokens = out.InputTokens + out.OutputTokens
	return out
}

// readDocument reads a response, or a piece of one. The error is a [*model.Error].
func readDocument(text []byte) (*document, error) {
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	}
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, provider.Broken(Provider, "the response cannot be read: "+err.Error())
	}
	if isSet(d.Error) {
		return nil, provider.InStream(Provider, text)
	}
	return &d, nil
}

// isSet reports whether a field is present and not null.
func isSet(field json.RawMessage) bool { return len(field) > 0 && string(field) != "null" }
