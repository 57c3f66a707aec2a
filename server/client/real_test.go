package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/runs"
	runsmemory "github.com/agenthost/agenthost/runs/memory"
	"github.com/agenthost/agenthost/server"
	"github.com/agenthost/agenthost/server/client"
)

// cutting is a handler whose streams break off after a number of bytes, if that is not 0. Each one comes further than the one before, since
// some events are long.
type cutting struct {
	http.Handler

	after atomic.Int64
	cuts  atomic.Int64
}

func (c *cutting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if after := c.after.Load(); after > 0 && strings.HasSuffix(r.URL.Path, "/stream") {
		c.after.Store(2 * after)
		w = &cut{w, after, &c.cuts}
	}
	c.Handler.ServeHTTP(w, r)
}

// cut is an answer that breaks off.
type cut struct {
	http.ResponseWriter

	left int64
	cuts *atomic.Int64
}

func (c *cut) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *cut) Write(p []byte) (int, error) {
	if c.left -= int64(len(p)); c.left < 0 {
		c.cuts.Add(1)
		panic(http.ErrAbortHandler)
	}
	return c.ResponseWriter.Write(p)
}

// serving starts a server with an agent that looks at the weather, or asks before it writes.
func serving(t *testing.T) (*client.Client, *cutting) {
	t.Helper()
	rules, err := scripted.NewRules(
		scripted.Rule{From: "human", When: "^weather (.*)$", Call: []scripted.RuleCall{{Tool: "weather", Args: map[string]any{"city": "$1"}}}},
		scripted.Rule{From: "human", When: "^write (.*)$", Call: []scripted.RuleCall{{Tool: "write", Args: map[string]any{"city": "$1"}}}},
		scripted.Rule{When: "(?s)(.*)", Say: "It said: $1"},
	)
	require.NoError(t, err)
	type city struct {
		City string `json:"city"`
	}
	says := func(_ context.Context, in city) (string, error) { return "sunny in " + in.City, nil }
	threads := memory.New()
	agent, err := host.New(host.Config{
		Name: "agent", Model: rules, Checkpointer: threads, Durability: host.DurabilityStep,
		Tools: []host.Tool{tool.Func("weather", "Tells the weather.", says), tool.Func("write", "Writes.", says)},
		Middleware: []host.Middleware{builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{
			"write": {AllowedDecisions: []builtin.DecisionType{builtin.Approve}},
		}}},
	})
	require.NoError(t, err)
	s, err := server.New(server.Config{
		Agents: map[string]runs.Agent{"agent": {Agent: agent, Threads: threads}}, Runs: runsmemory.New(runsmemory.Options{}),
	})
	require.NoError(t, err)
	handler := &cutting{Handler: s.Handler()}
	listening := httptest.NewServer(handler)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		s.Close(ctx)
		listening.Close()
		require.NoError(t, agent.Close())
	})
	return connect(t, client.Config{URL: listening.URL}), handler
}

func asking(t *testing.T, text string, modes ...string) *client.RunRequest {
	t.Helper()
	input, err := wire.MapOf(map[string]any{"messages": []any{map[string]any{"role": "user", "content": text}}})
	require.NoError(t, err)
	return &client.RunRequest{Assistant: "agent", Input: input, StreamModes: modes}
}

// last returns the text of the last message in an event of the mode values.
func last(t *testing.T, data []byte) string {
	t.Helper()
	var values struct {
		Messages []struct {
			Content string `json:"content"`
		} `json:"messages"`
	}
	require.NoError(t, json.Unmarshal(data, &values))
	return values.Messages[len(values.Messages)-1].Content
}

// Connections that break after more and more bytes lose and double nothing.
func TestAStreamGoesOn(t *testing.T) {
	t.Parallel()
	c, handler := serving(t)
	for _, after := range []int64{1, 150, 1500} {
		thread, err := c.CreateThread(t.Context(), nil)
		require.NoError(t, err)
		handler.after.Store(after)
		var ids []string
		text, run := "", ""
		for e, err := range c.Stream(t.Context(), thread.ID, asking(t, "weather Bern", "values", "updates", "messages-tuple")) {
			if after == 1 && err != nil {
				require.ErrorContains(t, err, "the server cannot be reached") // it is not known whether the run began
				run = "unknown"
				break
			}
			require.NoError(t, err)
			ids = append(ids, e.ID)
			switch e.Name {
			case "metadata":
				var metadata struct {
					RunID string `json:"run_id"`
				}
				require.NoError(t, json.Unmarshal(e.Data, &metadata))
				run = metadata.RunID
			case "values":
				text = last(t, e.Data)
			}
		}
		handler.after.Store(0)
		if run == "unknown" {
			continue
		}
		require.Equal(t, "It said: sunny in Bern", text, "cut after %d bytes", after)
		var again []string
		for e, err := range c.Follow(t.Context(), thread.ID, run, "-1") {
			require.NoError(t, err)
			again = append(again, e.ID)
		}
		require.Equal(t, again, ids, "cut after %d bytes", after)
	}
	require.Greater(t, handler.cuts.Load(), int64(5))
}

func TestAQuestionIsAnswered(t *testing.T) {
	t.Parallel()
	c, _ := serving(t)
	assistants, err := c.SearchAssistants(t.Context(), "agent")
	require.NoError(t, err)
	require.Equal(t, "agent", assistants[0].Graph)
	thread, err := c.CreateThread(t.Context(), wire.Map{{Key: "user", Value: wire.String("ada")}})
	require.NoError(t, err)
	for _, err := range c.Stream(t.Context(), thread.ID, asking(t, "write Bern")) {
		require.NoError(t, err)
	}
	state, err := c.State(t.Context(), thread.ID)
	require.NoError(t, err)
	require.Len(t, state.Interrupts, 1)
	require.Equal(t, []string{"human_in_the_loop.after_model"}, state.Next)
	found, err := c.SearchThreads(t.Context(), client.ThreadQuery{
		Status: client.ThreadInterrupted, Metadata: wire.Map{{Key: "user", Value: wire.String("ada")}}, Limit: 5,
	})
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, thread.ID, found[0].ID)

	resume, err := wire.MapOf(map[string]any{"resume": map[string]any{"decisions": []any{map[string]any{"type": "approve"}}}})
	require.NoError(t, err)
	text := ""
	for e, err := range c.Stream(t.Context(), thread.ID, &client.RunRequest{Assistant: assistants[0].ID, Command: resume}) {
		require.NoError(t, err)
		if e.Name == "values" {
			text = last(t, e.Data)
		}
	}
	require.Equal(t, "It said: sunny in Bern", text)

	history, err := c.History(t.Context(), thread.ID, 2)
	require.NoError(t, err)
	require.Len(t, history, 2)
	more, err := wire.MapOf(map[string]any{"messages": []any{map[string]any{"role": "user", "content": "thanks"}}})
	require.NoError(t, err)
	require.NoError(t, c.UpdateState(t.Context(), thread.ID, client.StateUpdate{Values: more}))
	state, err = c.State(t.Context(), thread.ID)
	require.NoError(t, err)
	require.Equal(t, "thanks", last(t, []byte(state.Values.JSON())))
	require.NotEqual(t, history[0].Checkpoint, state.Checkpoint)

	require.NoError(t, c.DeleteThread(t.Context(), thread.ID))
	_, err = c.State(t.Context(), thread.ID)
	var refused *client.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, http.StatusNotFound, refused.Status)
}

func TestAConsumerStopsAStream(t *testing.T) {
	t.Parallel()
	c, _ := serving(t)
	thread, err := c.CreateThread(t.Context(), nil)
	require.NoError(t, err)
	for _, err := range c.Stream(t.Context(), thread.ID, asking(t, "weather Bern")) {
		require.NoError(t, err)
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range c.Stream(ctx, thread.ID, asking(t, "weather Bern")) {
		require.ErrorIs(t, err, context.Canceled)
	}
	for _, err := range c.Stream(t.Context(), "nothing", asking(t, "weather Bern")) {
		require.ErrorContains(t, err, "thread")
	}
}

func TestStreamsOfHostileServers(t *testing.T) {
	t.Parallel()
	metadata := "event: metadata\nid: 1\ndata: {\"run_id\":\"r1\"}\n\n"
	for name, test := range map[string]struct{ answer, says string }{
		"no JSON":     {metadata + "data: {\n\n", "an event is not JSON"},
		"no run":      {"event: values\ndata: {}\n\n", "the stream ended before it named the run"},
		"an odd run":  {"event: metadata\ndata: {\"run_id\":\"../x\"}\n\n", "the stream ended before it named the run"},
		"a huge line": {metadata + "data: \"" + strings.Repeat("x", 17<<20) + "\"\n\n", "an event is longer than"},
		"no status":   {metadata, "it has no run_id"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasSuffix(r.URL.Path, "/stream") {
					fmt.Fprint(w, "{}")
					return
				}
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(w, test.answer)
			}))
			defer listening.Close()
			c := connect(t, client.Config{URL: listening.URL})
			var failed error
			for _, err := range c.Stream(t.Context(), "t1", &client.RunRequest{Assistant: "a"}) {
				failed = err
			}
			require.ErrorContains(t, failed, test.says)
		})
	}
}
