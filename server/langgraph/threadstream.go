package langgraph

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/sse"
	"github.com/agenthost/agenthost/server/langgraph/internal/frames"
)

// What a client can see of all runs of a thread.
const (
	modeRuns      = "run_modes"    // what the clients see that started the runs
	modeLifecycle = "lifecycle"    // when runs begin and end
	modeState     = "state_update" // the state
)

// threadSource makes the frames of all runs of a thread, one run after the other. The id of a frame has the number of its run before the position.
type threadSource struct {
	h      *Handler
	owner  string
	thread string
	modes  []string
	number uint64   // of the run that is shown, or was shown last
	after  position // in that run
	newest uint64   // the newest run when the client came: of that one and earlier ones it sees only what happens from then on

	news <-chan struct{} // has a value when there may be another run
	end  func()          // of the news

	run    *runs.Run
	source *source
}

func newThreadSource(h *Handler, c *call, thread string) (*threadSource, error) {
	s := &threadSource{h: h, owner: c.Owner, thread: thread, modes: c.query()["stream_mode"], after: start}
	if len(s.modes) == 0 {
		s.modes = []string{modeRuns}
	}
	for _, mode := range s.modes {
		if !slices.Contains([]string{modeRuns, modeLifecycle, modeState}, mode) {
			return nil, unprocessable("'%.64s' is not one of ['%s', '%s', '%s']\n\nOn instance[\"stream_mode\"]", mode, modeRuns, modeLifecycle, modeState)
		}
	}
	last := c.R.Header.Get("Last-Event-ID")
	if last == "" {
		return s, s.skip(c.R.Context())
	}
	if last == "-1" {
		return s, nil
	}
	number, rest, found := strings.Cut(last, ".")
	n, err := strconv.ParseUint(number, 10, 64)
	if !found || err != nil || n == 0 {
		return nil, unprocessable("Last-Event-ID is %.64q, which is not an id of an event of this stream", last)
	}
	s.after, err = readPosition(rest)
	s.number = n - 1
	return s, err
}

// skip leaves out the runs that are over.
func (s *threadSource) skip(ctx context.Context) error {
	all, err := s.runs(ctx, 0)
	if err != nil {
		return err
	}
	for i := range all {
		s.newest = all[i].Number
		if all[i].Status.Over() {
			s.number = all[i].Number
		}
	}
	return nil
}

// runs returns the newest runs of the thread with a greater number, the first submitted first.
func (s *threadSource) runs(ctx context.Context, after uint64) ([]runs.Run, error) {
	all, err := s.h.Service.FindRuns(ctx, s.owner, s.thread, &runs.RunQuery{After: after, Limit: runs.MaxPage})
	slices.Reverse(all)
	return all, err
}

// watch begins to wait for runs; the caller must close the source.
func (s *threadSource) watch() { s.news, s.end = s.h.Service.Reader().WatchThread(s.thread) }

func (s *threadSource) close() {
	s.end()
	if s.source != nil {
		s.source.close()
	}
}

// next returns the next frames, see [sse.Source].
func (s *threadSource) next(ctx context.Context) ([]sse.Event, <-chan struct{}, error) {
	for {
		if s.source == nil {
			if found, err := s.begin(ctx); err != nil || !found {
				return nil, s.news, err
			}
		}
		out, news, err := s.source.next(ctx)
		for i := range out {
			if out[i].ID != "" {
				out[i].ID = s.id(out[i].ID)
			}
		}
		if errors.Is(err, io.EOF) {
			out, err = append(out, s.done()), nil
		}
		if err != nil || len(out) > 0 || news != nil {
			return out, news, err
		}
	}
}

func (s *threadSource) id(position string) string {
	return strconv.FormatUint(s.number, 10) + "." + position
}

// done returns the frame that says that a run has ended, and makes room for the next one.
func (s *threadSource) done() sse.Event {
	data, _ := json.Marshal(map[string]string{"status": "run_done", "run_id": s.run.ID}) //nolint:errchkjson // they are texts
	s.source.close()
	s.source, s.after = nil, start
	return sse.Event{Name: "metadata", ID: s.id(position{1 << 62, 0}.String()), Data: data}
}

// begin looks for the next run, and shows it if there is one.
func (s *threadSource) begin(ctx context.Context) (found bool, err error) {
	all, err := s.runs(ctx, s.number)
	if err != nil || len(all) == 0 {
		return false, err
	}
	if all[0].Number > s.number+1 {
		s.after = start // the run of the client's last frame is gone
	}
	return true, s.show(&all[0])
}

func (s *threadSource) show(run *runs.Run) error {
	v := &view{run: run, after: s.after, live: run.Number <= s.newest}
	for _, mode := range s.modes {
		switch mode {
		case modeRuns:
			modes, nested, err := wantedOf(run, nil)
			if err != nil {
				return err
			}
			v.modes, v.nested = append(v.modes, modes...), v.nested || nested
		case modeState:
			v.modes = append(v.modes, frames.Values)
		case modeLifecycle:
		}
	}
	s.number, s.run = run.Number, run
	s.source = &source{h: s.h, owner: s.owner, view: v}
	return nil
}
