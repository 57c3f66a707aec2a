package strictyaml

import (
	"fmt"

	"github.com/goccy/go-yaml/token"
)

const (
	// maxTokens bounds what the parser is given.
	maxTokens = 3 * maxNodes
	// maxKeys bounds the keys of one mapping outside of { }, for each of which the parser recurses and copies those behind it.
	maxKeys = 10_000
	// maxEmpty bounds the entries without a value, for each of which the parser moves all tokens behind it.
	maxEmpty = 10_000
	// maxLineWork bounds tabs (and <<) times length of a line, which is the time that the tokenizer takes for it.
	maxLineWork = 1 << 28
)

// budget counts what makes the parser slow or its stack deep; a stack that overflows cannot be recovered.
type budget struct {
	flow    int // open [ and {
	openers int // in a row, such as "- - -"
	empty   int
	keys    map[int]int // of the mapping that is open at each column
}

// spend takes a token into account and says which limit is reached, if any.
func (b *budget) spend(tk *token.Token) string {
	b.nest(tk)
	switch {
	case b.flow > maxDepth || b.openers > maxDepth:
		return (&node{depth: maxDepth + 1}).tooLarge()
	case b.flow == 0 && b.countKey(tk) > maxKeys:
		return fmt.Sprintf("a mapping has more than %d keys", maxKeys)
	case b.empty > maxEmpty:
		return fmt.Sprintf("more than %d entries have no value", maxEmpty)
	}
	return ""
}

func (b *budget) nest(tk *token.Token) {
	switch tk.Type {
	case token.SequenceStartType, token.MappingStartType:
		b.flow++
	case token.SequenceEndType, token.MappingEndType:
		b.flow--
	}
	if tk.Type == token.SequenceEntryType && tk.Prev != nil && tk.Prev.Position.Line < tk.Position.Line {
		b.openers = 0 // deeper only if indented, for which a file has no room
	}
	switch tk.Type {
	case token.SequenceEntryType, token.MappingKeyType, token.TagType, token.AnchorType, token.SequenceStartType, token.MappingStartType:
		b.openers++
	case token.StringType:
		if tk.PreviousType() != token.AnchorType { // the anchor's name
			b.openers = 0
		}
	default:
		b.openers = 0
	}
}

// countKey returns the number of keys of the mapping that a ":" belongs to. Mappings to the right of a line's first token have ended.
func (b *budget) countKey(tk *token.Token) int {
	column := tk.Position.Column
	if tk.Prev == nil || tk.Prev.Position.Line < tk.Position.Line || tk.Type == token.SequenceEntryType {
		for open := range b.keys {
			if open > column {
				delete(b.keys, open)
			}
		}
	}
	if tk.Type != token.MappingValueType && tk.Type != token.SequenceEntryType {
		return 0
	}
	start := tk
	if tk.Type == token.MappingValueType && tk.Prev != nil {
		start = tk.Prev
	}
	if next := tk.Next; next == nil || next.Position.Line > tk.Position.Line && next.Position.Column <= start.Position.Column {
		b.empty++
	}
	if tk.Type == token.SequenceEntryType {
		return 0
	}
	b.keys[start.Position.Column]++
	return b.keys[start.Position.Column]
}
