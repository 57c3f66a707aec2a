package abi

import (
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
)

// Content is what a message says: a text, or a list of blocks. On the wire, a single plain text block is a string
// and anything else is an array of block maps, so Content is a string whenever possible. Content never changes after
// it is made.
type Content struct {
	text   string
	blocks []Block // nil: the content is text
}

// Text makes content from one text block.
func Text(text string) Content { return Content{text: text} }

// Blocks makes content from blocks. A single text block without further keys gives the same content as [Text].
func Blocks(blocks ...Block) Content {
	if len(blocks) == 0 {
		return Content{}
	}
	if len(blocks) == 1 && blocks[0].plainText() {
		return Text(blocks[0].Text())
	}
	return Content{blocks: blocks}
}

// IsZero reports whether the content is the empty text.
func (c Content) IsZero() bool { return c.text == "" && c.blocks == nil }

// IsText reports whether the content is one plain text, as opposed to blocks.
func (c Content) IsText() bool { return c.blocks == nil }

// Text returns the texts of all text blocks joined. It ignores other blocks.
func (c Content) Text() string {
	if c.blocks == nil {
		return c.text
	}
	var b strings.Builder
	for _, block := range c.blocks {
		if block.Type() == BlockText {
			b.WriteString(block.Text())
		}
	}
	return b.String()
}

// Blocks returns the content as blocks; the empty text has none. The caller must not change them.
func (c Content) Blocks() []Block {
	switch {
	case c.blocks != nil:
		return c.blocks
	case c.text == "":
		return nil
	default:
		return []Block{TextBlock(c.text)}
	}
}

// Append returns the content followed by other. Two texts become one text; otherwise the result has the blocks of
// both. If other is a text and the last block is a text block, the text is appended to that block.
func (c Content) Append(other Content) Content {
	if other.IsZero() {
		return c
	}
	if c.IsText() && other.IsText() {
		return Text(c.text + other.text)
	}
	blocks := append([]Block(nil), c.Blocks()...)
	if last := len(blocks) - 1; other.IsText() && last >= 0 && blocks[last].Type() == BlockText {
		blocks[last] = blocks[last].with("text", wire.String(blocks[last].Text()+other.text))
		return Blocks(blocks...)
	}
	return Blocks(append(blocks, other.Blocks()...)...)
}

// MarshalMsg appends the content.
func (c Content) MarshalMsg(dst []byte) ([]byte, error) {
	if c.blocks == nil {
		return wire.AppendString(dst, c.text), nil
	}
	dst = wire.AppendArrayHeader(dst, len(c.blocks))
	for _, block := range c.blocks {
		dst, _ = block.fields.MarshalMsg(dst)
	}
	return dst, nil
}

// UnmarshalMsg decodes a string, an array of maps, or nil for the empty text.
func (c *Content) UnmarshalMsg(b []byte) ([]byte, error) {
	raw, rest, err := wire.Cut(b)
	if err != nil {
		return b, err
	}
	*c, err = contentOf(raw) // contentOf copies the bytes that it keeps
	return rest, err
}

func contentOf(raw wire.Raw) (Content, error) {
	if text, ok := raw.AsString(); ok {
		return Text(text), nil
	}
	if raw.IsNil() {
		return Content{}, nil
	}
	items, ok := raw.Items()
	if !ok {
		return Content{}, &DocumentError{Document: "content", Reason: "must be a string or an array of blocks"}
	}
	blocks := make([]Block, 0, len(items))
	for _, item := range items {
		var block Block
		if _, err := block.fields.UnmarshalMsg(item); err != nil {
			return Content{}, &DocumentError{Document: "content", Reason: "a block must be a map: " + err.Error()}
		}
		if block.Type() == "" {
			return Content{}, &DocumentError{Document: "content", Reason: `a block needs the key "type"`}
		}
		blocks = append(blocks, block)
	}
	return Blocks(blocks...), nil
}

// Msgsize is an upper bound of the number of bytes that MarshalMsg appends.
func (c Content) Msgsize() int {
	n := 5 + len(c.text)
	for _, block := range c.blocks {
		n += block.fields.Msgsize()
	}
	return n
}
