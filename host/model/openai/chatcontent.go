package openai

import (
	"cmp"
	"encoding/base64"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model/internal/provider"
	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// blockPart is the type of a block with a part of an answer that only the server understands, under KeyPart. It is sent back
// unchanged.
const blockPart = "openai_part"

// KeyPart is the key for the part in a block of the type "openai_part".
const KeyPart = "openai_part"

// keyAPI is the key for the API that a part is from, since the APIs have different parts; absent for Chat Completions.
const keyAPI = "openai_api"

// partOf returns the part of a block for the API that it came from; false if there is none.
func (m *Model) partOf(block abi.Block) (part any, ok bool) {
	from := cmp.Or(API(block.String(keyAPI)), ChatCompletions)
	own := block.Fields().Get(KeyPart)
	return own, block.Type() == blockPart && own.IsMap() && from == cmp.Or(m.API, ChatCompletions)
}

// textOf returns content as text, for places that accept only text, with each block on its own lines.
func textOf(c abi.Content) string { return texts(c, provider.TextOf, "\n") }

// texts joins the texts of blocks as told by textOf, separated by between. In answers between is empty, because an answer is
// split where a part has sources, for example.
func texts(c abi.Content, textOf func(abi.Block) string, between string) string {
	if c.IsText() {
		return c.Text()
	}
	var out strings.Builder
	last := ""
	for _, block := range c.Blocks() {
		text := textOf(block)
		if text == "" {
			continue
		}
		switch kind := block.Type(); {
		case last == "":
		case last == abi.BlockText && kind == abi.BlockText:
			out.WriteString(between)
		default:
			out.WriteString("\n")
		}
		last = block.Type()
		out.WriteString(text)
	}
	return out.String()
}

// chatContent returns a user's content: a text, or parts.
func chatContent(c abi.Content) any {
	if c.IsText() {
		return c.Text()
	}
	parts := []any{}
	for _, block := range c.Blocks() {
		part, text := chatPart(block)
		switch {
		case part == nil:
		case part["type"] == "text" && len(c.Blocks()) == 1: // more servers accept this form
			return text
		default:
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return parts
}

func textPart(text string) object { return object{"type": "text", "text": text} }

func thinkingPart(text string) object {
	return object{"type": keyThinking, keyThinking: []any{textPart(text)}}
}

// chatPart returns the part for a block, with its text if it is one; nil if the block is empty.
func chatPart(block abi.Block) (part object, text string) {
	url := provider.DataURL(block)
	switch block.Type() {
	case abi.BlockImage:
		if url == "" {
			url = block.String("url")
		}
		if url != "" {
			return object{"type": "image_url", "image_url": withoutEmpty(object{"url": url, "detail": block.String("detail")})}, ""
		}
	case abi.BlockFile:
		id := block.String("file_id")
		switch {
		case url != "":
			return object{"type": "file", "file": object{"file_data": url, "filename": provider.FileName(block)}}, ""
		case id != "":
			return object{"type": "file", "file": object{"file_id": id}}, ""
		}
	case abi.BlockAudio:
		if data := block.Data(); data != nil {
			sound := object{"data": base64.StdEncoding.EncodeToString(data), "format": audioFormat(provider.MimeType(block))}
			return object{"type": "input_audio", "input_audio": sound}, ""
		}
	}
	if text = provider.TextOf(block); text == "" {
		return nil, ""
	}
	return textPart(text), text
}

// audioFormat returns the API's name for a type of sound.
func audioFormat(mime string) string {
	mime, _, _ = strings.Cut(mime, ";")
	_, format, _ := strings.Cut(strings.TrimSpace(strings.ToLower(mime)), "/")
	switch format = strings.TrimPrefix(format, "x-"); format {
	case "mpeg":
		return "mp3"
	case "wave":
		return "wav"
	default:
		return format
	}
}

func withoutEmpty(o object) object {
	for key, value := range o {
		if value == "" {
			delete(o, key)
		}
	}
	return o
}

// nameForm and maxName describe the names that the API accepts, according to its error messages.
var nameForm = lazyregexp.New(`^[^\s<|\\/>]+$`)

const maxName = 64 // characters
