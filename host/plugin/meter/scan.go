package meter

import (
	"slices"

	"github.com/agenthost/agenthost/host/plugin/preflight"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// segment is a basic block: nothing branches into it, and only its end branches away.
type segment struct {
	at     int   // offset of its first instruction
	loop   int32 // the loop that contains it
	header bool  // it begins the function or a loop: the fuel is checked here
	point  bool  // it has a charge
	falls  bool  // execution may continue with the next segment
	behind int32 // the loop that ended just before it; 0: none
	edges  int32 // where its branches end in scan.edges
	cost   int64 // its own cost; later including uncharged code that follows
}

// loop is a loop or, at index 0, the function itself.
type loop struct {
	parent int32
	calls  int // calls of guest functions in it, which change the fuel; counted to just above fewCalls
}

// label is the target of a branch.
type label struct {
	op     uint16
	values int   // number of values that a branch to it carries
	loop   int32 // the loop around it; for a loop, itself
	target int32 // the segment after it, or for a loop, its first one; -1: the end of the function
}

// edit is a change to the code.
type edit struct {
	at, end int // offsets of the replaced code
	op      uint16
	index   uint32
	loop    int32 // the loop around it; for a loop, itself
	target  int32 // for a branch: the label, or one of them
}

// scan is the analysis of a function. It is reused for one function after another.
type scan struct {
	segments []segment
	edges    []int32 // labels
	labels   []label
	loops    []loop
	edits    []edit
	open     []int32 // labels
	in       wasmbin.Instruction
	small    map[uint32]int64 // see rewriter
}

// here returns the current loop.
func (s *scan) here() int32 { return s.labels[s.open[len(s.open)-1]].loop }

// begin begins a segment.
func (s *scan) begin(at int, header bool) {
	s.segments = append(s.segments, segment{at: at, loop: s.here(), header: header, falls: true, edges: int32(len(s.edges))})
}

func (s *scan) last() *segment { return &s.segments[len(s.segments)-1] }

// edge records that the current segment may lead to a label.
func (s *scan) edge(label int32) {
	s.edges = append(s.edges, label)
	s.last().edges = int32(len(s.edges))
}

// branch records that the current segment may branch to the label at this depth.
func (s *scan) branch(depth uint32) {
	if int(depth) >= len(s.open) {
		return // the preflight has refused it
	}
	id := s.open[len(s.open)-1-int(depth)]
	s.edge(id)
	if e := s.lastEdit(); e.target < 0 || s.labels[id].loop < s.labels[e.target].loop {
		e.target = id // the one furthest out
	}
}

func (s *scan) lastEdit() *edit { return &s.edits[len(s.edits)-1] }

func (s *scan) push(op uint16, in, target int32, values int) {
	s.open = append(s.open, int32(len(s.labels)))
	s.labels = append(s.labels, label{op: op, loop: in, target: target, values: values})
}

// function reads the body of a function.
func (s *scan) function(c *wasmbin.Cursor, m *preflight.Module, b *preflight.Body, t *wasmbin.FuncType) {
	s.segments, s.edges, s.labels = s.segments[:0], s.edges[:0], s.labels[:0]
	s.loops, s.edits, s.open = append(s.loops[:0], loop{parent: -1}), s.edits[:0], s.open[:0]
	s.push(wasmbin.OpBlock, 0, -1, len(t.Results))
	s.begin(b.Code, true)
	s.last().cost = costEntry + int64((len(t.Params)+len(t.Results)+b.Locals)/slotsPerOne)
	for len(s.open) > 0 && c.Err() == nil {
		c.Instruction(&s.in)
		s.last().cost += costOf(s.in.Op)
		s.instruction(c.At(), m)
	}
}

func (s *scan) instruction(end int, m *preflight.Module) {
	in := &s.in
	switch in.Op {
	case wasmbin.OpBlock:
		_, results := arity(m, in.Block)
		s.push(in.Op, s.here(), -1, results)
	case wasmbin.OpLoop:
		s.loops = append(s.loops, loop{parent: s.here()})
		id := int32(len(s.loops) - 1)
		s.change(end)
		s.lastEdit().loop = id
		params, _ := arity(m, in.Block)
		s.push(in.Op, id, int32(len(s.segments)), params)
		s.begin(end, true)
	case wasmbin.OpIf:
		_, results := arity(m, in.Block)
		s.push(in.Op, s.here(), -1, results)
		s.labels = append(s.labels, label{op: in.Op, loop: s.here(), target: -1}) // what follows if the condition is false
		s.edge(int32(len(s.labels) - 1))
		s.begin(end, false)
	case wasmbin.OpElse:
		s.orElse(end)
	case wasmbin.OpEnd:
		s.end(end)
	case wasmbin.OpBr, wasmbin.OpBrIf, wasmbin.OpBrTable, wasmbin.OpReturn:
		s.change(end)
		s.branches()
		s.last().falls = in.Op == wasmbin.OpBrIf
		s.begin(end, false)
	case wasmbin.OpUnreachable:
		s.last().falls = false
		s.begin(end, false)
	case wasmbin.OpCall:
		s.last().cost += s.callCost(m)
		if in.Index >= uint32(len(m.Imports)) {
			s.change(end)
		}
	case wasmbin.OpCallIndirect:
		s.called()
		s.last().cost += costVia
		s.change(end)
	case wasmbin.OpRefFunc:
		if in.Index >= uint32(len(m.Imports)) {
			s.change(end)
		}
	case wasmbin.OpMemoryInit, wasmbin.OpMemoryCopy, wasmbin.OpMemoryFill, wasmbin.OpMemoryGrow,
		wasmbin.OpTableInit, wasmbin.OpTableCopy, wasmbin.OpTableGrow, wasmbin.OpTableFill:
		s.change(end)
	}
}

// change records that the current instruction is rewritten.
func (s *scan) change(end int) {
	s.edits = append(s.edits, edit{at: s.in.Start, end: end, op: s.in.Op, index: s.in.Index, loop: s.here(), target: -1})
}

// callCost returns the cost of a call without what the callee charges itself. Imports and small functions do not change the
// fuel.
func (s *scan) callCost(m *preflight.Module) int64 {
	if s.in.Index < uint32(len(m.Imports)) {
		return costImport
	}
	if cost, small := s.small[s.in.Index]; small {
		return costCall + cost
	}
	s.called()
	return costCall
}

// isSmall reports whether a function can be charged at the call: it always ends soon.
func (s *scan) isSmall() bool {
	for i := range s.edits {
		switch s.edits[i].op {
		case wasmbin.OpBr, wasmbin.OpBrIf, wasmbin.OpBrTable, wasmbin.OpReturn, wasmbin.OpRefFunc:
		default:
			return false // a loop, a call, an operation on many bytes
		}
	}
	return s.segments[0].cost <= window && !slices.ContainsFunc(s.segments[1:], func(g segment) bool { return g.point })
}

// called records a call of a guest function in the current loop and those around it.
func (s *scan) called() {
	for l := s.here(); l >= 0 && s.loops[l].calls <= fewCalls; l = s.loops[l].parent {
		s.loops[l].calls++
	}
}

// branches records where the current instruction leads.
func (s *scan) branches() {
	in := &s.in
	switch in.Op {
	case wasmbin.OpBrTable:
		for _, depth := range in.Targets {
			s.branch(depth)
		}
	case wasmbin.OpReturn:
		s.branch(uint32(len(s.open) - 1))
	default:
		s.branch(in.Index)
	}
}

// arity returns how many values a block takes and leaves.
func arity(m *preflight.Module, block int64) (params, results int) {
	switch {
	case block >= 0:
		t := &m.Types[block]
		return len(t.Params), len(t.Results)
	case block == blockOfNothing-0x80:
		return 0, 0
	default:
		return 0, 1
	}
}

// orElse ends the first arm of an if, which continues after the second.
func (s *scan) orElse(end int) {
	id := s.open[len(s.open)-1]
	s.edge(id)
	s.last().falls = false
	s.begin(end, false)
	s.labels[id].op = wasmbin.OpElse
	s.labels[id+1].target = int32(len(s.segments) - 1)
}

// end ends a block and begins a segment, because branches lead there or it is in another loop.
func (s *scan) end(end int) {
	id := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	if len(s.open) == 0 {
		return
	}
	s.begin(end, false)
	behind := int32(len(s.segments) - 1)
	switch s.labels[id].op {
	case wasmbin.OpLoop:
		s.last().behind = s.labels[id].loop
	case wasmbin.OpIf:
		s.labels[id+1].target = behind
		fallthrough
	default:
		s.labels[id].target = behind
	}
}

// charge decides where charges are placed. An uncharged segment is charged, with what follows it, by all segments that lead
// to it. Each of those charges the maximum over its successors.
func (s *scan) charge() {
	for i := range s.segments {
		s.successors(i, func(from, to *segment) {
			if to.loop != from.loop {
				to.point = true // after a loop: not charged in each iteration
			}
		})
	}
	for i := len(s.segments) - 1; i >= 0; i-- {
		var most int64
		s.successors(i, func(_, to *segment) {
			if !to.point {
				most = max(most, to.cost)
			}
		})
		segment := &s.segments[i]
		segment.cost += most
		segment.point = segment.point || segment.header || segment.cost > window
	}
}

// free removes all charges.
func (s *scan) free() {
	for i := range s.segments {
		s.segments[i].point, s.segments[i].header = false, false
	}
}

// successors calls f for each segment that may directly follow one. It omits jumps back to the beginning of a loop, which
// always has a charge.
func (s *scan) successors(i int, f func(from, to *segment)) {
	from := &s.segments[i]
	if from.falls && i+1 < len(s.segments) {
		f(from, &s.segments[i+1])
	}
	first := int32(0)
	if i > 0 {
		first = s.segments[i-1].edges
	}
	for _, id := range s.edges[first:from.edges] {
		if l := &s.labels[id]; l.op != wasmbin.OpLoop && l.target >= 0 {
			f(from, &s.segments[l.target])
		}
	}
}

// fewCalls is how many calls a loop with its fuel in a variable may have: the fuel must move around each of them. More of
// them would cost more than the variable saves.
const fewCalls = 1

// local reports whether a variable holds the fuel in a loop, and in all loops inside it.
func (s *scan) local(id int32) bool { return id > 0 && s.loops[id].calls <= fewCalls }

// outermost reports whether a loop is local, and not inside another local one.
func (s *scan) outermost(id int32) bool { return s.local(id) && !s.local(s.loops[id].parent) }
