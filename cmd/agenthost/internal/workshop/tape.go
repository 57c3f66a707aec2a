package workshop

import (
	"slices"
	"sync"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin/cassette"
)

// Tape keeps calls of plugins. It is their recorder. When it is full, it forgets the run whose first call is the oldest. Several goroutines may use it.
type Tape struct {
	room int // bytes

	mu     sync.Mutex
	used   int // bytes
	calls  int // numbers the calls
	runs   map[string]*taped
	oldest []string // the runs that have calls, in the order of their first calls
}

// taped has the calls of a run.
type taped struct {
	frames []*cassette.Frame // with their plugins and numbers
	size   int
	gone   bool // calls of it were forgotten, and more are not kept
}

// DefaultRoom is how many bytes of documents a tape of dev keeps.
const DefaultRoom = 128 << 20

// NewTape returns a tape with room for so many bytes of documents.
func NewTape(room int) *Tape { return &Tape{room: room, runs: map[string]*taped{}} }

// overhead is what a call takes besides its documents, in bytes.
const overhead = 1 << 10

// Record keeps a call.
func (t *Tape) Record(p *cassette.Plugin, f *cassette.Frame) {
	id, ok := wire.Raw(f.Input).Get("run").AsString()
	if !ok { // it was too large to be recorded whole
		return
	}
	frame, size := *f, overhead+len(f.Input)+len(f.Result)
	for i := range f.Exchanges {
		size += len(f.Exchanges[i].Payload) + len(f.Exchanges[i].Reply)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls++
	frame.Number, frame.Plugin = t.calls, p
	run := t.runs[id]
	switch {
	case run == nil:
		run = &taped{}
		t.runs[id] = run
		t.oldest = append(t.oldest, id)
	case run.gone:
		return
	}
	run.frames = append(run.frames, &frame)
	run.size += size
	t.used += size
	for t.used > t.room {
		t.forget(t.oldest[0])
	}
}

// forget drops the calls of a run.
func (t *Tape) forget(id string) {
	run := t.runs[id]
	t.used -= run.size
	*run = taped{gone: true}
	t.oldest = slices.DeleteFunc(t.oldest, func(one string) bool { return one == id })
}

// frames returns the calls of runs in the order in which they ended. whole is false if some were forgotten. The caller must not change them.
func (t *Tape) frames(runs []string) (frames []*cassette.Frame, whole bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	whole = true
	for _, id := range runs {
		if run := t.runs[id]; run != nil {
			frames = append(frames, run.frames...)
			whole = whole && !run.gone
		}
	}
	slices.SortFunc(frames, func(a, b *cassette.Frame) int { return a.Number - b.Number })
	return frames, whole
}
