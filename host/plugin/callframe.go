package plugin

import (
	"context"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin/cassette"
)

// frame is one call of a guest's export, as SPEC.md defines the word: what the guest was given, what it has done so far, and
// what it may use.
type frame struct {
	ctx    context.Context
	export string
	input  []byte
	result []byte // a copy of what the guest wrote last
	wrote  bool
	reply  []byte // of the last next or host_call

	replied int // size of the last non-empty reply

	rt *host.Runtime // nil while the plugin is loaded

	closed    abi.Status // an interrupt or cancellation that next or an operation reported; 0: the frame is open
	closedBy  error      // the error that replaces the result; nil: the caller of next knows it
	nexts     int
	hostCalls int
	logged    int    // bytes
	emitted   int    // bytes
	limited   bool   // the guest was told by a status that a limit is used up
	lastError string // the last line logged as an error
	panicLine string // the output line that reports a panic
	lastLine  string // the last line of output
	fault     *Error // what a host function found wrong; it then stops the guest
	cancelled error  // the run's context ended while the guest ran
	returned  bool   // the export returned; the instance's stack holds its results

	recording *recording // nil: the call is not recorded
	script    *script    // answers in place of the host; nil: the host answers
}

func (f *frame) reset(ctx context.Context, export string) {
	*f = frame{ctx: ctx, export: export, result: f.result[:0], reply: f.reply[:0]}
}

// beginLoad prepares the instance for a call during loading, where time and randomness start at 0.
func (i *instance) beginLoad(ctx context.Context, export string) {
	i.frame.reset(ctx, export)
	i.startGuest(loadFuel, loadDeadline, 0, 0)
}

// startGuest starts the guest with the given fuel, deadline, clock time and seed.
func (i *instance) startGuest(fuel int64, deadline time.Duration, now, seed uint64) {
	i.memory.refused, i.memory.crowded = false, false
	i.openAccount(fuel, deadline)
	i.clock.start(now)
	i.random.start(seed)
}

// endCall reports what the call used, and clears the frame.
func (i *instance) endCall() {
	i.last = CallUsage{
		Instance: i.id, Fuel: i.used(), Memory: int64(len(i.memory.bytes)), Input: len(i.input), Reply: i.frame.replied,
		Result: len(i.frame.result),
	}
	i.frame.rt.Observe(host.Observation{Digest: i.plugin.digest, Instance: i.id, Fuel: i.last.Fuel, Memory: i.last.Memory, HostCalls: i.frame.hostCalls})
	i.forget()
}

// forget drops everything that belongs to the run, so that a free instance does not keep its history alive.
func (i *instance) forget() {
	i.call = hookCall{}
	i.frame = frame{result: i.frame.result[:0], reply: i.frame.reply[:0]}
}

// beginCall prepares the instance for its call of a hook.
func (i *instance) beginCall(ctx context.Context) {
	c := &i.call
	rt := c.input.rt
	c.input.now = uint64(max(0, rt.Now().UnixNano())) // no time is before 1970
	i.frame.reset(ctx, c.export)
	i.frame.rt = rt
	rt.StartOperations()
	if i.plugin.recorder != nil {
		i.frame.recording = &recording{frame: cassette.Frame{Step: rt.Step()}}
	}
	i.startGuest(i.plugin.limits.Fuel, i.plugin.limits.Deadline, c.input.now, rt.Seed())
}

// stop ends the guest with a fault. It does not return: wazero recovers the panic at the call into the guest.
func (i *instance) stop(kind Kind, message string) {
	i.frame.fault = i.plugin.fault(i.frame.export, kind, message, nil)
	panic(i.frame.fault)
}

// read returns a part of the guest's memory, which is valid only until other code runs.
func (i *instance) read(what string, ptr, length uint32) []byte {
	if length == 0 {
		return nil
	}
	b := i.memory.part(ptr, length)
	if b == nil {
		i.stop(KindProtocol, what+" is outside the memory")
	}
	i.worked(len(b))
	return b
}

// deliver copies doc into the guest's buffer if it fits, and returns the length of doc.
func (i *instance) deliver(what string, doc []byte, buf, capacity uint32) uint32 {
	if len(doc) > 0 && uint64(capacity) >= uint64(len(doc)) {
		b := i.memory.part(buf, uint32(len(doc)))
		if b == nil {
			i.stop(KindProtocol, what+": the buffer is outside the memory")
		}
		i.worked(copy(b, doc))
	}
	return uint32(len(doc))
}

// setReply stores the reply of a next or host_call.
func (f *frame) setReply(status abi.Status, doc []byte) uint64 {
	f.reply = append(f.reply[:0], doc...)
	if len(doc) > 0 {
		f.replied = len(doc)
	}
	return abi.Pack(status, len(f.reply))
}

// errorReply encodes an Error document.
func errorReply(e *abi.Error) []byte {
	b, _ := e.MarshalMsg(nil) // never fails
	return b
}
