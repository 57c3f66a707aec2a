package host

import "errors"

// toolOrder makes the calls of a batch whose tool is a [ToolInTurn] wait for each other. A call waits only for an earlier call,
// which was started before it, so somebody always makes progress.
type toolOrder struct {
	before []int           // the call to wait for; -1: none
	done   []chan struct{} // closed when a call ends that another call waits for
	open   []bool          // the call ended with a question, or its turn did not come
}

// errNoTurn is the error of a call that did not begin, because an earlier call waits for an answer.
var errNoTurn = errors.New("it is not the turn of the tool call")

// inTurn reports whether the calls of this tool run one after the other.
func (a *build) inTurn(name string) bool {
	bound := a.tools.byName[name]
	return bound != nil && bound.inTurn
}

// orderOf finds the calls that wait; nil if none does.
func (a *build) orderOf(calls []toolCall) *toolOrder {
	var order *toolOrder
	last := map[string]int{}
	for i := range calls {
		name := calls[i].call.Name
		if !a.inTurn(name) {
			continue
		}
		if before, ok := last[name]; ok {
			if order == nil {
				order = newToolOrder(len(calls))
			}
			order.before[i], order.done[before] = before, make(chan struct{})
		}
		last[name] = i
	}
	return order
}

func newToolOrder(n int) *toolOrder {
	o := &toolOrder{before: make([]int, n), done: make([]chan struct{}, n), open: make([]bool, n)}
	for i := range o.before {
		o.before[i] = -1
	}
	return o
}

// wait waits for the turn of call i, and reports whether it comes. When the batch is cancelled, the earlier call ends soon.
func (o *toolOrder) wait(i int) bool {
	if o == nil || o.before[i] < 0 {
		return true
	}
	<-o.done[o.before[i]]
	return !o.open[o.before[i]]
}

// end lets the next call begin, unless call i ended with a question.
func (o *toolOrder) end(i int, err error) {
	if o != nil && o.done[i] != nil {
		o.open[i] = err != nil && !fails(err)
		close(o.done[i])
	}
}
