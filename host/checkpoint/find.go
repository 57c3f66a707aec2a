package checkpoint

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// State is the state of a thread: that of its newest checkpoint, unless a run has the thread open.
type State string

// The states.
const (
	Running  State = "running"  // a run has the thread open, or died so recently that its lease still lasts
	Orphaned State = "orphaned" // the process of its run died before the run was over
	Waiting  State = "waiting"  // its run waits for answers
	Stopped  State = "stopped"  // its run stopped at a breakpoint, was cancelled, or ended early without a failure
	Failed   State = "failed"   // its run failed
	Done     State = "done"     // its last run is over
)

// States are all states, in the order in which people care about them.
var States = []State{Running, Orphaned, Waiting, Stopped, Failed, Done}

// Known returns an error that lists the states if this is not one of them.
func (s State) Known() error {
	names := make([]string, len(States))
	for i, known := range States {
		if s == known {
			return nil
		}
		names[i] = string(known)
	}
	return fmt.Errorf("unknown state %q of a thread; use one of %s", string(s), strings.Join(names, ", "))
}

// State returns the state of a thread whose newest checkpoint this is and which nobody has open. died says that its last session
// was not closed: only then may a run that is not over be orphaned.
func (c *Checkpoint) State(died bool) State {
	switch {
	case c.Next == "":
		return Done
	case len(c.Waiting()) > 0:
		return Waiting
	case c.Failure != "" && !c.Cancelled:
		return Failed
	case c.Failure == "" && !c.Paused && died:
		return Orphaned
	default:
		return Stopped
	}
}

// Query selects threads. The zero value selects the first ones of all.
type Query struct {
	State         State     // only threads in this state; "": in any
	Prefix        string    // only threads whose names begin with this
	After         string    // only threads whose names sort after this one, such as the last name of a page
	UpdatedSince  time.Time // only threads whose newest checkpoint was made then or later; zero: at any time
	UpdatedBefore time.Time // only threads whose newest checkpoint was made earlier; zero: at any time
	Limit         int       // the maximum number of threads; 0 means [DefaultLimit]
}

// DefaultLimit is the maximum number of threads that a [Query] without a limit finds.
const DefaultLimit = 100

// Check returns an error if no thread can ever match the query, because a part of it is invalid. Every store calls it first.
func (q *Query) Check() error {
	if q.State != "" {
		if err := q.State.Known(); err != nil {
			return err
		}
	}
	for _, name := range []string{q.Prefix, q.After} {
		if name == "" {
			continue
		}
		if err := CheckName(name); err != nil {
			return err
		}
	}
	if q.Limit < 0 {
		return fmt.Errorf("the limit of a query is %d; it must be at least 1, or 0 for %d", q.Limit, DefaultLimit)
	}
	return nil
}

// Most returns the maximum number of threads to find.
func (q *Query) Most() int { return cmp.Or(q.Limit, DefaultLimit) }

// Names returns the range of names that the query selects: those from first, which itself counts only if including is true, up
// to but without end; "" means that there is no end.
func (q *Query) Names() (first string, including bool, end string) {
	first, including = q.After, false
	if q.Prefix > q.After {
		first, including = q.Prefix, true
	}
	return first, including, following(q.Prefix)
}

// following returns the first text that sorts after all that begin with a prefix; "" if there is none. Texts sort by their bytes,
// which for UTF-8 is the order of the characters.
func following(prefix string) string {
	for prefix != "" {
		last, size := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-size]
		switch last {
		case utf8.MaxRune:
			continue
		case 0xd7ff: // what follows up to 0xdfff is not a character
			last = 0xdfff
		}
		return prefix + string(last+1)
	}
	return ""
}
