package anthropic

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// object is a JSON object of a request.
type object = map[string]any

// objectOf returns a map as a JSON object without converting its values.
func objectOf(fields wire.Map) object {
	out := make(object, len(fields))
	for _, field := range fields {
		out[field.Key] = field.Value
	}
	return out
}

// ownPrefix precedes the kinds of blocks that only this provider knows.
const ownPrefix = Provider + "_"

// privateKeys are the keys of other blocks whose values only this provider can read.
var privateKeys = []string{"citations", "signature", redacted}

// These are the API's kinds of blocks that code other than ownBlock makes or reads.
const (
	kindText             = "text"
	kindThinking         = "thinking"
	kindRedactedThinking = "redacted_thinking"
	kindToolUse          = "tool_use"
	kindToolResult       = "tool_result"
)

// cacheControl is the key of a block after which the provider caches the prompt.
const cacheControl = "cache_control"

// marked copies a block's cache mark to the API's block made from it.
func marked(out object, from abi.Block) object {
	if mark := from.Fields().Get(cacheControl); mark.IsMap() {
		out[cacheControl] = mark
	}
	return out
}

// textBlock returns a block with a text; nil if the text is blank, which the API refuses.
func textBlock(text string) object {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return object{"type": kindText, "text": text}
}

// ownBlock returns a block of the provider's own kinds, unchanged; nil for any other.
func ownBlock(b abi.Block) object {
	kind, ok := strings.CutPrefix(b.Type(), ownPrefix)
	if !ok {
		return nil
	}
	out := objectOf(b.Fields())
	out["type"] = kind
	return out
}

// userBlock returns the block for a block of a user or a tool; nil if it is empty.
func userBlock(b abi.Block) object {
	var out object
	switch b.Type() {
	case abi.BlockImage:
		out = imageBlock(b)
	case abi.BlockFile:
		out = documentBlock(b)
	default:
		out = ownBlock(b)
	}
	if out == nil {
		out = textBlock(provider.TextOf(b))
	}
	if out == nil {
		return nil
	}
	return marked(out, b)
}

// imageTypes are the types of images that the API accepts.
var imageTypes = map[string]bool{"image/jpeg": true, "image/png": true, "image/gif": true, "image/webp": true}

// imageBlock returns an image; nil if the API does not accept its type.
func imageBlock(b abi.Block) object {
	source := sourceOf(b)
	if source == nil {
		return nil
	}
	if kind, ok := source["media_type"].(string); ok && !imageTypes[kind] {
		return nil
	}
	return object{"type": "image", "source": source}
}

// sourceOf returns the source of an image or file; nil if it has none.
func sourceOf(b abi.Block) object {
	if data := b.Data(); len(data) > 0 {
		return object{"type": "base64", "media_type": mediaType(provider.MimeType(b)), "data": base64.StdEncoding.EncodeToString(data)}
	}
	url := b.String("url")
	if url == "" {
		return nil
	}
	if inline, ok := strings.CutPrefix(url, "data:"); ok {
		kind, data, _ := strings.Cut(inline, ",")
		kind, ok := strings.CutSuffix(kind, ";base64")
		if !ok || data == "" {
			return nil
		}
		return object{"type": "base64", "media_type": mediaType(kind), "data": data}
	}
	return object{"type": "url", "url": url}
}

// mediaType returns a type without its parameters, in the spelling that the API knows.
func mediaType(of string) string {
	of, _, _ = strings.Cut(of, ";")
	of = strings.ToLower(strings.TrimSpace(of))
	if of == "image/jpg" {
		return "image/jpeg"
	}
	return of
}

// documentBlock returns a file: a PDF or a text; nil for any other.
func documentBlock(b abi.Block) object {
	source := sourceOf(b)
	if source == nil {
		return nil
	}
	kind, _ := source["media_type"].(string)
	switch {
	case source["type"] == "url":
		if mime := mediaType(b.String("mime_type")); mime != "" && mime != "application/pdf" {
			return nil
		}
	case kind == "application/pdf":
	case provider.IsTextType(kind):
		data := b.Data()
		if len(data) == 0 {
			data, _ = base64.StdEncoding.DecodeString(source["data"].(string)) //nolint:forcetypeassert // sourceOf made it
		}
		if !utf8.Valid(data) || strings.TrimSpace(string(data)) == "" {
			return nil
		}
		source = object{"type": "text", "media_type": "text/plain", "data": string(data)}
	default:
		return nil
	}
	out := object{"type": "document", "source": source}
	if name := b.String("name"); name != "" {
		out["title"] = name
	}
	return out
}

// saidBlock returns the block for model output other than reasoning and calls; nil if it is empty.
func saidBlock(b abi.Block) object {
	out := ownBlock(b)
	if out == nil {
		out = textBlock(provider.SaidOf(b))
	}
	if out == nil {
		return nil
	}
	if citations := citationsOf(b); b.Type() == abi.BlockText && len(citations) > 0 {
		out["citations"] = citations
	}
	return marked(out, b)
}

// citationsOf returns the citations of a text, without the key that the API sends but does not accept.
func citationsOf(b abi.Block) (out []object) {
	for citation := range b.Fields().Get("citations").Elements() {
		var fields wire.Map
		if _, err := fields.UnmarshalMsg(citation); err != nil || len(fields) == 0 {
			continue
		}
		of := objectOf(fields)
		delete(of, "file_id")
		out = append(out, of)
	}
	return out
}

// redacted is the key of a reasoning block for content that the provider hides.
const redacted = "redacted"

// thoughtBlock returns a reasoning block; nil without a signature, because the API would refuse it.
func thoughtBlock(b abi.Block) object {
	if data := b.String(redacted); data != "" {
		return object{"type": kindRedactedThinking, "data": data}
	}
	signature := b.String("signature")
	if signature == "" {
		return nil
	}
	return object{"type": kindThinking, "thinking": b.Text(), "signature": signature}
}
