package plugin

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin/cassette"
	"github.com/agenthost/agenthost/host/plugin/fetch"
	"github.com/agenthost/agenthost/host/plugin/meter"
)

// Replay repeats recorded calls of a plugin without a host: the recording answers the guest's requests. Calls may be
// repeated individually and in any order, by one goroutine at a time. A Replay must be closed.
type Replay struct {
	plugin *Plugin
	same   bool
}

// replayDeadline is how long a guest may take for a repeated call; usually its fuel ends it earlier.
const replayDeadline = time.Minute

// NewReplay loads a module as an agent does, and configures it as it was when it was recorded. Of w, it uses the module and
// its checks, the Engine, and Config if it is not nil, to replace the recorded configuration. The limits and the isolation
// are those of the recording, and stand-ins replace what was granted.
func NewReplay(ctx context.Context, w Wasm, recorded *cassette.Plugin) (*Replay, error) {
	w.Isolation, w.OnFailure, w.Breaker, w.Recorder, w.Operations, w.KV = IsolateCall, "", Breaker{}, nil, nil, nil
	l := &recorded.Limits
	w.Limits = Limits{
		Memory: l.Memory, Fuel: l.Fuel, Deadline: replayDeadline, Input: l.Input, Result: l.Result, HostCalls: l.HostCalls,
		Next: l.Next, Log: l.Log, Instances: 1,
	}
	env := host.Env{Name: recorded.Name, Logger: slog.New(slog.DiscardHandler)}
	w.Grant, env.Models = standIns(recorded)
	if w.Config == nil {
		config, err := wire.Raw(recorded.Config).Value()
		if err != nil {
			return nil, fmt.Errorf("the recorded configuration: %w", err)
		}
		w.Config, _ = config.(map[string]any)
	}
	code, err := w.code()
	if err != nil {
		return nil, err
	}
	p, err := load(ctx, code, w, env)
	if err != nil {
		return nil, err
	}
	same := hex.EncodeToString(p.sum[:]) == recorded.SHA256 && bytes.Equal(p.config, recorded.Config) && recorded.Costs == meter.Version
	return &Replay{plugin: p, same: same}, nil
}

// standIns returns placeholders for the recorded grants, without which the plugin would not load. Nothing uses them.
func standIns(recorded *cassette.Plugin) (Grant, map[string]model.Model) {
	const name = "replay"
	g := Grant{Reads: recorded.Reads, Writes: recorded.Writes}
	for _, key := range recorded.Grants {
		switch key {
		case "kv":
			g.KV = &KVGrant{}
		case abi.OpHTTPFetch:
			g.HTTPFetch = &fetch.Policy{Hosts: []string{name + ".invalid"}}
		case abi.OpModelGenerate:
			g.ModelGenerate = &ModelGrant{Model: name}
		case abi.OpToolCall:
			g.ToolCall = []string{name}
		case abi.OpClockNow:
			g.ClockNow = true
		case abi.OpRandomBytes:
			g.RandomBytes = true
		}
	}
	return g, map[string]model.Model{name: nil}
}

// Same reports whether module and configuration are those of the recording and fuel is counted in the same way, in which
// case calls must use the same fuel.
func (r *Replay) Same() bool { return r.same }

// Close ends the replay.
func (r *Replay) Close() error { return r.plugin.Close() }

// errCut reports a call that cannot be repeated.
var errCut = errors.New("the call was too large to be recorded whole")

// Call repeats a recorded call and returns how it went; use [cassette.Compare] to compare it with the recorded one. If the
// guest asks for something that is not recorded, the call ends with a fault of the kind [cassette.FaultUnrecorded]. The
// host does not judge the result, since that depends on the state of the run. An error says that the call could not be
// performed.
func (r *Replay) Call(ctx context.Context, recorded *cassette.Frame) (*cassette.Frame, error) {
	p := r.plugin
	var input abi.HookInput
	switch {
	case recorded.Cut:
		return nil, errCut
	case wire.Validate(recorded.Input, wire.Limits{MaxBytes: p.limits.Input, MaxDepth: replayDepth, MaxNodes: len(recorded.Input)}) != nil:
		return nil, errors.New("its input is no document of a host")
	case !slices.Contains(p.exports, recorded.Export) || !replayable(recorded.Export):
		return nil, fmt.Errorf("the module does not export %q", clean(recorded.Export, 64))
	}
	if _, err := input.UnmarshalMsg(recorded.Input); err != nil {
		return nil, fmt.Errorf("its input: %w", err)
	}
	var out *cassette.Frame
	fault := p.pool.with(ctx, func(i *instance) error {
		i.enterReplay(ctx, recorded, &input)
		_, err := i.invoke(recorded.Export)
		i.trim(recorded.Export)
		out = &i.frame.recording.frame
		i.complete(out, err)
		out.Number, out.Plugin = recorded.Number, recorded.Plugin
		i.forget()
		return err
	})
	if out == nil || out.Cancelled && !recorded.Cancelled {
		return nil, fault
	}
	return out, nil
}

// replayDepth is the maximum nesting of a host's documents, which may contain a guest's values.
const replayDepth = 256

// replayable reports whether recordings may contain calls of an export.
func replayable(export string) bool {
	return export == abi.ExportCallTool || slices.Contains(abi.Hooks(), abi.Hook(export))
}

// enterReplay prepares the instance for a recorded call.
func (i *instance) enterReplay(ctx context.Context, recorded *cassette.Frame, input *abi.HookInput) {
	i.frame.reset(ctx, recorded.Export)
	i.frame.input = recorded.Input
	i.frame.recording = &recording{frame: cassette.Frame{Step: recorded.Step}}
	i.frame.script = &script{recorded: recorded, answers: cassette.NewScript(recorded)}
	i.call = hookCall{export: recorded.Export}
	if !abi.Hook(recorded.Export).IsNode() || recorded.Export == abi.ExportCallTool {
		i.call.owner = i.frame.script
	}
	i.start(i.plugin.limits.Fuel, i.plugin.limits.Deadline, input.Now, input.Seed)
}

// script answers next and host_call from a recording.
type script struct {
	recorded *cassette.Frame
	answers  *cassette.Script
}

// accept takes any result: a replay does not judge it.
func (*script) accept(*abi.Result) error { return nil }

// bypassed returns nil: a replay has no breaker.
func (*script) bypassed() *abi.Result { return nil }

// callNext answers next.
func (s *script) callNext(i *instance, payload []byte) (abi.Status, []byte, error) {
	status, reply := s.answer(i, "", payload)
	return status, reply, nil
}

// operation answers a host_call.
func (s *script) operation(i *instance, op string, payload []byte) (abi.Status, []byte) {
	status, reply := s.answer(i, op, payload)
	if status == abi.StatusInterrupted || status == abi.StatusCancelled {
		i.frame.closed = status
	}
	return status, reply
}

// answer finds the host's recorded answer. If there is none, it stops the guest.
func (s *script) answer(i *instance, op string, payload []byte) (abi.Status, []byte) {
	at, ok := s.answers.Next(op)
	if ok && at < 0 {
		return abi.StatusOK, nil
	}
	if !ok {
		i.stop(cassette.FaultUnrecorded, "it asks for what is not recorded")
	}
	x := &s.recorded.Exchanges[at]
	switch {
	case x.Answered:
		return x.Status, x.Reply
	case s.recorded.Fault != nil && bytes.Equal(x.Payload, payload):
		i.stop(Kind(s.recorded.Fault.Kind), s.recorded.Fault.Message)
	}
	i.stop(cassette.FaultUnrecorded, "the recording ends with this call")
	return 0, nil
}
