package cassette

import (
	"bytes"
	"fmt"

	"github.com/agenthost/agenthost/internal/docdiff"
)

// Difference is one difference between a recorded call and its repetition.
type Difference struct {
	Kind DifferenceKind `json:"kind"`
	Call int            `json:"call,omitempty"` // the number of the next or host_call, from 1: as recorded, or for an added call, as performed
	Text string         `json:"text"`           // the subject of the difference, and the difference itself unless it is in a document
	Diff docdiff.Diff   `json:"diff,omitzero"`  // difference from the recorded document to the new one
}

// DifferenceKind says what differs.
type DifferenceKind string

// The kinds of differences.
const (
	DiffCall    DifferenceKind = "call"         // another document was passed to next or host_call
	DiffMissing DifferenceKind = "missing_call" // a recorded call was not made
	DiffAdded   DifferenceKind = "added_call"   // an unrecorded call was made
	DiffResult  DifferenceKind = "result"
	DiffReturn  DifferenceKind = "return" // another code was returned
	DiffFault   DifferenceKind = "fault"
	DiffFuel    DifferenceKind = "fuel"
)

// Lines describes the difference for people.
func (d *Difference) Lines() []string {
	if d.Diff.IsZero() {
		return []string{d.Text}
	}
	lines := make([]string, 0, len(d.Diff.Changes))
	for _, line := range d.Diff.Lines() {
		lines = append(lines, d.Text+": "+line)
	}
	return lines
}

// FaultUnrecorded is the kind of fault that ends a call which requests something that is not recorded.
const FaultUnrecorded = "unrecorded"

// Compare lists how a repeated call differs from its recording. fuel says that the fuel must be the same, which it must be
// with the same module and configuration.
//
// Compare ignores everything that depends on the machine. If a call was cancelled, or ended by a fault that depends on chance, it
// compares only what happened before that. It also ignores the host's opinion of the result, which depends on the state of the
// run.
func Compare(recorded, performed *Frame, fuel bool) []Difference {
	c := comparison{recorded: recorded, performed: performed}
	unanswered := c.exchanges()
	chance := recorded.Cancelled || (recorded.Fault != nil && recorded.Fault.Chance)
	if chance || unanswered {
		return c.differences
	}
	c.ends()
	if fuel && comparableFuel(recorded) && comparableFuel(performed) && recorded.Fuel != performed.Fuel {
		c.add(Difference{Kind: DiffFuel, Text: fmt.Sprintf("fuel: %d → %d", recorded.Fuel, performed.Fuel)})
	}
	return c.differences
}

// comparableFuel reports whether the count is exact: if the guest broke off, the count may lag.
func comparableFuel(f *Frame) bool {
	const outOfFuel = "fuel"
	return f.Returned || (f.Fault != nil && f.Fault.Kind == outOfFuel)
}

type comparison struct {
	recorded, performed *Frame
	differences         []Difference
}

func (c *comparison) add(d Difference) { c.differences = append(c.differences, d) }

// exchanges compares the guest's requests to the host. It reports whether the guest was stopped because it requested
// something that is not recorded.
func (c *comparison) exchanges() (unanswered bool) {
	script := NewScript(c.recorded)
	for i := range c.performed.Exchanges {
		x := &c.performed.Exchanges[i]
		missed := len(script.missed)
		at, ok := script.Next(x.Op)
		c.missing(script.missed[missed:])
		switch {
		case !ok:
			text := fmt.Sprintf("call %d: %s is not recorded, where nothing more is", i+1, x.Name())
			if script.at < len(c.recorded.Exchanges) {
				text = fmt.Sprintf("call %d: %s is not recorded, where %s is", i+1, x.Name(), c.recorded.Exchanges[script.at].Name())
			}
			c.add(Difference{Kind: DiffAdded, Call: i + 1, Text: text, Diff: docdiff.Of("", nil, x.Payload)})
			return true
		case at < 0:
			c.add(Difference{
				Kind: DiffAdded, Call: i + 1, Text: fmt.Sprintf("call %d: %s is not recorded", i+1, x.Name()),
				Diff: docdiff.Of("", nil, x.Payload),
			})
		default:
			c.payload(at, x)
		}
	}
	if f := c.performed.Fault; f != nil && f.Kind == FaultUnrecorded {
		return true
	}
	script.missed = script.missed[:0]
	script.pass(len(script.exchanges))
	c.missing(script.missed)
	return false
}

func (c *comparison) payload(at int, x *Exchange) {
	was := &c.recorded.Exchanges[at]
	if bytes.Equal(was.Payload, x.Payload) {
		return
	}
	diff := docdiff.Of("", was.Payload, x.Payload)
	if !diff.IsZero() {
		c.add(Difference{Kind: DiffCall, Call: at + 1, Text: fmt.Sprintf("call %d: %s", at+1, x.Name()), Diff: diff})
	}
}

func (c *comparison) missing(at []int) {
	for _, n := range at {
		x := &c.recorded.Exchanges[n]
		c.add(Difference{
			Kind: DiffMissing, Call: n + 1, Text: fmt.Sprintf("call %d: %s is not made", n+1, x.Name()),
			Diff: docdiff.Of("", x.Payload, nil),
		})
	}
}

// ends compares how the calls ended.
func (c *comparison) ends() {
	was, is := c.recorded, c.performed
	if !was.Returned || !is.Returned {
		if a, b := ending(was), ending(is); a != b {
			c.add(Difference{Kind: DiffFault, Text: "fault: " + docdiff.Clean(a) + " → " + docdiff.Clean(b)})
		}
		return
	}
	if was.Code != is.Code {
		c.add(Difference{Kind: DiffReturn, Text: fmt.Sprintf("returned: %d → %d", was.Code, is.Code)})
	}
	if diff := docdiff.Of("", was.Result, is.Result); !diff.IsZero() {
		c.add(Difference{Kind: DiffResult, Text: "result", Diff: diff})
	}
}

// ending describes how a call ended.
func ending(f *Frame) string {
	switch {
	case f.Returned:
		return "none"
	case f.Fault != nil:
		return f.Fault.Kind + ": " + f.Fault.Message
	default:
		return "the run was cancelled"
	}
}
