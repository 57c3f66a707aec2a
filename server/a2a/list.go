package a2a

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/auth"
)

// The sizes of a page of tasks.
const (
	defaultPage = 50
	maxPage     = 100
)

// maxConversations is how many conversations a list of tasks looks through: those that changed last.
const maxConversations = runs.MaxPage

// ListTasks lists the tasks of the owner and the agent, those that changed last at first. It shows what all threads have said, so it needs the scope
// threads as well.
func (s *service) ListTasks(ctx context.Context, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	return does(ctx, func(c *call) (*a2a.ListTasksResponse, error) {
		if err := c.Principal.Need(auth.ScopeThreads); err != nil {
			return nil, err
		}
		return s.h.list(ctx, c, req)
	})
}

func (h *Handler) list(ctx context.Context, c *call, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	size := cmp.Or(req.PageSize, defaultPage)
	if size < 1 || size > maxPage {
		return nil, invalid("pageSize is %d; it must be from 1 to %d", size, maxPage)
	}
	if req.Status != "" && !slices.Contains(states, req.Status) {
		return nil, invalid("status is %.64q, which is not a state of a task", req.Status)
	}
	after, err := readCursor(req.PageToken)
	if err != nil {
		return nil, err
	}
	all, err := h.tasks(ctx, c, req)
	if err != nil {
		return nil, err
	}
	out := &a2a.ListTasksResponse{Tasks: []*a2a.Task{}, TotalSize: len(all), PageSize: size}
	from := 0
	if after != nil {
		for from < len(all) && !after.before(cursorOf(all[from])) {
			from++
		}
	}
	look := shown{history: req.HistoryLength, artifacts: req.IncludeArtifacts}
	if look.history == nil { // a list that nobody asked for more is short
		look.history = new(int)
	}
	for _, t := range all[from:min(from+size, len(all))] {
		task, err := h.render(ctx, t, look)
		if err != nil {
			return nil, err
		}
		out.Tasks = append(out.Tasks, task)
	}
	if from+size < len(all) {
		out.NextPageToken = cursorOf(all[from+size-1]).String()
	}
	return out, nil
}

var states = []a2a.TaskState{
	a2a.TaskStateSubmitted, a2a.TaskStateWorking, a2a.TaskStateInputRequired, a2a.TaskStateCompleted, a2a.TaskStateFailed, a2a.TaskStateCanceled,
	a2a.TaskStateRejected, a2a.TaskStateAuthRequired,
}

// tasks returns the tasks that a request selects, in order.
func (h *Handler) tasks(ctx context.Context, c *call, req *a2a.ListTasksRequest) (out []*task, err error) {
	var threads []runs.Thread
	if req.ContextID != "" {
		thread, err := h.Service.Thread(ctx, c.Owner, req.ContextID)
		if errors.Is(err, runs.ErrNoThread) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		threads = []runs.Thread{*thread}
	} else {
		q := &runs.ThreadQuery{Page: runs.Page{Limit: maxConversations, Sort: runs.SortUpdated}}
		if threads, _, err = h.Service.FindThreads(ctx, c.Owner, q); err != nil {
			return nil, err
		}
	}
	for i := range threads {
		if req.StatusTimestampAfter != nil && !threads[i].Updated.After(*req.StatusTimestampAfter) {
			continue // none of its runs has changed since then
		}
		found, err := h.Service.FindRuns(ctx, c.Owner, threads[i].ID, &runs.RunQuery{Limit: runs.MaxPage})
		if errors.Is(err, runs.ErrNoThread) {
			continue // it has just been deleted
		}
		if err != nil {
			return nil, err
		}
		slices.Reverse(found)
		for j := range found {
			if found[j].Agent != c.agent.Name || goesOn(&found[j]) {
				continue
			}
			t := chain(&threads[i], &found[j], found[j+1:])
			fits := req.Status == "" || t.state() == req.Status
			if fits && (req.StatusTimestampAfter == nil || t.last().Updated.After(*req.StatusTimestampAfter)) {
				out = append(out, t)
			}
		}
	}
	slices.SortFunc(out, func(a, b *task) int { return cursorOf(a).compare(cursorOf(b)) })
	return out, nil
}

// cursor is a place in a list: behind the task that it names.
type cursor struct {
	Updated time.Time  `json:"u"`
	ID      a2a.TaskID `json:"i"`
}

func cursorOf(t *task) cursor { return cursor{t.last().Updated, t.id()} }

// compare orders tasks: those that changed last come first.
func (c cursor) compare(other cursor) int {
	return cmp.Or(other.Updated.Compare(c.Updated), strings.Compare(string(c.ID), string(other.ID)))
}

func (c cursor) before(other cursor) bool { return c.compare(other) < 0 }

func (c cursor) String() string {
	text, _ := json.Marshal(c) //nolint:errchkjson // a time and a text
	return base64.RawURLEncoding.EncodeToString(text)
}

func readCursor(token string) (*cursor, error) {
	if token == "" {
		return nil, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(token)
	c := &cursor{}
	if err != nil || json.Unmarshal(text, c) != nil || c.ID == "" {
		return nil, invalid("pageToken is %.64q, which this server did not give; leave it out to begin with the first page", token)
	}
	return c, nil
}
