package host_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func TestDeclarationsOfOneField(t *testing.T) {
	t.Parallel()
	text := wire.Map{{Key: "type", Value: wire.String("string")}}.Raw()
	plain := host.Field{Name: "f"}
	for _, test := range []struct {
		name   string
		fields [2]host.Field
		differ bool
	}{
		{"that agree", [2]host.Field{plain, plain}, false},
		{"that agree in what their reducer is called", [2]host.Field{plain, {Name: "f", Reducer: host.Last()}}, false},
		{"with another lifetime", [2]host.Field{plain, {Name: "f", Lifetime: host.LifetimeRun}}, true},
		{"with another reducer", [2]host.Field{plain, {Name: "f", Reducer: host.Add()}}, true},
		{"with another input", [2]host.Field{plain, {Name: "f", HideInput: true}}, true},
		{"with another output", [2]host.Field{plain, {Name: "f", HideOutput: true}}, true},
		{"with another schema", [2]host.Field{plain, {Name: "f", Schema: text}}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, scripted.Say("done")).use(
				host.BeforeAgent("A", constant(nil, nil), host.WithFields(test.fields[0])),
				host.BeforeAgent("B", constant(nil, nil), host.WithFields(test.fields[1])),
			)
			if !test.differ {
				b.mustRun()
				return
			}
			_, err := host.New(b.Config)
			var refused *host.ConfigError
			require.ErrorAs(t, err, &refused)
			require.EqualError(t, err, `middleware "B": field "f": middleware "A" declares it differently; `+
				`make the declarations equal, or declare it in the agent's State, which wins`)

			b.State = []host.Field{{Name: "f", Reducer: host.Append()}}
			require.Equal(t, `{"f":[]}`, stateOf(b.mustRun()), "the agent's own declaration wins")
		})
	}
}

func TestDeclarationsThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		fields []host.Field
		want   string
	}{
		{"without a name", []host.Field{{}}, `the agent's State: field "": has no name`},
		{"of the messages", []host.Field{{Name: "messages"}}, `the agent's State: field "messages": the host reserves this name`},
		{"of the jump", []host.Field{{Name: "jump_to"}}, `the agent's State: field "jump_to": the host reserves this name`},
		{"with an unknown lifetime", []host.Field{{Name: "f", Lifetime: 9}}, `the agent's State: field "f": lifetime 9 is unknown; use LifetimeThread, LifetimeRun or LifetimeStep`},
		{"with a schema that is none", []host.Field{{Name: "f", Schema: wire.Int(1)}}, `the agent's State: field "f": schema: must be a map`},
		{
			"twice in the agent's State",
			[]host.Field{{Name: "f"}, {Name: "f", Reducer: host.Add()}},
			`the agent's State: field "f": the agent's State declares it differently; make the declarations equal, or declare it in the agent's State, which wins`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.State = test.fields
			_, err := host.New(b.Config)
			require.EqualError(t, err, test.want)
		})
	}
}

type todo struct {
	Text string `msgpack:"text"`
	Done bool   `msgpack:"done,omitempty"`
}

func TestTypedFields(t *testing.T) {
	t.Parallel()
	var (
		number = host.NewField[int]("number")
		long   = host.NewField[int64]("long")
		text   = host.NewField[string]("text")
		flag   = host.NewField[bool]("flag")
		ratio  = host.NewField[float64]("ratio")
		any1   = host.NewField[any]("any")
		todos  = host.NewField[[]todo]("todos", host.Hidden, host.Lives(host.LifetimeRun), host.Reduced(host.Append()))
		opaque = host.NewField[wire.Raw]("raw")
	)
	require.Equal(t, host.LifetimeRun, todos.Lifetime)
	require.True(t, todos.HideInput && todos.HideOutput)
	require.Equal(t, "append", todos.Reducer.Name)

	b := setup(t, scripted.Say("done"))
	b.State = []host.Field{number.Field, long.Field, text.Field, flag.Field, ratio.Field, any1.Field, todos.Field, opaque.Field}
	b.use(host.BeforeAgent("sets", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		_, ok, err := number.Get(rt.State())
		require.NoError(t, err)
		require.False(t, ok, "it is unset")
		u := &host.Update{}
		require.NoError(t, number.Set(u, 1))
		require.NoError(t, long.Set(u, math.MinInt64))
		require.NoError(t, text.Set(u, "x"))
		require.NoError(t, flag.Set(u, true))
		require.NoError(t, ratio.Set(u, 0.5))
		require.NoError(t, any1.Set(u, map[string]any{"a": []any{nil}}))
		require.NoError(t, todos.Set(u, []todo{{Text: "a", Done: true}}))
		require.NoError(t, opaque.Set(u, wire.Int(5)))
		return u, nil
	}), host.BeforeAgent("gets", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		check(t, rt, number, 1)
		check(t, rt, long, math.MinInt64)
		check(t, rt, text, "x")
		check(t, rt, flag, true)
		check(t, rt, ratio, 0.5)
		check(t, rt, any1, any(map[string]any{"a": []any{nil}}))
		check(t, rt, todos, []todo{{Text: "a", Done: true}})
		check(t, rt, opaque, wire.Int(5))
		_, _, err := host.NewField[int]("text").Get(rt.State())
		require.ErrorContains(t, err, `field "text": `)
		return nil, nil
	}))
	b.mustRun()
}

func check[T any](t *testing.T, rt *host.Runtime, field host.TypedField[T], want T) {
	t.Helper()
	got, ok, err := field.Get(rt.State())
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, want, got)
}

func TestEncode(t *testing.T) {
	t.Parallel()
	for want, value := range map[string]any{
		`{"a":1,"b":2}`: map[string]int{"b": 2, "a": 1},
		`{"text":"x"}`:  todo{Text: "x"},
		`[1,2]`:         []int{1, 2},
		`null`:          nil,
	} {
		raw, err := host.Encode(value)
		require.NoError(t, err)
		require.Equal(t, want, raw.JSON())
		canonical, err := wire.IsCanonical(raw, wire.DefaultLimits)
		require.NoError(t, err)
		require.True(t, canonical)
	}
	_, err := host.Encode(time.Unix(0, 0))
	require.ErrorContains(t, err, "a value of type time.Time cannot be stored")
	require.ErrorContains(t, host.NewField[time.Time]("f").Set(&host.Update{}, time.Unix(0, 0)), `field "f": `)
	require.Error(t, host.Decode(wire.Raw{0x81, 0xa1}, &todo{}), "broken msgpack is refused before a decoder sees it")
}

// uses is a middleware that reads a field by name.
type uses struct{ field string }

func (uses) Name() string { return "reader" }

func (u uses) Hooks(context.Context, host.Env) (*host.Hooks, error) {
	return &host.Hooks{Uses: []string{u.field}}, nil
}

func TestAFieldThatIsUsedMustBeDeclaredBySomebody(t *testing.T) {
	t.Parallel()
	config := host.Config{
		Model: scripted.NewTurns(), State: []host.Field{{Name: "known"}}, Middleware: []host.Middleware{uses{"known"}},
	}
	_, err := host.New(config)
	require.NoError(t, err)
	config.Middleware = []host.Middleware{uses{"unknown"}}
	_, err = host.New(config)
	require.EqualError(t, err, `middleware "reader": it uses the field "unknown", which nobody declares; add the middleware that declares it to the list`)
}
