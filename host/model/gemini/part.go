package gemini

import (
	"encoding/json"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// KeySignature is the key under which blocks of text, reasoning and images keep the thought signature of their part, in
// base64 as the API has it.
const KeySignature = "thought_signature"

// part is a part of a turn. Unlike that of Google's SDK, it can have an empty text, on which signatures come, and signatures as they
// came.
type part struct {
	FileData         *fileData         `json:"fileData,omitempty"`
	FunctionCall     *functionCall     `json:"functionCall,omitempty"`
	FunctionResponse *functionResponse `json:"functionResponse,omitempty"`
	InlineData       *blob             `json:"inlineData,omitempty"`
	Text             *string           `json:"text,omitempty"`
	Thought          bool              `json:"thought,omitempty"`
	ThoughtSignature string            `json:"thoughtSignature,omitempty"`
}

// fileData is where a file is.
type fileData struct {
	FileURI  string `json:"fileUri,omitempty"`
	MIMEType string `json:"mimeType,omitempty"`
}

// blob is a file.
type blob struct {
	Data     []byte `json:"data,omitempty"`
	MIMEType string `json:"mimeType,omitempty"`
}

// functionResponse is the answer to a call of a tool.
type functionResponse struct {
	ID       string         `json:"id,omitempty"`
	Name     string         `json:"name,omitempty"`
	Parts    []part         `json:"parts,omitempty"`
	Response map[string]any `json:"response,omitempty"`
}

// functionCall is a call of a tool. Unlike that of Google's SDK, it has arguments of which no number is rounded.
type functionCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

func textPart(text string) part { return part{Text: &text} }

// texts are the parts of content of which only texts can be sent.
func texts(c abi.Content) []any {
	var out []any
	for _, block := range c.Blocks() {
		if text := provider.TextOf(block); text != "" {
			out = append(out, textPart(text))
		}
	}
	return out
}

// personParts are the parts of what a person says.
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

// modelParts are the parts of what the model has said, without its calls. Reasoning of other providers' models is left out.
func modelParts(m *abi.Message) []any {
	from, _ := m.Meta.Get("provider").AsString()
	var out []any
	for _, block := range m.Content.Blocks() {
		text, signature := block.Text(), block.String(KeySignature)
		own := signature != "" || from == Provider
		switch {
		case block.Type() == abi.BlockText && (text != "" || signature != ""):
			out = append(out, part{Text: &text, ThoughtSignature: signature})
		case block.Type() == abi.BlockReasoning && own && (text != "" || signature != ""):
			out = append(out, part{Text: &text, Thought: true, ThoughtSignature: signature})
		case block.Type() == abi.BlockText, block.Type() == abi.BlockReasoning:
		default:
			out = append(out, personParts(abi.Blocks(block))...)
		}
	}
	return out
}

// keyPart is the key under which a block of one of the API's other kinds keeps the part as it came.
const keyPart = "part"

// partOf returns the part for an image, a file, or a part of the API's other kinds; false for other blocks.
func partOf(block abi.Block) (any, bool) {
	switch kind := block.Type(); {
	case kind == abi.BlockImage || kind == abi.BlockFile:
		return mediaPart(block)
	case strings.HasPrefix(kind, blockPrefix):
		raw := block.Fields().Get(keyPart)
		return json.RawMessage(raw.JSON()), raw.IsMap()
	default:
		return nil, false
	}
}

// blockPrefix is how the types of blocks begin that keep a part of one of the API's other kinds.
const blockPrefix = Provider + "_"

// response is what a tool has returned, as the API takes it: an object.
func response(m *abi.Message) map[string]any {
	if m.Status == abi.StatusError {
		return map[string]any{"error": resultText(m)}
	}
	return map[string]any{"result": resultText(m)}
}

// resultText is the text of a tool's result, with a word for each block that cannot be sent.
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

// resultParts are the media of a tool's result: those that can stand inside of the answer, and the others, for a turn of the
// user behind it.
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
