package pii

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// cuts is where a text may be cut in two without changing what a rule finds: after a character that is not part of a word
// and that no match contains. The matches on either side of such a cut do not depend on the other side. The zero value
// permits no cut.
type cuts struct {
	ascii [utf8.RuneSelf]bool
	other bool // all characters beyond ASCII
	card  bool // not between the groups of a possible card number: after a separator with four digits before it
}

// last returns the last position after an offset where a text may be cut; 0 if there is none.
func (c *cuts) last(text string, after int) int {
	for at := len(text); at > after; {
		char, size := utf8.DecodeLastRuneInString(text[:at])
		inCard := c.card && separatorIn(text[at-size:]) > 0 && endsInGroup(text[:at-size])
		if c.allows(char, size) && !inCard {
			return at
		}
		at -= size
	}
	return 0
}

func (c *cuts) allows(char rune, size int) bool {
	if char < utf8.RuneSelf {
		return c.ascii[char]
	}
	return c.other && (char != utf8.RuneError || size > 1) // not in the middle of a character
}

// endsInGroup reports whether a text ends in four digits.
func endsInGroup(text string) bool {
	if len(text) < 4 {
		return false
	}
	for i := len(text) - 4; i < len(text); i++ {
		if !isDigit(text[i]) {
			return false
		}
	}
	return true
}

func cardCuts() cuts {
	c := cutsOf()
	c.card = true
	return c
}

// cutsOf returns the cuts that are safe for all expressions.
func cutsOf(patterns ...string) cuts {
	c := cuts{other: true}
	for i := range c.ascii {
		c.ascii[i] = !isWord(byte(i))
	}
	for _, pattern := range patterns {
		expression, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			return cuts{}
		}
		c.forbid(expression)
	}
	return c
}

// forbid removes the cuts that could divide a match of an expression or change its meaning.
func (c *cuts) forbid(e *syntax.Regexp) {
	switch e.Op {
	case syntax.OpBeginText, syntax.OpEndText, syntax.OpAnyChar:
		*c = cuts{}
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpAnyCharNotNL: // a cut is the end of a line only where a line ends
		newline := c.ascii['\n']
		*c = cuts{}
		c.ascii['\n'] = newline
	case syntax.OpLiteral:
		for _, char := range e.Rune {
			c.forbidChar(char)
			if e.Flags&syntax.FoldCase == 0 {
				continue
			}
			for folded := unicode.SimpleFold(char); folded != char; folded = unicode.SimpleFold(folded) {
				c.forbidChar(folded)
			}
		}
	case syntax.OpCharClass:
		for pair := range slices.Chunk(e.Rune, 2) {
			for char := pair[0]; char <= min(pair[1], utf8.RuneSelf-1); char++ {
				c.forbidChar(char)
			}
			c.forbidChar(pair[1])
		}
	default: // composed of others, or without a character
	}
	for _, part := range e.Sub {
		c.forbid(part)
	}
}

func (c *cuts) forbidChar(char rune) {
	if char < utf8.RuneSelf {
		c.ascii[char] = false
	} else {
		c.other = false
	}
}
