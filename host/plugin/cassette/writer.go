package cassette

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/regularfile"
)

// Writer writes a cassette. It can record any number of plugins, in any number of concurrent runs.
type Writer struct {
	mu      sync.Mutex
	to      io.Writer
	close   func() error
	plugins map[*Plugin]int // their IDs
	held    int             // bytes of their documents
	frames  int
	err     error // the first error; nothing is written after it
}

// Create makes a file that only the current user can read, and writes a cassette to it. It does not overwrite an existing
// file, which may be the only recording of what went wrong.
func Create(path string) (*Writer, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("cassette %s: already exists, and is not overwritten; remove it, or name another file", path)
	}
	if err != nil {
		return nil, fmt.Errorf("cassette: %w", regularfile.Uncreatable(path, err))
	}
	w, err := NewWriter(file)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cassette %s: %w", path, err), file.Close(), os.Remove(path))
	}
	w.close = file.Close
	return w, nil
}

// NewWriter writes a cassette to another destination, beginning with the header.
func NewWriter(to io.Writer) (*Writer, error) {
	w := &Writer{to: to, plugins: map[*Plugin]int{}, close: func() error { return nil }}
	w.write(&Header{Version: Version, ABI: fmt.Sprintf("%d.%d", abi.Major, abi.Minor)})
	return w, w.err
}

// Record writes a call that has ended. Before the first call of a plugin it also writes the plugin. It changes neither of
// them.
func (w *Writer) Record(p *Plugin, f *Frame) {
	w.mu.Lock()
	defer w.mu.Unlock()
	id, known := w.plugins[p]
	if !known {
		id = len(w.plugins) + 1
		w.plugins[p] = id
		w.held += len(p.Config) + len(p.Description)
		if w.err == nil && (id > MaxPlugins || w.held > MaxPluginBytes) {
			w.err = fmt.Errorf("a cassette has at most %d plugins, with %d bytes of configuration and Descriptions", MaxPlugins, MaxPluginBytes)
		}
		loaded := *p
		loaded.ID = id
		w.write(map[string]any{"plugin": &loaded})
	}
	w.frames++
	frame := *f
	frame.Number, frame.Loaded = w.frames, id
	if size(&frame) > MaxDocument-slack || len(frame.Exchanges) > MaxExchanges {
		frame.Input, frame.Exchanges, frame.Result, frame.Cut = nil, nil, nil, true
	}
	w.write(map[string]any{"frame": &frame})
}

// slack exceeds the size of a frame without its documents, even with the maximum number of exchanges.
const slack = 8 << 20

// size returns the total size of a frame's documents, in bytes.
func size(f *Frame) int {
	n := len(f.Input) + len(f.Result)
	for i := range f.Exchanges {
		n += len(f.Exchanges[i].Payload) + len(f.Exchanges[i].Reply)
	}
	return n
}

// Calls returns how many calls were recorded.
func (w *Writer) Calls() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.frames
}

// Close ends the cassette. The error is the first that occurred while writing; the recording is then incomplete.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := errors.Join(w.err, w.close())
	w.close = func() error { return nil }
	if w.err == nil {
		w.err = errors.New("the cassette is closed")
	}
	return err
}

// write writes a document in one piece.
func (w *Writer) write(document any) {
	if w.err != nil {
		return
	}
	var b bytes.Buffer
	enc := msgpack.NewEncoder(&b)
	enc.UseCompactInts(true)
	if w.err = enc.Encode(document); w.err != nil {
		return
	}
	_, w.err = w.to.Write(wire.AppendBin(make([]byte, 0, b.Len()+5), b.Bytes()))
}
