package cassette

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/regularfile"
)

// ErrTruncated reports a cassette whose last document is incomplete. Everything before it was read.
var ErrTruncated = errors.New("the last document is incomplete: the process that recorded ended while it wrote it")

// errNone reports a file of another kind.
var errNone = errors.New("is not a cassette: it does not begin with a header of agenthost")

// Reader reads a cassette. The cassette may be hostile, so everything in it is checked.
type Reader struct {
	Header Header

	from    *bufio.Reader
	close   func() error
	plugins map[int]*Plugin
	held    int // bytes of their configurations and Descriptions
}

// limits are the limits of a document that is read. A frame has six values for each exchange.
var limits = wire.Limits{MaxBytes: MaxDocument, MaxDepth: 16, MaxNodes: 8*MaxExchanges + 1000}

// Open opens a regular file. The reader must be closed.
func Open(path string) (*Reader, error) {
	file, _, err := regularfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cassette: %w", err)
	}
	r, err := NewReader(file)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cassette %s: %w", path, err), file.Close())
	}
	r.close = file.Close
	return r, nil
}

// NewReader reads the header.
func NewReader(from io.Reader) (*Reader, error) {
	r := &Reader{from: bufio.NewReader(from), plugins: map[int]*Plugin{}, close: func() error { return nil }}
	b, err := r.document()
	if err != nil {
		return nil, errNone
	}
	if err := decode(b, &r.Header); err != nil || r.Header.Version == 0 {
		return nil, errNone
	}
	if r.Header.Version != Version {
		return nil, fmt.Errorf("has the version %d; this agenthost reads %d", r.Header.Version, Version)
	}
	return r, nil
}

// Close closes the file.
func (r *Reader) Close() error { return r.close() }

// Frames yields the calls in the order of the cassette, each with its plugin. The first error ends the sequence:
// [ErrTruncated], a description of what is wrong with the cassette, or an error reading the file.
func (r *Reader) Frames() iter.Seq2[*Frame, error] {
	return func(yield func(*Frame, error) bool) {
		for n := 2; ; n++ {
			frame, err := r.next()
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				yield(nil, fmt.Errorf("document %d: %w", n, err))
				return
			case frame != nil && !yield(frame, nil):
				return
			}
		}
	}
}

// next reads a document. The frame is nil if the document is of another kind.
func (r *Reader) next() (*Frame, error) {
	b, err := r.document()
	if err != nil {
		return nil, err
	}
	var record struct {
		Plugin *Plugin `msgpack:"plugin"`
		Frame  *Frame  `msgpack:"frame"`
	}
	if err := decode(b, &record); err != nil {
		return nil, err
	}
	if p := record.Plugin; p != nil {
		return nil, r.load(p)
	}
	f := record.Frame
	if f == nil {
		return nil, nil
	}
	f.Plugin = r.plugins[f.Loaded]
	switch {
	case f.Plugin == nil:
		return nil, fmt.Errorf("a call of the plugin %d, which was not loaded before", f.Loaded)
	case f.Number <= 0:
		return nil, fmt.Errorf("a call with the number %d", f.Number)
	case len(f.Exchanges) > MaxExchanges:
		return nil, fmt.Errorf("a call with %d exchanges; %d are allowed", len(f.Exchanges), MaxExchanges)
	}
	return f, nil
}

// load checks a plugin.
func (r *Reader) load(p *Plugin) error {
	switch {
	case p.ID <= 0 || r.plugins[p.ID] != nil:
		return fmt.Errorf("a plugin with the id %d, which is invalid or belongs to another plugin", p.ID)
	case len(r.plugins) == MaxPlugins:
		return fmt.Errorf("it has more than %d plugins", MaxPlugins)
	}
	if r.held += len(p.Config) + len(p.Description); r.held > MaxPluginBytes {
		return fmt.Errorf("its plugins have more than %d bytes of configuration and Descriptions", MaxPluginBytes)
	}
	if err := wire.Validate(p.Config, wire.Limits{}); err != nil || !wire.Raw(p.Config).IsMap() {
		return fmt.Errorf("the configuration of the plugin %d is not a map", p.ID)
	}
	r.plugins[p.ID] = p
	return nil
}

// decode decodes an untrusted document.
func decode(b []byte, into any) error {
	if err := wire.Validate(b, limits); err != nil {
		return fmt.Errorf("malformed: %w", err)
	}
	if !wire.Raw(b).IsMap() {
		return errors.New("malformed: it is not a map")
	}
	return msgpack.Unmarshal(b, into)
}

// document reads the next document, or returns io.EOF if there is none.
func (r *Reader) document() ([]byte, error) {
	size, err := r.size()
	switch {
	case err != nil:
		return nil, err
	case size > MaxDocument:
		return nil, fmt.Errorf("it has %d bytes; %d are allowed", size, MaxDocument)
	}
	var b []byte // grows with the data present, not with the claimed size
	for len(b) < size {
		at := len(b)
		b = append(b, make([]byte, min(size-at, max(at, 64<<10)))...)
		if _, err := io.ReadFull(r.from, b[at:]); err != nil {
			return nil, truncated(err)
		}
	}
	return b, nil
}

// size reads the head of a bin.
func (r *Reader) size() (int, error) {
	kind, err := r.from.ReadByte()
	if err != nil {
		return 0, err
	}
	const bin8, bin32 = 0xc4, 0xc6
	if kind < bin8 || kind > bin32 {
		return 0, fmt.Errorf("it begins with the byte %#x, which is not the head of a bin", kind)
	}
	var head [4]byte
	width := 1 << (kind - bin8)
	if _, err := io.ReadFull(r.from, head[4-width:]); err != nil {
		return 0, truncated(err)
	}
	return int(binary.BigEndian.Uint32(head[:])), nil
}

func truncated(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrTruncated
	}
	return err
}
