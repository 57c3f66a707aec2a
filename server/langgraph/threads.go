package langgraph

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/detail"
	"github.com/agenthost/agenthost/server/internal/jsonbody"
	"github.com/agenthost/agenthost/server/internal/openapi"
	"github.com/agenthost/agenthost/server/langgraph/internal/frames"
)

// threadDocument is a thread as clients see it.
type threadDocument struct {
	ID         string                         `json:"thread_id" format:"uuid"`
	Created    *timestamp                     `json:"created_at"`
	Updated    *timestamp                     `json:"updated_at"`
	Stepped    *timestamp                     `json:"state_updated_at"`
	Metadata   runs.Metadata                  `json:"metadata"`
	Status     runs.ThreadStatus              `json:"status" enum:"idle,busy,interrupted,error"`
	Config     objectText                     `json:"config"`
	Values     *frames.Content                `json:"values" jsonschema:"null until a run has begun."`
	Error      *runs.Failure                  `json:"error"`
	Interrupts map[string][]interruptDocument `json:"interrupts" jsonschema:"The questions that wait for an answer, by the ids of the tasks that ask."`
}

// interruptDocument is a question as clients see it.
type interruptDocument struct {
	ID    string          `json:"id"`
	Value json.RawMessage `json:"value"`
}

func threadOf(t *runs.Thread, values *frames.Content) threadDocument {
	return threadDocument{
		ID: t.ID, Created: timeOf(t.Created), Updated: timeOf(t.Updated), Stepped: timeOf(latest(t.Stepped, t.Created)), Metadata: t.Metadata,
		Status: t.Status, Config: orEmpty(t.Config), Values: values, Error: t.Failure, Interrupts: waitingOf(t),
	}
}

func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// waitingOf returns the questions of a thread by the ids of the tasks that ask.
func waitingOf(t *runs.Thread) map[string][]interruptDocument {
	out := map[string][]interruptDocument{}
	for i := range t.Waiting {
		asked := &t.Waiting[i]
		id := taskID(t.ID, asked.Step)
		value := asked.Value
		if len(value) == 0 {
			value = runs.Document("null")
		}
		out[id] = append(out[id], interruptDocument{asked.ID, value})
	}
	return out
}

// values returns the newest values of a thread; nil if it has none.
func (h *Handler) values(c *call, t *runs.Thread) (*frames.Content, error) {
	if t.Agent == "" {
		return nil, nil
	}
	state, err := h.Service.Snapshot(c.R.Context(), t, 0)
	if errors.Is(err, runs.ErrNoAgent) { // it is served no longer
		return nil, nil
	}
	if err != nil || state.Snapshot == nil {
		return nil, err
	}
	return new(h.content(state)), nil
}

// stateAt returns what the thread of a run holds at a checkpoint.
func (h *Handler) stateAt(ctx context.Context, run *runs.Run, at checkpoint.ID) (*runs.State, error) {
	t, err := h.Service.Thread(ctx, run.Owner, run.Thread)
	if err != nil {
		return nil, err
	}
	return h.Service.Snapshot(ctx, t, at)
}

// content returns a state as clients see it.
func (h *Handler) content(s *runs.State) frames.Content {
	return frames.ContentOf(s.Snapshot, h.Hidden(s.Agent))
}

// hiddenOnce is hidden for many states, which are mostly of one agent.
type hiddenOnce struct {
	h      *Handler
	agent  string
	hidden func(string) bool
}

func (o *hiddenOnce) of(agent string) func(string) bool {
	if o.hidden == nil || o.agent != agent {
		o.agent, o.hidden = agent, o.h.Hidden(agent)
	}
	return o.hidden
}

// ttl is when a client wants a thread to be removed.
type ttl struct {
	TTL      *float64 `json:"ttl"` // minutes
	Strategy *string  `json:"strategy"`
}

// JSONSchema returns the schema of its two forms.
func (ttl) JSONSchema() openapi.Schema {
	minutes := openapi.Schema{"type": "number", "exclusiveMinimum": 0, "description": "Minutes without use after which the thread is removed."}
	return openapi.Schema{"anyOf": []any{minutes, openapi.Schema{"type": "object", "properties": openapi.Schema{
		"ttl": minutes, "strategy": openapi.Schema{"type": []string{"string", "null"}, "enum": []any{"delete", nil}},
	}}}}
}

func (t *ttl) UnmarshalJSON(text []byte) error {
	var minutes float64
	if json.Unmarshal(text, &minutes) == nil {
		t.TTL = &minutes
		return nil
	}
	type plain ttl
	return json.Unmarshal(text, (*plain)(t))
}

func (t *ttl) expiry() (*runs.Expiry, error) {
	if t == nil || t.TTL == nil {
		return nil, nil
	}
	out := &runs.Expiry{}
	switch {
	case t.Strategy == nil, *t.Strategy == "delete":
	default:
		return nil, unprocessable("%.64q is not one of ['delete']\n\nOn instance[\"ttl\"][\"strategy\"]", *t.Strategy)
	}
	const most = 100 * 365 * 24 * 60
	if *t.TTL <= 0 || *t.TTL > most {
		return nil, unprocessable("%v is not a possible number of minutes\n\nOn instance[\"ttl\"]", *t.TTL)
	}
	out.After = max(time.Duration(*t.TTL*float64(time.Minute)), runs.MinExpiry)
	return out, nil
}

type threadCreate struct {
	ThreadID   *string       `json:"thread_id" format:"uuid"`
	Metadata   runs.Metadata `json:"metadata"`
	IfExists   *string       `json:"if_exists" enum:"raise,do_nothing"`
	TTL        *ttl          `json:"ttl"`
	Supersteps []superstep   `json:"supersteps" jsonschema:"Changes of the state with which the thread begins."`
}

func (h *Handler) createThread(c *call) error {
	var body threadCreate
	if _, err := jsonbody.DecodeOptional(c.R, &body); err != nil {
		return err
	}
	ignore, err := ifExists(body.IfExists)
	if err != nil {
		return err
	}
	id, err := newID(body.ThreadID, "thread")
	if err != nil {
		return err
	}
	expiry, err := body.TTL.expiry()
	if err != nil {
		return err
	}
	t := &runs.Thread{Owner: c.Owner, ID: id, Metadata: body.Metadata, Expiry: expiry}
	updates, err := h.supersteps(t, body.Supersteps)
	if err != nil {
		return err
	}
	err = h.Service.CreateThread(c.R.Context(), t)
	switch {
	case errors.Is(err, runs.ErrExists) && !ignore:
		return detail.Errorf(http.StatusConflict, "Thread with ID %s already exists", id)
	case errors.Is(err, runs.ErrExists):
		return h.answerThread(c, id)
	case err != nil:
		return err
	}
	for _, u := range updates {
		if _, err := h.Service.UpdateState(c.R.Context(), t, u); err != nil {
			return errors.Join(err, h.Service.DeleteThread(c.R.Context(), c.Owner, id))
		}
	}
	return h.answerThread(c, id)
}

// answerThread answers with a thread and its values.
func (h *Handler) answerThread(c *call, id string) error {
	t, err := h.Service.Thread(c.R.Context(), c.Owner, id)
	if err != nil {
		return err
	}
	values, err := h.values(c, t)
	if err != nil {
		return err
	}
	return c.Answer(threadOf(t, values))
}

func (h *Handler) readThread(c *call) error {
	id, err := c.thread()
	if err != nil {
		return err
	}
	return h.answerThread(c, id)
}

type threadChange struct {
	Metadata runs.Metadata `json:"metadata" jsonschema:"Members to add or to replace."`
	TTL      *ttl          `json:"ttl"`
}

func (h *Handler) changeThread(c *call) error {
	id, err := c.thread()
	if err != nil {
		return err
	}
	var body threadChange
	if err := jsonbody.Decode(c.R, &body); err != nil {
		return err
	}
	expiry, err := body.TTL.expiry()
	if err != nil {
		return err
	}
	_, err = h.Service.ChangeThread(c.R.Context(), c.Owner, id, func(t *runs.Thread) error {
		if t.Metadata == nil {
			t.Metadata = runs.Metadata{}
		}
		maps.Copy(t.Metadata, body.Metadata)
		if expiry != nil {
			t.Expiry = expiry
		}
		return nil
	})
	if err != nil {
		return err
	}
	return h.answerThread(c, id)
}

func (h *Handler) deleteThread(c *call) error {
	id, err := c.thread()
	if err != nil {
		return err
	}
	if err := h.Service.DeleteThread(c.R.Context(), c.Owner, id); err != nil {
		return err
	}
	return c.Done()
}

func (h *Handler) copyThread(c *call) error {
	id, err := c.thread()
	if err != nil {
		return err
	}
	t, err := h.Service.CopyThread(c.R.Context(), c.Owner, id)
	if err != nil {
		return err
	}
	return h.answerThread(c, t.ID)
}

type threadSearch struct {
	paging

	IDs      []string        `json:"ids"`
	Metadata runs.Metadata   `json:"metadata"`
	Values   runs.Metadata   `json:"values" jsonschema:"Not supported: it must be empty."`
	Status   *string         `json:"status" enum:"idle,busy,interrupted,error"`
	Extract  json.RawMessage `json:"extract" type:"null" jsonschema:"Not supported."`
}

// read reads a search, and returns what to look for.
func (s *threadSearch) read(c *call) (*runs.ThreadQuery, error) {
	if _, err := jsonbody.DecodeOptional(c.R, s); err != nil {
		return nil, err
	}
	page, err := s.page(map[string]runs.Sort{
		"thread_id": runs.SortID, "status": runs.SortStatus, "created_at": runs.SortCreated, "updated_at": runs.SortUpdated,
		"state_updated_at": runs.SortStepped,
	})
	if err != nil {
		return nil, err
	}
	switch {
	case len(s.Values) > 0:
		return nil, unprocessable("threads cannot be searched by their values; search by metadata, ids or status")
	case given(s.Extract):
		return nil, unprocessable("extract is not supported; select values, and take what is needed from them")
	}
	out := &runs.ThreadQuery{IDs: s.IDs, Metadata: s.Metadata, Page: page}
	if s.Status != nil {
		out.Status = runs.ThreadStatus(*s.Status)
	}
	return out, nil
}

// loads is how many states of threads are read at once for one request.
const loads = 8

func (h *Handler) searchThreads(c *call) error {
	var body threadSearch
	q, err := body.read(c)
	if err != nil {
		return err
	}
	found, total, err := h.Service.FindThreads(c.R.Context(), c.Owner, q)
	if err != nil {
		return err
	}
	all := make([]threadDocument, len(found))
	var group errgroup.Group
	group.SetLimit(loads)
	for i := range found {
		group.Go(func() (err error) {
			var values *frames.Content
			if wants(body.Select, "values") {
				values, err = h.values(c, &found[i])
			}
			all[i] = threadOf(&found[i], values)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return page(c, all, body.Select, q.Offset, total)
}

// wants reports whether a client wants a member of objects.
func wants(names []string, name string) bool {
	return names == nil || slices.Contains(names, name)
}

func (h *Handler) countThreads(c *call) error {
	var body threadSearch
	q, err := body.read(c)
	if err != nil {
		return err
	}
	q.Page = runs.Page{Limit: 1}
	_, total, err := h.Service.FindThreads(c.R.Context(), c.Owner, q)
	if err != nil {
		return err
	}
	return c.Answer(total)
}

type threadPrune struct {
	ThreadIDs []string `json:"thread_ids"`
	Strategy  *string  `json:"strategy" enum:"delete"`
}

type prunedDocument struct {
	Count int `json:"pruned_count"`
}

// pruneThreads removes threads, and answers with their number. Threads that are gone already, or that have a run, are left.
func (h *Handler) pruneThreads(c *call) error {
	var body threadPrune
	if err := jsonbody.Decode(c.R, &body); err != nil {
		return err
	}
	if body.Strategy != nil && *body.Strategy != "delete" {
		return unprocessable("%.64q is not one of ['delete']\n\nOn instance[\"strategy\"]", *body.Strategy)
	}
	if len(body.ThreadIDs) > runs.MaxPage {
		return unprocessable("thread_ids has %d ids; at most %d are possible", len(body.ThreadIDs), runs.MaxPage)
	}
	ids := make([]string, len(body.ThreadIDs))
	for i, text := range body.ThreadIDs { // all of them are checked before the first one is removed
		var err error
		if ids[i], err = readID(text, "thread"); err != nil {
			return err
		}
	}
	n := 0
	for _, id := range ids {
		switch err := h.Service.DeleteThread(c.R.Context(), c.Owner, id); {
		case err == nil:
			n++
		case errors.Is(err, runs.ErrNoThread), errors.Is(err, runs.ErrThreadBusy):
		default:
			return err
		}
	}
	return c.Answer(prunedDocument{n})
}

// deleteThreadsOf removes all threads with some metadata that have no run.
func (h *Handler) deleteThreadsOf(c *call, metadata runs.Metadata) error {
	left := 0
	for {
		q := &runs.ThreadQuery{Metadata: metadata, Page: runs.Page{Limit: 100, Offset: left, Sort: runs.SortID}}
		found, _, err := h.Service.FindThreads(c.R.Context(), c.Owner, q)
		if err != nil || len(found) == 0 {
			return err
		}
		for i := range found {
			err := h.Service.DeleteThread(c.R.Context(), c.Owner, found[i].ID)
			if errors.Is(err, runs.ErrThreadBusy) {
				left++
			} else if err != nil && !errors.Is(err, runs.ErrNoThread) {
				return err
			}
		}
	}
}
