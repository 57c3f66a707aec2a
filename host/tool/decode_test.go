package tool_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool"
)

// received is what a tool's function gets of these arguments; out is set if they are answered instead.
func received[In any](t *testing.T, args wire.Raw) (in In, out *host.ToolOutput) {
	t.Helper()
	got := false
	find := tool.Func("find", "", func(_ context.Context, given In) (string, error) {
		in, got = given, true
		return "", nil
	})
	output, err := find.Call(t.Context(), nil, &abi.ToolCall{Name: "find", Args: args})
	require.NoError(t, err)
	require.Equal(t, !got, output.Failed)
	if got {
		return in, nil
	}
	return in, output
}

func arg(t *testing.T, text string) wire.Raw {
	t.Helper()
	raw, err := wire.FromJSON([]byte(text), wire.DefaultLimits)
	require.NoError(t, err)
	return raw
}

type settings struct {
	Unit  string          `json:"unit"             enum:"celsius,kelvin" default:"celsius"`
	Days  *int            `json:"days,omitempty"   default:"3"           min:"1" max:"14"`
	Exact bool            `json:"exact"            default:"true"`
	Tags  []string        `json:"tags,omitempty"   enum:"a,b"            default:"[\"a\"]"`
	Near  *place          `json:"near,omitempty"`
	Where struct{ N int } `json:"where" default:"{\"N\":7}"`
}

func TestDefaultsAreFilledIn(t *testing.T) {
	t.Parallel()
	in, out := received[settings](t, nil)
	require.Nil(t, out)
	require.Equal(t, settings{Unit: "celsius", Days: new(3), Exact: true, Tags: []string{"a"}, Where: struct{ N int }{7}}, in)

	in, _ = received[settings](t, arg(t, `{"unit":"kelvin","days":0,"exact":false,"tags":[],"near":{"city":"Oslo"},"where":{"N":1}}`))
	require.Equal(t, settings{Unit: "kelvin", Days: new(0), Tags: []string{}, Near: &place{City: "Oslo"}, Where: struct{ N int }{1}}, in)
}

func TestWholeNumbersAreIntegers(t *testing.T) {
	t.Parallel()
	in, out := received[arguments](t, arg(t, `{"limit":2.0,"weight":3.0,"extra":{"n":4.0},"tags":["2.0"]}`))
	require.Nil(t, out)
	require.Equal(t, arguments{Limit: 2, Weight: new(3.0), Extra: map[string]int{"n": 4}, Tags: []string{"2.0"}}, in)
}

// Arguments that the function cannot take are answered, so that the model can do better: they do not abort the run.
func TestArgumentsThatDoNotDecode(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		`{"limit":1e30}`:                   `kwargs {"limit":1e+30} with error:` + "\n limit: number 1e+30 is not a valid int\n Please fix the error and try again.",
		`{"limit":1.5}`:                    "limit: number 1.5 is not a valid int",
		`{"near":{"city":[]}}`:             "near.city: array is not a valid string",
		`{"extra":{"n":{}}}`:               "extra",
		`"no map"`:                         "arguments: string is not a valid tool_test.arguments",
		`{"since":"yesterday"}`:            `cannot parse "yesterday"`,
		`{"extra":{"n":[1e30,{"a":1.5}]}}`: "extra",
	} {
		_, out := received[arguments](t, arg(t, text))
		require.NotNil(t, out, text)
		require.Contains(t, out.Content.Text(), says)
		require.Contains(t, out.Content.Text(), "Error invoking tool 'find'")
	}
	_, out := received[settings](t, wire.AppendMapHeader(nil, 1))
	require.NotNil(t, out, "arguments that end in the middle")
	_, out = received[struct{ At time.Time }](t, wire.AppendMapHeader(nil, 1))
	require.NotNil(t, out, "arguments that end in the middle")
}
