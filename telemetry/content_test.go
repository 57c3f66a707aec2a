//go:build !no_otel

package telemetry_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/test/otlpserver"
)

// The addresses that must stay secret: one that the user writes, one that a tool finds, and one that the model makes up.
const told, found, saidByModel = "ann@example.com", "bob@example.com", "eve@example.com"

// exits performs a run that meets all addresses, and returns what left the process: telemetry, the thread as the store has it now, and the log.
func exits(t *testing.T, middleware ...host.Middleware) (r *recording, stored, logged string) {
	t.Helper()
	r = record(t, captureContent, "true")
	threads, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "threads.db"), sqlite.Options{})
	require.NoError(t, err)
	var log bytes.Buffer
	look := tool.Func("look", "looks", func(context.Context, struct{}) (string, error) { return "It is " + found + ".", nil })
	agent := r.agent(host.Config{
		Name: "clerk", Checkpointer: threads, Middleware: middleware, Tools: []host.Tool{look},
		Logger: slog.New(r.LogHandler(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))),
		Model:  scripted.NewTurns(spending(scripted.CallTools(abi.Call("1", "look", nil))), spending(scripted.Say("Write to "+saidByModel+"."))),
	})
	in := say("I am " + told + ".")
	in.Thread = "t"
	result, err := agent.Run(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, host.Completed, result.Status)
	kept, err := agent.State(t.Context(), "t", 0)
	require.NoError(t, err)
	for _, m := range kept.Messages.All() {
		stored += m.Content.Text() + "\n"
	}
	require.NoError(t, threads.Close())
	r.done()
	return r, stored, log.String()
}

func TestContentIsRecordedOnlyIfSomebodyAsksForIt(t *testing.T) {
	t.Parallel()
	r := record(t)
	agent := r.agent(host.Config{Model: scripted.NewTurns(scripted.Say("the answer"))})
	_, err := agent.Run(t.Context(), say("the question"))
	require.NoError(t, err)
	r.done()
	require.Contains(t, r.All(), "chat scripted")
	require.NotContains(t, r.All(), "the answer")
	require.NotContains(t, r.All(), "the question")
}

// Without middleware that redacts, content is what it is: this shows that the other tests look at the right places.
func TestContentWithoutRedaction(t *testing.T) {
	t.Parallel()
	r, stored, _ := exits(t)
	for _, address := range []string{told, found, saidByModel} {
		require.Contains(t, r.All(), address)
		require.Contains(t, stored, address)
	}
	spans := r.Spans()
	require.JSONEq(t, `[{"role":"user","parts":[{"type":"text","content":"I am ann@example.com."}]}]`, otlpserver.Attribute(spans[0].GetAttributes(), "gen_ai.input.messages"))
	require.JSONEq(t, `[{"role":"assistant","name":"clerk","finish_reason":"stop","parts":[{"type":"text","content":"Write to eve@example.com."}]}]`,
		otlpserver.Attribute(spans[0].GetAttributes(), "gen_ai.output.messages"))
	for _, span := range spans {
		switch span.GetName() {
		case "execute_tool look":
			require.Equal(t, []string{"{}", "It is bob@example.com."}, []string{
				otlpserver.Attribute(span.GetAttributes(), "gen_ai.tool.call.arguments"), otlpserver.Attribute(span.GetAttributes(), "gen_ai.tool.call.result"),
			})
		case "chat scripted":
			require.Contains(t, otlpserver.Attribute(span.GetAttributes(), "gen_ai.output.messages"), `"finish_reason":"`)
			require.Contains(t, otlpserver.Attribute(span.GetAttributes(), "gen_ai.tool.definitions"), `"look"`)
		}
	}
}

// The built-in middleware redacts messages in the thread. Telemetry shows them as it leaves them, although it begins to work after the model has
// answered.
func TestContentIsAsPIILeavesIt(t *testing.T) {
	t.Parallel()
	r, stored, logged := exits(t, builtin.PII{PIIType: "email", ApplyToOutput: true, ApplyToToolResults: true})
	for _, address := range []string{told, found, saidByModel} {
		require.NotContains(t, r.All(), address, "telemetry")
		require.NotContains(t, stored, address, "the store")
		require.NotContains(t, logged, address, "the log")
	}
	require.Contains(t, r.All(), "[REDACTED_EMAIL]")
	require.Contains(t, stored, "[REDACTED_EMAIL]")
}

// A plugin of the sandbox redacts what the user writes and what tools find.
func TestContentIsAsAPluginLeavesIt(t *testing.T) {
	t.Parallel()
	r, stored, logged := exits(t, redact(t))
	for _, address := range []string{told, found} {
		require.NotContains(t, r.All(), address, "telemetry")
		require.NotContains(t, stored, address, "the store")
		require.NotContains(t, logged, address, "the log")
	}
	require.Contains(t, r.All(), saidByModel, "this plugin leaves answers as they are")
}

// A run that a middleware stops may stop before others have redacted, so nothing of it is shown.
func TestContentOfARunThatFailsIsNotRecorded(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]host.Middleware{
		"blocked by pii": builtin.PII{PIIType: "email", Strategy: "block", ApplyToOutput: true},
		"a failed hook": host.AfterModel("fails", func(context.Context, *host.Runtime) (*host.Update, error) {
			return nil, errors.New("it was " + saidByModel)
		}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := record(t, captureContent, "true")
			agent := r.agent(host.Config{Middleware: []host.Middleware{m}, Model: scripted.NewTurns(spending(scripted.Say("Write to " + saidByModel + ".")))})
			_, err := agent.Run(t.Context(), say("hi"))
			require.Error(t, err)
			r.done()
			require.Contains(t, r.All(), "chat scripted")
			require.NotContains(t, r.All(), saidByModel)
		})
	}
}

// A policy decides what the span of a hook shows.
func TestATracePolicyDecidesWhatIsShownOfAHook(t *testing.T) {
	t.Parallel()
	r := record(t)
	agent := r.agent(host.Config{Model: scripted.NewTurns(scripted.Say("hello")), Middleware: []host.Middleware{secretive{}}})
	_, err := agent.Run(t.Context(), say("hi"))
	require.Error(t, err)
	r.done()
	for _, span := range r.Spans() {
		if span.GetName() == "secretive.before_agent" {
			require.Empty(t, otlpserver.Attribute(span.GetAttributes(), "error.type"))
			return
		}
	}
	t.Fatal("there is no span of the hook")
}

type secretive struct{}

func (secretive) Name() string { return "secretive" }

func (secretive) Hooks(context.Context, host.Env) (*host.Hooks, error) {
	return &host.Hooks{
		BeforeAgent: host.NodeHook{Func: func(context.Context, *host.Runtime) (*host.Update, error) { return nil, errors.New("no") }},
		TracePolicy: func(e host.Event) host.Event { e.Error = nil; return e },
	}, nil
}
