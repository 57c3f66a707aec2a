// Package hostile is a suite of guests that attack their host: modules that lie about themselves, take all the time and
// memory that they can get, hand over wrong pointers and documents, and print what a terminal should not see. Beside them
// are modules that are odd and allowed, which must work.
//
// [Guests] are the corpus, [Lines] the checklist that it follows. The package's tests load and run every guest, and show
// that the fault is told as what it is, that nothing of the process is lost, and that other plugins go on working.
// [Write] leaves the guests as files, for
//
//	go test ./host/plugin/hostile -run TestWrite -write DIR
//	agenthost plugin check DIR/*.wasm
package hostile

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host/plugin"
)

// Guest is a module of the corpus, and what must come of it.
type Guest struct {
	Line   int    // of the checklist; see [Lines]
	Name   string // unique
	Module func() []byte

	// What must come of it: a fault at a stage, which is a stage of loading or the name of a hook, of one of the kinds, with
	// a text. A benign guest works.
	Benign bool
	Stage  string
	Kinds  []plugin.Kind
	Says   string

	Once   bool          // it misbehaves in the first call of its hook alone
	Limits plugin.Limits // with which it runs
}

// Guests returns the corpus, by line and name.
func Guests() []Guest {
	var all []Guest
	for _, part := range []func() []Guest{
		loadGuests, sectionGuests, linkGuests, startGuests, compileGuests, oddGuests, cpuGuests, stackGuests, stormGuests, wasiGuests,
		pointerGuests, growthGuests, protocolGuests, textGuests, wrapGuests, effectGuests,
	} {
		all = append(all, part()...)
	}
	slices.SortFunc(all, func(a, b Guest) int { return cmp.Or(a.Line-b.Line, strings.Compare(a.Name, b.Name)) })
	return all
}

// File is the name of a guest's file.
func (g *Guest) File() string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '/' {
			return '-'
		}
		return r
	}, g.Name) + ".wasm"
}

// Write writes every guest into a directory, which must exist, and returns the paths.
func Write(dir string) ([]string, error) {
	var paths []string
	for _, g := range Guests() {
		path := filepath.Join(dir, g.File())
		if err := os.WriteFile(path, g.Module(), 0o600); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
