// Package meter rewrites a Wasm module so that it counts its own work as fuel, and asks the host for more when it has used
// up what it was given. The host can thus stop a guest that does not end, in a way that the guest cannot catch, and equal
// calls in equal instances use equal fuel.
//
// The module gets a global with the remaining fuel, exported as [Fuel], and an import, [Tick] of [Module]. Code is charged
// before it runs: at the beginning of each function, in each iteration of a loop, and where much code follows a branch.
// Short code that a branch skips may be charged as if it ran; code that runs is always charged. When the fuel is below
// zero, the code calls the import, which returns the new amount or panics to end the guest.
package meter

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/host/plugin/preflight"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// These are the names that Rewrite adds to the module.
const (
	Module = "agenthost_meter" // the module of the import
	Tick   = "tick"            // (fuel i64) -> i64: takes the remaining fuel, which is negative, and returns the new amount
	Fuel   = "agenthost_fuel"  // the exported global, a mutable i64
	Self   = "agenthost_self"  // the exported function that [Options] may request: it takes, does and returns nothing
)

// Options select further changes to the module.
type Options struct {
	Table   uint32 // the maximum of a table, in elements, where the module sets none or a larger one
	Globals bool   // export the mutable globals, by the names that [Global] returns
	Self    bool   // add the function [Self]
	// Imports returns the module that replaces an import's own; nil: no import is changed.
	Imports func(module, name string) string
}

// Global returns the name under which a global is exported.
func Global(index int) string { return globalPrefix + strconv.Itoa(index) }

const globalPrefix = "agenthost_global_"

// Rewrite returns a module with a meter. module must have passed [preflight.Check], which returned m. A module is refused
// if it already has, imports or exports what the meter needs to add.
func Rewrite(module []byte, m *preflight.Module, options Options) ([]byte, error) {
	for _, i := range m.Imports {
		if i.Module == Module {
			return nil, fmt.Errorf("it imports %q of %q, a name that is reserved for the host", i.Name, i.Module)
		}
	}
	for _, e := range m.Exports {
		if e.Name == Fuel || e.Name == Self || strings.HasPrefix(e.Name, globalPrefix) {
			return nil, fmt.Errorf("it exports %q, a name that is reserved for the host", e.Name)
		}
	}
	r := &rewriter{
		source: module, module: m, options: options,
		added: uint32(len(m.Imports)), global: uint32(len(m.Globals)), refill: uint32(len(m.Imports) + 1 + len(m.Functions)),
	}
	out := r.all()
	if r.failed {
		return nil, errors.New("it cannot be rewritten")
	}
	return out, nil
}

// rewriter rewrites one module.
type rewriter struct {
	source  []byte
	module  *preflight.Module
	options Options
	failed  bool // the module is not the one that was checked

	added  uint32           // the function index of the new import: functions from here on move up by one
	refill uint32           // the function index of the new function that calls it
	global uint32           // the index of the new global
	small  map[uint32]int64 // functions that are charged at the call, with their costs
}

// moved returns the new index of a function.
func (r *rewriter) moved(index uint32) uint32 {
	if index >= r.added {
		return index + 1
	}
	return index
}

// splice copies a part of the module, and allows insertions in between.
type splice struct {
	module []byte
	copied int // offset up to which the module has been copied
	out    []byte
}

// upTo copies everything before the offset.
func (s *splice) upTo(offset int) {
	if offset > s.copied {
		s.out = append(s.out, s.module[s.copied:offset]...)
		s.copied = offset
	}
}

// copier reads a part of the module, and copies it.
type copier struct {
	*wasmbin.Cursor
	splice
}

func (r *rewriter) copier(start, end int, dst []byte) *copier {
	return &copier{wasmbin.NewPart(r.source, start, end), splice{r.source, start, dst}}
}

// replace writes a number instead of what was read since the offset.
func (c *copier) replace(offset int, number uint32) {
	c.upTo(offset)
	c.out = wasmbin.AppendU32(c.out, number)
	c.copied = c.At()
}

// done copies the rest, and returns everything.
func (r *rewriter) done(c *copier) []byte {
	c.upTo(c.At() + c.Left())
	if c.Err() != nil {
		r.failed = true
	}
	return c.out
}
