package plugin

import (
	"encoding/hex"
	"errors"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/cassette"
	"github.com/agenthost/agenthost/host/plugin/meter"
)

// Recorder receives every call of a hook or tool in a plugin's guest when the call has ended; a nested call ends first. A
// call that did not reach the guest is not recorded, such as one whose input exceeds the limit or one that a breaker
// bypasses. The same plugin pointer means the same load of a plugin. The recorder keeps what it is given, and does not
// change it. Its method may be called from several goroutines at once, and the run waits for it.
//
// A [cassette.Writer] is a Recorder.
type Recorder interface {
	Record(plugin *cassette.Plugin, frame *cassette.Frame)
}

// Cassette returns what recordings contain about the plugin, once it is loaded.
func (p *Plugin) Cassette() *cassette.Plugin {
	description, _ := p.spec.MarshalMsg(nil) // never fails
	out := &cassette.Plugin{
		Name: p.name, Path: p.path, SHA256: hex.EncodeToString(p.sum[:]), Costs: meter.Version,
		Config: p.config, Description: description, Reads: p.grant.Reads, Writes: p.grant.Writes, Context: p.grant.Context,
		Limits: cassette.Limits{
			Memory: p.limits.Memory, Fuel: p.limits.Fuel, Input: p.limits.Input, Result: p.limits.Result,
			HostCalls: p.limits.HostCalls, Next: p.limits.Next, Log: p.limits.Log,
		},
	}
	for _, key := range grantKeys {
		if key.given(&p.grant) {
			out.Grants = append(out.Grants, key.name)
		}
	}
	return out
}

// recording is the recording of a frame. Its methods do nothing if it is nil: the call is not recorded.
type recording struct {
	frame cassette.Frame
	size  int // of its exchanges, in bytes
}

// asked records a call of next (""), or of an operation, before the host answers it.
func (r *recording) asked(op string, payload []byte) {
	if r != nil {
		r.append(op, payload)
	}
}

// append is apart from asked, so that a call that nobody records has no room for an exchange in its frame.
//
//go:noinline
func (r *recording) append(op string, payload []byte) {
	r.size += len(payload)
	if r.frame.Cut = r.frame.Cut || r.size > cassette.MaxDocument || len(r.frame.Exchanges) == cassette.MaxExchanges; r.frame.Cut {
		r.frame.Exchanges = nil
		return
	}
	r.frame.Exchanges = append(r.frame.Exchanges, cassette.Exchange{Op: op, Payload: payload})
}

// answered records the host's answer to the latest request.
func (r *recording) answered(status abi.Status, reply []byte) {
	if r != nil && !r.frame.Cut {
		r.size += len(reply)
		last := &r.frame.Exchanges[len(r.frame.Exchanges)-1]
		last.Answered, last.Status, last.Reply = true, status, reply
	}
}

// record completes the recording of a call that ended with err, and hands it over.
func (i *instance) record(err error) {
	r := i.frame.recording
	if r == nil {
		return
	}
	i.complete(&r.frame, err)
	i.plugin.recorder.Record(i.plugin.recorded, &r.frame)
}

// complete records how the call ended.
func (i *instance) complete(out *cassette.Frame, err error) {
	f := &i.frame
	out.Export, out.Input, out.Fuel, out.Closed = f.export, slices.Clone(f.input), i.used(), f.closed
	if out.Returned = f.returned; f.returned {
		out.Code = int32(i.stack[0])
	}
	if f.returned && f.wrote && out.Code == abi.ReturnResult {
		out.Result = slices.Clone(f.result)
	}
	fault, isFault := errors.AsType[*Error](err)
	switch {
	case isFault:
		chance := fault.Kind == KindDeadline || (i.memory.crowded && fault.Kind == KindMemory)
		out.Fault = &cassette.Fault{Kind: string(fault.Kind), Message: fault.Message, Chance: chance}
	case err != nil:
		out.Cancelled = true
	}
	if out.Cut {
		out.Input, out.Exchanges, out.Result = nil, nil, nil
	}
}
