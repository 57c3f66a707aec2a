package catalog

import (
	_ "embed"
	"encoding/json"
	"go/doc/comment"
	"path"
	"reflect"
	"strings"
	"sync"
)

// commentsFile has what the sources say of the types of configurations and their fields: {"builtin.ToolCallLimit.RunLimit": text}.
//
//go:generate go run ./gen
//go:generate go run ./gen document
//go:generate go run ../../cmd/agenthost schema -o ../../docs/agenthost.schema.json
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
	text := strings.Join(strings.Fields(plain(raw(t, field))), " ")
	return strings.TrimPrefix(text, field+" ")
}

func raw(t reflect.Type, field string) string {
	key := path.Base(t.PkgPath()) + "." + t.Name()
	if field != "" {
		key += "." + field
	}
	return comments()[key]
}

// parsed is a doc comment whose links to other names are links, without brackets, whatever they name.
func parsed(text string) *comment.Doc {
	known := func(_, name string) bool { return !strings.Contains(name, "_") } // [REDACTED_EMAIL] is a text
	packages := func(name string) (string, bool) { return name, true }
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
