package catalog

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"go/doc/comment"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/internal/text"
)

// commentsFile has what the sources say of the types of configurations and their fields: {"builtin.ToolCallLimit.RunLimit": text}.
//
//go:generate go run ./gen
//go:generate go run ./gen document
//go:generate go run ../.. schema -o ../../../../docs/agenthost.schema.json
//go:generate go run ../.. schema serve -o ../../../../docs/serve.schema.json
//go:generate go run ../.. schema case -o ../../../../docs/case.schema.json
//go:generate go run ../.. schema openapi -o ../../../../docs/openapi.json
//go:embed comments.json
var commentsFile []byte

var comments = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	if err := json.Unmarshal(commentsFile, &out); err != nil {
		panic("catalog: comments.json: " + err.Error()) // it is generated
	}
	return out
})

// Comment returns the description of a field of a configuration, or of its type if the field is "", in one line: a noun phrase or full
// sentences, which begin with a capital letter. The description names the keys of the configuration in place of the fields in Go.
func Comment(t reflect.Type, field string) string {
	said := text.OneLine(plain(raw(t, field)))
	if rest, found := cutSubject(said, cmp.Or(field, t.Name())); found {
		said = rest
	}
	said = namedByKeys(forGo().ReplaceAllString(said, ""), t)
	said = afterNil().ReplaceAllString(sentenceNil().ReplaceAllString(said, "${1}Not given:"), "${1}not given:")
	if said == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(said)
	return string(unicode.ToUpper(first)) + said[size:]
}

// cutSubject turns "Name is …" into a noun phrase.
func cutSubject(said, name string) (phrase string, found bool) {
	for _, verb := range []string{" is ", " are "} {
		if rest, found := strings.CutPrefix(said, name+verb); found {
			return rest, true
		}
	}
	return said, false
}

// word matches a word that may be the name of a field.
var word = lazyregexp.New(`[A-Za-z0-9_]+`)

// namedByKeys replaces the names of the struct's fields by their keys. A name that is also an ordinary word, such as Keep, is replaced
// only where the comment begins.
func namedByKeys(said string, t reflect.Type) string {
	var out strings.Builder
	end := 0
	for _, at := range word().FindAllStringIndex(said, -1) {
		name := said[at[0]:at[1]]
		if key, ok := keyOf(t, name); ok && (at[0] == 0 || compound().MatchString(name)) {
			out.WriteString(said[end:at[0]] + "`" + key + "`")
			end = at[1]
		}
	}
	return out.String() + said[end:]
}

// forGo matches hints for readers of the Go API.
var forGo = lazyregexp.New(` In Go, use [A-Za-z]+\.`)

// compound matches names that are not ordinary words.
var compound = lazyregexp.New(`[a-z][A-Z]|^[A-Z]{2,}`)

// keyOf returns the key of a field of a struct.
func keyOf(t reflect.Type, name string) (string, bool) {
	if t.Kind() != reflect.Struct {
		return "", false
	}
	field, ok := t.FieldByName(name)
	if !ok {
		return "", false
	}
	key, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
	return key, key != "" && key != "-"
}

// Comments say after nil what follows where nothing is set. In YAML, the key is left out.
var (
	sentenceNil = lazyregexp.New(`(^|\. )nil:`)
	afterNil    = lazyregexp.New(`([;,] )nil:`)
)

func raw(t reflect.Type, field string) string {
	key := path.Base(t.PkgPath()) + "." + t.Name()
	if field != "" {
		key += "." + field
	}
	return comments()[key]
}

// parsed is a doc comment whose links to other names are links, without brackets. Texts in brackets that are not names of Go,
// such as [cleared] and [REDACTED_EMAIL], stay as they are.
func parsed(text string) *comment.Doc {
	known := func(_, name string) bool { return !strings.Contains(name, "_") }
	packages := func(name string) (string, bool) {
		return name, slices.Contains([]string{"abi", "builtin", "host", "model"}, name)
	}
	parser := comment.Parser{LookupSym: known, LookupPackage: packages}
	return parser.Parse(text)
}

// plain is a doc comment in one line a paragraph.
func plain(text string) string { return inText(text, -1) }

// wrapped is a doc comment for a terminal.
func wrapped(text string) string { return inText(text, 100) }

func inText(text string, width int) string {
	printer := comment.Printer{TextWidth: width}
	return strings.TrimSpace(string(printer.Text(parsed(text))))
}

// markdown is a doc comment as Markdown.
func markdown(text string) string {
	printer := comment.Printer{
		DocLinkURL:   func(*comment.DocLink) string { return "" },
		HeadingLevel: 3, HeadingID: func(*comment.Heading) string { return "" },
	}
	return strings.TrimSpace(string(printer.Markdown(parsed(text))))
}
