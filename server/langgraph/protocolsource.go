package langgraph

import (
	"context"
	"encoding/json"
	"errors"
	"math"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/sse"
	"github.com/agenthost/agenthost/server/langgraph/internal/frames"
	"github.com/agenthost/agenthost/server/langgraph/internal/protocol"
)

// protocolSource makes the frames of all runs of a thread, one run after the other. Only one goroutine uses it at a time.
//
// It begins with the oldest run that is not over, or else with the newest one: the state in their frames includes what came before. A client
// that was there before names the last frame that it has seen.
type protocolSource struct {
	h      *Handler
	owner  string
	thread string
	wanted protocol.Union
	starts []beginning // whichever is the earliest; whoever gets the frames leaves out what others have seen

	begun  bool
	newest uint64          // number of the newest run when it began
	at     protocol.Place  // of the last event
	news   <-chan struct{} // has a value when there may be another run
	end    func()

	run        *runs.Run // that is followed, or was followed last
	translator *protocol.Translator
	follower   *runs.Follower // nil: no run is followed
	events     []runs.Event   // that have led to no frames yet
}

// beginning is where a client wants to begin.
type beginning struct {
	since *uint64 // behind the frame with this seq
	run   uint64  // with the run that has this number; 0: see [protocolSource]
}

// newProtocolSource returns a source, which must be closed.
func newProtocolSource(h *Handler, owner, thread string, wanted protocol.Union, starts ...beginning) *protocolSource {
	s := &protocolSource{h: h, owner: owner, thread: thread, wanted: wanted, starts: starts}
	s.news, s.end = h.Service.Reader().WatchThread(thread)
	return s
}

func (s *protocolSource) close() {
	s.end()
	s.leave()
}

func (s *protocolSource) leave() {
	if s.follower != nil {
		s.follower.Close()
	}
	s.follower, s.translator, s.events = nil, nil, nil
}

// next returns the next frames for a client of its own, see [sse.Source]. A client is told why the stream ends early.
func (s *protocolSource) next(ctx context.Context) ([]sse.Event, <-chan struct{}, error) {
	found, news, err := s.frames(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, err
		}
		text, _ := json.Marshal(protocol.Failed(nil, protocol.UnknownError, unreadable)) //nolint:errchkjson // they are texts
		return []sse.Event{{Name: errorEvent, Data: text}}, nil, err
	}
	var out []sse.Event
	for i := range found {
		f := &found[i]
		if s.seen(s.starts[0].since, f) {
			continue
		}
		text, err := json.Marshal(f)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, sse.Event{Name: f.Method, ID: f.SeqText(), Data: text})
	}
	return out, news, nil
}

const unreadable = "the events of the thread cannot be read at the moment; connect again"

// frames returns the next frames. If there are none at the moment, it returns a channel that has a value when there may be some.
func (s *protocolSource) frames(ctx context.Context) ([]protocol.Frame, <-chan struct{}, error) {
	for {
		if s.follower == nil {
			if found, err := s.begin(ctx); err != nil || !found {
				return nil, s.news, err
			}
		}
		for len(s.events) > 0 {
			event := &s.events[0]
			s.events = s.events[1:]
			out, err := s.translate(ctx, event)
			if errors.Is(err, runs.ErrNoRun) { // it was removed; the follower says so next
				break
			}
			if err != nil || len(out) > 0 {
				return out, nil, err
			}
		}
		s.events = nil // or the memory of the last ones would be kept
		events, over, err := s.follower.Next(ctx)
		switch {
		case over, errors.Is(err, runs.ErrNoRun):
			out, err := s.over(ctx)
			if err != nil || len(out) > 0 {
				return out, nil, err
			}
		case err != nil:
			return nil, nil, err
		case len(events) == 0:
			return nil, s.follower.News(), nil
		default:
			s.events = events
		}
	}
}

// begin looks for the next run, and begins to follow it.
func (s *protocolSource) begin(ctx context.Context) (found bool, err error) {
	if !s.begun {
		if err := s.place(ctx); err != nil {
			return false, err
		}
		s.begun = true
	}
	all, err := s.runs(ctx, s.at.Run)
	if err != nil || len(all) == 0 {
		return false, err
	}
	s.run = &all[len(all)-1]
	s.follower = s.h.Service.Reader().NewFollower(s.owner, s.run.ID, 0)
	return true, nil
}

// runs returns the newest runs of the thread with a greater number, the newest first. A thread that does not exist has none.
func (s *protocolSource) runs(ctx context.Context, after uint64) ([]runs.Run, error) {
	all, err := s.h.Service.FindRuns(ctx, s.owner, s.thread, &runs.RunQuery{After: after, Limit: runs.MaxPage})
	if errors.Is(err, runs.ErrNoThread) {
		return nil, nil
	}
	return all, err
}

// place says where the source begins: behind which run.
func (s *protocolSource) place(ctx context.Context) error {
	all, err := s.runs(ctx, 0)
	if err != nil || len(all) == 0 {
		return err
	}
	s.newest = all[0].Number
	open := s.newest
	for i := range all { // the newest first
		if !all[i].Status.Over() {
			open = all[i].Number
		}
	}
	first := s.newest
	for _, at := range s.starts {
		switch {
		case at.run > 0:
			first = min(first, at.run)
		case at.since != nil:
			first = min(first, protocol.SinceOf(*at.since, s.newest).Run)
		default:
			first = min(first, open)
		}
	}
	s.at = protocol.Place{Run: max(first, 1) - 1, Event: math.MaxUint64, Index: math.MaxInt}
	return nil
}

// translate returns the frames of an event.
func (s *protocolSource) translate(ctx context.Context, e *runs.Event) ([]protocol.Frame, error) {
	if s.translator == nil {
		t, err := s.h.protocolTranslator(ctx, s.run, s.wanted)
		if err != nil {
			return nil, err
		}
		s.translator = t
	}
	out, err := s.translator.Translate(e)
	s.at = protocol.Place{Run: s.run.Number, Event: e.Seq, Index: math.MaxInt}
	return out, err
}

// seen reports whether a client that has seen a frame, and those before it, has seen another one.
func (s *protocolSource) seen(since *uint64, f *protocol.Frame) bool {
	return since != nil && protocol.SinceOf(*since, max(s.newest, f.Run)).Seen(f.Place)
}

// over returns the frames that say how the run ended, if its events have not said it, and makes room for the next run.
func (s *protocolSource) over(ctx context.Context) ([]protocol.Frame, error) {
	run, err := s.h.Service.Run(ctx, s.owner, s.run.ID)
	switch {
	case errors.Is(err, runs.ErrNoRun): // it was removed
		run = &runs.Run{Status: runs.Interrupted, Updated: s.run.Updated}
	case err != nil:
		return nil, err
	}
	if s.translator == nil {
		s.translator = protocol.New(protocol.Config{Run: s.run, Wanted: s.wanted})
	}
	out := s.translator.End(run)
	s.at = protocol.Place{Run: s.run.Number, Event: math.MaxUint64, Index: math.MaxInt}
	s.leave()
	return out, nil
}

// protocolTranslator returns a translator of a run that has begun.
func (h *Handler) protocolTranslator(ctx context.Context, run *runs.Run, wanted protocol.Union) (*protocol.Translator, error) {
	config := protocol.Config{Run: run, Wanted: wanted, Hidden: h.Hidden(run.Agent), Before: frames.ContentIn(protocol.Form, nil, nil)}
	if wanted.WantsChannel(protocol.Values) {
		begun, err := h.Service.Run(ctx, run.Owner, run.ID)
		if err != nil {
			return nil, err
		}
		s, err := h.before(ctx, begun)
		if err != nil {
			return nil, err
		}
		config.Before = frames.ContentIn(protocol.Form, s.Snapshot, h.Hidden(s.Agent))
	}
	return protocol.New(config), nil
}
