package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool/mcp"
)

// object is a schema of an object with these properties.
func object(properties map[string]any, required ...string) map[string]any {
	s := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

func text(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}

type handler = func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error)

// serving makes a server with these tools, which take anything.
func serving(tools map[string]handler) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	for name, handle := range tools {
		s.AddTool(&sdk.Tool{Name: name, Description: "does " + name, InputSchema: object(nil)}, handle)
	}
	return s
}

// inProcess is a transport to a server in this process: each connection is one of its own.
func inProcess(t *testing.T, server *sdk.Server) func() (sdk.Transport, error) {
	t.Helper()
	return func() (sdk.Transport, error) {
		ours, theirs := sdk.NewInMemoryTransports()
		session, err := server.Connect(context.Background(), theirs, nil)
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { _ = session.Close() })
		return ours, nil
	}
}

// watched is a transport that tells when the client has seen the end of its connection.
type watched struct {
	sdk.Transport

	over chan struct{}
}

func (w *watched) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := w.Transport.Connect(ctx)
	return &watchedConnection{Connection: c, watched: w}, err
}

type watchedConnection struct {
	sdk.Connection

	watched *watched
	once    sync.Once
}

func (c *watchedConnection) Close() error {
	c.once.Do(func() { close(c.watched.over) })
	return c.Connection.Close()
}

// fragile is a transport to servers whose connections can be broken.
type fragile struct {
	server func() (*sdk.Server, error) // of the next connection
	theirs sdk.Connection
	client *watched
	made   int // attempts
}

func (f *fragile) connect() (sdk.Transport, error) {
	f.made++
	server, err := f.server()
	if err != nil {
		return nil, err
	}
	ours, theirs := sdk.NewInMemoryTransports()
	_, err = server.Connect(context.Background(), kept{theirs, &f.theirs}, nil)
	f.client = &watched{ours, make(chan struct{})}
	return f.client, err
}

// kept is a transport that leaves its connection where a test can break it. Closing the server's session instead can block: the SDK waits
// for a subscription of the client that has arrived but is not registered yet, and forgets to cancel it.
type kept struct {
	sdk.Transport

	connection *sdk.Connection
}

func (k kept) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := k.Transport.Connect(ctx)
	*k.connection = c
	return c, err
}

// end breaks the connection, and returns when the client knows.
func (f *fragile) end(t *testing.T) {
	t.Helper()
	require.NoError(t, f.theirs.Close())
	<-f.client.over
}

// logs is what was logged.
type logs struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.String()
}

func (l *logs) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// connect connects a server, for as long as the test lasts.
func connect(t *testing.T, config mcp.Config) *mcp.Server {
	t.Helper()
	s, err := mcp.Connect(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// command is the configuration of a server of this kind, in a process of its own.
func command(t *testing.T, kind string) mcp.Config {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return mcp.Config{Name: kind, Command: []string{self}, Env: map[string]string{
		serverVariable: kind, "GOCOVERDIR": t.TempDir(), "GORACE": "atexit_sleep_ms=0",
	}}
}

// bundle is an agent with the tools of a server.
type bundle struct {
	*host.Agent

	t      *testing.T
	events []host.Event
}

// agent makes an agent whose model says these turns, and then "done".
func agent(t *testing.T, s *mcp.Server, turns ...scripted.Turn) *bundle {
	t.Helper()
	model := scripted.NewTurns(append(turns, scripted.Say("done"))...)
	model.AfterEnd = scripted.EndRepeat
	a, err := host.New(host.Config{Model: model, Tools: s.Tools(), Checkpointer: memory.New()})
	require.NoError(t, err)
	b := &bundle{Agent: a, t: t}
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	return b
}

// run runs the agent in the thread t1.
func (b *bundle) run(in host.Input) *host.Result {
	b.t.Helper()
	in.Thread = "t1"
	if in.Resume == nil {
		in.Messages = []abi.Message{abi.Human("go")}
	}
	result, err := b.RunEvents(b.t.Context(), in, func(e host.Event) error {
		b.events = append(b.events, e)
		return nil
	})
	require.NoError(b.t, err)
	return result
}

// calls calls one tool of a server several times, in turn, and returns the answers.
func calls(t *testing.T, s *mcp.Server, name string, args ...map[string]any) []abi.Message {
	t.Helper()
	var turns []scripted.Turn
	for i, given := range args {
		turns = append(turns, scripted.CallTools(abi.Call(string(rune('1'+i)), name, given)))
	}
	return answers(agent(t, s, turns...).run(host.Input{}))
}

// answers are the tool messages of a run.
func answers(r *host.Result) []abi.Message {
	var out []abi.Message
	for _, m := range r.Messages.All() {
		if m.Role == abi.RoleTool {
			out = append(out, *m)
		}
	}
	return out
}

// answered calls a tool once and returns the text of the answer.
func answered(t *testing.T, s *mcp.Server, name string, args map[string]any) string {
	t.Helper()
	got := calls(t, s, name, args)
	require.Len(t, got, 1)
	require.False(t, got[0].Failed(), got[0].Content.Text())
	return got[0].Content.Text()
}

// refused calls a tool once, which must fail, and returns the text of the answer.
func refused(t *testing.T, s *mcp.Server, name string) string {
	t.Helper()
	got := calls(t, s, name, nil)
	require.Len(t, got, 1)
	require.True(t, got[0].Failed(), got[0].Content.Text())
	return got[0].Content.Text()
}

func names(s *mcp.Server) []string {
	var out []string
	for _, t := range s.Tools() {
		out = append(out, t.Spec().Name)
	}
	return out
}

func spec(t *testing.T, s *mcp.Server, name string) abi.ToolSpec {
	t.Helper()
	for _, tool := range s.Tools() {
		if tool.Spec().Name == name {
			return tool.Spec()
		}
	}
	require.Fail(t, "no such tool", "%s of %s", name, strings.Join(names(s), ", "))
	return abi.ToolSpec{}
}

func jsonOf(t *testing.T, raw wire.Raw) map[string]any {
	t.Helper()
	var out map[string]any
	require.NoError(t, json.Unmarshal([]byte(raw.JSON()), &out))
	return out
}
