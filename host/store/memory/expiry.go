package memory

import (
	"container/heap"
	"time"
)

// expiry holds the entries that expire, in the order in which they do.
type expiry struct{ turns turns }

// watch adds an entry if it expires.
func (x *expiry) watch(e *entry) {
	if !e.Expires.IsZero() {
		heap.Push(&x.turns, e)
	}
}

// forget removes an entry if it expires.
func (x *expiry) forget(e *entry) {
	if !e.Expires.IsZero() {
		heap.Remove(&x.turns, e.turn)
	}
}

// remove deletes the entries that have expired.
func (x *expiry) remove(now time.Time) {
	for len(x.turns) > 0 && !x.turns[0].Expires.After(now) {
		e := x.turns[0]
		heap.Pop(&x.turns)
		e.space.remove(e)
	}
}

// turns is a heap; each entry knows its index in it.
type turns []*entry

func (t turns) Len() int           { return len(t) }
func (t turns) Less(i, j int) bool { return t[i].Expires.Before(t[j].Expires) }

func (t turns) Swap(i, j int) {
	t[i], t[j] = t[j], t[i]
	t[i].turn, t[j].turn = i, j
}

// Push implements heap.Interface.
func (t *turns) Push(x any) {
	e := x.(*entry) //nolint:forcetypeassert // nothing else is pushed
	e.turn = len(*t)
	*t = append(*t, e)
}

// Pop implements heap.Interface.
func (t *turns) Pop() any {
	old := *t
	last := len(old) - 1
	e := old[last]
	old[last] = nil
	*t = old[:last]
	return e
}
