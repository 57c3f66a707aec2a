package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/runs"
	runsmemory "github.com/agenthost/agenthost/runs/memory"
	"github.com/agenthost/agenthost/server"
	"github.com/agenthost/agenthost/server/internal/doortest"
)

// cancelling is a door through which clients start a run, cancel it, and wait for its end.
type cancelling struct {
	start, body string
	run         func(answer map[string]any) (path string)
	cancel      string // what the path ends with
	over        string // the status of a run that was cancelled
}

var cancellings = map[string]cancelling{
	"langgraph": {
		start: "/threads/00000000-0000-4000-8000-000000000001/runs",
		body:  `{"assistant_id":"agent","if_not_exists":"create","input":{"messages":[{"role":"user","content":"go"}]}}`,
		run: func(answer map[string]any) string {
			id, _ := answer["run_id"].(string)
			return "/threads/00000000-0000-4000-8000-000000000001/runs/" + id
		},
		cancel: "/cancel?wait=true", over: "interrupted",
	},
	"openai": {
		start: "/v1/responses", body: `{"model":"agent","input":"go","background":true}`,
		run: func(answer map[string]any) string {
			id, _ := answer["id"].(string)
			return "/v1/responses/" + id
		},
		cancel: "/cancel", over: "cancelled",
	},
}

// fleet is two servers with the same runs, the first of which performs one whose tool does not stop when it is cancelled.
type fleet struct {
	performs, other *doortest.Server
	path            string        // of the run
	told            chan struct{} // the tool was told to stop
	end             func()        // lets the tool end
}

func setupFleet(t *testing.T, door *cancelling) *fleet {
	t.Helper()
	began, let := make(chan struct{}, 10), make(chan struct{})
	f := &fleet{told: make(chan struct{}), end: sync.OnceFunc(func() { close(let) })}
	rules, err := scripted.NewRules(scripted.Rule{From: "human", Call: []scripted.RuleCall{{Tool: "stubborn"}}}, scripted.Rule{Say: "done"})
	require.NoError(t, err)
	threads := memory.New()
	agent, err := host.New(host.Config{Name: "agent", Model: rules, Checkpointer: threads, Tools: []host.Tool{
		tool.Func("stubborn", "Works until it may end.", func(ctx context.Context, _ struct{}) (string, error) {
			began <- struct{}{}
			<-ctx.Done()
			close(f.told)
			<-let
			return "", context.Cause(ctx)
		}),
	}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	config := server.Config{
		Agents: map[string]runs.Agent{"agent": {Agent: agent, Threads: threads}}, Runs: runsmemory.New(runsmemory.Options{}),
	}
	f.performs = doortest.Serve(t, "{}", config)
	f.path = door.run(f.ask(t, f.performs, http.MethodPost, door.start, door.body))
	<-began
	f.other = doortest.Serve(t, "{}", config)
	t.Cleanup(f.end) // a server waits for its tools
	return f
}

// answered is the answer to a request.
type answered struct {
	status int
	text   string
	err    error
}

// exchange sends a request.
func (f *fleet) exchange(ctx context.Context, at *doortest.Server, method, path, body string) answered {
	request, err := http.NewRequestWithContext(ctx, method, at.URL+path, strings.NewReader(body))
	if err != nil {
		return answered{err: err}
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := at.Client.Do(request)
	if err != nil {
		return answered{err: err}
	}
	text, err := io.ReadAll(response.Body)
	return answered{response.StatusCode, string(text), errors.Join(err, response.Body.Close())}
}

// ask sends a request, and returns the document of the answer.
func (f *fleet) ask(t *testing.T, at *doortest.Server, method, path, body string) (document map[string]any) {
	t.Helper()
	answer := f.exchange(t.Context(), at, method, path, body)
	require.NoError(t, answer.err)
	require.NoError(t, json.Unmarshal([]byte(answer.text), &document), "%s", answer.text)
	return document
}

// ready reports whether a server takes requests.
func ready(t *testing.T, s *doortest.Server) bool {
	t.Helper()
	answer := httptest.NewRecorder()
	s.Handler.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/readyz", http.NoBody))
	return answer.Code == http.StatusOK
}

// cancel cancels the run at a server, and returns when the server waits for its end and the tool was told.
func (f *fleet) cancel(t *testing.T, at *doortest.Server, door *cancelling) <-chan answered {
	t.Helper()
	answers := make(chan answered, 1)
	go func() { answers <- f.exchange(t.Context(), at, http.MethodPost, f.path+door.cancel, "") }()
	<-f.told
	require.Eventually(t, func() bool { return at.Streams() == 1 }, 5*time.Second, time.Millisecond)
	return answers
}

// A server that stops does not wait for a run that another one performs: whoever waits for its cancellation learns that, and can ask again elsewhere.
func TestACancelThatWaitsEndsWhenItsServerStops(t *testing.T) {
	t.Parallel()
	for name, door := range cancellings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setupFleet(t, &door)
			answers := f.cancel(t, f.other, &door)
			f.other.Stop(t.Context())
			answer := <-answers
			require.NoError(t, answer.err)
			require.Equal(t, http.StatusServiceUnavailable, answer.status, answer.text)
			require.Contains(t, strings.ToLower(answer.text), "the server is stopping")
			require.Zero(t, f.other.Streams())

			require.NotEqual(t, door.over, f.ask(t, f.performs, http.MethodGet, f.path, "")["status"], "it is not over yet")
			f.end()
			again := f.exchange(t.Context(), f.performs, http.MethodPost, f.path+door.cancel, "") // it may be over by then
			require.NoError(t, again.err)
			require.Equal(t, door.over, f.ask(t, f.performs, http.MethodGet, f.path, "")["status"], again.text)
		})
	}
}

// A server that stops while it ends a cancelled run neither loses the cancellation nor gives the run to another server.
func TestACancelledRunIsOverWhenItsServerHasStopped(t *testing.T) {
	t.Parallel()
	for name, door := range cancellings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setupFleet(t, &door)
			answers := f.cancel(t, f.performs, &door)
			stopped := make(chan struct{})
			go func() {
				defer close(stopped)
				ended, end := context.WithCancel(context.Background())
				end() // there is no time left to drain
				f.performs.Stop(ended)
			}()
			require.Eventually(t, func() bool { return !ready(t, f.performs) }, 5*time.Second, time.Millisecond)
			f.end()
			answer := <-answers
			require.NoError(t, answer.err)
			require.Contains(t, []int{http.StatusOK, http.StatusServiceUnavailable}, answer.status, answer.text)
			<-stopped
			require.Equal(t, door.over, f.ask(t, f.other, http.MethodGet, f.path, "")["status"])
		})
	}
}
