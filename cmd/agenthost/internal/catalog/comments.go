package catalog

import (
	_ "embed"
	"encoding/json"
	"go/doc/comment"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agenthost/agenthost/internal/text"
)

// commentsFile has what the sources say of the types of configurations and their fields: {"builtin.ToolCallLimit.RunLimit": text}.
//
//go:generate go run ./gen
//go:generate go run ./gen document
//go:generate go run ../.. schema -o ../../../../docs/agenthost.schema.json
//go:embed comments.json
var commentsFile []byte

var comments = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	if err := json.Unmarshal(commentsFile, &out); err != nil {
		panic("catalog: comments.json: " + err.Error()) // it is generated
	}
	return out
})

// Comment returns what is said of a field of a configuration, as one line. A comment that begins with the field's name in Go
// says the rest.
func Comment(t reflect.Type, field string) string {
	text := text.OneLine(plain(raw(t, field)))
	if rest, found := strings.CutPrefix(text, field); found {
		text = strings.TrimLeft(rest, ", ")
	}
	return afterNil.ReplaceAllString(sentenceNil.ReplaceAllString(text, "${1}Not given:"), "${1}not given:")
}

// Comments say after nil what follows where nothing is set. Who writes YAML leaves the key out.
var (
	sentenceNil = regexp.MustCompile(`(^|\. )nil:`)
	afterNil    = regexp.MustCompile(`([;,] )nil:`)
)

func raw(t reflect.Type, field string) string {
	key := path.Base(t.PkgPath()) + "." + t.Name()
	if field != "" {
		key += "." + field
	}
	return comments()[key]
}

// parsed is a doc comment whose links to other names are links, without brackets. Texts in brackets that are no names of Go,
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
