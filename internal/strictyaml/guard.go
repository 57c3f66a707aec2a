package strictyaml

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml/token"
)

// guard checks the tokens before the parser gets them. It refuses tokens on which the parser would recurse without a bound, YAML that
// this package does not support, and texts that the tokenizer is known to misread.
type guard struct {
	src    *source
	budget budget
	began  bool // there was a token other than a comment
}

func (g *guard) check(tokens token.Tokens) *Problem {
	if len(tokens) > maxTokens {
		p := g.src.at(1, 1).problem("", (&node{size: maxNodes + 1}).tooLarge(), "")
		return &p
	}
	for i, tk := range tokens {
		if tk.Position == nil {
			continue
		}
		for _, check := range []func(*token.Token) *Problem{
			g.checkBudget, g.checkDocument, g.checkIndentation, g.checkText, g.checkMergeKey,
		} {
			if p := check(tk); p != nil {
				return p
			}
		}
		g.began = g.began || tk.Type != token.CommentType && tk.Type != token.DocumentHeaderType
		if tk.Type == token.DocumentEndType {
			return g.checkAfterEnd(tokens[i:])
		}
	}
	return nil
}

func (g *guard) refuse(tk *token.Token, message, hint string) *Problem {
	p := locate(g.src, tk).problem("", message, hint)
	return &p
}

func (g *guard) checkBudget(tk *token.Token) *Problem {
	if message := g.budget.spend(tk); message != "" {
		return g.refuse(tk, message, "")
	}
	return nil
}

func (g *guard) checkDocument(tk *token.Token) *Problem {
	switch tk.Type {
	case token.DirectiveType:
		return g.refuse(tk, "YAML directives are not supported", "remove the line, or quote a value that starts with %")
	case token.DocumentHeaderType:
		if g.began {
			return g.refuse(tk, "a second YAML document starts here", "keep one document in each file")
		}
		g.began = true
	case token.DocumentEndType:
		if line := g.src.line(tk.Position.Line); strings.TrimSpace(strings.TrimPrefix(line, "...")) != "" {
			return g.refuse(tk, `a value cannot follow "..."`, "quote a text that starts with dots")
		}
	}
	return nil
}

func (g *guard) checkAfterEnd(tokens token.Tokens) *Problem {
	for _, tk := range tokens[1:] {
		if tk.Type != token.CommentType && tk.Type != token.DocumentEndType {
			return g.refuse(tk, "a second YAML document starts here", "keep one document in each file")
		}
	}
	return nil
}

// checkIndentation refuses a tab before the first token of a line, outside [ ] and { }.
func (g *guard) checkIndentation(tk *token.Token) *Problem {
	if g.budget.flow > 0 || tk.Type == token.CommentType {
		return nil
	}
	if prev := tk.Prev; prev != nil && prev.Position.Line == tk.Position.Line &&
		prev.Type != token.SequenceEntryType && prev.Type != token.MappingKeyType {
		return nil
	}
	at := locate(g.src, tk)
	before := g.src.line(at.line)[:g.src.offset(at.line, at.column)]
	tab := strings.IndexByte(before, '\t')
	if tab < 0 || strings.Trim(before, " \t-?") != "" {
		return nil
	}
	return tabProblem(g.src.at(at.line, tab+1))
}

func tabProblem(at position) *Problem {
	p := at.problem("", "a tab is used as indentation", "YAML indents with spaces")
	return &p
}

// checkText refuses scalars that the tokenizer changes silently. The tokenizer drops tabs inside unquoted text, continues a text with a
// list item below it (and the comment after that), and reads any two characters as hexadecimal digits.
func (g *guard) checkText(tk *token.Token) *Problem {
	switch {
	case tk.Type == token.DoubleQuoteType:
		return g.checkEscapes(tk)
	case tk.CharacterType != token.CharacterTypeMiscellaneous || isBlockText(tk):
		return nil
	}
	written := strings.Trim(tk.Origin, " \t\n")
	for i, line := range strings.Split(written, "\n") {
		line = strings.TrimLeft(line, " \t")
		if i == 0 || !strings.HasPrefix(line, "-") {
			continue
		}
		number := g.lineOf(line, tk)
		indent := len(g.src.line(number)) - len(strings.TrimLeft(g.src.line(number), " \t"))
		message, hint := "a line of an unquoted text starts with -", "quote the whole text, or write it below a |"
		if line == "-" || strings.HasPrefix(line, "- ") {
			message, hint = "a list item cannot follow a text", "remove the text before the list, or quote the whole text"
		}
		p := g.src.at(number, indent+1).problem("", message, hint)
		return &p
	}
	if strings.ContainsRune(written, '\t') {
		return g.refuse(tk, "there is a tab inside an unquoted text", `quote the text, or write the tab as \t between double quotes`)
	}
	return nil
}

// lineOf finds the line of a token's text, starting at the previous token, because the tokenizer's own position is wrong for such texts.
func (g *guard) lineOf(text string, tk *token.Token) int {
	number := 1
	if tk.Prev != nil {
		number = tk.Prev.Position.Line
	}
	for ; number < len(g.src.lines); number++ {
		if strings.TrimSpace(g.src.line(number)) == strings.TrimSpace(text) {
			break
		}
	}
	return number
}

// isBlockText reports whether a token is the text of a | or >, even if comments come between.
func isBlockText(tk *token.Token) bool {
	prev := tk.Prev
	for prev != nil && prev.Type == token.CommentType {
		prev = prev.Prev
	}
	return prev != nil && (prev.Type == token.LiteralType || prev.Type == token.FoldedType)
}

func (g *guard) checkMergeKey(tk *token.Token) *Problem {
	if tk.Type == token.MergeKeyType && strings.Trim(tk.Origin, " \n") != "<<" {
		return g.refuse(tk, "a key that ends in << must be quoted", "")
	}
	return nil
}

// checkEscapes checks the escapes of a double-quoted text in the source.
func (g *guard) checkEscapes(tk *token.Token) *Problem {
	at := locate(g.src, tk)
	line, i := g.src.line(at.line), g.src.offset(at.line, at.column)+1
	for number := at.line; number <= len(g.src.lines); {
		if i >= len(line) {
			number, i = number+1, 0
			line = g.src.line(number)
			continue
		}
		switch line[i] {
		case '"':
			return nil
		case '\\':
			if bad := badEscape(line[i:]); bad != "" {
				p := g.src.at(number, g.src.column(number, i)).problem("", bad, `write \\ for a backslash`)
				return &p
			}
			i += 2
		case '\t': // the tokenizer's positions are wrong after a tab
			p := g.src.at(number, g.src.column(number, i)).problem("", "there is a tab inside a quoted text", `write it as \t`)
			return &p
		default:
			i++
		}
	}
	return nil
}

// badEscape describes what is wrong with the escape at the beginning of a text. It returns "" if the escape is valid.
func badEscape(text string) string {
	if len(text) < 2 {
		return "" // the line break is escaped
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[1]]
	if digits == 0 {
		return ""
	}
	escape := text[:min(2+digits, len(text))]
	code, err := strconv.ParseUint(escape[2:], 16, 32)
	switch {
	case err != nil || len(escape) != 2+digits:
		return fmt.Sprintf(`\%c needs %d hexadecimal digits`, text[1], digits)
	case code > unicode.MaxRune || code >= 0xdc00 && code <= 0xdfff && !strings.HasPrefix(escape, `\u`):
		return escape + " is not a character"
	}
	return ""
}

// locateWindow is the largest error of the tokenizer's column that locate corrects, in bytes.
const locateWindow = 1 << 10

// locate corrects the tokenizer's column, which is wrong after tabs and if the line ends with spaces. It returns the nearest place in
// the line that has the token's text.
func locate(src *source, tk *token.Token) position {
	number, line := tk.Position.Line, src.line(tk.Position.Line)
	at := src.offset(number, tk.Position.Column)
	here := func(offset int) position { return src.at(number, src.column(number, offset)) }
	written := strings.TrimLeft(tk.Origin, " \t\n")
	if i := strings.IndexByte(written, '\n'); i >= 0 {
		written = written[:i]
	}
	written = strings.TrimRight(written, " \t")
	if strings.HasPrefix(line[at:], written) || tk.Type == token.ImplicitNullType || tk.Type == token.InvalidType {
		return src.at(number, src.column(number, at))
	}
	if i, ok := nearest(line, written, at); ok {
		return here(i)
	}
	if tk.Indicator == token.QuotedScalarIndicator { // the token does not keep the escapes
		if i, ok := nearest(line, written[:1], at); ok {
			return here(i)
		}
	}
	return here(at)
}

// nearest finds the occurrence of text nearest to an offset of the line.
func nearest(line, text string, at int) (int, bool) {
	from := max(0, at-locateWindow)
	before := strings.LastIndex(line[from:min(len(line), at+len(text))], text)
	after := strings.Index(line[at:min(len(line), at+len(text)+locateWindow)], text)
	switch {
	case before < 0 && after < 0:
		return 0, false
	case after < 0 || before >= 0 && at-(from+before) <= after:
		return from + before, true
	}
	return at + after, true
}
