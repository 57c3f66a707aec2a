package reference

import (
	"context"

	"github.com/agenthost/agenthost/host"
)

// Perform performs one run and tells what it led to.
func (s *Subject) Perform(ctx context.Context, spec *RunSpec) *Outcome {
	s.record.reset()
	out := &Outcome{}
	input := host.Input{Thread: spec.Thread, Messages: spec.Messages, State: inputState(spec.State)}
	result, err := s.agent.RunEvents(ctx, input, func(e host.Event) error {
		s.record.event(&e)
		if e.Type == host.EventCustom && e.Name == LogEvent {
			line, _ := e.Data.AsString()
			out.Log = append(out.Log, line)
		}
		return nil
	})
	if err != nil {
		out.Failure = failureOf(phaseRun, err)
	}
	out.Messages, out.State = result.Messages.Messages(), result.State
	for i := range result.Interrupts {
		out.Interrupts = append(out.Interrupts, result.Interrupts[i].Value)
	}
	out.requests, out.runs = s.record.taken()
	return out
}

// Refused is the outcome of an agent that was not built.
func Refused(err error) *Outcome { return &Outcome{Failure: failureOf(phaseBuild, err)} }

// Overlapped reports whether slow tools of one batch worked side by side in the last run, as they must where several
// may work at once.
func (s *Subject) Overlapped() bool { return s.spec.MaxConcurrency < 2 || s.record.overlapped() }
