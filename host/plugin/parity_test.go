package plugin_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/tool"
)

// TestParity runs one scripted agent with one middleware in three forms. Nobody can tell them apart by the events.
func TestParity(t *testing.T) {
	t.Parallel()
	for _, test := range parityRuns() {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			native := test.events(t, nativeParity{})
			joined := strings.Join(native, "\n")
			for _, part := range test.shows {
				require.True(t, strings.Contains(joined, part), part) //nolint:testifylint // Contains would print all events
			}
			tiny := plugin.Wasm{ID: "parity", Bytes: tinyGuest(t, "parity"), Engine: compiled}
			require.Equal(t, native, test.events(t, tiny), "TinyGo")
			standard := plugin.Wasm{ID: "parity", Bytes: goGuest(t, "parity"), Engine: compiled}
			require.Equal(t, native, test.events(t, standard), "standard Go")
		})
	}
}

type parityRun struct {
	name   string
	script func() []scripted.Turn
	state  map[string]any
	shows  []string // what must be in the events, or the run does not test what it should
}

func parityRuns() []parityRun {
	tools := func() []scripted.Turn {
		return []scripted.Turn{
			scripted.Fail(busy{}),
			{Message: abi.AI("a secret plan",
				abi.Call("c1", "search", map[string]any{"q": "tides"}),
				abi.Call("c2", "remember", map[string]any{"key": "sea", "text": "it is wet"}),
				abi.Call("c3", "forbidden", nil),
				abi.Call("c4", "missing", map[string]any{"x": 1.5}),
				abi.Call("c5", "remember", map[string]any{"key": "sky", "text": "it is high"}),
			)},
			scripted.CallTools(abi.Call("c1", "flaky", map[string]any{"attempt": 1}), abi.Call("c2", "remember", map[string]any{"key": "void"})),
			scripted.Say("again"),
			scripted.Say("done"),
		}
	}
	answer := func(turns ...scripted.Turn) func() []scripted.Turn { return func() []scripted.Turn { return turns } }
	return []parityRun{
		{"interrupt at the end", tools, map[string]any{"review": true}, []string{
			`"type":"custom"`, `"name":"remembered"`, `"[hidden]"`, `"jump_to":"model"`, `"status":"interrupted"`, `"key":"review"`,
			`"remove":["drop"]`, `REMEMBERED SEA`, `from 2 items 6 patch 0 remove 0 of 8`, `NOTHING TO REMEMBER`, `caught: `, `no such tool`,
			`patch 1`, `"flagged":true`, `"note":"call 12"`, `it is high`,
		}},
		{"complete", tools, map[string]any{"seen": []any{"before"}}, []string{`"overwrite":true`, `"mode":"done"`, `"reset":true`, `"completed"`}},
		{"jump to the end", answer(scripted.Say("stop")), nil, []string{`"jump_to":"end"`, `"completed"`}},
		{"error of a hook", answer(scripted.Say("break")), nil, []string{`"type":"broken"`, `"failed"`}},
		{"error of the model", answer(scripted.Fail(errors.New("no connection"))), nil, []string{`no connection`, `"failed"`}},
		{
			"error of the plugin's tool",
			answer(scripted.CallTools(abi.Call("1", "remember", map[string]any{"key": "fail"}))),
			nil,
			[]string{`"type":"full"`, `"failed"`},
		},
		{
			"interrupts of parallel tool calls",
			answer(scripted.CallTools(
				abi.Call("1", "ask", map[string]any{"amount": 1}), abi.Call("2", "remember", map[string]any{"key": "a", "text": "b"}),
				abi.Call("3", "ask", map[string]any{"amount": 2}))),
			nil,
			[]string{`"call_id":"1"`, `"call_id":"3"`, `REMEMBERED A`, `"interrupted"`},
		},
		{
			"bad arguments for the plugin's tool",
			answer(scripted.CallTools(abi.Call("1", "remember", map[string]any{"text": 7})), scripted.Say("stop")),
			nil,
			[]string{`ERROR INVOKING TOOL`},
		},
	}
}

// events runs the agent and returns its events in canonical form.
func (p *parityRun) events(t *testing.T, m host.Middleware) []string {
	t.Helper()
	agent, err := host.New(host.Config{
		Name: "assistant", Model: scripted.NewTurns(p.script()...), SystemPrompt: abi.Text("Be brief."),
		Tools:      []host.Tool{searchTool(), flakyTool(), answeringTool("ask"), answeringTool("forbidden")},
		Middleware: []host.Middleware{catchForbidden(), m, innerCounter()},
		Seed:       func() uint64 { return 7 }, Checkpointer: memory.New(),
		Clock: func() time.Time { return time.Unix(1_700_000_000, 0) },
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	in := host.Input{Thread: "t1", State: p.state, Messages: []abi.Message{
		abi.Human("  hello "),
		{Role: abi.RoleHuman, ID: "drop", Content: abi.Text("drop me")},
		{Role: abi.RoleHuman, ID: "keep", Content: abi.Text("what about the sea?")},
	}}
	var out []string
	for event, err := range agent.Stream(t.Context(), in) {
		if err != nil {
			out = append(out, "error: "+err.Error())
			break
		}
		out = append(out, canonical(t, &event))
	}
	return out
}

// canonical is an event as JSON with sorted keys, without what may differ.
func canonical(t *testing.T, event *host.Event) string {
	t.Helper()
	text, err := json.Marshal(event)
	require.NoError(t, err)
	var keys map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(text, &keys))
	for _, name := range []string{"time", "duration", "fuel", "memory", "host_calls", "digest", "instance"} {
		delete(keys, name)
	}
	text, err = json.Marshal(keys)
	require.NoError(t, err)
	return string(text)
}

// busy is an error of a model that is worth another try.
type busy struct{}

func (busy) Error() string   { return "busy" }
func (busy) Retryable() bool { return true }

func searchTool() host.Tool {
	return tool.Raw(abi.ToolSpec{Name: "search"}, func(_ context.Context, _ *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
		return host.TextOutput("found " + call.Args.JSON()), nil
	})
}

func answeringTool(name string) host.Tool {
	return tool.Raw(abi.ToolSpec{Name: name}, func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		return host.TextOutput(name + " ran"), nil
	})
}

// flakyTool fails unless it is the second attempt.
func flakyTool() host.Tool {
	return tool.Raw(abi.ToolSpec{Name: "flaky"}, func(_ context.Context, _ *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
		var args wire.Map
		if _, err := args.UnmarshalMsg(call.Args); err != nil {
			return nil, err
		}
		if attempt, _ := args.Get("attempt").AsInt(); attempt < 2 {
			return nil, &abi.Error{Type: "busy", Message: "come back later", Retryable: true}
		}
		return host.TextOutput("worked with " + call.Args.JSON()), nil
	})
}

// catchForbidden is a native middleware outside of the tested one that sees its errors.
func catchForbidden() host.Middleware {
	return host.WrapToolCall("catch", func(
		ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		m, err := next(ctx, req)
		if failed := new(abi.Error); errors.As(err, &failed) && failed.Type == "forbidden" {
			caught := abi.ToolFailure(req.Call, "caught: "+err.Error())
			return &caught, nil, nil
		}
		return m, nil, err
	})
}

// innerCounter is a native middleware inside of the tested one, whose updates a repeated next drops.

func innerCounter() host.Middleware {
	inner := host.NewField[int]("inner", host.Reduced(host.Add()))
	return host.WrapModelCall("inner", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		resp, err := next(ctx, req)
		update := &host.Update{}
		_ = inner.Set(update, 1)
		return resp, update, err
	}, host.WithFields(inner.Field))
}
