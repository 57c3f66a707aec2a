package tool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

var update = flag.Bool("update", false, "rewrite the golden files")

type place struct {
	City    string `json:"city"              jsonschema:"where"`
	Country string `json:"country,omitempty"`
}

type arguments struct {
	Query    string         `json:"query"              jsonschema:"what to look for"`
	Limit    int            `json:"limit,omitempty"`
	Exact    bool           `json:"exact"`
	Weight   *float64       `json:"weight,omitempty"`
	Tags     []string       `json:"tags,omitempty"`
	Near     *place         `json:"near,omitempty"`
	Extra    map[string]int `json:"extra,omitempty"`
	Since    time.Time      `json:"since,omitzero"`
	Untagged string
	Ignored  string `json:"-"`
	private  string
}

func TestFuncInfersTheParameters(t *testing.T) {
	t.Parallel()
	spec := tool.Func("find", "Finds.", func(context.Context, arguments) (string, error) { return "", nil }).Spec()
	var got bytes.Buffer
	require.NoError(t, json.Indent(&got, []byte(spec.Parameters.JSON()), "", "  "))
	got.WriteByte('\n')

	path := filepath.Join("testdata", "parameters.golden.json")
	if *update {
		require.NoError(t, os.WriteFile(path, got.Bytes(), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())
}

func TestFuncSpec(t *testing.T) {
	t.Parallel()
	fn := func(context.Context, struct{}) (any, error) { return nil, nil }

	spec := tool.Func("x", "Does x.", fn, tool.ReturnDirect(), tool.Idempotent()).Spec()

	require.Equal(t, "x", spec.Name)
	require.Equal(t, "Does x.", spec.Description)
	require.True(t, spec.ReturnDirect)
	require.True(t, spec.Idempotent)
	plain := tool.Func("x", "", fn).Spec()
	require.False(t, plain.ReturnDirect || plain.Idempotent || plain.Dynamic)
}

func TestFuncPanicsWithoutAnObjectSchema(t *testing.T) {
	t.Parallel()
	require.PanicsWithValue(t, `tool.Func "x": the arguments: the Go type must be a struct or a map, but its schema is {"type":"string"}`, func() {
		tool.Func("x", "", func(context.Context, string) (string, error) { return "", nil })
	})
	require.Panics(t, func() {
		tool.Func("x", "", func(context.Context, struct{ F func() }) (string, error) { return "", nil })
	})
	require.Panics(t, func() {
		tool.Func("x", "", func(context.Context, any) (string, error) { return "", nil })
	})
	require.NotPanics(t, func() {
		tool.Func("x", "", func(context.Context, map[string]int) (string, error) { return "", nil })
	})
}

func TestFuncDecodesItsArguments(t *testing.T) {
	t.Parallel()
	var got arguments
	find := tool.Func("find", "", func(_ context.Context, in arguments) (string, error) {
		got = in
		return "found", nil
	})
	args, err := wire.MapOf(map[string]any{
		"query": "x", "exact": true, "limit": 1 << 60, "weight": 0.5, "tags": []string{"a"}, "Untagged": "u",
		"near": map[string]any{"city": "Oslo"}, "extra": map[string]any{"n": 1},
	})
	require.NoError(t, err)

	out, err := find.Call(t.Context(), nil, &abi.ToolCall{Name: "find", Args: args.Raw()})

	require.NoError(t, err)
	require.Equal(t, host.TextOutput("found"), out)
	weight := 0.5
	require.Equal(t, arguments{
		Query: "x", Exact: true, Limit: 1 << 60, Weight: &weight, Tags: []string{"a"}, Near: &place{City: "Oslo"},
		Extra: map[string]int{"n": 1}, Untagged: "u",
	}, got)
	require.Empty(t, got.private)
}

func TestFuncReturnsTheError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	_, err := tool.Func("x", "", func(context.Context, struct{}) (string, error) { return "ignored", broken }).
		Call(t.Context(), nil, &abi.ToolCall{})
	require.Same(t, broken, err)
}

func TestOutput(t *testing.T) {
	t.Parallel()
	blocks := abi.Blocks(abi.TextBlock("a"), abi.TextBlock("b"))
	whole := &host.ToolOutput{Content: abi.Text("x"), Failed: true}
	for _, test := range []struct {
		name  string
		value any
		want  *host.ToolOutput
	}{
		{"nothing", nil, &host.ToolOutput{}},
		{"a text", "x", host.TextOutput("x")},
		{"content", blocks, &host.ToolOutput{Content: blocks}},
		{"an output", whole, whole},
		{"a number", 1.5, host.TextOutput("1.5")},
		{"a struct", place{City: "Oslo"}, host.TextOutput(`{"city":"Oslo"}`)},
		{"a map, its keys sorted", map[string]int{"b": 2, "a": 1}, host.TextOutput(`{"a":1,"b":2}`)},
		{"a list", []string{"a"}, host.TextOutput(`["a"]`)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			out, err := tool.Output(test.value)
			require.NoError(t, err)
			require.Equal(t, test.want, out)
		})
	}
	_, err := tool.Output(make(chan int))
	require.ErrorContains(t, err, "result: json: unsupported type")
}

func TestRaw(t *testing.T) {
	t.Parallel()
	spec := abi.ToolSpec{Name: "raw", Description: "Raw.", Dynamic: true}
	call := &abi.ToolCall{ID: "1", Name: "raw", Args: wire.Int(1)}
	raw := tool.Raw(spec, func(_ context.Context, _ *host.Runtime, got *abi.ToolCall) (*host.ToolOutput, error) {
		require.Same(t, call, got)
		return host.TextOutput("x"), nil
	})

	out, err := raw.Call(t.Context(), nil, call)

	require.NoError(t, err)
	require.Equal(t, host.TextOutput("x"), out)
	require.Equal(t, spec, raw.Spec())
}

func TestFuncFindsItsRun(t *testing.T) {
	t.Parallel()
	require.Nil(t, host.RuntimeOf(t.Context()), "outside of a run")
	agent, err := host.New(host.Config{
		Checkpointer: memory.New(),
		Model:        scripted.NewTurns(scripted.CallTools(abi.Call("1", "who", nil)), scripted.Say("done")),
		Tools: []host.Tool{tool.Func("who", "", func(ctx context.Context, _ struct{}) (string, error) {
			rt := host.RuntimeOf(ctx)
			return rt.ThreadID() + " " + rt.Step(), nil
		})},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })

	result, err := agent.Run(t.Context(), host.Input{Thread: "t1"})

	require.NoError(t, err)
	answer := result.Messages.At(1)
	require.Equal(t, "t1 tools", answer.Content.Text())
}
