package host_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// bundle is an agent under test with a script for its model, and a log that hooks and tools write.
type bundle struct {
	host.Config

	t   testing.TB
	mu  sync.Mutex
	log []string

	atOnce int // how many calls of a sleeping tool ran at once
}

// setup makes a bundle whose clock stands still and whose ids are the same each time.
func setup(t testing.TB, script ...scripted.Turn) *bundle {
	t.Helper()
	return &bundle{t: t, Config: host.Config{
		Model: scripted.NewTurns(script...),
		Clock: func() time.Time { return time.Unix(1_700_000_000, 0).UTC() },
		Seed:  func() uint64 { return 42 },
	}}
}

func (b *bundle) notef(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.log = append(b.log, fmt.Sprintf(format, args...))
}

// use adds middleware.
func (b *bundle) use(middleware ...host.Middleware) *bundle {
	b.Middleware = append(b.Middleware, middleware...)
	return b
}

// tool adds a tool that takes any arguments.
func (b *bundle) tool(name string, fn toolFunc, options ...tool.Option) *bundle {
	b.Tools = append(b.Tools, newTool(name, fn, options...))
	return b
}

// answering adds a tool that notes its name and answers with a text.
func (b *bundle) answering(name, text string, options ...tool.Option) *bundle {
	return b.tool(name, func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		b.notef("%s", name)
		return host.TextOutput(text), nil
	}, options...)
}

// build makes the agent, which is closed when the test ends.
func (b *bundle) build() *host.Agent {
	b.t.Helper()
	agent, err := host.New(b.Config)
	require.NoError(b.t, err)
	b.t.Cleanup(func() { require.NoError(b.t, agent.Close()) })
	return agent
}

// run makes the agent and runs it with one human message.
func (b *bundle) run() (*host.Result, error) {
	b.t.Helper()
	return b.build().Run(b.t.Context(), hi())
}

// mustRun runs the agent to its end.
func (b *bundle) mustRun() *host.Result {
	b.t.Helper()
	result, err := b.run()
	require.NoError(b.t, err)
	require.Equal(b.t, host.Completed, result.Status)
	return result
}

// stream makes the agent, runs it and returns its events and error.
func (b *bundle) stream() (events []host.Event, err error) {
	b.t.Helper()
	for event, failure := range b.build().Stream(b.t.Context(), hi()) {
		if failure != nil {
			return events, failure
		}
		events = append(events, event)
	}
	return events, nil
}

func hi() host.Input { return host.Input{Messages: []abi.Message{abi.Human("hi")}} }

// middleware is a middleware of any hooks.
type middleware struct {
	name  string
	hooks host.Hooks
	err   error
}

func (m *middleware) Name() string { return m.name }

func (m *middleware) Hooks(context.Context, host.Env) (*host.Hooks, error) {
	hooks := m.hooks
	return &hooks, m.err
}

type toolFunc = func(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error)

func newTool(name string, fn toolFunc, options ...tool.Option) host.Tool {
	spec := abi.ToolSpec{Name: name}
	for _, option := range options {
		option(&spec)
	}
	return tool.Raw(spec, fn)
}

func call(id, name string) abi.ToolCall { return abi.Call(id, name, nil) }

// calls is a turn that asks for tools: call 1 of the first name, and so on.
func calls(names ...string) scripted.Turn {
	all := make([]abi.ToolCall, len(names))
	for i, name := range names {
		all[i] = call(fmt.Sprint(i+1), name)
	}
	return scripted.CallTools(all...)
}

// lines shows messages as "role: text", and answers to calls as "tool id: text" or "failed id: text".
func lines(list history.List) []string {
	out := make([]string, 0, list.Len())
	for _, m := range list.All() {
		role := string(m.Role)
		if m.Role == abi.RoleTool {
			role += " " + m.ToolCallID
			if m.Failed() {
				role = "failed " + m.ToolCallID
			}
		}
		out = append(out, role+": "+m.Content.Text())
	}
	return out
}

// setting returns an update of fields.
func setting(pairs ...any) *host.Update {
	u := &host.Update{}
	for i := 0; i < len(pairs); i += 2 {
		value, err := host.Encode(pairs[i+1])
		if err != nil {
			panic(err)
		}
		u.State.Set(fmt.Sprint(pairs[i]), value)
	}
	return u
}

// constant is a node hook that always returns the same.
func constant(u *host.Update, err error) host.NodeFunc {
	return func(context.Context, *host.Runtime) (*host.Update, error) { return u, err }
}

// passing is a wrap_model_call hook that does something and passes on.
func passing(do func(rt *host.Runtime) *host.Update) host.WrapModelFunc {
	return func(
		ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		resp, err := next(ctx, req)
		return resp, do(rt), err
	}
}

// show is the JSON of a field; "-" if it is unset.
func show(rt *host.Runtime, field string) string {
	if value := rt.State().Get(field); !value.IsZero() {
		return value.JSON()
	}
	return "-"
}

func stateOf(result *host.Result) string { return result.State.Raw().JSON() }

// nothingHappened checks that a run went on without an answer: it has the result that it had, saved once more.
func nothingHappened(t *testing.T, before, after *host.Result) {
	t.Helper()
	saved := *after
	saved.Checkpoint = before.Checkpoint
	require.Equal(t, before, &saved)
}

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o750))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run the test with -update")
	require.Equal(t, string(want), got)
}
