// Package wasmbin reads and writes the binary format of WebAssembly modules. It reads as wazero does: where wazero reads
// something in a way of its own, or accepts more than the specification, this package refuses it, so that both always see the
// same instructions. It knows the features of WebAssembly 2.0: no tail calls, exceptions, threads, garbage collection, or
// 64-bit memories. [Module] assembles a module from its functions, and [Binary] one from its sections.
package wasmbin

import (
	"fmt"
	"unicode/utf8"
)

// Error is a module that cannot be read.
type Error struct {
	Offset int    // in the module, of the byte that is wrong
	Text   string // what is wrong
}

func (e *Error) Error() string { return fmt.Sprintf("offset %#x: %s", e.Offset, e.Text) }

// Cursor reads a module, or a part of it, from front to back. After an error it is at its end and every read gives
// zero: who reads several things in a row checks Err once.
type Cursor struct {
	module []byte
	at     int
	end    int
	err    *Error
}

// NewCursor returns a cursor over a whole module.
func NewCursor(module []byte) *Cursor { return &Cursor{module: module, end: len(module)} }

// NewPart returns a cursor over a part of a module.
func NewPart(module []byte, start, end int) *Cursor {
	return &Cursor{module: module, at: start, end: end}
}

// Err returns the first error; nil if there was none.
func (c *Cursor) Err() error {
	if c.err == nil {
		return nil
	}
	return c.err
}

// At returns the offset of the next byte in the module.
func (c *Cursor) At() int { return c.at }

// Left returns how many bytes are left.
func (c *Cursor) Left() int { return c.end - c.at }

// More reports whether there is something left to read.
func (c *Cursor) More() bool { return c.err == nil && c.at < c.end }

// Failf notes that something at the offset is wrong, unless something was before.
func (c *Cursor) Failf(offset int, format string, args ...any) {
	if c.err == nil {
		c.err = &Error{Offset: offset, Text: fmt.Sprintf(format, args...)}
		c.at = c.end
	}
}

// Part returns a cursor over the next n bytes, which c skips. An error in it is one of c too, see [Cursor.Join].
func (c *Cursor) Part(n int) *Cursor {
	if n < 0 || n > c.Left() {
		c.Failf(c.at, "it ends inside of %d bytes of content", n)
		return &Cursor{module: c.module, at: c.end, end: c.end, err: c.err}
	}
	part := &Cursor{module: c.module, at: c.at, end: c.at + n, err: c.err}
	c.at += n
	return part
}

// Join ends a part: it must have been read to its end.
func (c *Cursor) Join(part *Cursor, what string) {
	if part.err == nil && part.at != part.end {
		part.Failf(part.at, "%s has %d bytes more than its content", what, part.end-part.at)
	}
	if part.err != nil && c.err == nil {
		c.err, c.at = part.err, c.end
	}
}

// Byte reads one byte.
func (c *Cursor) Byte() byte {
	if c.at >= c.end {
		c.Failf(c.at, "it ends too early")
		return 0
	}
	b := c.module[c.at]
	c.at++
	return b
}

// Bytes reads n bytes. They are not copied.
func (c *Cursor) Bytes(n int) []byte {
	if n < 0 || n > c.Left() {
		c.Failf(c.at, "it ends inside of %d bytes", n)
		return nil
	}
	b := c.module[c.at : c.at+n : c.at+n]
	c.at += n
	return b
}

// U32 reads an unsigned integer of at most 32 bits. It may be padded to five bytes, as compilers do that fill it in
// later.
func (c *Cursor) U32() uint32 {
	start := c.at
	var value uint32
	for i := range 5 {
		b := c.Byte()
		if i == 4 && b > 0x0f {
			break
		}
		value |= uint32(b&0x7f) << (7 * i)
		if b < 0x80 {
			return value
		}
	}
	c.Failf(start, "an unsigned integer has more than 32 bits")
	return 0
}

// Sub reads the number after a prefix, which must be as short as possible: wazero reads some of them as one byte.
func (c *Cursor) Sub() uint32 {
	start := c.at
	value := c.U32()
	if shortest := 1 + btoi(value > 0x7f) + btoi(value > 0x3fff); c.at-start != shortest && c.err == nil {
		c.Failf(start, "the number of an instruction is not written as short as possible")
	}
	return value
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// S32 reads a signed integer of at most 32 bits.
func (c *Cursor) S32() int32 { return int32(c.signed(32)) }

// S33 reads a signed integer of at most 33 bits, such as the type of a block.
func (c *Cursor) S33() int64 { return c.signed(33) }

// S64 reads a signed integer of at most 64 bits.
func (c *Cursor) S64() int64 { return c.signed(64) }

// signed reads a signed integer. In the longest form the unused bits of the last byte must repeat the sign.
func (c *Cursor) signed(bits int) int64 {
	start := c.at
	longest := (bits + 6) / 7
	var value int64
	for i := range longest {
		b := c.Byte()
		shift := 7 * i
		value |= int64(b&0x7f) << shift
		if b >= 0x80 {
			continue
		}
		used := bits - shift // bits of the value in this byte
		if used < 7 {
			sign := b >> (used - 1) & 1
			if rest := b & 0x7f >> used; rest != (0x7f>>used)*sign {
				break
			}
		}
		if width := shift + 7; width < 64 && b&0x40 != 0 {
			value |= -1 << width
		}
		return value
	}
	c.Failf(start, "a signed integer has more than %d bits", bits)
	return 0
}

// Count reads the number of items of a vector, each of which takes at least size bytes: what cannot fit is refused
// before anything is allocated for it.
func (c *Cursor) Count(what string, size int) int {
	start := c.at
	n := int(c.U32())
	if n > c.Left()/size && c.err == nil {
		c.Failf(start, "it claims %d %s, and has %d bytes left", n, what, c.Left())
		return 0
	}
	return n
}

// Name reads a name: UTF-8 text of at most limit bytes.
func (c *Cursor) Name(what string, limit int) string {
	start := c.at
	n := c.Count("bytes of "+what, 1)
	if n > limit {
		c.Failf(start, "%s has %d bytes; %d are allowed", what, n, limit)
		return ""
	}
	b := c.Bytes(n)
	if !utf8.Valid(b) {
		c.Failf(start, "%s is not UTF-8", what)
		return ""
	}
	return string(b)
}
