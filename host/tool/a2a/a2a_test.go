package a2a_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	protocol "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool/a2a"
)

// The library's server keeps goroutines for tasks that are not over.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/a2aproject/a2a-go/v2/internal/taskexec.runProducerConsumer"),
		goleak.IgnoreAnyFunction("github.com/a2aproject/a2a-go/v2/internal/taskexec.(*executionHandler).processEvents"),
		goleak.IgnoreAnyFunction("github.com/a2aproject/a2a-go/v2/internal/taskexec.runProducerConsumer.func3"),
		goleak.IgnoreAnyFunction("github.com/a2aproject/a2a-go/v2/a2asrv/eventqueue.newInMemoryEventBroker.func1"))
}

// elsewhere is an agent that the library serves. It does what the text of a message says.
type elsewhere struct {
	cancelled atomic.Int32
	card      *protocol.AgentCard
}

func (e *elsewhere) Execute(ctx context.Context, x *a2asrv.ExecutorContext) iter.Seq2[protocol.Event, error] {
	return func(yield func(protocol.Event, error) bool) {
		text := x.Message.Parts[0].Text()
		say := func(state protocol.TaskState, said string) {
			var m *protocol.Message
			if said != "" {
				m = protocol.NewMessageForTask(protocol.MessageRoleAgent, x, protocol.NewTextPart(said))
			}
			yield(protocol.NewStatusUpdateEvent(x, state, m), nil)
		}
		if x.StoredTask == nil {
			if text == "talk" {
				yield(protocol.NewMessageForTask(protocol.MessageRoleAgent, x, protocol.NewTextPart("just talk")), nil)
				return
			}
			if !yield(protocol.NewSubmittedTask(x, x.Message), nil) {
				return
			}
		}
		say(protocol.TaskStateWorking, "on it")
		switch text {
		case "ask":
			say(protocol.TaskStateInputRequired, "Which color?")
		case "fail":
			say(protocol.TaskStateFailed, "no luck with secret-token-1")
		case "login":
			say(protocol.TaskStateAuthRequired, "log in")
		case "wait":
			<-ctx.Done()
		default:
			yield(protocol.NewArtifactEvent(x, protocol.NewTextPart("did "+text), &protocol.Part{Content: protocol.Raw("png"), MediaType: "image/png"},
				&protocol.Part{Content: protocol.Raw("zip"), MediaType: "application/zip", Filename: "a.zip"}, protocol.NewDataPart(map[string]any{"n": 1})), nil)
			say(protocol.TaskStateCompleted, "")
		}
	}
}

func (e *elsewhere) Cancel(_ context.Context, x *a2asrv.ExecutorContext) iter.Seq2[protocol.Event, error] {
	return func(yield func(protocol.Event, error) bool) {
		e.cancelled.Add(1)
		yield(protocol.NewStatusUpdateEvent(x, protocol.TaskStateCanceled, nil), nil)
	}
}

// start serves an agent, and returns its address.
func start(t *testing.T, streaming bool, change func(card *protocol.AgentCard)) (*elsewhere, string) {
	t.Helper()
	e := &elsewhere{}
	mux := http.NewServeMux()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Api-Key") != "secret-token-1" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	e.card = &protocol.AgentCard{
		Name: "Paint shop", Description: "It paints.", Version: "1", Capabilities: protocol.AgentCapabilities{Streaming: streaming},
		SupportedInterfaces: []*protocol.AgentInterface{protocol.NewAgentInterface(s.URL+"/call", protocol.TransportProtocolJSONRPC)},
		Skills:              []protocol.AgentSkill{{ID: "p", Name: "paint", Description: "Paints walls.", Tags: []string{"t"}}},
	}
	if change != nil {
		change(e.card)
	}
	mux.Handle("/call", a2asrv.NewJSONRPCHandler(a2asrv.NewHandler(e)))
	mux.HandleFunc("/.well-known/agent-card.json", func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(e.card) })
	return e, s.URL
}

func headers() map[string]string { return map[string]string{"X-Api-Key": "secret-token-1"} }

// call calls the tool.
func call(ctx context.Context, t *testing.T, tool *a2a.Tool, args map[string]any) (*host.ToolOutput, error) {
	t.Helper()
	raw, err := wire.Of(args)
	require.NoError(t, err)
	return tool.Call(ctx, nil, &abi.ToolCall{ID: "1", Name: tool.Spec().Name, Args: raw})
}

func TestAnAgentElsewhereIsATool(t *testing.T) {
	t.Parallel()
	for _, streaming := range []bool{true, false} {
		t.Run(fmt.Sprintf("streaming %v", streaming), func(t *testing.T) {
			t.Parallel()
			_, url := start(t, streaming, nil)
			tool, err := a2a.New(t.Context(), a2a.Config{URL: url, Headers: headers()})
			require.NoError(t, err)
			defer func() { require.NoError(t, tool.Close()) }()
			require.Equal(t, "Paint_shop", tool.Spec().Name)
			require.Equal(t, "It paints.\n- paint: Paints walls.", tool.Spec().Description)
			require.False(t, tool.Spec().Idempotent)

			out, err := call(t.Context(), t, tool, map[string]any{"message": "paint"})
			require.NoError(t, err)
			require.False(t, out.Failed)
			text := out.Content.Text()
			require.True(t, strings.HasPrefix(text, "did paint\n[the file \"a.zip\""), text)
			require.Contains(t, text, `{"n":1}`)
			require.Contains(t, text, "context_id")
			require.Equal(t, abi.BlockImage, out.Content.Blocks()[1].Type())

			asked, err := call(t.Context(), t, tool, map[string]any{"message": "ask"})
			require.NoError(t, err)
			require.Contains(t, asked.Content.Text(), "It asks:\nWhich color?")
			_, id, found := strings.Cut(asked.Content.Text(), `task_id "`)
			require.True(t, found)
			id, _, _ = strings.Cut(id, `"`)
			answered, err := call(t.Context(), t, tool, map[string]any{"message": "blue", "task_id": id})
			require.NoError(t, err)
			require.Contains(t, answered.Content.Text(), "did blue")

			for message, says := range map[string]string{"fail": "the task of the agent is failed: no luck with", "login": "needs a login", "": "the message is empty"} {
				out, err := call(t.Context(), t, tool, map[string]any{"message": message})
				require.NoError(t, err)
				require.True(t, out.Failed)
				require.Contains(t, out.Content.Text(), says)
				require.NotContains(t, out.Content.Text(), "secret-token-1")
			}
			talk, err := call(t.Context(), t, tool, map[string]any{"message": "talk"})
			require.NoError(t, err)
			require.Contains(t, talk.Content.Text(), "just talk")
			unknown, err := call(t.Context(), t, tool, map[string]any{"message": "x", "task_id": "nobody"})
			require.NoError(t, err)
			require.True(t, unknown.Failed)
		})
	}
}

func TestACallEndsInTime(t *testing.T) {
	t.Parallel()
	e, url := start(t, true, nil)
	tool, err := a2a.New(t.Context(), a2a.Config{URL: url, Headers: headers(), Timeout: 300 * time.Millisecond})
	require.NoError(t, err)
	defer func() { require.NoError(t, tool.Close()) }()
	out, err := call(t.Context(), t, tool, map[string]any{"message": "wait"})
	require.NoError(t, err)
	require.True(t, out.Failed)
	require.Contains(t, out.Content.Text(), "has not finished within 300ms")
	require.EqualValues(t, 1, e.cancelled.Load(), "the agent does not go on for nobody")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = call(ctx, t, tool, map[string]any{"message": "wait"})
	require.ErrorIs(t, err, context.Canceled)
}

func TestProgressIsShown(t *testing.T) {
	t.Parallel()
	_, url := start(t, true, nil)
	tool, err := a2a.New(t.Context(), a2a.Config{URL: url, Headers: headers(), Name: "painter", Description: "Paints."})
	require.NoError(t, err)
	defer func() { require.NoError(t, tool.Close()) }()
	rules, err := scripted.NewRules(
		scripted.Rule{From: "human", Call: []scripted.RuleCall{{Tool: "painter", Args: map[string]any{"message": "paint"}}}},
		scripted.Rule{From: "tool", When: "(?s)(.*)", Say: "It said: $1"},
	)
	require.NoError(t, err)
	agent, err := host.New(host.Config{Model: rules, Tools: []host.Tool{tool}})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	var told []string
	result, err := agent.RunEvents(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}}, func(e host.Event) error {
		if e.Type == host.EventCustom && e.Name == "progress" {
			text, _ := e.Data.Get("message").AsString()
			told = append(told, text)
		}
		return nil
	})
	require.NoError(t, err)
	require.Contains(t, result.Answer(), "did paint")
	require.Equal(t, "on it", told[0])
	require.Contains(t, told[1], "did paint")
}

func TestCardsAreChecked(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(card *protocol.AgentCard)
		says   string
	}{
		"another host": {func(c *protocol.AgentCard) { c.SupportedInterfaces[0].URL = "https://evil.example.com/" }, "at the host of url"},
		"another port": {func(c *protocol.AgentCard) { c.SupportedInterfaces[0].URL = "http://127.0.0.1:1/" }, "at the host of url"},
		"an older version": {func(c *protocol.AgentCard) {
			c.SupportedInterfaces[0].ProtocolVersion = "0.3"
		}, "version 1.0"},
		"another binding": {func(c *protocol.AgentCard) { c.SupportedInterfaces[0].ProtocolBinding = "GRPC" }, "JSON-RPC"},
		"nothing":         {func(c *protocol.AgentCard) { c.SupportedInterfaces = nil }, "cannot be called"},
		"no name":         {func(c *protocol.AgentCard) { c.Name = "?" }, "has no name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, url := start(t, true, test.change)
			_, err := a2a.New(t.Context(), a2a.Config{URL: url, Headers: headers()})
			var wrong *a2a.ConfigError
			require.ErrorAs(t, err, &wrong)
			require.ErrorContains(t, err, test.says)
		})
	}
	_, url := start(t, true, nil)
	_, err := a2a.New(t.Context(), a2a.Config{URL: url})
	require.ErrorContains(t, err, "401 Unauthorized: it wants credentials")
	_, err = a2a.New(t.Context(), a2a.Config{URL: url, Headers: map[string]string{"X-Api-Key": "another-token"}})
	require.ErrorContains(t, err, "it does not accept the credentials in headers (X-Api-Key)")
	require.NotContains(t, err.Error(), "another-token")
	_, err = a2a.New(t.Context(), a2a.Config{URL: url + "/a2a/nobody", Headers: headers()})
	require.ErrorContains(t, err, "404 Not Found: there is no card of an agent")
	_, err = a2a.New(t.Context(), a2a.Config{URL: "http://127.0.0.1:1", Headers: headers()})
	require.ErrorContains(t, err, "no server listens at 127.0.0.1:1")
	tool, err := a2a.New(t.Context(), a2a.Config{URL: url + "/.well-known/agent-card.json", Headers: headers()})
	require.NoError(t, err)
	require.NoError(t, tool.Close())
}

func TestConfigurationsAreChecked(t *testing.T) {
	t.Parallel()
	for _, bad := range []a2a.Config{
		{},
		{URL: "ftp://example.com"},
		{URL: "https://u:p@example.com"},
		{URL: "https://example.com?x"},
		{URL: "https://example.com", Name: "a b"},
		{URL: "https://example.com", Timeout: -1},
		{URL: "https://example.com", MaxResult: 1 << 30},
		{URL: "https://example.com", Headers: map[string]string{"Host": "x"}},
		{URL: "https://example.com", Headers: map[string]string{"a": "b\nc"}},
	} {
		var wrong *a2a.ConfigError
		require.ErrorAs(t, bad.Check(), &wrong, "%+v", bad)
	}
	for url, name := range map[string]string{
		"https://example.com": "example_com", "https://example.com/a2a/billing/": "billing", "https://example.com/x/.well-known/agent-card.json": "x",
	} {
		require.Equal(t, name, (&a2a.Config{URL: url}).PlaceholderName())
	}
}
