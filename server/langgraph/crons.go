package langgraph

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/cron"
	"github.com/agenthost/agenthost/server/internal/jsonbody"
)

// cronDocument is a schedule as clients see it.
type cronDocument struct {
	ID        string        `json:"cron_id" format:"uuid"`
	Assistant string        `json:"assistant_id" format:"uuid"`
	Thread    *string       `json:"thread_id" format:"uuid"`
	Owner     string        `json:"user_id"`
	End       *timestamp    `json:"end_time"`
	Schedule  string        `json:"schedule"`
	Zone      *string       `json:"timezone"`
	Payload   objectText    `json:"payload" jsonschema:"The run that it starts."`
	Next      *timestamp    `json:"next_run_date"`
	Metadata  runs.Metadata `json:"metadata"`
	Completed *string       `json:"on_run_completed" enum:"delete,keep" jsonschema:"What happens to the threads of its runs; null if it has a thread."`
	Enabled   bool          `json:"enabled"`
	Created   *timestamp    `json:"created_at"`
	Updated   *timestamp    `json:"updated_at"`
}

func cronOf(s *runs.Schedule) cronDocument {
	out := cronDocument{
		ID: s.ID, Assistant: s.Assistant, Thread: textOrNull(s.Thread), Owner: s.Owner, End: timeOf(s.End), Schedule: s.Cron, Zone: textOrNull(s.Zone),
		Payload: orEmpty(s.Request), Next: timeOf(s.Next), Metadata: s.Metadata, Enabled: s.Enabled, Created: timeOf(s.Created), Updated: timeOf(s.Updated),
	}
	switch {
	case s.Thread != "":
	case s.KeepRuns:
		out.Completed = new("keep")
	default:
		out.Completed = new("delete")
	}
	return out
}

// cronBody is what a client sends to make or to change a schedule: when it fires, and the run to start. The metadata belong to both.
type cronBody struct {
	runCreate

	Schedule       *string    `json:"schedule" jsonschema:"Five fields of cron, or a word such as @daily."`
	Timezone       *string    `json:"timezone" jsonschema:"A name of the IANA database; without it, UTC."`
	EndTime        *time.Time `json:"end_time"`
	Enabled        *bool      `json:"enabled"`
	OnRunCompleted *string    `json:"on_run_completed" enum:"delete,keep"`
}

// readCron reads what a client sends. It returns the members too, as they are kept.
func readCron(c *call) (*cronBody, map[string]json.RawMessage, error) {
	var payload map[string]json.RawMessage
	if err := jsonbody.Decode(c.R, &payload); err != nil {
		return nil, nil, err
	}
	text, err := json.Marshal(payload)
	if err != nil {
		return nil, nil, err
	}
	body := &cronBody{}
	return body, payload, jsonbody.Unmarshal(text, body)
}

// apply changes a schedule as the client wants, and works out when it fires next.
func (b *cronBody) apply(s *runs.Schedule, now time.Time) error {
	if b.Schedule != nil {
		s.Cron = *b.Schedule
	}
	if b.Timezone != nil {
		s.Zone = *b.Timezone
	}
	if b.EndTime != nil {
		s.End = *b.EndTime
	}
	if b.Enabled != nil {
		s.Enabled = *b.Enabled
	}
	if b.Metadata != nil {
		s.Metadata = b.Metadata
	}
	if b.OnRunCompleted != nil {
		switch *b.OnRunCompleted {
		case "keep":
			s.KeepRuns = true
		case "delete":
			s.KeepRuns = false
		default:
			return unprocessable("'%.64s' is not one of ['delete', 'keep']\n\nOn instance[\"on_run_completed\"]", *b.OnRunCompleted)
		}
	}
	if _, err := cron.Parse(s.Cron, s.Zone); err != nil {
		return unprocessable("Invalid cron schedule: '%.256s'. Reason: %v", s.Cron, err)
	}
	s.Next = NextFire(s, now)
	return nil
}

// NextFire returns when a schedule fires next after a time; the zero time is never.
func NextFire(s *runs.Schedule, after time.Time) time.Time {
	parsed, err := cron.Parse(s.Cron, s.Zone)
	if err != nil {
		return time.Time{}
	}
	next, ok := parsed.Next(after)
	if !ok || !s.End.IsZero() && next.After(s.End) {
		return time.Time{}
	}
	return next
}

// Fire returns the run that a schedule starts.
func (h *Handler) Fire(ctx context.Context, s *runs.Schedule) (*runs.Submission, error) {
	body := &runCreate{}
	if err := jsonbody.Unmarshal(s.Request, body); err != nil {
		return nil, err
	}
	a, err := h.Service.Resolve(ctx, s.Owner, s.Assistant)
	if err != nil {
		return nil, err
	}
	sub, err := h.planned(a, s, body)
	if err != nil {
		return nil, err
	}
	sub.Keep, sub.Create = s.KeepRuns, false
	return sub, nil
}

// planned returns the run of a schedule. A schedule whose run could not be started is refused when it is made.
func (h *Handler) planned(a *runs.Assistant, s *runs.Schedule, body *runCreate) (*runs.Submission, error) {
	body.AssistantID = &s.Assistant
	if err := body.check(); err != nil {
		return nil, err
	}
	sub, err := h.submissionOf(a, body, s.Owner, s.Thread, "")
	if err != nil {
		return nil, err
	}
	sub.Metadata = maps.Clone(sub.Metadata)
	if sub.Metadata == nil {
		sub.Metadata = runs.Metadata{}
	}
	sub.Metadata["cron_id"] = s.ID
	return sub, h.Service.CheckSubmission(sub)
}

func (h *Handler) createCron(c *call) error { return h.createCronIn(c, "") }

func (h *Handler) createThreadCron(c *call) error {
	thread, err := c.thread()
	if err != nil {
		return err
	}
	if _, err := h.Service.Thread(c.R.Context(), c.Owner, thread); err != nil {
		return err
	}
	return h.createCronIn(c, thread)
}

func (h *Handler) createCronIn(c *call, thread string) error {
	body, payload, err := readCron(c)
	if err != nil {
		return err
	}
	switch {
	case body.Schedule == nil:
		return missing("schedule")
	case body.AssistantID == nil:
		return missing("assistant_id")
	}
	id, err := newID(nil, "cron")
	if err != nil {
		return err
	}
	a, err := h.assistantNamed(c, *body.AssistantID, "")
	if err != nil {
		return err
	}
	s := &runs.Schedule{Owner: c.Owner, ID: id, Thread: thread, Assistant: a.ID, Enabled: true, Metadata: runs.Metadata{}}
	if err := body.apply(s, time.Now()); err != nil { //nolint:forbidigo // schedules go by real time
		return err
	}
	if _, err := h.planned(a, s, &body.runCreate); err != nil {
		return err
	}
	if s.Request, err = requestOf(s, payload); err != nil {
		return err
	}
	if err := h.Service.CreateSchedule(c.R.Context(), s); err != nil {
		return err
	}
	return c.Answer(cronOf(s))
}

// requestOf returns what a client sent, as a schedule keeps and shows it: with the id of its assistant, and its own in the configuration.
func requestOf(s *runs.Schedule, payload map[string]json.RawMessage) (runs.Document, error) {
	config, err := object("config", payload["config"])
	if err != nil {
		return nil, err
	}
	configurable, err := object("config.configurable", config["configurable"])
	if err != nil {
		return nil, err
	}
	for _, put := range []struct {
		into  map[string]json.RawMessage
		key   string
		value any
	}{{configurable, "cron_id", s.ID}, {config, "configurable", configurable}, {payload, "config", config}, {payload, "assistant_id", s.Assistant}} {
		if put.into[put.key], err = json.Marshal(put.value); err != nil {
			return nil, err
		}
	}
	return json.Marshal(payload)
}

type cronSearch struct {
	paging

	AssistantID *string       `json:"assistant_id"`
	ThreadID    *string       `json:"thread_id" format:"uuid"`
	Enabled     *bool         `json:"enabled"`
	Metadata    runs.Metadata `json:"metadata"`
}

// read reads a search, and returns what to look for.
func (s *cronSearch) read(h *Handler, c *call) (*runs.ScheduleQuery, error) {
	if _, err := jsonbody.DecodeOptional(c.R, s); err != nil {
		return nil, err
	}
	page, err := s.page(map[string]runs.Sort{
		"cron_id": runs.SortID, "created_at": runs.SortCreated, "updated_at": runs.SortUpdated, "next_run_date": runs.SortNext,
	})
	if err != nil {
		return nil, err
	}
	out := &runs.ScheduleQuery{Enabled: s.Enabled, Metadata: s.Metadata, Page: page}
	if s.AssistantID != nil {
		a, err := h.assistantNamed(c, *s.AssistantID, "")
		if err != nil {
			return nil, err
		}
		out.Assistant = a.ID
	}
	if s.ThreadID != nil {
		if out.Thread, err = readID(*s.ThreadID, "thread"); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (h *Handler) searchCrons(c *call) error {
	var body cronSearch
	q, err := body.read(h, c)
	if err != nil {
		return err
	}
	found, total, err := h.Service.FindSchedules(c.R.Context(), c.Owner, q)
	if err != nil {
		return err
	}
	all := make([]cronDocument, len(found))
	for i := range found {
		all[i] = cronOf(&found[i])
	}
	return page(c, all, body.Select, q.Offset, total)
}

func (h *Handler) countCrons(c *call) error {
	var body cronSearch
	q, err := body.read(h, c)
	if err != nil {
		return err
	}
	q.Page = runs.Page{Limit: 1}
	_, total, err := h.Service.FindSchedules(c.R.Context(), c.Owner, q)
	if err != nil {
		return err
	}
	return c.Answer(total)
}

func (h *Handler) answerCron(c *call) error {
	id, err := c.id("cron", "cron")
	if err != nil {
		return err
	}
	s, err := h.Service.Schedule(c.R.Context(), c.Owner, id)
	if err != nil {
		return err
	}
	return c.Answer(cronOf(s))
}

func (h *Handler) changeCron(c *call) error {
	id, err := c.id("cron", "cron")
	if err != nil {
		return err
	}
	body, changes, err := readCron(c)
	if err != nil {
		return err
	}
	apply := func(s *runs.Schedule) error {
		if err := body.apply(s, time.Now()); err != nil { //nolint:forbidigo // schedules go by real time
			return err
		}
		payload := map[string]json.RawMessage{}
		if err := json.Unmarshal(s.Request, &payload); err != nil {
			return err
		}
		maps.Copy(payload, changes)
		s.Request, err = requestOf(s, payload)
		return err
	}
	s, err := h.Service.Schedule(c.R.Context(), c.Owner, id)
	if err != nil {
		return err
	}
	if err := apply(s); err != nil {
		return err
	}
	if changesRun(changes) {
		if _, err := h.Fire(c.R.Context(), s); err != nil { // the run could not be started
			return err
		}
	}
	if s, err = h.Service.ChangeSchedule(c.R.Context(), c.Owner, id, apply); err != nil {
		return err
	}
	return c.Answer(cronOf(s))
}

// changesRun reports whether changes of a schedule are also changes of its run. A schedule whose assistant is gone can still be disabled.
func changesRun(changes map[string]json.RawMessage) bool {
	for name := range changes {
		switch name {
		case "schedule", "timezone", "end_time", "enabled", "on_run_completed":
		default:
			return true
		}
	}
	return false
}

func (h *Handler) deleteCron(c *call) error {
	id, err := c.id("cron", "cron")
	if err != nil {
		return err
	}
	if err := h.Service.DeleteSchedule(c.R.Context(), c.Owner, id); err != nil {
		return err
	}
	return c.Done()
}
