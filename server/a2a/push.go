package a2a

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/google/uuid"

	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/webhook"
)

const (
	maxPushes = 20                  // of a task
	keepPush  = 30 * 24 * time.Hour // how long a client is notified of a task
	maxSecret = 4096                // bytes of a token or a credential
)

// pushNamespace returns where in the store it is kept how the client of a task is notified. Clients cannot read it by other doors, because it is
// not below the namespace of an owner.
func pushNamespace(owner string, task a2a.TaskID) store.Namespace {
	return store.Namespace{"a2a", "push", "owner " + owner, string(task)}
}

// tokenHeader has the token by which a client recognizes notifications.
const tokenHeader = "X-A2a-Notification-Token" //nolint:gosec // it is the name of a header

var (
	schemeWord  = lazyregexp.New(`^[A-Za-z][A-Za-z0-9-]{0,63}$`)
	headerValue = lazyregexp.New(`^[\x20-\x7e]*$`)
)

// checkPush refuses a configuration by which nobody could be notified, and gives the others an id.
func (h *Handler) checkPush(p *a2a.PushConfig) error {
	switch {
	case !h.pushes():
		return problemf(a2a.ErrPushNotificationNotSupported, "this server notifies no clients")
	case p.ID != "" && runs.CheckID(p.ID) != nil:
		return invalid("the id of the configuration is %.64q; an id has up to %d letters, digits and characters of -_.:@", p.ID, runs.MaxID)
	case len(p.Token) > maxSecret || !headerValue().MatchString(p.Token):
		return invalid("the token must be a text of at most %d characters in ASCII", maxSecret)
	case p.Auth != nil && !schemeWord().MatchString(p.Auth.Scheme):
		return invalid("authentication.scheme is %.64q; it must be a word such as Bearer", p.Auth.Scheme)
	case p.Auth != nil && (len(p.Auth.Credentials) > maxSecret || !headerValue().MatchString(p.Auth.Credentials)):
		return invalid("authentication.credentials must be a text of at most %d characters in ASCII", maxSecret)
	}
	if err := h.check(p.URL); err != nil {
		return err
	}
	if p.ID == "" {
		p.ID = uuid.NewString()
	}
	return nil
}

// keepPush keeps a configuration that was checked, and reports whether the task had none with its id.
func (h *Handler) keepPush(ctx context.Context, owner string, p *a2a.PushConfig) (added bool, err error) {
	ns := pushNamespace(owner, p.TaskID)
	there, err := h.store.List(ctx, ns, store.Query{Limit: maxPushes + 1})
	if err != nil {
		return false, err
	}
	known := slices.ContainsFunc(there.Items, func(e store.Entry) bool { return e.Key == p.ID })
	if len(there.Items) >= maxPushes && !known {
		return false, invalid("the task has %d configurations, which is the most; delete one", maxPushes)
	}
	text, err := json.Marshal(p)
	if err == nil {
		_, err = h.store.Put(ctx, ns, p.ID, text, store.PutOptions{TTL: keepPush, NoIndex: true})
	}
	return !known, err
}

// pushesOf returns the configurations of a task.
func (h *Handler) pushesOf(ctx context.Context, owner string, task a2a.TaskID) (out []*a2a.PushConfig, err error) {
	page, err := h.store.List(ctx, pushNamespace(owner, task), store.Query{Limit: maxPushes, Values: true})
	if err != nil {
		return nil, err
	}
	for _, e := range page.Items {
		p := &a2a.PushConfig{}
		if err := json.Unmarshal(e.Value, p); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// ofTask does something with the configurations of a task that is the caller's.
func ofTask[T any](ctx context.Context, s *service, id a2a.TaskID, do func(c *call) (T, error)) (T, error) {
	return does(ctx, func(c *call) (T, error) {
		var none T
		if !s.h.pushes() {
			return none, problemf(a2a.ErrPushNotificationNotSupported, "this server notifies no clients")
		}
		if _, err := s.h.taskNamed(ctx, c, id); err != nil {
			return none, err
		}
		return do(c)
	})
}

// CreateTaskPushConfig says where the client of a task is notified.
func (s *service) CreateTaskPushConfig(ctx context.Context, p *a2a.PushConfig) (*a2a.PushConfig, error) {
	return ofTask(ctx, s, p.TaskID, func(c *call) (*a2a.PushConfig, error) {
		if err := s.h.checkPush(p); err != nil {
			return nil, err
		}
		_, err := s.h.keepPush(ctx, c.Owner, p)
		return p, err
	})
}

// GetTaskPushConfig returns a configuration.
func (s *service) GetTaskPushConfig(ctx context.Context, req *a2a.GetTaskPushConfigRequest) (*a2a.PushConfig, error) {
	return ofTask(ctx, s, req.TaskID, func(c *call) (*a2a.PushConfig, error) {
		all, err := s.h.pushesOf(ctx, c.Owner, req.TaskID)
		if err != nil {
			return nil, err
		}
		for _, p := range all {
			if p.ID == req.ID || req.ID == "" { // version 0.3 needs no id
				return p, nil
			}
		}
		return nil, problemf(a2a.ErrTaskNotFound, "the task has no configuration %.64q", req.ID)
	})
}

// ListTaskPushConfigs returns all configurations: there are few.
func (s *service) ListTaskPushConfigs(ctx context.Context, req *a2a.ListTaskPushConfigRequest) (*a2a.ListTaskPushConfigResponse, error) {
	return ofTask(ctx, s, req.TaskID, func(c *call) (*a2a.ListTaskPushConfigResponse, error) {
		all, err := s.h.pushesOf(ctx, c.Owner, req.TaskID)
		if all == nil {
			all = []*a2a.PushConfig{}
		}
		return &a2a.ListTaskPushConfigResponse{Configs: all}, err
	})
}

// DeleteTaskPushConfig removes a configuration, if it is there.
func (s *service) DeleteTaskPushConfig(ctx context.Context, req *a2a.DeleteTaskPushConfigRequest) error {
	_, err := ofTask(ctx, s, req.TaskID, func(c *call) (struct{}, error) {
		if runs.CheckID(req.ID) != nil {
			return struct{}{}, invalid("the id of the configuration is missing")
		}
		err := s.h.store.Delete(ctx, pushNamespace(c.Owner, req.TaskID), req.ID, nil)
		c.nothing.Store(err == nil)
		return struct{}{}, err
	})
	return err
}

// MayNotify reports whether clients may have to be told of a run that has ended.
func (h *Handler) MayNotify(r *runs.Run) bool {
	return h.pushes() && (goesOn(r) || messageOf(r) != nil)
}

// Deliveries returns what clients are to be told of a run that has ended, if it did a task of theirs.
func (h *Handler) Deliveries(ctx context.Context, r *runs.Run) ([]webhook.Delivery, error) {
	if !h.MayNotify(r) {
		return nil, nil
	}
	first, err := h.firstOf(ctx, r)
	if err != nil || messageOf(first) == nil {
		return nil, err
	}
	configs, err := h.pushesOf(ctx, r.Owner, a2a.TaskID(first.ID))
	if err != nil || len(configs) == 0 {
		return nil, err
	}
	t, err := h.taskOf(ctx, first)
	if err != nil {
		return nil, err
	}
	task, err := h.render(ctx, t, shown{artifacts: true})
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(a2a.StreamResponse{Event: task})
	if err != nil {
		return nil, err
	}
	out := make([]webhook.Delivery, len(configs))
	for i, p := range configs {
		header := http.Header{"Content-Type": {"application/a2a+json"}}
		if p.Token != "" {
			header.Set(tokenHeader, p.Token)
		}
		if p.Auth != nil {
			header.Set("Authorization", strings.TrimSpace(p.Auth.Scheme+" "+p.Auth.Credentials))
		}
		out[i] = webhook.Delivery{ID: r.ID, URL: p.URL, Body: body, Header: header}
	}
	return out, nil
}

// firstOf returns the run that began what a run goes on with.
func (h *Handler) firstOf(ctx context.Context, r *runs.Run) (*runs.Run, error) {
	if !goesOn(r) {
		return r, nil
	}
	for offset := 0; ; offset += runs.MaxPage {
		page, err := h.Service.FindRuns(ctx, r.Owner, r.Thread, &runs.RunQuery{Limit: runs.MaxPage, Offset: offset})
		if err != nil {
			return nil, err
		}
		for i := range page {
			if page[i].Number < r.Number && !goesOn(&page[i]) {
				return &page[i], nil
			}
		}
		if len(page) < runs.MaxPage {
			return r, nil // it is gone
		}
	}
}

// digest names a document.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}
