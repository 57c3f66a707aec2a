package certify

import (
	"fmt"
	"strings"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/internal/text"
)

// The limits of a frame.
const (
	hookFuel      = 1_000_000_000
	loadFuel      = 2_000_000_000
	sliceFuel     = 1_000_000
	frameTime     = 20 * time.Second // far beyond the default, so that no guest fails because the machine is busy
	documentLimit = 1 << 20
	mostBytes     = 64 << 20  // of an accepted document
	mostMoved     = 128 << 20 // of documents in a frame
	mostCalls     = 10_000
	mostLines     = 100
)

// The kinds of faults that the kit distinguishes.
const (
	faultTrap     = "trap"
	faultFuel     = "fuel"
	faultDeadline = "deadline"
	faultMemory   = "memory"
	faultExit     = "exit"
	faultProtocol = "protocol"
)

// Fault says why a frame ended early.
type Fault struct{ Kind, Text string }

func (f *Fault) String() string { return f.Kind + ": " + f.Text }

// Exchange is one call of next, host_call or one of the other imports in a frame.
type Exchange struct {
	Import  string
	Op      string // operation of host_call
	Payload []byte
	Status  abi.Status
	Reply   []byte
	Late    bool // the frame was already closed
}

// Frame is one call of an export, with everything that the guest did in it.
type Frame struct {
	Export    string
	Input     []byte
	Exchanges []Exchange
	Code      int32
	Result    []byte // the last result that the guest wrote
	Wrote     bool
	Lines     []string
	Fault     *Fault

	answers   *answers // nil: while the plugin is loaded
	instance  *instance
	reply     []byte
	received  int // bytes of replies
	sent      int // bytes of documents
	closed    abi.Status
	nexts     int
	hostCalls int
	clock     clock
	random    random
	started   time.Time
	allowed   int64 // fuel
	given     int64
	findings  []finding
}

// finding is a rule that was checked, with the outcome.
type finding struct {
	check string
	ok    bool
	text  string
}

// checkf records whether a rule was kept.
func (f *Frame) checkf(id string, ok bool, format string, args ...any) {
	text := ""
	if !ok {
		text = fmt.Sprintf(format, args...)
	}
	f.findings = append(f.findings, finding{id, ok, text})
}

// insistf is checkf for a rule without which the frame cannot go on.
func (f *Frame) insistf(id string, ok bool, format string, args ...any) {
	f.checkf(id, ok, format, args...)
	if !ok {
		f.stop(faultProtocol, fmt.Sprintf(format, args...))
	}
}

// limit returns the maximum length of a document that the guest writes. It is the default, or more if the guest received
// more, as an operator would set it.
func (f *Frame) limit() int { return max(documentLimit, min(2*(len(f.Input)+f.received), mostBytes)) }

// loading reports whether this frame is part of loading the plugin, as opposed to a call of a hook or tool.
func (f *Frame) loading() bool { return f.answers == nil }

// stop ends the guest. It panics, and wazero recovers the panic.
func (f *Frame) stop(kind, text string) {
	f.Fault = &Fault{kind, text}
	panic(f.Fault)
}

// end records why a call of the guest did not return.
func (f *Frame) end(err error) {
	if f.Fault == nil {
		line, _, _ := strings.Cut(err.Error(), "\n")
		f.Fault = &Fault{faultTrap, line}
		if f.instance.memory.refused {
			f.Fault.Kind, f.Fault.Text = faultMemory, fmt.Sprintf("it needs more than %d bytes of memory; %s", memoryLimit, line)
		}
	}
	if n := len(f.Lines); n > 0 && f.Fault.Kind != faultProtocol {
		f.Fault.Text += "; it last said: " + f.Lines[n-1]
	}
	f.Fault.Text = printable(f.Fault.Text)
}

// tick hands out fuel in slices and checks the time between them.
func (f *Frame) tick(left int64) int64 {
	used := f.given - left
	if used > f.allowed {
		f.stop(faultFuel, fmt.Sprintf("it used up its fuel of %d", f.allowed))
	}
	if time.Since(f.started) > frameTime {
		f.stop(faultDeadline, fmt.Sprintf("it took longer than %v", frameTime))
	}
	f.given = used + sliceFuel
	return sliceFuel
}

// line records a line of the log.
func (f *Frame) line(level abi.LogLevel, text []byte) {
	if len(f.Lines) < mostLines {
		f.Lines = append(f.Lines, fmt.Sprintf("%d %s", level, printable(string(text))))
	}
}

// setReply ends a call of next or host_call.
func (f *Frame) setReply(e Exchange) uint64 {
	e.Late = f.closed != 0
	if e.Status == abi.StatusInterrupted || e.Status == abi.StatusCancelled {
		f.closed = e.Status
	}
	f.Exchanges = append(f.Exchanges, e)
	f.reply = e.Reply
	f.received += len(e.Reply)
	f.sent += len(e.Payload)
	if len(f.Exchanges) > 2*mostCalls || f.received+f.sent > mostMoved {
		f.stop(faultFuel, "it calls the host endlessly")
	}
	return abi.Pack(e.Status, len(e.Reply))
}

// late counts the calls in a closed frame, which had no effect.
func (f *Frame) late() int {
	n := 0
	for i := range f.Exchanges {
		if f.Exchanges[i].Late {
			n++
		}
	}
	return n
}

// lastNext returns the outcome of next that counts, which is the last one that was not refused. It returns nil if there
// is none.
func (f *Frame) lastNext() *Exchange {
	for i := len(f.Exchanges) - 1; i >= 0; i-- {
		e := &f.Exchanges[i]
		if e.Import == abi.ImportNext && !refused(e.Status) {
			return e
		}
	}
	return nil
}

// refused reports whether a status means that the call had no effect.
func refused(s abi.Status) bool { return s < 0 && s > abi.StatusFailed && s != abi.ETOOBIG }

// printable makes a guest's text safe for a terminal.
func printable(guest string) string { return text.Cut(text.Clean(guest), 300) }
