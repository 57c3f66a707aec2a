package langgraph

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/cron"
	"github.com/agenthost/agenthost/runs/webhook"
	"github.com/agenthost/agenthost/server/internal/access"
	"github.com/agenthost/agenthost/server/internal/detail"
	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/internal/langchain"
	"github.com/agenthost/agenthost/server/internal/openapi"
)

// call is a request that is being answered.
type call struct{ *door.Call }

// unprocessable returns the error for a request that says something impossible.
func unprocessable(format string, args ...any) error {
	return detail.Errorf(http.StatusUnprocessableEntity, format, args...)
}

// page answers with the selected members of a page of a list.
func page[T any](c *call, list []T, names []string, offset, total int) error {
	part, err := selected(list, names)
	if err != nil {
		return err
	}
	c.W.Header().Set("X-Pagination-Total", strconv.Itoa(total))
	if next := offset + len(list); len(list) > 0 && next < total {
		c.W.Header().Set("X-Pagination-Next", strconv.Itoa(next))
	}
	return c.Answer(part)
}

// fail answers with an error. What is not meant for clients goes to the log.
func (c *call) fail(err error) {
	err = c.explain(err)
	access.Note(c.R.Context(), err)
	detail.Write(c.W, err)
}

// explain returns an error in the words of LangGraph's server.
func (c *call) explain(err error) error {
	thread := c.R.PathValue("thread")
	var own *detail.Error
	var message *langchain.InvalidError
	var status int
	text, gone := err.Error(), door.Gone(c.R.Context(), err)
	switch {
	case errors.As(err, &own):
		return own
	case gone != nil:
		return gone
	case errors.Is(err, runs.ErrNoThread):
		status, text = http.StatusNotFound, "Thread with ID "+thread+" not found"
	case errors.Is(err, runs.ErrNoRun), errors.Is(err, runs.ErrNoAssistant), errors.Is(err, runs.ErrNoVersion), errors.Is(err, runs.ErrNoSchedule):
		status, text = http.StatusNotFound, "Not Found"
	case door.IsBusy(err):
		status, text = http.StatusConflict, busyText
	case errors.Is(err, runs.ErrExists), errors.Is(err, runs.ErrOwnAssistant), errors.Is(err, runs.ErrRunOver):
		status = http.StatusConflict
	case errors.Is(err, runs.ErrBudgetSpent):
		status = http.StatusPaymentRequired
	case errors.Is(err, runs.ErrQueueFull):
		return &detail.Error{Status: http.StatusTooManyRequests, Text: text, RetryAfter: time.Second, Cause: err}
	case door.IsInvalid(err), errors.Is(err, runs.ErrNoAgent), errors.Is(err, webhook.ErrRefused), errors.Is(err, cron.ErrInvalid), errors.As(err, &message):
		status = http.StatusUnprocessableEntity
	default:
		return err
	}
	return &detail.Error{Status: status, Text: text, Cause: err}
}

const busyText = "Thread is already running a task. Wait for it to finish or choose a different multitask strategy."

// id returns an id of the path, which must be a UUID.
func (c *call) id(name, what string) (string, error) { return readID(c.R.PathValue(name), what) }

func (c *call) thread() (string, error)    { return c.id("thread", "thread") }
func (c *call) run() (string, error)       { return c.id("run", "run") }
func (c *call) assistant() (string, error) { return c.id("assistant", "assistant") }

// readID returns an id in the form in which it is kept.
func readID(text, what string) (string, error) {
	id, ok := door.UUID(text)
	if !ok {
		return "", unprocessable("Invalid %s ID: must be a UUID", what)
	}
	return id, nil
}

// newID returns an id that a client gave, or a new one.
func newID(given *string, what string) (string, error) {
	if given != nil {
		return readID(*given, what)
	}
	id, err := uuid.NewRandom()
	return id.String(), err
}

// query returns the parameters of the request's address.
func (c *call) query() url.Values { return c.R.URL.Query() }

// number returns a parameter that is a number.
func (c *call) number(name string, least, otherwise int) (int, error) {
	text := c.query().Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least {
		return 0, unprocessable("%s must be a number from %d", name, least)
	}
	return n, nil
}

// flag returns a parameter that is yes or no.
func (c *call) flag(name string) (bool, error) {
	switch text := c.query().Get(name); text {
	case "", "0", "false", "False":
		return false, nil
	case "1", "true", "True":
		return true, nil
	default:
		return false, unprocessable("%s is %.64q; it must be true or false", name, text)
	}
}

// timestamp is a time as Python's isoformat writes it.
type timestamp string

// JSONSchema returns the schema of times.
func (timestamp) JSONSchema() openapi.Schema {
	return openapi.Schema{"type": "string", "format": "date-time"}
}

// timeOf returns a time for clients; nil for none.
func timeOf(t time.Time) *timestamp {
	if t.IsZero() {
		return nil
	}
	return new(timestamp(t.UTC().Format("2006-01-02T15:04:05.000000-07:00")))
}

// objectText is the text of an object.
type objectText json.RawMessage

// JSONSchema returns the schema of objects.
func (objectText) JSONSchema() openapi.Schema { return openapi.Schema{"type": "object"} }

// MarshalJSON returns the text.
func (o objectText) MarshalJSON() ([]byte, error) { return o, nil }

// orEmpty returns a document, or an empty object in place of none.
func orEmpty(d runs.Document) objectText {
	if len(d) == 0 {
		return objectText("{}")
	}
	return objectText(d)
}

// textOrNull returns a text, or null in place of none.
func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// selected returns only the members of objects that a client selected; nil are all.
func selected[T any](objects []T, names []string) (any, error) {
	if names == nil {
		return objects, nil
	}
	out := make([]map[string]json.RawMessage, len(objects))
	for i := range objects {
		text, err := json.Marshal(objects[i])
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &out[i]); err != nil {
			return nil, err
		}
		maps.DeleteFunc(out[i], func(name string, _ json.RawMessage) bool { return !slices.Contains(names, name) })
	}
	return out, nil
}
