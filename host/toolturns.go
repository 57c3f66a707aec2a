package host

import (
	"errors"

	"github.com/agenthost/agenthost/abi"
)

// toolTurns lets the calls of a batch whose tools run in turn wait for each other. A call waits only for one before it, which
// has been started before it: so somebody is always at work.
type toolTurns struct {
	before []int           // the call to wait for; -1: none
	done   []chan struct{} // closed at the end of a call that another one waits for
	open   []bool          // the call has ended with a question, or its turn has not come
}

// errNoTurn is a call that has not begun, since a call before it waits for an answer.
var errNoTurn = errors.New("it is not the turn of the tool call")

// inTurn reports whether the tool of this name has a state.
func (a *build) inTurn(name string) bool {
	bound := a.tools.byName[name]
	return bound != nil && bound.inTurn
}

// hasTurn reports whether no call of the same tool before this one waits for an answer, where their order counts.
func (r *run) hasTurn(all []abi.ToolCall, i int) bool {
	if !r.agent.inTurn(all[i].Name) {
		return true
	}
	for j := range i {
		if before := &all[j]; before.Name == all[i].Name && !r.isFinished(before.ID) && r.questions.block(before.ID) {
			return false
		}
	}
	return true
}

// turnsOf finds the calls that wait; nil if none does.
func (a *build) turnsOf(batch []toolCall) *toolTurns {
	var turns *toolTurns
	last := map[string]int{}
	for i := range batch {
		name := batch[i].call.Name
		if !a.inTurn(name) {
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
	t := &toolTurns{before: make([]int, n), done: make([]chan struct{}, n), open: make([]bool, n)}
	for i := range t.before {
		t.before[i] = -1
	}
	return t
}

// wait waits until it is the call's turn, and reports whether that comes. When the batch is cancelled the call before ends soon.
func (t *toolTurns) wait(i int) bool {
	if t == nil || t.before[i] < 0 {
		return true
	}
	<-t.done[t.before[i]]
	return !t.open[t.before[i]]
}

// end lets the next one begin, unless the call has ended with a question.
func (t *toolTurns) end(i int, err error) {
	if t != nil && t.done[i] != nil {
		t.open[i] = err != nil && !fails(err)
		close(t.done[i])
	}
}
