package mcp_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool/mcp"
	"github.com/agenthost/agenthost/test/testservers"
)

// sampler is a tool that asks a model this, and says the answer or the error.
func sampler(asked *sdk.CreateMessageWithToolsParams) handler {
	said := func(r *sdk.CreateMessageWithToolsResult) *sdk.CallToolResult {
		out := r.Model + " " + r.StopReason
		for _, c := range r.Content {
			if part, ok := c.(*sdk.TextContent); ok {
				out += " " + part.Text
			}
		}
		return text(out)
	}
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if req.ProtocolVersion() < "2026-07-28" {
			got, err := req.Session.CreateMessageWithTools(ctx, asked)
			if err != nil {
				return nil, err
			}
			return said(got), nil
		}
		if given, ok := req.Params.InputResponses["m"].(*sdk.CreateMessageWithToolsResult); ok {
			return said(given), nil
		}
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"m": asked}}, nil
	}
}

func prompt(said string) *sdk.CreateMessageWithToolsParams {
	return &sdk.CreateMessageWithToolsParams{
		SystemPrompt: "You are a pirate.", MaxTokens: 50,
		Messages: []*sdk.SamplingMessageV2{{Role: "user", Content: []sdk.Content{&sdk.TextContent{Text: said}}}},
	}
}

// oracle is a model that notes its requests.
type oracle struct {
	mu   sync.Mutex
	seen []*model.Request
}

func (*oracle) Info() model.Info { return model.Info{Name: "oracle", Provider: "openai"} }

func (o *oracle) Generate(_ context.Context, req *model.Request) (*model.Response, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen = append(o.seen, req)
	said := abi.AI("Arr.")
	said.Usage = &abi.Usage{InputTokens: 60, OutputTokens: 40, TotalTokens: 100}
	return model.Reply(said), nil
}

func sampling(t *testing.T, version string, asked *sdk.CreateMessageWithToolsParams, grant *mcp.Sampling) *mcp.Server {
	t.Helper()
	server := sdk.NewServer(&sdk.Implementation{Name: "x", Version: "1"}, &sdk.ServerOptions{SupportedProtocolVersions: []string{version}})
	server.AddTool(&sdk.Tool{Name: "ask", InputSchema: object(nil)}, sampler(asked))
	return connect(t, mcp.Config{Name: "pirates", Transport: inProcess(t, server), Sampling: grant})
}

var versions = []string{"2025-11-25", "2026-07-28"}

func TestAServerAsksAModel(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			o := &oracle{}
			a := agent(t, sampling(t, version, prompt("Who are you?"), &mcp.Sampling{Model: o, Unattended: true}),
				scripted.CallTools(abi.Call("1", "ask", nil)))
			result := a.run(host.Input{})
			require.Equal(t, "oracle endTurn Arr.", answers(result)[0].Content.Text())
			require.Equal(t, uint64(100), result.Usage.TotalTokens, "the run pays")
			require.Len(t, o.seen, 1)
			req := o.seen[0]
			require.Equal(t, 1, req.Messages.Len(), "the server sees nothing of the run")
			require.Empty(t, req.Tools)
			require.True(t, strings.HasPrefix(req.System.Text(), `The following request comes from the MCP server "pirates", a program of a third party`))
			require.True(t, strings.HasSuffix(req.System.Text(), "\n\nYou are a pirate."))
			limit, _ := req.Settings.Get("max_tokens").AsInt()
			require.Equal(t, int64(50), limit)
			var events []string
			for _, e := range a.events {
				switch {
				case e.Type == host.EventModel && e.Model == "oracle":
					events = append(events, "model")
				case e.Type == host.EventCustom && e.Name == "sampling":
					require.Equal(t, map[string]any{"call": "1", "tool": "ask", "server": "pirates", "status": "answered"}, jsonOf(t, e.Data))
					events = append(events, "sampling")
				}
			}
			require.Equal(t, []string{"model", "sampling"}, events)
		})
	}
}

func TestAPersonPermitsARequestToAModel(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		for answer, want := range map[any]string{true: "oracle endTurn Arr.", "decline": "the user has not permitted the request"} {
			t.Run(version, func(t *testing.T) {
				t.Parallel()
				o := &oracle{}
				a := agent(t, sampling(t, version, prompt("Who are you?"), &mcp.Sampling{Model: o}), scripted.CallTools(abi.Call("1", "ask", nil)))
				result := a.run(host.Input{})
				require.Equal(t, host.Interrupted, result.Status)
				require.Equal(t, map[string]any{
					"type": mcp.SamplingType, "server": "pirates", "tool": "ask", "model": "oracle",
					"messages": []any{"user: Who are you?"}, "system_prompt": "You are a pirate.",
				}, jsonOf(t, result.Interrupts[0].Value))
				require.Empty(t, o.seen)
				result = a.run(host.Input{Resume: []host.Answer{{Value: answer}}})
				require.Equal(t, host.Completed, result.Status)
				require.Contains(t, answers(result)[0].Content.Text(), want)
				require.Len(t, o.seen, map[bool]int{true: 1, false: 0}[answer == true])
			})
		}
	}
}

func TestTheBudgetOfAServerIsThatOfARun(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		for name, test := range map[string]struct {
			grant mcp.Sampling
			want  string
		}{
			"requests": {mcp.Sampling{MaxRequests: 1}, "the server has used its 1 requests to a model in this run"},
			"tokens":   {mcp.Sampling{MaxTokens: 100}, "the server has used its 100 tokens of a model in this run"},
		} {
			t.Run(name+" "+version, func(t *testing.T) {
				t.Parallel()
				o, grant := &oracle{}, test.grant
				grant.Model, grant.Unattended = o, true
				s := sampling(t, version, prompt("x"), &grant)
				got := calls(t, s, "ask", nil, nil)
				require.False(t, got[0].Failed(), got[0].Content.Text())
				require.True(t, got[1].Failed())
				require.Contains(t, got[1].Content.Text(), test.want)
				require.Len(t, o.seen, 1)
				require.False(t, calls(t, s, "ask", nil)[0].Failed(), "another run has a budget of its own")
			})
		}
	}
}

func TestRequestsToAModelThatAreRefused(t *testing.T) {
	t.Parallel()
	tools := prompt("x")
	tools.Tools = []*sdk.Tool{{Name: "t", InputSchema: object(nil)}}
	large := prompt(strings.Repeat("x", 300<<10))
	sound := prompt("x")
	sound.Messages[0].Content = []sdk.Content{&sdk.AudioContent{MIMEType: "audio/wav", Data: []byte("x")}}
	none := prompt("x")
	none.Messages = nil
	for name, test := range map[string]struct {
		asked *sdk.CreateMessageWithToolsParams
		want  string
	}{
		"tools": {tools, ""}, // the SDK of the server refuses it too, with the older protocol
		"large": {large, "the request has"},
		"audio": {sound, "content that is neither text nor an image"},
		"none":  {none, "the request has no messages"},
	} {
		for _, version := range versions {
			t.Run(name+" "+version, func(t *testing.T) {
				t.Parallel()
				o := &oracle{}
				got := refused(t, sampling(t, version, test.asked, &mcp.Sampling{Model: o, Unattended: true}), "ask")
				require.Contains(t, got, test.want)
				require.Empty(t, o.seen)
			})
		}
	}
}

func TestAModelThatFailsAServer(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		m := scripted.NewTurns(scripted.Fail(context.DeadlineExceeded))
		got := refused(t, sampling(t, version, prompt("x"), &mcp.Sampling{Model: m, Unattended: true}), "ask")
		require.Contains(t, got, "the model did not answer")
	}
}

func TestWithoutAGrantAServerAsksNoModel(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		require.NotEmpty(t, refused(t, sampling(t, version, prompt("x"), nil), "ask"))
	}
	_, err := mcp.Connect(t.Context(), mcp.Config{Transport: inProcess(t, library()), Sampling: &mcp.Sampling{}})
	require.ErrorContains(t, err, "sampling: the model is missing")
}

func TestTheServerOfEverythingAsksAModel(t *testing.T) {
	t.Parallel()
	o := &oracle{}
	s := connect(t, mcp.Config{Command: testservers.Everything(t), Sampling: &mcp.Sampling{Model: o, Unattended: true}})
	require.Contains(t, answered(t, s, "trigger-sampling-request", map[string]any{"prompt": "hello", "maxTokens": 10}), "Arr.")
}
