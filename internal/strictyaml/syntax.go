package strictyaml

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// maxKey is the parser's limit for the length of a key without a "?".
const maxKey = 1024

var (
	parserError  = lazyregexp.New(`^yaml: (?:line (\d+): )?(.*)`)
	unknownAlias = lazyregexp.New(`^unknown anchor '(.*)' referenced$`)
	anchorName   = lazyregexp.New(`(?:^|[\s,\[{])&([^\s,\[\]{}]+)`)
)

// syntaxMessages translates messages of the parser into plain words. A message of the parser is matched by its beginning.
var syntaxMessages = []struct{ parser, message, hint string }{
	{"found unexpected document indicator", "the closing quote is missing", ""},
	{"did not find expected node content", "a value is missing here", "quote a text that contains brackets or braces"},
	{
		"mapping values are not allowed", `this entry has a second ": "`,
		`quote a text that contains ": "; indent the keys of a nested mapping on lines of their own`,
	},
	{"could not find expected ':'", `"key: value" was expected here`, "check the indentation"},
	{"block sequence entries are not allowed", "a list does not start on the line of its key", `put every "- " on a line of its own below the key`},
	{"found a tab character", "a tab is used as indentation", "YAML indents with spaces"},
	{"found unknown escape character", `unknown escape after \`, `write \\ for a backslash, or use single quotes`},
	{"did not find expected hexdecimal", "the escape needs more hexadecimal digits", `write \\ for a backslash`},
	{"found invalid Unicode character escape", "the escape is not a character", `write \\ for a backslash`},
	{"exceeded max depth", (&node{depth: maxDepth + 1}).tooLarge(), ""},
	{"did not find expected comment or line break", "unknown sign after | or >", "quote a text that starts with | or >"},
	{
		"did not find expected", "this does not belong to the value before it",
		"check the indentation, and quote a text that contains quotes or brackets",
	},
}

// syntaxProblem turns an error of the parser into a problem. The parser tells no column, and often the line where a mapping
// begins.
func syntaxProblem(src *source, text string, read int, err error) Problem {
	message := parserError().FindStringSubmatch(err.Error())[2]
	if match := unknownAlias().FindStringSubmatch(message); match != nil {
		offset := max(strings.LastIndex(text[:read], "*"+match[1]), 0)
		anchors := anchorName().FindAllStringSubmatch(text[:offset], -1)
		names := make([]string, 0, len(anchors))
		for _, anchor := range anchors {
			names = append(names, anchor[1])
		}
		return src.atByte(text, offset).problem("", "there is no anchor &"+match[1]+" before this", suggestion(match[1], names, "anchors"))
	}
	if closing, ok := strings.CutPrefix(message, "did not find expected ',' or "); ok {
		return unclosed(src, text, read, strings.Trim(closing, "'"), err)
	}
	offset, ok := failure(text, read, "", err.Error())
	if !ok {
		offset = read
	}
	at, before := src.atByte(text, offset), text[:offset]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	character, _ := utf8.DecodeRuneInString(text[offset:])
	switch {
	case strings.HasPrefix(message, "found unexpected end of stream"):
		return at.problem("", "the closing "+string(character)+" is missing", "")
	case strings.HasPrefix(message, "did not find expected node content") && character == ']':
		return at.problem("", `this "]" has no "["`, "quote a text that contains brackets")
	case strings.HasPrefix(message, "did not find expected node content") && character == '}':
		return at.problem("", `this "}" has no "{"`, "quote a text that contains braces")
	case strings.HasPrefix(message, "found character that cannot start") && character == '\t':
		return at.problem("", "a tab is used as indentation", "YAML indents with spaces")
	case strings.HasPrefix(message, "found character that cannot start"):
		return at.problem("", "an unquoted text cannot start with "+string(character), "quote it")
	case strings.HasPrefix(message, "mapping values") && len(before) > maxKey && !strings.Contains(before, ": "):
		return at.problem("", fmt.Sprintf("a key has more than %d characters", maxKey), `write "? " before it, and ": " and its value on the next line`)
	case strings.HasPrefix(message, "mapping values") && strings.HasPrefix(before, " ") && !strings.Contains(before, ": "):
		return at.problem("", "this line belongs to the text above it, and has a key", "indent the key like the key above, or quote the text")
	case strings.HasSuffix(strings.TrimSpace(text[:offset]), "\n..."):
		return at.problem("", "a second YAML document starts here", "keep one document in each file")
	}
	for _, m := range syntaxMessages {
		if strings.HasPrefix(message, m.parser) {
			return at.problem("", m.message, m.hint)
		}
	}
	return at.problem("", message, "")
}

// unclosed returns the problem of a [ or { after which the parser found neither a comma nor the closing bracket.
func unclosed(src *source, text string, read int, closing string, err error) Problem {
	line, _ := strconv.Atoi(parserError().FindStringSubmatch(err.Error())[1])
	opening := map[string]string{"]": "[", "}": "{"}[closing]
	// In a text that is cut before the wrong place, these brackets close the list or mapping.
	offset, ok := failure(text, read, "\n"+strings.Repeat(closing, maxDepth), err.Error())
	switch {
	case !ok:
		at := src.at(line, src.column(line, max(strings.LastIndex(src.line(line), opening), 0)))
		return at.problem("", fmt.Sprintf("the closing %q is missing", closing), "")
	case strings.HasSuffix(text[:offset], "$") && strings.HasPrefix(text[offset:], "{"):
		return src.atByte(text, offset).problem("", "${…} must be quoted inside { } and [ ]", `write "${NAME}"`)
	}
	message := fmt.Sprintf("%q or %q is missing before this, for the %q in line %d", ",", closing, opening, line)
	return src.atByte(text, offset).problem("", message, "quote a text that contains brackets, braces or a ?")
}

// failure returns the offset of the character at which the parser fails. It looks for the shortest beginning of the text that, with
// a suffix, fails with the same message, and returns false if there is none. It looks near the end first, to parse a large file seldom.
func failure(text string, read int, suffix, message string) (int, bool) {
	whole := func(n int) int { // no part of a character
		for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
			n--
		}
		return n
	}
	alike := func(n int) bool {
		_, _, err := parseDocuments(text[:whole(n)] + suffix)
		return err != nil && err.Error() == message
	}
	if !alike(read) {
		return 0, false
	}
	step := 1
	for step < read && alike(read-step) {
		step *= 2
	}
	from := max(read-step, 0)
	n := from + sort.Search(read-from, func(i int) bool { return alike(from + i) })
	return whole(max(n-1, 0)), true
}
