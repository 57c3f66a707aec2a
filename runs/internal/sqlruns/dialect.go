package sqlruns

import (
	"encoding/json"
	"strings"
	"sync"

	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// Dialect holds the differences between databases, beyond those of the database itself.
type Dialect struct {
	Micros   string // expression for the database's own time, in microseconds since 1970
	Contains string // condition that the column % contains the metadata of the argument ?
	// In is the condition that a value is among those of the argument ?. Arrays says that such an argument is a slice; otherwise it is a
	// list in JSON.
	In     string
	Arrays bool
	// Skip ends a query to lock the rows of the tables % alone until the transaction ends, and to leave out those that are locked. "": a
	// transaction keeps everybody out.
	Skip string
	// Alone is the same for a query that waits.
	Alone string
}

// text replaces what depends on the dialect in a statement:
//
//	{micros}          the database's own time
//	{in $1}           a value is in a list
//	{contains a.b $1} metadata contains other metadata
//	{skip a, b}       Skip for the tables a and b
//	{alone a, b}      Alone for the tables a and b
func (d *Dialect) text(statement string) string {
	return placeholder().ReplaceAllStringFunc(statement, func(found string) string {
		name, rest, _ := strings.Cut(strings.Trim(found, "{}"), " ")
		switch name {
		case "micros":
			return d.Micros
		case "in":
			return strings.ReplaceAll(d.In, "?", rest)
		case "contains":
			column, argument, _ := strings.Cut(rest, " ")
			return strings.NewReplacer("%", column, "?", argument).Replace(d.Contains)
		case "skip":
			return strings.ReplaceAll(d.Skip, "%", rest)
		case "alone":
			return strings.ReplaceAll(d.Alone, "%", rest)
		default:
			return found
		}
	})
}

var placeholder = lazyregexp.New(`\{(micros|in|contains|skip|alone)[^}]*\}`)

// statements remembers the texts of statements. They are few: what a client chooses is an argument.
type statements struct {
	dialect *Dialect
	texts   sync.Map
}

func (s *statements) text(statement string) string {
	if text, ok := s.texts.Load(statement); ok {
		return text.(string) //nolint:forcetypeassert // it has nothing else
	}
	text := s.dialect.text(statement)
	s.texts.Store(statement, text)
	return text
}

// list returns the argument of {in}.
func list[T any](d *Dialect, values []T) (any, error) {
	if values == nil {
		values = []T{}
	}
	if d.Arrays {
		return values, nil
	}
	text, err := json.Marshal(values)
	return string(text), err
}
