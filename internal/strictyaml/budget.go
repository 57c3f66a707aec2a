package strictyaml

import (
	"fmt"

	"github.com/goccy/go-yaml/token"
)

const (
	// maxTokens bounds the number of tokens that the parser gets.
	maxTokens = 3 * maxNodes
	// maxKeys bounds the keys of one mapping outside { }. For each key, the parser recurses and copies the keys after it.
	maxKeys = 10_000
	// maxEmpty bounds the entries without a value. For each of them, the parser moves all tokens after it.
	maxEmpty = 10_000
	// maxLineWork bounds the number of tabs (and <<) in a line times its length, because the tokenizer takes that much time for the line.
	maxLineWork = 1 << 28
)

// budget counts the tokens that make the parser slow or its stack deep. A process cannot recover from a stack overflow.
type budget struct {
	flow    int // open [ and {
	openers int // the number of openers in a row, such as "- - -"
	empty   int
	keys    map[int]int // the number of keys of the open mapping at each column
}

// spend counts a token. It returns a message if a limit is exceeded, and "" otherwise.
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
		b.openers = 0 // a nested item must be indented, and a file is too small for deep indentation
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

// countKey returns the number of keys of the mapping that a ":" belongs to. A mapping ends at a line whose first token is left of it.
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
