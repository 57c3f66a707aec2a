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

// cronOf returns a schedule as clients see it.
func cronOf(s *runs.Schedule) map[string]any {
	completed := any(nil)
	if s.Thread == "" {
		completed = "delete"
		if s.KeepRuns {
			completed = "keep"
		}
	}
	return map[string]any{
		"cron_id": s.ID, "assistant_id": s.Assistant, "thread_id": textOrNull(s.Thread), "user_id": s.Owner, "end_time": timeOf(s.End), "schedule": s.Cron,
		"timezone": textOrNull(s.Zone), "payload": orEmpty(s.Request), "next_run_date": timeOf(s.Next), "metadata": s.Metadata, "on_run_completed": completed,
		"enabled": s.Enabled, "created_at": timeOf(s.Created), "updated_at": timeOf(s.Updated),
	}
}

// cronBody is what a client sends to make or to change a schedule, besides the run to start.
type cronBody struct {
	Schedule       *string       `json:"schedule"`
	Timezone       *string       `json:"timezone"`
	EndTime        *time.Time    `json:"end_time"`
	Enabled        *bool         `json:"enabled"`
	OnRunCompleted *string       `json:"on_run_completed"`
	Metadata       runs.Metadata `json:"metadata"`
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
	if _, err := h.Service.Thread(c.r.Context(), c.owner, thread); err != nil {
		return err
	}
	return h.createCronIn(c, thread)
}

func (h *Handler) createCronIn(c *call, thread string) error {
	var payload map[string]json.RawMessage
	if err := jsonbody.Decode(c.r, &payload); err != nil {
		return err
	}
	var own cronBody
	var run runCreate
	if err := reread(payload, &own); err != nil {
		return err
	}
	if err := reread(payload, &run); err != nil {
		return err
	}
	switch {
	case own.Schedule == nil:
		return missing("schedule")
	case run.AssistantID == nil:
		return missing("assistant_id")
	}
	id, err := newID(nil, "cron")
	if err != nil {
		return err
	}
	a, err := h.assistantNamed(c, *run.AssistantID, "")
	if err != nil {
		return err
	}
	s := &runs.Schedule{Owner: c.owner, ID: id, Thread: thread, Assistant: a.ID, Enabled: true}
	if err := own.apply(s, time.Now()); err != nil { //nolint:forbidigo // schedules go by real time
		return err
	}
	if _, err := h.planned(a, s, &run); err != nil {
		return err
	}
	if s.Request, err = requestOf(s, payload); err != nil {
		return err
	}
	if err := h.Service.CreateSchedule(c.r.Context(), s); err != nil {
		return err
	}
	return c.answer(cronOf(s))
}

// reread reads some members of a body that was read.
func reread(payload map[string]json.RawMessage, into any) error {
	text, err := json.Marshal(payload)
	if err != nil {
		return err
	}
	return jsonbody.Unmarshal(text, into)
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
	ThreadID    *string       `json:"thread_id"`
	Enabled     *bool         `json:"enabled"`
	Metadata    runs.Metadata `json:"metadata"`
}

// read reads a search, and returns what to look for.
func (s *cronSearch) read(h *Handler, c *call) (*runs.ScheduleQuery, error) {
	if _, err := jsonbody.DecodeOptional(c.r, s); err != nil {
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
	found, total, err := h.Service.FindSchedules(c.r.Context(), c.owner, q)
	if err != nil {
		return err
	}
	all := make([]map[string]any, len(found))
	for i := range found {
		all[i] = cronOf(&found[i])
	}
	list := selected(all, body.Select)
	return c.page(list, len(list), q.Offset, total)
}

func (h *Handler) countCrons(c *call) error {
	var body cronSearch
	q, err := body.read(h, c)
	if err != nil {
		return err
	}
	q.Page = runs.Page{Limit: 1}
	_, total, err := h.Service.FindSchedules(c.r.Context(), c.owner, q)
	if err != nil {
		return err
	}
	return c.answer(total)
}

func (h *Handler) readCron(c *call) error {
	id, err := c.id("cron", "cron")
	if err != nil {
		return err
	}
	s, err := h.Service.Schedule(c.r.Context(), c.owner, id)
	if err != nil {
		return err
	}
	return c.answer(cronOf(s))
}

func (h *Handler) changeCron(c *call) error {
	id, err := c.id("cron", "cron")
	if err != nil {
		return err
	}
	var changes map[string]json.RawMessage
	if err := jsonbody.Decode(c.r, &changes); err != nil {
		return err
	}
	var own cronBody
	if err := reread(changes, &own); err != nil {
		return err
	}
	s, err := h.Service.ChangeSchedule(c.r.Context(), c.owner, id, func(s *runs.Schedule) error {
		if err := own.apply(s, time.Now()); err != nil { //nolint:forbidigo // schedules go by real time
			return err
		}
		payload := map[string]json.RawMessage{}
		if err := json.Unmarshal(s.Request, &payload); err != nil {
			return err
		}
		maps.Copy(payload, changes)
		request, err := requestOf(s, payload)
		s.Request = request
		return err
	})
	if err != nil {
		return err
	}
	return c.answer(cronOf(s))
}

func (h *Handler) deleteCron(c *call) error {
	id, err := c.id("cron", "cron")
	if err != nil {
		return err
	}
	if err := h.Service.DeleteSchedule(c.r.Context(), c.owner, id); err != nil {
		return err
	}
	return c.done()
}
