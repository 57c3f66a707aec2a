package mcp_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool/mcp"
)

var form = object(map[string]any{"name": map[string]any{"type": "string"}}, "name")

// asking is a tool that asks for a name, and then whether that is right: by requests, as protocols before 2026-07-28 do, or in
// its results.
func asking(started *atomic.Int32, message func(run int32) string) handler {
	said := func(results ...*sdk.ElicitResult) *sdk.CallToolResult {
		out := ""
		for _, r := range results {
			out += fmt.Sprint(r.Action, r.Content, ";")
		}
		return text(out)
	}
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		first := &sdk.ElicitParams{Message: message(started.Add(1)), RequestedSchema: form}
		second := &sdk.ElicitParams{Message: "Is that right?"}
		if req.ProtocolVersion() < "2026-07-28" {
			one, err := req.Session.Elicit(ctx, first)
			if err != nil {
				return nil, err
			}
			two, err := req.Session.Elicit(ctx, second)
			if err != nil {
				return nil, err
			}
			return said(one, two), nil
		}
		if len(req.Params.InputResponses) == 0 {
			return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"a": first, "b": second}, RequestState: "state"}, nil
		}
		one, _ := req.Params.InputResponses["a"].(*sdk.ElicitResult)
		two, _ := req.Params.InputResponses["b"].(*sdk.ElicitResult)
		if req.Params.RequestState != "state" {
			return text("the state is gone"), nil
		}
		return said(one, two), nil
	}
}

func always(s string) func(int32) string { return func(int32) string { return s } }

// eliciting connects to a server with the tool, which speaks this protocol.
func eliciting(t *testing.T, version string, handle handler) *mcp.Server {
	t.Helper()
	server := sdk.NewServer(&sdk.Implementation{Name: "x", Version: "1"}, &sdk.ServerOptions{SupportedProtocolVersions: []string{version}})
	server.AddTool(&sdk.Tool{Name: "ask", InputSchema: object(nil)}, handle)
	return connect(t, mcp.Config{Name: "asker", Transport: inProcess(t, server), Elicitation: true})
}

func TestAQuestionOfAServerInterruptsTheRun(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			var started atomic.Int32
			a := agent(t, eliciting(t, version, asking(&started, always("Who are you?"))), scripted.CallTools(abi.Call("1", "ask", nil)))
			result := a.run(host.Input{})
			require.Equal(t, host.Interrupted, result.Status)
			asked := result.Interrupts[0]
			require.Regexp(t, `^elicitation-1-[0-9a-f]{16}$`, asked.Key)
			require.Equal(t, map[string]any{
				"type": mcp.QuestionType, "server": "asker", "tool": "ask", "message": "Who are you?", "requested_schema": form,
			}, withList(jsonOf(t, asked.Value)))

			waiting := func() []host.Interrupt { return result.Interrupts }
			require.Len(t, waiting(), map[string]int{"2025-11-25": 1, "2026-07-28": 2}[version], "a result asks all at once")
			result = a.run(host.Input{Resume: []host.Answer{{Interrupt: asked.ID, Value: map[string]any{"name": 5}}}})
			require.Equal(t, host.Interrupted, result.Status)
			again := find(t, result, asked.Key)
			require.Equal(t, asked.ID, again.ID, "an answer that does not fit is asked for again")
			require.Contains(t, jsonOf(t, again.Value)["problem"], "the answer does not fit: ")

			result = a.run(host.Input{Resume: []host.Answer{{Interrupt: asked.ID, Value: "Ada"}}})
			require.Equal(t, host.Interrupted, result.Status)
			require.Len(t, waiting(), 1)
			require.Equal(t, "Is that right?", jsonOf(t, waiting()[0].Value)["message"])

			result = a.run(host.Input{Resume: []host.Answer{{Value: map[string]any{"action": "decline"}}}})
			require.Equal(t, host.Completed, result.Status)
			require.Equal(t, "acceptmap[name:Ada];declinemap[];", answers(result)[0].Content.Text())
		})
	}
}

// withList makes a schema comparable with one that was never JSON.
func withList(m map[string]any) map[string]any {
	if s, ok := m["requested_schema"].(map[string]any); ok {
		s["required"] = []string{"name"}
	}
	return m
}

func find(t *testing.T, r *host.Result, key string) host.Interrupt {
	t.Helper()
	for _, in := range r.Interrupts {
		if in.Key == key {
			return in
		}
	}
	require.Fail(t, "not asked", key)
	return host.Interrupt{}
}

func TestAnAnswerIsForNoOtherQuestion(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			var started atomic.Int32
			message := func(run int32) string { return fmt.Sprintf("Remove file %d?", run) }
			a := agent(t, eliciting(t, version, asking(&started, message)), scripted.CallTools(abi.Call("1", "ask", nil)))
			result := a.run(host.Input{})
			asked := result.Interrupts[0]
			require.Equal(t, "Remove file 1?", jsonOf(t, asked.Value)["message"])
			result = a.run(host.Input{Resume: []host.Answer{{Interrupt: asked.ID, Value: map[string]any{"name": "yes"}}}})
			require.Equal(t, host.Interrupted, result.Status)
			require.Equal(t, "Remove file 2?", jsonOf(t, result.Interrupts[0].Value)["message"])
		})
	}
}

func TestWithoutElicitationAServerCannotAsk(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"2025-11-25": "client does not support elicitation",
		"2026-07-28": `Error: the MCP server "server" made a request during the call that this agent does not allow; the call has ended`,
	} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			var started atomic.Int32
			server := sdk.NewServer(&sdk.Implementation{Name: "x", Version: "1"}, &sdk.ServerOptions{SupportedProtocolVersions: []string{version}})
			server.AddTool(&sdk.Tool{Name: "ask", InputSchema: object(nil)}, asking(&started, always("Who?")))
			s := connect(t, mcp.Config{Transport: inProcess(t, server)})
			require.Contains(t, refused(t, s, "ask"), want)
		})
	}
}

func TestAServerThatAsksMayBeBusy(t *testing.T) {
	t.Parallel()
	s := eliciting(t, "2026-07-28", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{}}, nil
	})
	require.Equal(t, `Error: the MCP server "asker" is busy; the call has not run, and can be made again later`, refused(t, s, "ask"))
}

func TestQuestionsThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	for want, params := range map[string]*sdk.ElicitParams{
		"only forms are supported":                         {Message: "x", URL: "https://example.com", ElicitationID: "1"},
		"the question has more than":                       {Message: string(make([]byte, 20<<10))},
		`does not have the type "object"`:                  {Message: "x", RequestedSchema: map[string]any{"type": "array"}},
		"refers to \"other\", which is outside the schema": {Message: "x", RequestedSchema: map[string]any{"$ref": "other"}},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			s := eliciting(t, "2026-07-28", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"a": params}}, nil
			})
			require.Contains(t, refused(t, s, "ask"), want)
		})
	}
}

func TestCallsThatMayAskRunInTurn(t *testing.T) {
	t.Parallel()
	var under, most [2]atomic.Int32
	var resumed atomic.Int32 // the server hears late that a call has ended which asks: only those that are answered count
	s := eliciting(t, "2025-11-25", func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		n := resumed.Load()
		most[n].Store(max(most[n].Load(), under[n].Add(1)))
		defer under[n].Add(-1)
		answer, err := req.Session.Elicit(ctx, &sdk.ElicitParams{Message: "ok?"})
		if err != nil {
			return nil, err
		}
		return text(answer.Action), nil
	})
	a := agent(t, s, scripted.CallTools(abi.Call("1", "ask", nil), abi.Call("2", "ask", nil)))
	result := a.run(host.Input{})
	require.Len(t, result.Interrupts, 2)
	resume := []host.Answer{{Interrupt: result.Interrupts[0].ID, Value: "accept"}, {Interrupt: result.Interrupts[1].ID, Value: "cancel"}}
	resumed.Store(1)
	result = a.run(host.Input{Resume: resume})
	got := answers(result)
	require.Equal(t, []string{"accept", "cancel"}, []string{got[0].Content.Text(), got[1].Content.Text()})
	require.Equal(t, int32(1), most[1].Load())
}
