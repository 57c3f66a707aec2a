package langgraph

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/internal/sse"
)

// Limits of a page of events.
const (
	defaultEvents = 1000
	maxEvents     = 10000
	maxEventBytes = 4 << 20 // of their texts, unless a single event has more
)

// eventsDocument is a page of the events of a thread.
type eventsDocument struct {
	Events []eventDocument `json:"events"`
	Next   string          `json:"next" jsonschema:"The value of since with which the events follow that come next."`
	More   bool            `json:"more" jsonschema:"Whether some of them are there already."`
}

// eventDocument is an event of a run as agenthost tells it.
type eventDocument struct {
	ID      string     `json:"id" jsonschema:"The position of the event in its thread, for since and Last-Event-ID."`
	Run     string     `json:"run_id" jsonschema:"The run whose event it is. The event itself names the run of the agent, which goes on after an answer."`
	Attempt int        `json:"attempt" jsonschema:"How often the run had begun. A later attempt voids what followed the last checkpoint of earlier ones."`
	Event   objectText `json:"event" jsonschema:"The event, in the form of docs/events.schema.json."`
}

// overDocument says that no more events of a run follow.
type overDocument struct {
	Run    string      `json:"run_id"`
	Status runs.Status `json:"status"` // "removed": by a rollback
}

// The names of frames in a stream of events.
const (
	eventFrame = "event"
	overFrame  = "over"
)

// removed stands for the status of a run that is gone.
const removed runs.Status = "removed"

// place is a position among the events of a thread.
type eventPlace struct {
	run uint64 // number of the run; 0: before the first
	seq uint64
}

func (p eventPlace) String() string {
	return strconv.FormatUint(p.run, 10) + "." + strconv.FormatUint(p.seq, 10)
}

func readEventPlace(text string) (p eventPlace, err error) {
	if text == "" {
		return p, nil
	}
	run, seq, _ := strings.Cut(text, ".")
	number, err := strconv.ParseUint(run, 10, 64)
	at, err2 := strconv.ParseUint(seq, 10, 64)
	if err != nil || err2 != nil {
		return p, unprocessable("since is %.64q, which is not an id of an event", text)
	}
	return eventPlace{number, at}, nil
}

// threadEvents answers with the events of all runs of a thread: a page of them, or a stream of all that follow.
func (h *Handler) threadEvents(c *call) error {
	thread, err := c.thread()
	if err != nil {
		return err
	}
	limit, err := c.number("limit", 1, defaultEvents)
	if err != nil {
		return err
	}
	follow, err := c.flag("follow")
	if err != nil {
		return err
	}
	since := c.query().Get("since")
	if last := c.R.Header.Get("Last-Event-ID"); last != "" && follow {
		since = last
	}
	s := &eventSource{h: h, owner: c.Owner, thread: thread, all: c.Principal.Can(auth.ScopeAdmin), hidden: hiddenOnce{h: h}}
	if s.at, err = readEventPlace(since); err != nil {
		return err
	}
	if _, err := h.Service.Thread(c.R.Context(), c.Owner, thread); err != nil {
		return err
	}
	if follow {
		return h.streaming(s.follow)(c)
	}
	page, err := s.page(c.R.Context(), min(limit, maxEvents))
	if err != nil {
		return err
	}
	return c.Answer(page)
}

// eventSource reads the events of a thread.
type eventSource struct {
	h      *Handler
	owner  string
	thread string
	all    bool // whoever reads may see what the agent hides from its clients
	hidden hiddenOnce

	at   eventPlace      // of the last event
	news <-chan struct{} // has a value when there may be another run
	run  *runs.Run       // that is followed; nil: none
	pull func() (runs.Event, error, bool)
	stop func()
}

// page returns the events that are there.
func (s *eventSource) page(ctx context.Context, limit int) (*eventsDocument, error) {
	out := &eventsDocument{Events: []eventDocument{}}
	size := 0
	all, err := s.runsFrom(ctx, s.at.run)
	if err != nil {
		return nil, err
	}
	for i := range all {
		for event, err := range runs.AllEvents(ctx, s.h.Service, s.owner, all[i].ID, s.after(&all[i])) {
			switch {
			case errors.Is(err, runs.ErrNoRun): // it was removed meanwhile
			case err != nil:
				return nil, err
			case !s.sees(&event):
				s.at = eventPlace{all[i].Number, event.Seq}
			case len(out.Events) == limit || size > 0 && size+len(event.Data) > maxEventBytes:
				out.Next, out.More = s.at.String(), true
				return out, nil
			default:
				out.Events = append(out.Events, s.show(&all[i], &event))
				size += len(event.Data)
			}
		}
	}
	out.Next = s.at.String()
	return out, nil
}

// runsFrom returns the newest runs of the thread from a number on, the first submitted first.
func (s *eventSource) runsFrom(ctx context.Context, number uint64) ([]runs.Run, error) {
	all, err := s.h.Service.FindRuns(ctx, s.owner, s.thread, &runs.RunQuery{After: max(number, 1) - 1, Limit: runs.MaxPage})
	slices.Reverse(all)
	return all, err
}

// after returns the position that the next events of a run follow.
func (s *eventSource) after(run *runs.Run) uint64 {
	if run.Number == s.at.run {
		return s.at.seq
	}
	return 0
}

// sees reports whether the client may see an event: the system prompt and the definitions of tools are for those who operate the agent.
func (s *eventSource) sees(e *runs.Event) bool {
	return s.all || e.Type != string(host.EventModelRequest)
}

// show returns an event for the client.
func (s *eventSource) show(run *runs.Run, e *runs.Event) eventDocument {
	s.at = eventPlace{run.Number, e.Seq}
	data := e.Whole(run)
	if !s.all {
		data = withoutHidden(data, s.hidden.of(run.Agent))
	}
	return eventDocument{ID: s.at.String(), Run: run.ID, Attempt: max(e.Attempt(), 1), Event: orEmpty(data)}
}

// follow prepares to send the events, those to come too, until the client goes away.
func (s *eventSource) follow(c *call) (door.Reply, error) {
	return func() error {
		news, end := s.h.Service.Reader().WatchThread(s.thread)
		defer end()
		defer s.leave()
		s.news = news
		_ = s.h.Send(c.Call, s.next) // the headers were sent
		return nil
	}, nil
}

func (s *eventSource) leave() {
	if s.stop != nil {
		s.stop()
	}
	s.run, s.pull, s.stop = nil, nil, nil
}

// next returns the next frames, see [sse.Source].
func (s *eventSource) next(ctx context.Context) ([]sse.Event, <-chan struct{}, error) {
	if s.run == nil {
		if found, err := s.begin(ctx); err != nil || !found {
			return nil, s.news, err
		}
	}
	frames, err := s.nextOfRun(ctx)
	return frames, nil, err
}

// nextOfRun waits for the next event of the run that is followed.
func (s *eventSource) nextOfRun(ctx context.Context) ([]sse.Event, error) {
	event, err, ok := s.pull()
	for ok && err == nil && !s.sees(&event) {
		event, err, ok = s.pull()
	}
	switch {
	case !ok && s.h.Closing.Err() == nil:
		return s.over(ctx)
	case !ok, err != nil && s.h.Closing.Err() != nil: // the client comes back to another server
		return nil, io.EOF
	case errors.Is(err, runs.ErrNoRun):
		return s.over(ctx)
	case err != nil:
		return nil, err
	}
	return s.frame(eventFrame, s.show(s.run, &event))
}

func (s *eventSource) frame(name string, document any) ([]sse.Event, error) {
	data, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	return []sse.Event{{Name: name, ID: s.at.String(), Data: data}}, nil
}

// over tells that a run is over, and makes room for the next one.
func (s *eventSource) over(ctx context.Context) ([]sse.Event, error) {
	id, status := s.run.ID, removed
	run, err := s.h.Service.Run(ctx, s.owner, id)
	switch {
	case err == nil:
		status = run.Status
	case !errors.Is(err, runs.ErrNoRun):
		return nil, err
	}
	s.at = eventPlace{s.run.Number, maxSeq}
	s.leave()
	return s.frame(overFrame, overDocument{id, status})
}

// maxSeq is behind all events of a run.
const maxSeq = 1<<63 - 1

// begin looks for the next run, and begins to follow it.
func (s *eventSource) begin(ctx context.Context) (found bool, err error) {
	all, err := s.runsFrom(ctx, s.at.run)
	if err != nil {
		return false, err
	}
	for i := range all {
		if all[i].Number > s.at.run || s.at.seq < maxSeq {
			s.begun(ctx, &all[i])
			return true, nil
		}
	}
	return false, nil
}

func (s *eventSource) begun(ctx context.Context, run *runs.Run) {
	ctx, left := context.WithCancel(ctx)
	closing := context.AfterFunc(s.h.Closing, left)
	next, end := iter.Pull2(s.h.Service.Reader().Follow(ctx, s.owner, run.ID, s.after(run)))
	s.run, s.pull, s.stop = run, next, func() { closing(); end(); left() }
}

// withoutHidden returns an event without the fields that its agent hides from clients.
func withoutHidden(data json.RawMessage, hidden func(field string) bool) json.RawMessage {
	var event map[string]json.RawMessage
	if json.Unmarshal(data, &event) != nil {
		return nil
	}
	changed := hide(event, hidden)
	if changed == nil {
		return data
	}
	out, err := json.Marshal(changed)
	if err != nil { // its parts were read from JSON
		return nil
	}
	return out
}

// hide returns an event without what is hidden; nil if it has nothing of that.
func hide(event map[string]json.RawMessage, hidden func(field string) bool) map[string]json.RawMessage {
	found := hideFields(event, hidden)
	var update map[string]json.RawMessage
	if event["update"] != nil && json.Unmarshal(event["update"], &update) == nil && hideFields(update, hidden) {
		event["update"], found = encoded(update), true
	}
	if hideNested(event) {
		found = true
	}
	if !found {
		return nil
	}
	return event
}

// hideFields removes hidden fields from the members state and unset, and reports whether there were some.
func hideFields(object map[string]json.RawMessage, hidden func(field string) bool) (found bool) {
	var state map[string]json.RawMessage
	if object["state"] != nil && json.Unmarshal(object["state"], &state) == nil {
		before := len(state)
		for name := range state {
			if hidden(name) {
				delete(state, name)
			}
		}
		if len(state) < before {
			object["state"], found = encoded(state), true
		}
	}
	var unset []string
	if object["unset"] != nil && json.Unmarshal(object["unset"], &unset) == nil {
		before := len(unset)
		if unset = slices.DeleteFunc(unset, hidden); len(unset) < before {
			object["unset"], found = encoded(unset), true
		}
	}
	return found
}

// hideNested hides all fields of an agent that runs as a tool: which of them it hides is not known here.
func hideNested(event map[string]json.RawMessage) bool {
	var data, inner map[string]json.RawMessage
	if event["data"] == nil || json.Unmarshal(event["data"], &data) != nil || data["event"] == nil || json.Unmarshal(data["event"], &inner) != nil {
		return false
	}
	changed := hide(inner, func(string) bool { return true })
	if changed == nil {
		return false
	}
	data["event"] = encoded(changed)
	event["data"] = encoded(data)
	return true
}

// encoded returns the JSON form of a value that was read from JSON.
func encoded(value any) json.RawMessage {
	out, _ := json.Marshal(value) //nolint:errchkjson // its parts were read from JSON
	return out
}
