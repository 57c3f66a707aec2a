// Package preflight examines a Wasm module before anything compiles it, in one pass whose time and memory are bounded by
// the size of the module. It refuses malformed modules, modules that wazero would read differently from the specification,
// disabled features, and anything that would take the compiler or the host more time or memory than a module of that size
// should.
package preflight

import (
	"errors"
	"fmt"
	"time"

	"github.com/agenthost/agenthost/internal/wasmbin"
)

// Check reads a module. The error is an [*Error].
func Check(module []byte, limits Limits) (*Module, error) {
	c := &checker{Cursor: wasmbin.NewCursor(module), limits: &limits, module: &Module{Referenced: map[uint32]bool{}}}
	c.all(len(module))
	return c.result()
}

// Outline reads the structure of a module that has passed Check before, in a small part of the time: it skips functions,
// data and names. It does not set Lasting, Referenced, Bodies and Sections.
func Outline(module []byte, limits Limits) (*Module, error) {
	c := &checker{Cursor: wasmbin.NewCursor(module), limits: &limits, module: &Module{Referenced: map[uint32]bool{}}, outline: true}
	c.all(len(module))
	c.module.Referenced, c.module.Sections = nil, nil
	return c.result()
}

// checker reads a module section by section.
type checker struct {
	*wasmbin.Cursor // of the current section

	limits  *Limits
	module  *Module
	refused *Error
	outline bool          // the module has passed before
	named   bool          // there was a name section
	data    int           // announced data segments that are not read yet; -1: none were announced
	compile time.Duration // what the functions may still cost
}

// result returns the module, unless it is refused.
func (c *checker) result() (*Module, error) {
	if c.refused != nil {
		return nil, c.refused
	}
	if err := c.Err(); err != nil {
		malformed, _ := errors.AsType[*wasmbin.Error](err)
		return nil, &Error{Malformed, malformed.Offset, malformed.Text}
	}
	return c.module, nil
}

// refusef records the first rule that the module breaks. Reading ends.
func (c *checker) refusef(rule Rule, offset int, format string, args ...any) {
	if c.refused == nil && c.Err() == nil {
		c.refused = &Error{rule, offset, fmt.Sprintf(format, args...)}
	}
	c.Failf(offset, "%s", rule)
}

// limit refuses a number that exceeds its limit.
func (c *checker) limit(offset, n, limit int, what string) {
	if n > limit {
		c.refusef(Limit, offset, "%d %s; %d are allowed", n, what, limit)
	}
}

// count reads the number of items of a vector, which must not exceed a limit.
func (c *checker) count(what string, size, limit int) int {
	at := c.At()
	n := c.Count(what, size)
	c.limit(at, n, limit, what)
	if c.Err() != nil {
		return 0
	}
	return n
}

func (c *checker) all(size int) {
	if size > c.limits.Module {
		c.refusef(Limit, 0, "the module has %d bytes; %d are allowed", size, c.limits.Module)
		return
	}
	if string(c.Bytes(4)) != "\x00asm" {
		c.Failf(0, "it does not begin as a Wasm module")
	}
	if version := c.Bytes(4); c.Err() == nil && string(version) != "\x01\x00\x00\x00" {
		c.Failf(4, "it is not a core module of version 1; components are not supported")
	}
	c.data = -1
	c.compile = c.limits.Compile + time.Duration(size)*c.limits.CompilePerMiB>>20
	last := 0
	for whole := c.Cursor; whole.More(); {
		at := whole.At()
		id := whole.Byte()
		size := whole.U32()
		place := order(id)
		switch {
		case place < 0:
			c.Failf(at, "the section %d is unknown", id)
		case id != SectionCustom && place <= last:
			c.Failf(at, "the section %d is in the wrong place", id)
		case id != SectionCustom:
			last = place
		}
		c.Cursor = whole.Part(int(size))
		if c.outline && (id == SectionCustom || id >= SectionElement) {
			c.Bytes(c.Left())
		} else {
			c.section(id)
		}
		part := c.Cursor
		c.Cursor = whole
		whole.Join(part, fmt.Sprintf("section %d", id))
	}
	if c.Err() == nil && !c.outline {
		c.finish(size)
	}
}

// order returns the position of a section in a module, or -1 if there is no such section.
func order(id byte) int {
	switch {
	case id == SectionDataCount:
		return 2*SectionElement + 1
	case id <= SectionData:
		return 2 * int(id)
	default:
		return -1
	}
}

// finish checks what depends on more than one section.
func (c *checker) finish(size int) {
	m := c.module
	if len(m.Functions) != len(m.Bodies) {
		c.Failf(size, "%d functions have %d bodies", len(m.Functions), len(m.Bodies))
		return
	}
	if c.data > 0 {
		c.Failf(size, "%d announced segments of data are missing", c.data)
		return
	}
	for _, e := range m.Exports {
		if e.Kind == KindFunction && e.Name == "_start" {
			c.refusef(Link, 0, "it exports _start: it is a program that runs once and ends. Build a reactor: "+
				"go build -buildmode=c-shared, tinygo build -buildmode=c-shared, or a cdylib in Rust")
		}
	}
}
