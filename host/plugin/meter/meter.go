// Package meter rewrites a Wasm module so that it counts its own work as fuel, and asks the host for more when it has
// used up what it was given. The host can so stop a guest that does not end, in a way that the guest cannot catch, and
// equal calls in equal instances use equal fuel.
//
// The module gets a global with the fuel that is left, exported as [Fuel], and an import, [Tick] of [Module]. Code is
// charged before it runs: at the beginning of each function, in each turn of a loop, and where much code follows a
// branch. What branches skip may be charged as if it ran, as far as it is short; nothing that runs is left out. Fuel
// below zero calls the import, which says how much there is now; it may instead panic, and so end the guest.
package meter

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/host/plugin/internal/wasmbin"
	"github.com/agenthost/agenthost/host/plugin/preflight"
)

// What the module gets.
const (
	Module = "agenthost_meter" // the module of the import
	Tick   = "tick"            // (fuel i64) -> i64: takes the fuel that is left, which is negative, and returns the new one
	Fuel   = "agenthost_fuel"  // the exported global, a mutable i64
	Self   = "agenthost_self"  // the exported function that [Options] may ask for: it takes, does and returns nothing
)

// Options say what else is done to the module.
type Options struct {
	Table   uint32 // the maximum of a table, in elements, where the module sets none or a larger one
	Globals bool   // the mutable globals are exported, by the names that [Global] gives
	Self    bool   // the function [Self] is added
	// Imports says which module an import is taken from instead; nil: all as the module says.
	Imports func(module, name string) string
}

// Global is the name under which a global is exported.
func Global(index int) string { return globalPrefix + strconv.Itoa(index) }

const globalPrefix = "agenthost_global_"

// Rewrite returns a module with a meter. module must have passed [preflight.Check], which returned m. A module that
// has, imports or exports what the meter needs to add is refused.
func Rewrite(module []byte, m *preflight.Module, options Options) ([]byte, error) {
	for _, i := range m.Imports {
		if i.Module == Module {
			return nil, fmt.Errorf("it imports %q of %q, which is the host's own", i.Name, i.Module)
		}
	}
	for _, e := range m.Exports {
		if e.Name == Fuel || e.Name == Self || strings.HasPrefix(e.Name, globalPrefix) {
			return nil, fmt.Errorf("it exports %q, which is the host's own", e.Name)
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

	added  uint32           // the function index of the new import: from here on, functions move up by one
	refill uint32           // the function index of the new function that calls it
	global uint32           // the index of the new global
	small  map[uint32]int64 // functions that are charged where they are called, and what they cost
}

// moved is the new index of a function.
func (r *rewriter) moved(index uint32) uint32 {
	if index >= r.added {
		return index + 1
	}
	return index
}

// splice copies a part of the module, and lets other things be put in between.
type splice struct {
	module []byte
	copied int // offset up to which the module was taken over
	out    []byte
}

// upTo copies what comes before the offset.
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

// replace puts a number in the place of what was read since the offset.
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
