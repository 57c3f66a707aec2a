// Package hostile is a suite of guests that attack their host. These modules lie about themselves, take all the time and
// memory that they can get, pass wrong pointers and documents, and print texts that are dangerous for a terminal. The
// suite also has modules that are odd but valid, which must work.
//
// [Guests] returns the corpus, and [Lines] the checklist that it follows. The tests of the package load and run every
// guest. They show that each fault is classified correctly, that the process loses nothing, and that other plugins keep
// working. [Write] writes the guests to files, for
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

// Guest is a module of the corpus, with its expected outcome.
type Guest struct {
	Line   int    // line of the checklist; see [Lines]
	Name   string // unique
	Module func() []byte

	// The expected outcome: a fault of one of the kinds with this text, at a stage of loading or in the hook that the stage
	// names. A benign guest works.
	Benign bool
	Stage  string
	Kinds  []plugin.Kind
	Says   string

	Once   bool          // it misbehaves only in the first call of its hook
	Limits plugin.Limits // limits with which it runs
}

// Guests returns the corpus, by line and name.
func Guests() []Guest {
	var all []Guest
	for _, part := range []func() []Guest{
		loadGuests, sectionGuests, linkGuests, startGuests, compileGuests, oddGuests, cpuGuests, stackGuests, stormGuests, wasiGuests,
		pointerGuests, growthGuests, protocolGuests, textGuests, wrapGuests, effectGuests, floodGuests,
	} {
		all = append(all, part()...)
	}
	slices.SortFunc(all, func(a, b Guest) int { return cmp.Or(a.Line-b.Line, strings.Compare(a.Name, b.Name)) })
	return all
}

// File returns the name of a guest's file.
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
