package builtin_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// bundle is an agent with the middleware under test, whose model asks for the tool "work" again and again.
type bundle struct {
	agent *host.Agent
	model *scripted.Turns
}

func setup(t *testing.T, middleware ...host.Middleware) *bundle {
	t.Helper()
	b := &bundle{model: &scripted.Turns{
		Script: []scripted.Turn{scripted.CallTools(abi.Call("1", "work", nil))}, AfterEnd: scripted.EndRepeat,
	}}
	var err error
	b.agent, err = host.New(host.Config{
		Model: b.model, Middleware: middleware, RecursionLimit: 100,
		Tools: []host.Tool{tool.Func("work", "", func(context.Context, struct{}) (string, error) { return "worked", nil })},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.agent.Close()) })
	return b
}

func (b *bundle) run(t *testing.T) (*host.Result, error) {
	t.Helper()
	return b.agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
}

// testingT is a test, or one case of a property.
type testingT interface {
	require.TestingT
	Context() context.Context
}

// chat is a thread over several runs of an agent whose model asks for what turns say, and then is done. The tools are
// search and calc. Its messages and thread counts are carried from run to run by hand.
type chat struct {
	agent    *host.Agent
	messages []abi.Message
	counts   map[string]int // of tool calls in the thread
	executed []string       // ids of the calls that ran
	events   []host.Event   // of the last run
}

// threadCounts shows the limiters' thread counts to the caller, as the agent's own declaration of the field.
var threadCounts = host.NewField[map[string]int]("thread_tool_call_count")

func newChat(t testingT, turns []string, middleware ...host.Middleware) *chat {
	c := &chat{}
	var tools []host.Tool
	for _, name := range []string{"search", "calc"} {
		tools = append(tools, tool.Func(name, "", func(context.Context, struct{}) (string, error) {
			return name + " result", nil
		}))
	}
	record := host.WrapToolCall("record", func(
		ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		c.executed = append(c.executed, req.Call.ID)
		message, err := next(ctx, req)
		return message, nil, err
	})
	script := make([]scripted.Turn, len(turns))
	for i, turn := range turns {
		script[i] = scripted.CallTools(calls(turn)...)
	}
	var err error
	c.agent, err = host.New(host.Config{
		Model: &scripted.Turns{Script: script, AfterEnd: scripted.EndEmpty}, Tools: tools,
		Middleware: append(middleware, record), State: []host.Field{threadCounts.Field},
		ToolCalls: host.ToolCallConfig{Parallel: 1}, RecursionLimit: 1000,
	})
	require.NoError(t, err)
	return c
}

// run starts a run with one more human message.
func (c *chat) run(ctx context.Context) (*host.Result, error) {
	in := host.Input{Messages: append(c.messages, abi.Human("go"))}
	if c.counts != nil {
		in.State = map[string]any{threadCounts.Name: c.counts}
	}
	c.events = nil
	result, err := c.agent.RunEvents(ctx, in, func(e host.Event) error {
		c.events = append(c.events, e)
		return nil
	})
	c.messages = result.Messages.Messages()
	if raw := result.State.Get(threadCounts.Name); !raw.IsZero() {
		c.counts = map[string]int{}
		if decoding := host.Decode(raw, &c.counts); decoding != nil {
			return nil, decoding
		}
	}
	return result, err
}

// calls makes tool calls of "search:1 calc:2": names with ids.
func calls(text string) []abi.ToolCall {
	var out []abi.ToolCall
	for field := range strings.FieldsSeq(text) {
		name, id, _ := strings.Cut(field, ":")
		out = append(out, abi.Call(id, name, nil))
	}
	return out
}

// lines shows messages in short, such as "ai search:1", "tool 1 result", "tool 2! what failed".
func lines(messages history.List) []string {
	out := make([]string, 0, messages.Len())
	for _, m := range messages.All() {
		parts := []string{string(m.Role)}
		for _, call := range m.ToolCalls {
			parts = append(parts, call.Name+":"+call.ID)
		}
		for _, call := range m.InvalidToolCalls {
			parts = append(parts, call.Name+"?"+call.ID)
		}
		if m.Role == abi.RoleTool {
			parts = append(parts, m.ToolCallID+map[bool]string{true: "!"}[m.Failed()])
		}
		if text := m.Content.Text(); text != "" {
			parts = append(parts, text)
		}
		out = append(out, strings.Join(parts, " "))
	}
	return out
}

// checkAnswers checks that no call is answered twice, and that each answer stands behind its call.
func checkAnswers(messages history.List) error {
	open := map[string]int{}
	for i, m := range messages.All() {
		switch m.Role {
		case abi.RoleAI:
			for _, call := range m.ToolCalls {
				open[call.ID] = 1
			}
			for _, call := range m.InvalidToolCalls {
				open[call.ID] = 1
			}
		case abi.RoleTool:
			open[m.ToolCallID]--
			if open[m.ToolCallID] < 0 {
				return fmt.Errorf("message %d answers %q, which is not open", i, m.ToolCallID)
			}
		case abi.RoleHuman, abi.RoleSystem:
		}
	}
	return nil
}
