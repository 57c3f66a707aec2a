package runs

import (
	"sort"
	"sync"

	"github.com/agenthost/agenthost/host"
)

// Live has the newest events of runs that this process performs, for readers in the same process: they get them when they happen, and not when
// the store has them.
//
// If the process dies, its readers have had events that the store never gets. So they only get here what is void with the next attempt
// anyway, see [Event]: pieces of answers, and what else happens within a step. The events that say what a step changed, and that this was saved,
// come from the store alone, and so does all that follows them until then.
//
// Its methods may be called from several goroutines at once. A nil *Live has nothing, and takes nothing.
type Live struct {
	mu    sync.Mutex
	tails map[string]*tail // by the id of the run
	tell  func(run string) // wakes readers of a run; nil: nobody reads
}

// tail has the newest events of a run.
type tail struct {
	owner  string
	before uint64  // the position that the first event follows
	events []Event // elements never change, so that readers can share them
	size   int     // of their data, in bytes
	shown  int     // how many come before the first one that only the store may tell
}

// maxTail is how many bytes of events of a run are kept. Readers that are further behind get theirs from the store.
const maxTail = 1 << 20

// NewLive returns an empty Live.
func NewLive() *Live { return &Live{tails: map[string]*tail{}} }

// Begin begins with an attempt of a run.
func (l *Live) Begin(r *Run) {
	if l == nil {
		return
	}
	t := &tail{owner: r.Owner}
	if r.Attempt > 1 {
		t.before = FirstSeq(r.Attempt)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tails[r.ID] = t
}

// Add adds the next event of an attempt. Its data must not change any more.
func (l *Live) Add(e Event) {
	if l == nil {
		return
	}
	l.mu.Lock()
	t := l.tails[e.Run]
	if t == nil {
		l.mu.Unlock()
		return
	}
	t.add(e)
	tell := l.tell
	l.mu.Unlock()
	if tell != nil {
		tell(e.Run)
	}
}

// Saved says that the store has these events.
func (l *Live) Saved(events []Event) {
	if l == nil {
		return
	}
	var more []string // runs that may have events behind those
	l.mu.Lock()
	for i := range events {
		if t := l.tails[events[i].Run]; t != nil && lasts(&events[i]) {
			t.dropThrough(events[i].Seq)
			more = append(more, events[i].Run)
		}
	}
	tell := l.tell
	l.mu.Unlock()
	if tell == nil {
		return
	}
	for _, run := range more {
		tell(run)
	}
}

// End ends with a run. From then on readers get its events from the store.
func (l *Live) End(run string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.tails, run)
}

// since returns the events that follow a position, which must not be changed. It returns false if only the store may know them.
func (l *Live) since(owner, run string, after uint64) ([]Event, bool) {
	if l == nil {
		return nil, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.tails[run]
	if t == nil || t.owner != owner || after < t.before {
		return nil, false
	}
	from := sort.Search(t.shown, func(i int) bool { return t.events[i].Seq > after })
	if from == t.shown && t.shown < len(t.events) { // the store has the next one, or will
		return nil, false
	}
	return t.events[from:t.shown:t.shown], true
}

func (t *tail) add(e Event) {
	if t.shown == len(t.events) && !lasts(&e) {
		t.shown++
	}
	t.events, t.size = append(t.events, e), t.size+len(e.Data)
	for t.size > maxTail && t.shown > 0 {
		t.drop(1)
	}
}

// dropThrough drops the events up to a position.
func (t *tail) dropThrough(seq uint64) {
	t.drop(sort.Search(len(t.events), func(i int) bool { return t.events[i].Seq > seq }))
	t.before = max(t.before, seq)
	t.shown = 0
	for t.shown < len(t.events) && !lasts(&t.events[t.shown]) {
		t.shown++
	}
}

// drop drops the first n events.
func (t *tail) drop(n int) {
	for i := range n {
		t.size -= len(t.events[i].Data)
		t.before = t.events[i].Seq
	}
	t.events, t.shown = t.events[n:], max(t.shown-n, 0)
}

// lasts reports whether a later attempt does not tell the event again.
func lasts(e *Event) bool {
	return e.Type == string(host.EventState) || e.Type == string(host.EventCheckpoint)
}
