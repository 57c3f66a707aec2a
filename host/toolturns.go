package host

// toolTurns lets the calls of a batch whose tools run in turn wait for each other. A call waits only for one before it, which
// has been started before it: so somebody is always at work.
type toolTurns struct {
	before []int           // the call to wait for; -1: none
	done   []chan struct{} // closed at the end of a call that another one waits for
}

// turnsOf finds the calls that wait; nil if none does.
func (a *build) turnsOf(batch []toolCall) *toolTurns {
	var turns *toolTurns
	last := map[string]int{}
	for i := range batch {
		name := batch[i].call.Name
		bound := a.tools.byName[name]
		if bound == nil || !bound.inTurn {
			continue
		}
		if before, ok := last[name]; ok {
			if turns == nil {
				turns = newToolTurns(len(batch))
			}
			turns.before[i], turns.done[before] = before, make(chan struct{})
		}
		last[name] = i
	}
	return turns
}

func newToolTurns(n int) *toolTurns {
	t := &toolTurns{before: make([]int, n), done: make([]chan struct{}, n)}
	for i := range t.before {
		t.before[i] = -1
	}
	return t
}

// wait waits until it is the call's turn. When the batch is cancelled the call before ends soon.
func (t *toolTurns) wait(i int) {
	if t != nil && t.before[i] >= 0 {
		<-t.done[t.before[i]]
	}
}

// end lets the next one begin.
func (t *toolTurns) end(i int) {
	if t != nil && t.done[i] != nil {
		close(t.done[i])
	}
}
