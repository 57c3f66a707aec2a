package langgraph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/internal/sse"
	"github.com/agenthost/agenthost/server/langgraph/internal/frames"
)

func (h *Handler) streamNew(c *call) (door.Reply, error)       { return h.streamBody(c, false) }
func (h *Handler) streamStateless(c *call) (door.Reply, error) { return h.streamBody(c, true) }

// streamBody starts a run, whose stream is the answer.
func (h *Handler) streamBody(c *call, stateless bool) (door.Reply, error) {
	run, body, err := h.submitBody(c, stateless)
	if err != nil {
		return nil, err
	}
	modes, err := body.modes()
	if err != nil {
		return nil, err
	}
	locate(c, run, "/stream", stateless)
	return h.stream(c, &view{run: run, modes: modes, nested: body.StreamSubgraphs}, body.cancels()), nil
}

func (h *Handler) streamRun(c *call) (door.Reply, error)  { return h.streamThere(c, false) }
func (h *Handler) streamByID(c *call) (door.Reply, error) { return h.streamThere(c, true) }

// streamThere answers with the stream of a run that is there. Without the header Last-Event-ID it begins with what happens next.
func (h *Handler) streamThere(c *call, stateless bool) (door.Reply, error) {
	run, err := h.runOfPath(c)
	if err != nil {
		return nil, err
	}
	v := &view{run: run, part: c.query().Get("stream_mode") != ""}
	if v.modes, v.nested, err = wantedOf(run, c.query()["stream_mode"]); err != nil {
		return nil, err
	}
	cancels, err := c.flag("cancel_on_disconnect")
	if err != nil {
		return nil, err
	}
	if last := c.R.Header.Get("Last-Event-ID"); last != "" {
		if v.after, err = readPosition(last); err != nil {
			return nil, err
		}
	} else {
		v.live = true
	}
	locate(c, run, "/stream", stateless)
	return h.stream(c, v, cancels), nil
}

// wantedOf returns what a client wants to see of a run: the modes that it names now, or those that the run was started with.
func wantedOf(run *runs.Run, named []string) (modes []frames.Mode, nested bool, err error) {
	var request struct {
		StreamMode []string `json:"stream_mode"`
		Subgraphs  bool     `json:"subgraphs"`
	}
	if err := json.Unmarshal(run.Request, &request); err != nil && len(run.Request) > 0 {
		return nil, false, fmt.Errorf("what the client of the run %s asked for cannot be read: %w", run.ID, err)
	}
	named = slices.DeleteFunc(slices.Clone(named), func(name string) bool { return name == "" })
	if len(named) == 0 {
		named = request.StreamMode
	}
	modes, err = modesOf(named)
	return modes, request.Subgraphs, err
}

// position is where in a stream a frame is: the position of the event that leads to it, and its number among the frames of that event.
type position struct {
	seq uint64
	n   int
}

func (p position) String() string {
	return strconv.FormatUint(p.seq, 10) + "-" + strconv.Itoa(p.n)
}

// behind reports whether a position is behind another one.
func (p position) behind(other position) bool {
	return p.seq > other.seq || p.seq == other.seq && p.n > other.n
}

// start is before all frames.
var start = position{n: -1}

// readPosition reads the id of a frame. "-1" is before all of them.
func readPosition(text string) (position, error) {
	if text == "-1" {
		return start, nil
	}
	seq, n, found := strings.Cut(text, "-")
	at, err := strconv.ParseUint(seq, 10, 64)
	number, err2 := strconv.Atoi(n)
	if !found || err != nil || err2 != nil || number < 0 {
		return start, unprocessable("Last-Event-ID is %.64q, which is not an id of an event of this server", text)
	}
	return position{at, number}, nil
}

// view is what a client sees of a run.
type view struct {
	run    *runs.Run
	modes  []frames.Mode
	nested bool
	after  position // it has seen what is not behind this
	live   bool     // it wants to see only what happens from now on
	part   bool     // it has named the modes, so that it sees nothing else
}

// stream returns the answer that is the stream of a run, until the run is over. If the client goes away before that, the run is cancelled if that is
// wanted.
func (h *Handler) stream(c *call, v *view, cancels bool) door.Reply {
	return func() error {
		s := &source{h: h, owner: c.Owner, view: v}
		defer s.close()
		err := h.Send(c.Call, s.next)
		if cancels && errors.Is(err, sse.ErrClientGone) {
			h.CancelLeft(c.Call, v.run.ID)
		}
		return nil // the headers were sent
	}
}

// source makes the frames of a stream. Only one goroutine uses it at a time.
type source struct {
	h     *Handler
	owner string
	view  *view

	translator *frames.Translator
	failed     bool           // an error was sent
	follower   *door.Follower // nil: it has not begun
}

func (s *source) close() {
	if s.follower != nil {
		s.follower.Close()
	}
}

// next returns the next frames, see [sse.Source].
func (s *source) next(ctx context.Context) ([]sse.Event, <-chan struct{}, error) {
	if s.follower == nil {
		if err := s.begin(ctx); err != nil {
			return nil, nil, err
		}
	}
	return s.follower.Next(ctx)
}

// begin begins to follow the run. The events that a client who wants to see only later ones has missed lead to no frames.
func (s *source) begin(ctx context.Context) error {
	after := uint64(0)
	if s.view.live {
		for event, err := range runs.AllEvents(ctx, s.h.Service, s.owner, s.view.run.ID, 0) {
			if err != nil {
				return err
			}
			if _, err := s.translate(ctx, &event); err != nil {
				return err
			}
			after = event.Seq
		}
		s.view.after = position{after, 1 << 30}
	}
	s.follower = s.h.Follow(s.owner, s.view.run.ID, after, door.Translation{Event: s.translate, End: s.end})
	return nil
}

// translate returns the frames of an event that the client has not seen.
func (s *source) translate(ctx context.Context, e *runs.Event) ([]sse.Event, error) {
	if s.translator == nil {
		t, err := s.h.translator(ctx, s.view)
		if err != nil {
			return nil, err
		}
		s.translator = t
	}
	all, err := s.translator.Translate(e)
	if err != nil {
		return nil, err
	}
	var out []sse.Event
	for i, f := range all {
		s.failed = s.failed || f.Event == errorEvent
		if at := (position{e.Seq, i}); at.behind(s.view.after) && (!s.view.part || f.Event != "metadata") {
			out = append(out, sse.Event{Name: f.Event, ID: at.String(), Data: f.Data})
		}
	}
	return out, nil
}

// errorEvent is the name of the frame that says why a run failed.
const errorEvent = "error"

// end returns the last frame of a run whose failure its events do not tell, such as that it took too long.
func (s *source) end(ctx context.Context) ([]sse.Event, error) {
	run, err := s.h.Service.Run(ctx, s.owner, s.view.run.ID)
	if err != nil || run.Failure == nil || s.failed || s.view.live && s.view.run.Status.Over() {
		return nil, nil //nolint:nilerr // the events have said all that is known
	}
	data, err := json.Marshal(run.Failure)
	if err != nil {
		return nil, err
	}
	return []sse.Event{{Name: errorEvent, Data: data}}, nil
}

// translator returns a translator of a run that has begun.
func (h *Handler) translator(ctx context.Context, v *view) (*frames.Translator, error) {
	run, err := h.Service.Run(ctx, v.run.Owner, v.run.ID)
	if err != nil {
		return nil, err
	}
	config := frames.Config{Run: run, Modes: v.modes, Nested: v.nested, Hidden: h.Hidden(run.Agent)}
	var request struct {
		Input json.RawMessage `json:"input"`
	}
	if json.Unmarshal(run.Request, &request) == nil && given(request.Input) {
		config.Input = request.Input
	}
	if frames.NeedState(v.modes) {
		s, err := h.before(ctx, run)
		if err != nil {
			return nil, err
		}
		config.Before = h.content(s)
	}
	return frames.New(config), nil
}

// before returns what the thread held where a run began.
func (h *Handler) before(ctx context.Context, run *runs.Run) (*runs.State, error) {
	at, err := runs.BeganAt(run)
	if err != nil {
		return nil, err
	}
	return h.stateAt(ctx, run, at)
}

// streamThread answers with the streams of all runs of a thread that are not over, and of those that follow, until the client goes away.
func (h *Handler) streamThread(c *call) (door.Reply, error) {
	thread, err := c.thread()
	if err != nil {
		return nil, err
	}
	if _, err := h.Service.Thread(c.R.Context(), c.Owner, thread); err != nil {
		return nil, err
	}
	s, err := newThreadSource(h, c, thread)
	if err != nil {
		return nil, err
	}
	return func() error {
		s.watch()
		defer s.close()
		_ = h.Send(c.Call, s.next) // the headers were sent
		return nil
	}, nil
}
