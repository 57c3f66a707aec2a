package provider

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// DataURL returns the bytes of an image or file block as a data URL, or "" if the block has none.
func DataURL(b abi.Block) string {
	data := b.Data()
	if data == nil {
		return ""
	}
	return "data:" + MimeType(b) + ";base64," + base64.StdEncoding.EncodeToString(data)
}

// MimeType returns the MIME type of an image or file block.
func MimeType(b abi.Block) string {
	if mime := b.String("mime_type"); mime != "" {
		return mime
	}
	if b.Type() == abi.BlockImage {
		return "image/png"
	}
	return "application/octet-stream"
}

// FileName returns the name of a file block, or "file" if it has none.
func FileName(b abi.Block) string {
	if name := b.String("name"); name != "" {
		return name
	}
	return "file"
}

// private lists the prefixes of the types of blocks that only one provider understands, such as the results of the tools on its
// servers. They are the names of the providers' packages.
var private = []string{"anthropic_", "gemini_", "openai_"}

// SaidOf returns the text that replaces a block of the model's output which the provider does not accept; "" for one that only
// another provider understands.
func SaidOf(b abi.Block) string {
	if slices.ContainsFunc(private, func(prefix string) bool { return strings.HasPrefix(b.Type(), prefix) }) {
		return ""
	}
	return TextOf(b)
}

// TextOf returns the text that replaces a block which the provider does not accept.
func TextOf(b abi.Block) string {
	switch kind := b.Type(); {
	case kind == abi.BlockText, kind == abi.BlockRefusal:
		return b.Text()
	case kind == abi.BlockReasoning:
		return ""
	case b.IsMedia():
		return "[" + strings.TrimSpace(kind+" "+b.String("name")) + "]"
	default:
		return b.Fields().Raw().JSON()
	}
}

// IsTextType reports whether a type is that of a document which is a text, such as "text/csv; charset=utf-8".
func IsTextType(mimeType string) bool {
	kind, _, _ := strings.Cut(mimeType, ";")
	switch kind = strings.ToLower(strings.TrimSpace(kind)); kind {
	case "application/json", "application/xml", "application/yaml":
		return true
	default:
		return strings.HasPrefix(kind, "text/")
	}
}

// Blocks joins the parts of an answer into its content. It merges adjacent texts and drops empty ones.
func Blocks(parts []abi.Block) abi.Content {
	var out []abi.Block
	var text strings.Builder // of adjacent parts; an answer may have very many
	flush := func() {
		if text.Len() > 0 {
			out = append(out, abi.TextBlock(text.String()))
			text.Reset()
		}
	}
	for _, part := range parts {
		if part.Type() == abi.BlockText && len(part.Fields()) == 2 {
			text.WriteString(part.Text())
			continue
		}
		flush()
		out = append(out, part)
	}
	flush()
	return abi.Blocks(out...)
}

// With returns a copy of a block with one key set.
func With(b abi.Block, key string, value wire.Raw) abi.Block {
	return abi.BlockOf(b.Fields().With(wire.Map{{Key: key, Value: value}}))
}

// Valid replaces invalid UTF-8 in a text, because a history may hold only valid UTF-8.
func Valid(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	return bytes.ToValidUTF8(text, []byte("\uFFFD"))
}
