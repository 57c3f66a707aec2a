package sdk_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	sdk "github.com/agenthost/agenthost/sdk/go"
	"github.com/agenthost/agenthost/sdk/go/sdktest"
)

// A process has only one plugin, so the tests here are not parallel.

// roundTrip sets a field in one call and gets it in the next.
func roundTrip[T any](t *testing.T, value T, schema, json string) {
	t.Helper()
	f := sdk.Field[T]{Name: "f"}
	spec := f.Spec()
	require.Equal(t, sdk.LifetimeThread, spec.Lifetime)
	require.Equal(t, schema, spec.Schema.JSON())
	var got T
	sdk.Register(all{node: func(c *sdk.Call) (*sdk.Update, error) {
		var err error
		got, err = f.Get(c)
		update := &sdk.Update{}
		f.Set(update, value)
		return update, err
	}}, sdk.Description{
		Name: "fields", Version: "1.0.0", Fields: []sdk.FieldSpec{spec},
		Hooks: sdk.HookSpecs{BeforeModel: &sdk.HookSpec{Reads: []string{"f"}}},
	})
	h := sdktest.New(t)
	require.Nil(t, h.BeforeModel().Error)
	require.Zero(t, got, "unset")
	require.Equal(t, json, h.State.Get("f").JSON())
	require.Nil(t, h.BeforeModel().Error)
	require.Equal(t, value, got)
}

func TestFields(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	roundTrip(t, true, `{"type":"boolean"}`, `true`)
	roundTrip(t, -3, `{"type":"integer"}`, `-3`)
	roundTrip(t, int64(-3), `{"type":"integer"}`, `-3`)
	roundTrip(t, uint64(3), `{"type":"integer"}`, `3`)
	roundTrip(t, 1.5, `{"type":"number"}`, `1.5`)
	roundTrip(t, "x", `{"type":"string"}`, `"x"`)
	roundTrip(t, []string{"a", "b"}, `{"items":{"type":"string"},"type":"array"}`, `["a","b"]`)
	roundTrip(t, sdk.Map{{Key: "k", Value: sdk.Int(1)}}, `{"type":"object"}`, `{"k":1}`)
	roundTrip(t, wire.String("raw"), `null`, `"raw"`)
	roundTrip(t, Note{Text: "hi"}, `{"properties":{"text":{"type":"string"}},"required":["text"],"type":"object"}`, `{"text":"hi"}`)
	require.Panics(t, func() { sdk.Field[chan int]{Name: "f"}.Spec() })
	require.Panics(t, func() { sdk.Field[func()]{Name: "f"}.Set(&sdk.Update{}, nil) })
}

// large is a host that leaves a field out of the input because of its size.
type large struct{ scriptedHost }

func (l *large) HostCall(op string, payload []byte) (abi.Status, []byte) {
	l.ops = append(l.ops, op+" "+sdk.Raw(payload).JSON())
	reply, _ := (&abi.StateReply{State: sdk.Map{{Key: "f", Value: sdk.String("big")}}}).MarshalMsg(nil)
	return l.status, reply
}

func TestALargeFieldIsFetched(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	f := sdk.Field[string]{Name: "f"}
	var got string
	read := all{node: func(c *sdk.Call) (update *sdk.Update, err error) { got, err = f.Get(c); return nil, err }}
	h := &large{}
	require.Nil(t, invoke(t, read, "before_model", abi.HookInput{Large: []string{"f"}}, h))
	require.Equal(t, "big", got)
	require.Equal(t, []string{`state.read {"fields":["f"]}`}, h.ops)

	h.status = abi.EDENIED
	require.Equal(t, "EDENIED", invoke(t, read, "before_model", abi.HookInput{Large: []string{"f"}}, h).Error.Type)
	wrong := abi.HookInput{State: sdk.Map{{Key: "f", Value: sdk.Int(1)}}}
	require.Equal(t, "f: a string is expected, not integer", invoke(t, read, "before_model", wrong, h).Error.Message)
}

func TestAccumulatorsFollowTheHistory(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	folded := 0
	length := sdk.Accumulator[int]{
		Field: sdk.Field[int]{Name: "length"},
		Fold:  func(sum int, m *sdk.Message) int { folded++; return sum + len(m.Content.Text()) },
	}
	var reported int
	sdk.Register(all{node: func(c *sdk.Call) (*sdk.Update, error) {
		update := &sdk.Update{}
		var err error
		reported, err = length.Advance(c, update)
		return update, err
	}}, sdk.Description{
		Name: "length", Version: "1.0.0", Fields: []sdk.FieldSpec{length.Spec()},
		Hooks: sdk.HookSpecs{AfterModel: &sdk.HookSpec{Messages: sdk.ViewNew(), Reads: []string{"length"}}, AfterAgent: &sdk.HookSpec{}},
	})
	h := sdktest.New(t)
	advance := func(sum, cost int) {
		t.Helper()
		folded = 0
		out := h.AfterModel()
		require.Nil(t, out.Error)
		require.Equal(t, sum, reported)
		require.Equal(t, cost, folded)
		stored, _ := h.State.Get("length").AsInt()
		require.EqualValues(t, sum, stored)
	}
	advance(0, 0)
	for range 600 {
		h.Say(abi.Human("four"))
	}
	advance(2400, 600)
	h.Say(abi.AI("five!"))
	advance(2405, 1)
	require.Empty(t, h.AfterModel().State, "nothing is new, nothing is written")
	h.Messages[0].Content = sdk.Text("longer")
	advance(2407, 601)
	h.Messages = h.Messages[1:]
	advance(2401, 600)
	h.Messages = []sdk.Message{h.Messages[5], h.Messages[4]} // as an overwrite does
	advance(8, 2)

	require.Nil(t, h.AfterAgent().Error)
	require.Zero(t, reported, "a hook that sees no messages")
}

func TestLogLines(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	for _, tc := range []struct {
		pairs []any
		line  string
	}{
		{nil, "1 cache hit"},
		{[]any{"tool", "search", "n", 3, "ok", true}, "1 cache hit tool=search n=3 ok=true"},
		{[]any{"text", "two words", "quote", `"`, "empty", "", "path", "/a/b.c:3-4_5"}, `1 cache hit text="two words" quote="\"" empty="" path=/a/b.c:3-4_5`},
		{[]any{"err", errors.New("it broke"), "n", sdk.Int(4), "s", sdk.String("a b"), "b", sdk.Bool(false), "f", sdk.Float(0.5)}, `1 cache hit err="it broke" n=4 s="a b" b=false f=0.5`},
		{[]any{"f", 1.5, "big", uint64(1 << 63), "small", int64(-1), "none", nil, "unset", sdk.Raw(nil)}, "1 cache hit f=1.5 big=9223372036854775808 small=-1 none=null unset=null"},
		{[]any{"odd", struct{}{}, "map", sdk.Map{}.Raw()}, "1 cache hit odd=!BADVALUE map=object"},
		{[]any{"a", -0.25, "b", 1e15, "c", 2.0000004, "d", math.Inf(-1), "e", math.NaN(), "f", 1e-9, "g", 1e300}, "1 cache hit a=-0.25 b=100000000000e4 c=2 d=-Inf e=NaN f=0 g=100000000000e289"},
		{[]any{"alone"}, "1 cache hit !BADKEY=alone"},
		{[]any{7, "k", "v"}, "1 cache hit !BADKEY=7 k=v"},
		{[]any{"line", "a\nb\x01ü\\"}, `1 cache hit line="a\nb\u0001ü\\"`},
	} {
		h := &scriptedHost{}
		invoke(t, all{node: func(c *sdk.Call) (*sdk.Update, error) {
			c.Log(sdk.LogInfo, "cache hit", tc.pairs...)
			return nil, nil
		}}, "before_model", abi.HookInput{}, h)
		require.Equal(t, []string{tc.line}, h.lines)
	}
}

func TestSeveralQuestions(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	var got sdk.Map
	asks := all{node: func(c *sdk.Call) (update *sdk.Update, err error) {
		got, err = c.InterruptAll(sdk.Map{{Key: "a", Value: sdk.Int(1)}, {Key: "b", Value: sdk.Int(2)}})
		return nil, err
	}}
	keys := func(answers sdk.Map) (keys []string) {
		if r := invoke(t, asks, "before_model", abi.HookInput{Answers: answers}, nil); r != nil {
			for _, i := range r.Interrupts {
				keys = append(keys, i.Key)
			}
		}
		return keys
	}
	yes := sdk.Bool(true)
	require.Equal(t, []string{"a", "b"}, keys(nil))
	require.Equal(t, []string{"b"}, keys(sdk.Map{{Key: "a", Value: yes}}))
	require.Empty(t, keys(sdk.Map{{Key: "a", Value: yes}, {Key: "b", Value: yes}, {Key: "c", Value: yes}}))
	require.Equal(t, `{"a":true,"b":true}`, got.Raw().JSON())
}

func TestResponses(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	reply := sdktest.Says(abi.Human("context"), abi.AI("answer"))
	var change func(*sdk.ModelReply) *sdk.ResponseChange
	sdk.Register(all{model: func(c *sdk.ModelCall) (*sdk.ResponseChange, *sdk.Update, error) {
		r, err := c.Next(nil)
		return change(r), nil, err
	}}, sdk.Description{Name: "responses", Version: "1.0.0"})
	h := sdktest.New(t)
	texts := func(f func(*sdk.ModelReply) *sdk.ResponseChange) (texts []string) {
		change, h.Replies = f, []sdktest.Reply{reply}
		for _, m := range h.WrapModelCall(sdk.ModelRequest{}).Response {
			texts = append(texts, m.Content.Text())
		}
		return texts
	}
	require.Equal(t, []string{"context", "answer"}, texts(func(*sdk.ModelReply) *sdk.ResponseChange { return nil }))
	require.Equal(t, []string{"context", "answer"}, texts(func(r *sdk.ModelReply) *sdk.ResponseChange { return r.Edit() }))
	require.Equal(t, []string{"context", "better"}, texts(func(r *sdk.ModelReply) *sdk.ResponseChange {
		return r.Edit(sdk.NewPatch(r.Response().Messages[1].ID).SetContent(sdk.Text("better")))
	}))
	require.Equal(t, []string{"other"}, texts(func(*sdk.ModelReply) *sdk.ResponseChange { return sdk.Respond(abi.AI("other")) }))
}

func TestToolsOfAPlugin(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	tools := sdk.Tools{sdk.NewTool("note", "Notes.", func(_ *sdk.ToolCall, n *Note) (string, error) {
		if n.Text == "" {
			return "", errors.New("there is nothing to note")
		}
		return "noted: " + n.Text, nil
	})}
	sdk.Register(notes{tools}, sdk.Description{Name: "notes", Version: "1.0.0", Tools: tools.Specs()})
	h := sdktest.New(t)
	call := func(name string, args map[string]any) (answer string, err *sdk.Error) {
		made := abi.Call("1", name, args)
		input, _ := (&abi.HookInput{Call: &made}).MarshalMsg(nil)
		b, _ := sdk.Invoke(abi.ExportCallTool, input, h)
		var r abi.Result
		_, decodeErr := r.UnmarshalMsg(b)
		require.NoError(t, decodeErr)
		if r.Error != nil {
			return "", r.Error
		}
		m, patchErr := r.ToolMessage.Message()
		require.NoError(t, patchErr)
		return m.Content.Text(), nil
	}
	answer, err := call("note", map[string]any{"text": "milk"})
	require.Nil(t, err)
	require.Equal(t, "noted: milk", answer)
	_, err = call("note", map[string]any{"text": ""})
	require.Equal(t, "there is nothing to note", err.Message)
	_, err = call("note", map[string]any{"text": 1})
	require.Equal(t, &sdk.Error{Type: "invalid", Message: "text: a string is expected, not integer"}, err)
	_, err = call("other", nil)
	require.Equal(t, &sdk.Error{Type: "unknown_tool", Message: "the plugin has no tool other"}, err)
}
