package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin/cassette"
)

// errCut reports a call that cannot be repeated.
var errCut = errors.New("the call was too large to be recorded whole")

// Repeat repeats a recorded call in the loaded plugin and returns a frame of the new call. The recording answers what the
// guest asks the host. If the guest asks for something that is not recorded, the call ends with a fault of the kind
// [cassette.FaultUnrecorded]. The host does not judge the result, since that depends on the state of the run. An error says
// that the call could not be performed. Repeat is called by one goroutine at a time.
func (p *Plugin) Repeat(ctx context.Context, recorded *cassette.Frame) (*cassette.Frame, error) {
	var input abi.HookInput
	switch {
	case recorded.Cut:
		return nil, errCut
	case wire.Validate(recorded.Input, wire.Limits{MaxBytes: p.limits.Input, MaxDepth: replayDepth, MaxNodes: len(recorded.Input)}) != nil:
		return nil, errors.New("its input is not a document that a host writes")
	case !slices.Contains(p.exports, recorded.Export) || !replayable(recorded.Export):
		return nil, fmt.Errorf("the module does not export %q", clean(recorded.Export, 64))
	}
	if _, err := input.UnmarshalMsg(recorded.Input); err != nil {
		return nil, fmt.Errorf("its input: %w", err)
	}
	var out *cassette.Frame
	fault := p.pool.with(ctx, func(i *instance) error {
		i.beginRepeat(ctx, recorded, &input)
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

// beginRepeat prepares the instance for a recorded call.
func (i *instance) beginRepeat(ctx context.Context, recorded *cassette.Frame, input *abi.HookInput) {
	i.frame.reset(ctx, recorded.Export)
	i.frame.input = recorded.Input
	i.frame.recording = &recording{frame: cassette.Frame{Step: recorded.Step}}
	i.frame.script = &script{recorded: recorded, answers: cassette.NewScript(recorded)}
	i.call = hookCall{export: recorded.Export}
	if !abi.Hook(recorded.Export).IsNode() || recorded.Export == abi.ExportCallTool {
		i.call.owner = i.frame.script
	}
	i.startGuest(i.plugin.limits.Fuel, i.plugin.limits.Deadline, input.Now, input.Seed)
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
