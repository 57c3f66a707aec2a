package abi

import (
	"encoding/base64"

	"github.com/agenthost/agenthost/abi/wire"
)

// The kinds of blocks that agenthost knows, by the names of LangChain's standard content blocks. Blocks of other kinds, and keys
// that the constructors do not list, are kept unchanged: providers need their own blocks back.
const (
	BlockText      = "text"
	BlockImage     = "image"
	BlockAudio     = "audio"
	BlockVideo     = "video"
	BlockFile      = "file"
	BlockReasoning = "reasoning"
	BlockRefusal   = "refusal"
)

// Block is one part of a message's content: a map with at least the key "type".
type Block struct{ fields wire.Map }

// BlockOf makes a block of any kind from its keys, which must include "type".
func BlockOf(fields wire.Map) Block { return Block{fields} }

// TextBlock makes a text block: type, text.
func TextBlock(text string) Block {
	return Block{wire.Map{{Key: "text", Value: wire.String(text)}, {Key: "type", Value: wire.String(BlockText)}}}
}

// ImageBlock makes an image block from the bytes of an image: type, data, mime_type such as "image/png".
func ImageBlock(mimeType string, data []byte) Block { return dataBlock(BlockImage, mimeType, data) }

// ImageURLBlock makes an image block that points to the image: type, url.
func ImageURLBlock(url string) Block {
	return Block{wire.Map{{Key: "type", Value: wire.String(BlockImage)}, {Key: "url", Value: wire.String(url)}}}
}

// AudioBlock makes an audio block: type, data, mime_type such as "audio/wav".
func AudioBlock(mimeType string, data []byte) Block { return dataBlock(BlockAudio, mimeType, data) }

// VideoBlock makes a video block: type, data, mime_type such as "video/mp4".
func VideoBlock(mimeType string, data []byte) Block { return dataBlock(BlockVideo, mimeType, data) }

// FileBlock makes a file block: type, data, mime_type, name.
func FileBlock(name, mimeType string, data []byte) Block {
	return dataBlock(BlockFile, mimeType, data).with("name", wire.String(name))
}

// ReasoningBlock makes a reasoning block: type, reasoning and signature. The reasoning text may be empty if the
// provider hides it. The provider expects the signature back unchanged.
func ReasoningBlock(reasoning, signature string) Block {
	b := Block{wire.Map{
		{Key: "reasoning", Value: wire.String(reasoning)},
		{Key: "type", Value: wire.String(BlockReasoning)},
	}}
	if signature != "" {
		b = b.with("signature", wire.String(signature))
	}
	return b
}

// RefusalBlock makes the block of an answer in which the model declines to answer: type, refusal, and extras with the provider's
// category of the refusal. The text and the category may be empty.
func RefusalBlock(text, category string) Block {
	b := Block{wire.Map{{Key: "refusal", Value: wire.String(text)}, {Key: "type", Value: wire.String(BlockRefusal)}}}
	if category != "" {
		extras := wire.Map{{Key: "category", Value: wire.String(category)}}
		b = b.with("extras", extras.Raw())
	}
	return b
}

func dataBlock(kind, mimeType string, data []byte) Block {
	return Block{wire.Map{
		{Key: "data", Value: wire.AppendBin(nil, data)},
		{Key: "mime_type", Value: wire.String(mimeType)},
		{Key: "type", Value: wire.String(kind)},
	}}
}

// Type returns the kind of the block.
func (b Block) Type() string { return b.String("type") }

// Text returns the text of a text block, the reasoning of a reasoning block or the refusal of a refusal block, and "" for other
// blocks.
func (b Block) Text() string {
	switch kind := b.Type(); kind {
	case BlockText, BlockReasoning, BlockRefusal:
		return b.String(kind)
	default:
		return ""
	}
}

// IsMedia reports whether the block is an image, audio, a video or a file.
func (b Block) IsMedia() bool {
	switch b.Type() {
	case BlockImage, BlockAudio, BlockVideo, BlockFile:
		return true
	default:
		return false
	}
}

// Category returns the provider's category of a refusal; "" if it has none.
func (b Block) Category() string {
	category, _ := b.fields.Get("extras").Get("category").AsString()
	return category
}

// WithText returns a text, reasoning or refusal block with another text, which [Block.Text] then returns.
func (b Block) WithText(text string) Block { return b.with(b.Type(), wire.String(text)) }

// String returns the string under key, or "" if there is none.
func (b Block) String(key string) string {
	s, _ := b.fields.Get(key).AsString()
	return s
}

// Data returns the bytes under the key "data" or, in base64, under the key "base64"; nil if there are none.
func (b Block) Data() []byte {
	if data, ok := b.fields.Get("data").AsBytes(); ok {
		return data
	}
	data, err := base64.StdEncoding.DecodeString(b.String("base64"))
	if err != nil || len(data) == 0 {
		return nil
	}
	return data
}

// Fields returns all keys of the block. The caller must not change them.
func (b Block) Fields() wire.Map { return b.fields }

func (b Block) with(key string, value wire.Raw) Block {
	return Block{b.fields.With(wire.Map{{Key: key, Value: value}})}
}

// plainText reports whether the block is a text block without any other keys.
func (b Block) plainText() bool {
	if len(b.fields) != 2 || b.Type() != BlockText {
		return false
	}
	_, ok := b.fields.Get("text").AsString()
	return ok
}
