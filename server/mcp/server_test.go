package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/host/tool/mcp"
	mcpserver "github.com/agenthost/agenthost/server/mcp"
)

// bundle is an agent that is a server.
type bundle struct {
	t       *testing.T
	server  *mcpserver.Server
	threads checkpoint.Store
}

type place struct {
	City string `json:"city"`
}

// weather is a tool of the agents; the city "nowhere" fails, and "hang" waits for the end.
func weather(ctx context.Context, in place) (any, error) {
	switch in.City {
	case "nowhere":
		out := host.TextOutput("no such city")
		out.Failed = true
		return out, nil
	case "broken":
		return nil, errors.New("broken\x1b")
	case "hang":
		host.RuntimeOf(ctx).Emit("started", wire.String("now"))
		<-ctx.Done()
		return nil, ctx.Err()
	case "seen":
		return abi.Blocks(abi.TextBlock("look"), abi.ImageBlock("image/png", []byte("png"))), nil
	}
	return "sunny in " + in.City, nil
}

func serve(t *testing.T, change func(*host.Config, *mcpserver.Config)) *bundle {
	t.Helper()
	config := host.Config{
		Name: "forecaster", Model: scripted.NewTurns(
			scripted.CallTools(abi.Call("1", "weather", map[string]any{"city": "Oslo"})),
			scripted.Say("It will be sunny."),
		),
		Tools: []host.Tool{tool.Func("weather", "Tells the weather.", weather)},
	}
	served := mcpserver.Config{Name: "forecaster", Tools: config.Tools}
	if change != nil {
		change(&config, &served)
	}
	mcpserver.Prepare(&config)
	agent, err := host.New(config)
	require.NoError(t, err)
	served.Threads = config.Checkpointer
	server, err := mcpserver.New(agent, served)
	require.NoError(t, err)
	t.Cleanup(func() {
		server.Close()
		require.NoError(t, agent.Close())
	})
	return &bundle{t, server, config.Checkpointer}
}

// client connects a client over pipes, which speaks this protocol; "": the newest.
func (b *bundle) client(options *sdk.ClientOptions, version string) *sdk.ClientSession {
	b.t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	var serving sync.WaitGroup
	serving.Go(func() {
		_ = b.server.Serve(b.t.Context(), fromClient, toClient)
		_ = fromClient.Close()
		_ = toClient.Close()
	})
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, options)
	session, err := client.Connect(b.t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	require.NoError(b.t, err)
	b.t.Cleanup(func() {
		_ = session.Close()
		serving.Wait()
	})
	return session
}

func call(t *testing.T, c *sdk.ClientSession, name string, args map[string]any) *sdk.CallToolResult {
	t.Helper()
	result, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	require.NoError(t, err)
	return result
}

func textOf(t *testing.T, r *sdk.CallToolResult) string {
	t.Helper()
	require.NotEmpty(t, r.Content)
	text, ok := r.Content[0].(*sdk.TextContent)
	require.True(t, ok)
	return text.Text
}

// count is how many threads there are.
func (b *bundle) count() int {
	b.t.Helper()
	threads, err := b.threads.Find(b.t.Context(), checkpoint.Query{})
	require.NoError(b.t, err)
	return len(threads)
}

func TestAClientRunsTheAgent(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"", "2025-11-25"} {
		b := serve(t, nil)
		c := b.client(nil, version)
		tools, err := c.ListTools(t.Context(), nil)
		require.NoError(t, err)
		require.Len(t, tools.Tools, 2)
		require.Equal(t, "forecaster", tools.Tools[0].Name)
		require.Equal(t, "Tells the weather.", tools.Tools[1].Description)
		require.Equal(t, "It will be sunny.", textOf(t, call(t, c, "forecaster", map[string]any{"prompt": "how?"})))
		require.Zero(t, b.count(), "nothing is kept of a run without a thread")
	}
}

func TestAThreadGoesOn(t *testing.T) {
	t.Parallel()
	b := serve(t, func(c *host.Config, _ *mcpserver.Config) { c.Model = echoCount{} })
	c := b.client(nil, "")
	require.Equal(t, "1", textOf(t, call(t, c, "forecaster", map[string]any{"prompt": "a", "thread": "t"})))
	require.Equal(t, "3", textOf(t, call(t, c, "forecaster", map[string]any{"prompt": "b", "thread": "t"})))
	require.Equal(t, 1, b.count())
}

// echoCount is a model that says how many messages it sees, and counts tokens.
type echoCount struct{}

func (echoCount) Info() model.Info             { return model.Info{Name: "count"} }
func (echoCount) CountTokens(*abi.Message) int { return 7 }

func (echoCount) Generate(_ context.Context, req *model.Request) (*model.Response, error) {
	return model.Reply(abi.AI(fmt.Sprint(req.Messages.Len()))), nil
}

func TestAClientCallsATool(t *testing.T) {
	t.Parallel()
	b := serve(t, nil)
	c := b.client(nil, "")
	require.Equal(t, "sunny in Rome", textOf(t, call(t, c, "weather", map[string]any{"city": "Rome"})))
	seen := call(t, c, "weather", map[string]any{"city": "seen"})
	require.Equal(t, &sdk.ImageContent{MIMEType: "image/png", Data: []byte("png")}, seen.Content[1])
	for city, want := range map[string]string{"nowhere": "no such city", "broken": "Error: tool \"weather\": call \"call-"} {
		failed := call(t, c, "weather", map[string]any{"city": city})
		require.True(t, failed.IsError)
		require.Contains(t, textOf(t, failed), want)
		require.NotContains(t, textOf(t, failed), "\x1b")
	}
	wrong := call(t, c, "weather", map[string]any{"town": "Rome"})
	require.True(t, wrong.IsError)
	require.Contains(t, textOf(t, wrong), "city: Field required")
	require.Zero(t, b.count())
}

func TestMiddlewareIsAroundACall(t *testing.T) {
	t.Parallel()
	limit := 0
	b := serve(t, func(c *host.Config, _ *mcpserver.Config) {
		c.Middleware = []host.Middleware{
			host.WrapToolCall("shout", func(ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler) (*abi.Message, *host.Update, error) {
				m, err := next(ctx, req)
				if err == nil {
					m.Content = abi.Text(strings.ToUpper(m.Content.Text()))
				}
				return m, nil, err
			}),
		}
	})
	require.Equal(t, "SUNNY IN ROME", textOf(t, call(t, b.client(nil, ""), "weather", map[string]any{"city": "Rome"})))
	b = serve(t, func(c *host.Config, _ *mcpserver.Config) {
		c.Middleware = []host.Middleware{&builtin.ModelCallLimit{RunLimit: &limit}}
	})
	none := call(t, b.client(nil, ""), "weather", map[string]any{"city": "Rome"})
	require.True(t, none.IsError)
	require.Contains(t, textOf(t, none), "Error: the call was not performed: Model call limits exceeded")
}

func TestWhatIsWrongWithACallIsAResult(t *testing.T) {
	t.Parallel()
	c := serve(t, nil).client(nil, "")
	for want, args := range map[string]map[string]any{
		"the prompt is empty":             {"prompt": " "},
		"must be an object with a prompt": {"prompt": 5},
		"the name of a thread must have":  {"prompt": "x", "thread": "a\nb"},
	} {
		result := call(t, c, "forecaster", args)
		require.True(t, result.IsError)
		require.Contains(t, textOf(t, result), want)
	}
}

func TestProgressIsTold(t *testing.T) {
	t.Parallel()
	told := make(chan string, 10)
	long := strings.Repeat("sunny ", 20)
	b := serve(t, func(c *host.Config, _ *mcpserver.Config) {
		c.Model = scripted.NewTurns(scripted.CallTools(abi.Call("1", "weather", map[string]any{"city": "nowhere"})), scripted.Say(long))
	})
	c := b.client(&sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
		told <- req.Params.Message
	}}, "")
	params := &sdk.CallToolParams{Name: "forecaster", Arguments: map[string]any{"prompt": "x"}}
	params.SetProgressToken("p")
	_, err := c.CallTool(t.Context(), params)
	require.NoError(t, err)
	require.Equal(t, "calls the tool weather", <-told)
	require.Equal(t, "the tool weather answered with an error", <-told)
	said := ""
	for said != long {
		said += <-told
	}
}

func TestACancelledCallStopsTheRun(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	b := serve(t, func(c *host.Config, _ *mcpserver.Config) {
		c.Middleware = []host.Middleware{host.WrapToolCall("watch", func(ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler) (*abi.Message, *host.Update, error) {
			defer close(ended)
			m, err := next(ctx, req)
			return m, nil, err
		})}
	})
	started := make(chan struct{})
	c := b.client(&sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
		if strings.Contains(req.Params.Message, `started "now"`) {
			close(started)
		}
	}}, "")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
	}()
	params := &sdk.CallToolParams{Name: "weather", Arguments: map[string]any{"city": "hang"}}
	params.SetProgressToken("p")
	_, err := c.CallTool(ctx, params)
	require.ErrorIs(t, err, context.Canceled)
	<-ended
}

func TestTheEndOfTheServerStopsRuns(t *testing.T) {
	t.Parallel()
	b := serve(t, nil)
	c := b.client(&sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
		if strings.Contains(req.Params.Message, `started "now"`) {
			go b.server.Close()
		}
	}}, "")
	params := &sdk.CallToolParams{Name: "weather", Arguments: map[string]any{"city": "hang"}}
	params.SetProgressToken("p")
	result, err := c.CallTool(t.Context(), params)
	if err == nil {
		require.True(t, result.IsError)
	}
	b.server.Close()
	require.Zero(t, b.count())
}

// reviewed makes an agent that asks before it calls weather.
func reviewed(resume func(string) string) func(*host.Config, *mcpserver.Config) {
	return func(c *host.Config, s *mcpserver.Config) {
		c.Checkpointer = memory.New()
		c.Middleware = []host.Middleware{&builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{
			"weather": {AllowedDecisions: []builtin.DecisionType{builtin.Approve, builtin.Edit, builtin.Reject}},
		}}}
		s.Resume = resume
	}
}

func TestAnInterruptAsksTheUserOfTheClient(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"", "2025-11-25"} {
		for _, test := range []struct {
			name    string
			answer  *sdk.ElicitResult
			prompt  string
			direct  string
			isError bool
		}{
			{"approved", &sdk.ElicitResult{Action: "accept", Content: map[string]any{"decision": "approve"}}, "It will be sunny.", "sunny in Oslo", false},
			{"rejected", &sdk.ElicitResult{Action: "accept", Content: map[string]any{"decision": "reject", "message": "no way"}}, "It will be sunny.", "no way", true},
			{"not answered", &sdk.ElicitResult{Action: "decline"}, "the client's user has not answered (decline). It cannot be continued", "has not answered", true},
		} {
			t.Run(version+" "+test.name, func(t *testing.T) {
				t.Parallel()
				b := serve(t, reviewed(nil))
				asked := ""
				c := b.client(&sdk.ClientOptions{ElicitationHandler: func(_ context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
					asked = req.Params.Message
					answer := *test.answer
					return &answer, nil
				}}, version)
				direct := call(t, c, "weather", map[string]any{"city": "Oslo"})
				require.Contains(t, textOf(t, direct), test.direct)
				require.Equal(t, test.isError, direct.IsError)
				require.Contains(t, asked, "weather")
				require.Contains(t, asked, "city: \"Oslo\"")
				require.Contains(t, textOf(t, call(t, c, "forecaster", map[string]any{"prompt": "x"})), test.prompt)
				require.Zero(t, b.count())
			})
		}
	}
}

func TestWithoutElicitationAnInterruptTellsHowToGoOn(t *testing.T) {
	t.Parallel()
	b := serve(t, reviewed(func(thread string) string { return "agenthost resume " + thread }))
	result := call(t, b.client(nil, ""), "forecaster", map[string]any{"prompt": "x", "thread": "ada"})
	require.True(t, result.IsError)
	require.Contains(t, textOf(t, result), "Error: the run is interrupted: it needs an answer from a person: weather")
	require.Contains(t, textOf(t, result), "to continue it:\n  agenthost resume ada")
	require.Equal(t, 1, b.count())
}

func TestAPromptDoesNotGiveUpARunThatWaits(t *testing.T) {
	t.Parallel()
	b := serve(t, reviewed(func(thread string) string { return "agenthost resume " + thread }))
	c := b.client(nil, "")
	prompt := map[string]any{"prompt": "x", "thread": "ada"}
	require.True(t, call(t, c, "forecaster", prompt).IsError)
	result := call(t, c, "forecaster", prompt)
	require.True(t, result.IsError)
	require.Contains(t, textOf(t, result), "thread \"ada\": its run waits for an answer")
	require.Contains(t, textOf(t, result), "to continue it:\n  agenthost resume ada")
}

func TestAStateThatIsNotKnown(t *testing.T) {
	t.Parallel()
	c := serve(t, nil).client(nil, "")
	result, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "forecaster", RequestState: "forged"})
	require.NoError(t, err)
	require.True(t, result.IsError)
	require.Contains(t, textOf(t, result), "is not known any more")
}

// An agent that is a server, and whose tool is of another server that asks: the question goes all the way.
func TestAQuestionOfAnotherServerIsPassedOn(t *testing.T) {
	t.Parallel()
	far := sdk.NewServer(&sdk.Implementation{Name: "far", Version: "1"}, nil)
	far.AddTool(&sdk.Tool{Name: "book", InputSchema: map[string]any{"type": "object"}}, func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if answer, ok := req.Params.InputResponses["who"].(*sdk.ElicitResult); ok {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprint(answer.Action, answer.Content["name"])}}}, nil
		}
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"who": &sdk.ElicitParams{
			Message:         "For whom?",
			RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}},
		}}}, nil
	})
	remote, err := mcp.Connect(t.Context(), mcp.Config{Name: "far", Elicitation: true, Transport: func() (sdk.Transport, error) {
		ours, theirs := sdk.NewInMemoryTransports()
		_, err := far.Connect(context.Background(), theirs, nil)
		return ours, err
	}})
	require.NoError(t, err)
	t.Cleanup(remote.Close)
	b := serve(t, func(c *host.Config, s *mcpserver.Config) {
		c.Tools = remote.Tools()
		s.Tools = c.Tools
	})
	c := b.client(&sdk.ClientOptions{ElicitationHandler: func(_ context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		if req.Params.Message != "far asks: For whom?" {
			return nil, errors.New(req.Params.Message)
		}
		return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
	}}, "")
	require.Equal(t, "acceptAda", textOf(t, call(t, c, "book", nil)))
}

func TestOverHTTP(t *testing.T) {
	t.Parallel()
	b := serve(t, nil)
	web := httptest.NewServer(b.server.Handler())
	t.Cleanup(web.Close)
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: web.URL, HTTPClient: web.Client()}, nil)
	require.NoError(t, err)
	require.Equal(t, "It will be sunny.", textOf(t, call(t, session, "forecaster", map[string]any{"prompt": "x"})))
	require.NoError(t, session.Close())

	for name, change := range map[string]func(*http.Request){
		"of another site":  func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		"for another host": func(r *http.Request) { r.Host = "evil.example" },
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL, strings.NewReader(`{}`))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		change(req)
		answer, err := web.Client().Do(req)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, http.StatusForbidden, answer.StatusCode, name)
	}
}

func TestServersThatCannotBe(t *testing.T) {
	t.Parallel()
	tools := []host.Tool{tool.Func("weather", "", weather)}
	config := host.Config{Model: scripted.NewTurns(), Tools: tools}
	mcpserver.Prepare(&config)
	agent, err := host.New(config)
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	_, err = mcpserver.New(agent, mcpserver.Config{})
	require.ErrorContains(t, err, "Config.Threads is missing")
	_, err = mcpserver.New(agent, mcpserver.Config{Name: "weather", Threads: config.Checkpointer, Tools: tools})
	require.ErrorContains(t, err, `the tool "weather", which is the name of another tool of the server too`)
}
