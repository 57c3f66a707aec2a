package reference

import (
	"context"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// Perform performs one run and returns its outcome.
func (s *Subject) Perform(ctx context.Context, spec *RunSpec) *Outcome {
	s.record.reset()
	out := &Outcome{}
	result, err := s.agent.RunEvents(ctx, s.input(spec), func(e host.Event) error {
		s.record.event(&e)
		out.Events = append(out.Events, e)
		if e.Type == host.EventCustom && e.Name == LogEvent {
			line, _ := e.Data.AsString()
			out.Log = append(out.Log, line)
		}
		return nil
	})
	if err != nil {
		out.Failure = failureOf(phaseRun, err)
	}
	out.Status, out.err = result.Status, err
	out.Messages, out.State, out.Structured = result.Messages.Messages(), result.State, result.Structured
	if result.Status == host.Interrupted {
		for i := range result.Interrupts {
			out.Interrupts = append(out.Interrupts, result.Interrupts[i].Value)
		}
		s.asked[spec.Thread] = result.Interrupts
	}
	if result.Next == host.ModelStep || result.Next == host.ToolsStep {
		out.Next = []string{result.Next}
	}
	s.record.into(out)
	return out
}

// input returns the host's input for a run.
func (s *Subject) input(spec *RunSpec) host.Input {
	in := host.Input{Messages: spec.Messages, State: inputState(spec.State), Continue: spec.Continue}
	if s.spec.Checkpointer {
		in.Thread = spec.Thread
	}
	if !spec.Resume.IsZero() {
		in.Resume = []host.Answer{{Value: spec.Resume}}
	}
	for _, answer := range spec.ResumeEach {
		in.Resume = append(in.Resume, host.Answer{Interrupt: s.interruptOf(spec.Thread, answer.Key), Value: answer.Value})
	}
	return in
}

// interruptOf returns the id of the interrupt of a tool call, or the call's own id if there is none.
func (s *Subject) interruptOf(thread, call string) string {
	for _, asked := range s.asked[thread] {
		var value wire.Map
		if _, err := value.UnmarshalMsg(asked.Value); err != nil {
			continue // not a map
		}
		if id, _ := value.Get("tool_call_id").AsString(); id == call {
			return asked.ID
		}
	}
	return call
}

// Refused returns the outcome of an agent that could not be built.
func Refused(err error) *Outcome { return &Outcome{Failure: failureOf(phaseBuild, err)} }

// Overlapped reports whether slow tools of one batch ran concurrently in the last run, which they must if
// concurrency is allowed.
func (s *Subject) Overlapped() bool { return s.spec.MaxConcurrency < 2 || s.record.overlapped() }
