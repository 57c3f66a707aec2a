package host_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func TestReducers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		reducer host.Reducer
		updates []any
		want    string
	}{
		{"last keeps the last", host.Last(), []any{1, "two"}, `{"f":"two"}`},
		{"the zero value is last", host.Reducer{}, []any{1, 2}, `{"f":2}`},
		{"add sums integers", host.Add(), []any{1, 2, -5}, `{"f":-2}`},
		{"add sums floats", host.Add(), []any{1, 0.5}, `{"f":1.5}`},
		{"add stays an integer as long as it can", host.Add(), []any{math.MaxInt64}, `{"f":9223372036854775807}`},
		{"add goes on as a float after an overflow", host.Add(), []any{math.MaxInt64, 1}, `{"f":9.223372036854775807e18}`},
		{"add overflows downward too", host.Add(), []any{math.MinInt64, -1}, `{"f":-9.223372036854775807e18}`},
		{"append joins lists", host.Append(), []any{[]any{1}, []any{}, []any{"a", []any{}}}, `{"f":[1,"a",[]]}`},
		{"a reducer of one's own", host.Reducer{Name: "first", Reduce: func(value, update wire.Raw) (wire.Raw, error) {
			if value.IsZero() {
				return update, nil
			}
			return value, nil
		}}, []any{1, 2}, `{"f":1}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, scripted.Say("done"))
			b.State = []host.Field{{Name: "f", Reducer: test.reducer}}
			for _, value := range test.updates {
				b.use(host.BeforeAgent("w", constant(setting("f", value), nil)))
			}
			got := b.mustRun().State.Get("f")
			want, err := wire.FromJSON([]byte(test.want), wire.DefaultLimits)
			require.NoError(t, err)
			var m wire.Map
			_, err = m.UnmarshalMsg(want)
			require.NoError(t, err)
			if f, ok := m.Get("f").AsFloat(); ok && math.Abs(f) > 1e18 {
				g, ok := got.AsFloat()
				require.True(t, ok)
				require.InEpsilon(t, f, g, 1e-12)
				require.Equal(t, m.Get("f").Type(), got.Type())
				return
			}
			require.Equal(t, m.Get("f").JSON(), got.JSON())
		})
	}
}

func TestReducersShowTheirInitialValues(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done"))
	b.State = []host.Field{
		{Name: "added", Reducer: host.Add()},
		{Name: "appended", Reducer: host.Append()},
		{Name: "hidden", Reducer: host.Add(), HideOutput: true},
		{Name: "plain"},
	}
	require.Equal(t, `{"added":0,"appended":[]}`, stateOf(b.mustRun()))
}

func TestReducerErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		reducer host.Reducer
		value   any
		want    string
	}{
		{"add of a text", host.Add(), "x", "the reducer add needs numbers"},
		{"append of a number", host.Append(), 1, "the reducer append needs lists"},
		{"a reducer of one's own", host.Reducer{Reduce: func(wire.Raw, wire.Raw) (wire.Raw, error) {
			return nil, errors.New("broken")
		}}, 1, "broken"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t).use(host.BeforeAgent("w", constant(setting("f", test.value), nil)))
			b.State = []host.Field{{Name: "f", Reducer: test.reducer}}
			_, err := b.run()
			require.EqualError(t, err, `middleware "w": before_agent: field "f": `+test.want)
		})
	}
}

func TestTwoUpdatesInOneStep(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		reducer host.Reducer
		want    string
		err     string
	}{
		{"of a last field are an error", host.Last(), "", `middleware "outer": wrap_model_call: field "f": two updates in one step, and the reducer is "last"; declare one that joins them`},
		{"of an add field join", host.Add(), `{"f":3}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, scripted.Say("done"))
			b.State = []host.Field{{Name: "f", Reducer: test.reducer}}
			b.use(
				host.WrapModelCall("outer", passing(func(*host.Runtime) *host.Update { return setting("f", 1) })),
				host.WrapModelCall("inner", passing(func(*host.Runtime) *host.Update { return setting("f", 2) })),
			)
			result, err := b.run()
			if test.err != "" {
				require.EqualError(t, err, test.err)
				require.Equal(t, []string{"human: hi"}, lines(result.Messages), "nothing of the step was applied")
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, stateOf(result))
		})
	}
}

func TestReducerByName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"": "last", "last": "last", "add": "add", "append": "append"} {
		reducer, ok := host.ReducerByName(name)
		require.True(t, ok)
		require.Equal(t, want, reducer.Name)
	}
	_, ok := host.ReducerByName("merge")
	require.False(t, ok)
}
