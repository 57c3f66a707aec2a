package langchain

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// Clients send media in three forms: with base64 or url and mime_type (Python), with data and mimeType (JavaScript), and with data or url,
// mime_type and source_type (earlier versions). A block keeps the keys that tell the form, and goes back in the same one, because the pages that
// sent it look for that.
const (
	keyBase64     = "base64"
	keyData       = "data"
	keyMIME       = "mime_type"
	keyMIMEScript = "mimeType"
	keySource     = "source_type"
)

// contentOf returns content in JSON: a text, or a list of blocks.
func contentOf(c abi.Content) json.RawMessage {
	if c.IsText() {
		return encode(c.Text())
	}
	blocks := c.Blocks()
	out := make([]wire.Map, len(blocks))
	for i, block := range blocks {
		out[i] = blockOf(block)
	}
	return encode(out)
}

// blockOf returns a block in the form of clients.
func blockOf(block abi.Block) wire.Map {
	fields := block.Fields()
	data := fields.Get(keyBase64)
	if raw, ok := fields.Get(keyData).AsBytes(); ok {
		data = wire.String(base64.StdEncoding.EncodeToString(raw))
	}
	if data.IsZero() || !block.IsMedia() {
		return fields
	}
	fields = fields.With(nil)
	fields.Delete(keyData)
	fields.Delete(keyBase64)
	if fields.Has(keyMIMEScript) || fields.Has(keySource) {
		fields.Set(keyData, data)
	} else {
		fields.Set(keyBase64, data)
	}
	return fields
}

// readContent reads the content of a message.
func readContent(raw json.RawMessage) (abi.Content, error) {
	value, err := wire.FromJSON(raw, wire.Limits{})
	if err != nil {
		return abi.Content{}, invalid("content", "%v", err)
	}
	if value.IsNil() {
		return abi.Content{}, nil
	}
	if said, ok := value.AsString(); ok {
		return abi.Text(said), nil
	}
	if !value.IsArray() {
		return abi.Content{}, invalid("content", "it is neither a text nor a list")
	}
	var blocks []abi.Block
	for part := range value.Elements() {
		block, err := readBlock(part)
		if err != nil {
			return abi.Content{}, err
		}
		blocks = append(blocks, block)
	}
	return abi.Blocks(blocks...), nil
}

// readBlock reads a block of a content: a text, or a map with a type.
func readBlock(part wire.Raw) (abi.Block, error) {
	if said, ok := part.AsString(); ok {
		return abi.TextBlock(said), nil
	}
	var fields wire.Map
	if _, err := fields.UnmarshalMsg(part); err != nil || len(fields) == 0 {
		return abi.Block{}, invalid("content", "a block is neither a text nor an object")
	}
	block := abi.BlockOf(fields)
	switch {
	case block.Type() == "":
		return abi.Block{}, invalid("content", "a block has no type")
	case block.Type() == abi.BlockText:
		return abi.TextBlock(block.Text()), nil
	case block.Type() == "image_url":
		return readImageURL(fields), nil
	case block.IsMedia():
		return readMedia(fields), nil
	default:
		return block, nil
	}
}

// readImageURL reads an image in OpenAI's form.
func readImageURL(fields wire.Map) abi.Block {
	address, ok := fields.Get("image_url").Get("url").AsString()
	if !ok {
		address, _ = fields.Get("image_url").AsString()
	}
	if rest, found := strings.CutPrefix(address, "data:"); found {
		if mime, data, ok := strings.Cut(rest, ";base64,"); ok {
			return abi.BlockOf(wire.Map{
				{Key: keyBase64, Value: wire.String(data)}, {Key: keyMIME, Value: wire.String(mime)}, {Key: "type", Value: wire.String(abi.BlockImage)},
			})
		}
	}
	return abi.ImageURLBlock(address)
}

// readMedia reads media in any form. Keys that could steer a provider, such as file_id and cache_control, are left out.
func readMedia(fields wire.Map) abi.Block {
	out := wire.Map{}
	for _, key := range []string{"type", "url", "name", "filename", "metadata", "title", "id", keyMIME, keyMIMEScript, keySource, keyBase64} {
		if value := fields.Get(key); !value.IsNil() {
			out.Set(key, value)
		}
	}
	if mime := fields.Get(keyMIMEScript); !out.Has(keyMIME) && !mime.IsNil() {
		out.Set(keyMIME, mime)
	}
	if data := fields.Get(keyData); !data.IsNil() {
		out.Set(keyBase64, data)
	}
	if name := fields.Get("metadata").Get("name"); !out.Has("name") && !name.IsNil() {
		out.Set("name", name)
	}
	return abi.BlockOf(out)
}
