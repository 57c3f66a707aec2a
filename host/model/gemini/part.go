package gemini

import (
	"encoding/json"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// KeySignature is the key in blocks of text, reasoning and images for the thought signature of their part, in the API's
// base64.
const KeySignature = "thought_signature"

// part is a part of a turn. Unlike in Google's SDK, its text may be empty, as signatures require, and signatures stay
// unchanged.
type part struct {
	FileData         *fileData         `json:"fileData,omitempty"`
	FunctionCall     *functionCall     `json:"functionCall,omitempty"`
	FunctionResponse *functionResponse `json:"functionResponse,omitempty"`
	InlineData       *blob             `json:"inlineData,omitempty"`
	Text             *string           `json:"text,omitempty"`
	Thought          bool              `json:"thought,omitempty"`
	ThoughtSignature string            `json:"thoughtSignature,omitempty"`
}

// fileData is the address of a file.
type fileData struct {
	FileURI  string `json:"fileUri,omitempty"`
	MIMEType string `json:"mimeType,omitempty"`
}

// blob is the content of a file.
type blob struct {
	Data     []byte `json:"data,omitempty"`
	MIMEType string `json:"mimeType,omitempty"`
}

// functionResponse is the answer to a tool call.
type functionResponse struct {
	ID       string         `json:"id,omitempty"`
	Name     string         `json:"name,omitempty"`
	Parts    []part         `json:"parts,omitempty"`
	Response map[string]any `json:"response,omitempty"`
}

// functionCall is a tool call. Unlike in Google's SDK, no number in its arguments is rounded.
type functionCall struct {
	ID   provider.ID     `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

func textPart(text string) part { return part{Text: &text} }

// texts returns the parts for content that may only hold texts.
func texts(c abi.Content) []any {
	var out []any
	for _, block := range c.Blocks() {
		if text := provider.TextOf(block); text != "" {
			out = append(out, textPart(text))
		}
	}
	return out
}

// personParts returns the parts of a user's content.
func personParts(c abi.Content) []any {
	var out []any
	for _, block := range c.Blocks() {
		if p, ok := partOf(block); ok {
			out = append(out, p)
		} else if text := provider.TextOf(block); text != "" {
			out = append(out, textPart(text))
		}
	}
	return out
}

// modelParts returns the parts of a model's message without its calls. It omits reasoning from providers other than this one.
func modelParts(m *abi.Message, this string) []any {
	from, _ := m.Meta.Get("provider").AsString()
	var out []any
	for _, block := range m.Content.Blocks() {
		text, signature := block.Text(), block.String(KeySignature)
		own := signature != "" || from == this
		switch {
		case block.Type() == abi.BlockText && (text != "" || signature != ""):
			out = append(out, part{Text: &text, ThoughtSignature: signature})
		case block.Type() == abi.BlockReasoning && own && (text != "" || signature != ""):
			out = append(out, part{Text: &text, Thought: true, ThoughtSignature: signature})
		case block.Type() == abi.BlockText, block.Type() == abi.BlockReasoning:
		default:
			if p, ok := partOf(block); ok {
				out = append(out, p)
			} else if text := provider.SaidOf(block); text != "" {
				out = append(out, textPart(text))
			}
		}
	}
	return out
}

// keyPart is the key for the original part in a block of one of the API's other kinds.
const keyPart = "part"

// partOf returns the part for an image, sound, a film, a file, or a block of the API's other kinds; false for any other block.
func partOf(block abi.Block) (any, bool) {
	switch kind := block.Type(); {
	case block.IsMedia():
		return mediaPart(block)
	case strings.HasPrefix(kind, blockPrefix):
		raw := block.Fields().Get(keyPart)
		return json.RawMessage(raw.JSON()), raw.IsMap()
	default:
		return nil, false
	}
}

// blockPrefix precedes the types of blocks for the API's other kinds of parts.
const blockPrefix = Provider + "_"

// response returns a tool's result as the API requires it: as an object.
func response(m *abi.Message) map[string]any {
	if m.Status == abi.StatusError {
		return map[string]any{"error": resultText(m)}
	}
	return map[string]any{"result": resultText(m)}
}

// resultText returns the text of a tool's result, with a placeholder for each block that cannot be sent.
func resultText(m *abi.Message) string {
	if m.Content.IsText() {
		return m.Content.Text()
	}
	var out []string
	for _, block := range m.Content.Blocks() {
		if _, ok := partOf(block); ok {
			continue
		}
		if text := provider.TextOf(block); text != "" {
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n")
}

// resultParts returns the media of a tool's result: those that may be inside the answer, and those for a user turn after it.
func resultParts(m *abi.Message, modern bool) (inside []part, beside []any) {
	for _, block := range m.Content.Blocks() {
		p, ok := partOf(block)
		if !ok {
			continue
		}
		if media, ok := p.(part); ok && modern && media.InlineData != nil && nestable[media.InlineData.MIMEType] {
			inside = append(inside, part{InlineData: media.InlineData})
			continue
		}
		beside = append(beside, p)
	}
	return inside, beside
}

// signed returns a block with the signature of its part.
func signed(block abi.Block, signature string) abi.Block {
	if signature == "" {
		return block
	}
	return provider.With(block, KeySignature, wire.String(signature))
}
