package a2a

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/internal/sse"
)

// call is a request that is being answered, about an agent.
type call struct {
	*door.Call

	agent runs.Agent
	id    json.RawMessage // of a call of JSON-RPC; nil: the other binding
	// nothing says that the method has no result. The library then sends an answer that is none.
	nothing atomic.Bool
	// failed is why the service could not do what was asked.
	failed atomic.Pointer[problem]

	mu   sync.Mutex
	over bool           // the answer has ended
	work sync.WaitGroup // streams of the service, which the library does not wait for
}

// enter begins a stream of the service. It reports false if the answer has ended.
func (c *call) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over {
		c.work.Add(1)
	}
	return !c.over
}

// end waits for the streams of the service, whose context has ended.
func (c *call) end() {
	c.mu.Lock()
	c.over = true
	c.mu.Unlock()
	c.work.Wait()
}

// fail notes why the service cannot do what was asked, and returns it for the library.
func (c *call) fail(ctx context.Context, err error) error {
	p := explain(ctx, err)
	c.failed.CompareAndSwap(nil, p)
	return p
}

type callKey struct{}

// callOf returns the call that led to a call of the service.
func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// discard is the library's log: what happens to a request is in the log of the server.
var discard = slog.New(slog.DiscardHandler)

// call returns the call of a request.
func (h *Handler) call(c *door.Call) (*call, error) {
	agent, err := h.agent(c.R.PathValue("agent"))
	if err != nil {
		return nil, err
	}
	return &call{Call: c, agent: agent}, nil
}

// agent returns the agent of a name.
func (h *Handler) agent(name string) (runs.Agent, error) {
	agent, err := h.Service.Agent(name)
	if err != nil {
		return agent, &problem{
			kind: a2a.ErrInvalidRequest, status: http.StatusNotFound,
			text: fmt.Sprintf("the server does not have the agent %.64q; it has %s", name, strings.Join(h.Service.AgentNames(), ", ")),
		}
	}
	return agent, nil
}

// writer is what a transport of the library writes to. It holds back the answer until the first byte, so that a request that fails gets the
// status of its error even if a stream was to be its answer.
type writer struct {
	c       *call
	control *http.ResponseController
	status  int
	begun   bool
}

func newWriter(c *call) *writer {
	return &writer{c: c, control: http.NewResponseController(c.W), status: http.StatusOK}
}

// Header returns the headers of the answer.
func (w *writer) Header() http.Header { return w.c.W.Header() }

// WriteHeader notes the status.
func (w *writer) WriteHeader(status int) { w.status = status }

func (w *writer) Write(b []byte) (int, error) {
	if (w.c.failed.Load() != nil || w.c.nothing.Load()) && !w.begun {
		return len(b), nil // the door answers
	}
	if err := w.begin(); err != nil {
		return 0, err
	}
	return w.c.W.Write(b)
}

// begin sends the headers. A stream is not cut off by the deadlines of other answers; each piece has its own, see [access.WriteDeadlines].
func (w *writer) begin() error {
	if w.begun {
		return nil
	}
	w.begun = true
	h := w.Header()
	h.Del("Connection") // HTTP/2 has none
	if h.Get("Content-Type") == eventStream {
		h.Set("Cache-Control", "no-store")
		if err := w.control.SetReadDeadline(time.Time{}); err != nil {
			return err
		}
	}
	w.c.W.WriteHeader(w.status)
	return nil
}

const eventStream = "text/event-stream"

// Flush sends what was written. A client that does not read is gone.
func (w *writer) Flush() {
	if w.begun {
		_ = w.control.SetWriteDeadline(time.Now().Add(sse.DefaultWriteTimeout)) //nolint:forbidigo // deadlines of connections are those of the machine
		_ = w.control.Flush()                                                   // the next write says what is wrong
	}
}

// finish ends the answer.
func (w *writer) finish() error {
	failed := w.c.failed.Load()
	if failed != nil && !w.begun {
		h := w.Header()
		for _, name := range []string{"Content-Type", "Cache-Control", "Connection", "X-Accel-Buffering"} {
			h.Del(name)
		}
		return failed
	}
	if failed != nil {
		note(w.c.Call, failed)
	}
	if w.begun {
		return nil
	}
	if !w.c.nothing.Load() {
		return w.begin()
	}
	w.Header().Set("Content-Type", "application/json")
	if w.c.id == nil {
		return w.c.Answer(struct{}{})
	}
	return w.c.Answer(map[string]any{"jsonrpc": "2.0", "id": w.c.id, "result": struct{}{}})
}
