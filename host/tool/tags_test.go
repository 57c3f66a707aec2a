package tool_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// paging is embedded.
type paging struct {
	Limit int `json:"limit" default:"10" min:"1" max:"100"`
}

type tagged struct {
	paging

	Unit  string             `json:"unit" enum:"celsius,kelvin"`
	Level *int               `json:"level,omitempty" enum:"1,2,3"`
	Share float64            `json:"share" min:"0" max:"0.5"`
	Kinds []string           `json:"kinds" enum:"x,y" min:"1" max:"2"`
	Name  string             `json:"name" min:"2" max:"8" default:"nobody"`
	Inner []map[string]inner `json:"inner,omitempty"`
}

type inner struct {
	Mode string `enum:"on,off" default:"on"`
}

func parameters[In any]() string {
	return tool.Func("x", "", func(context.Context, In) (string, error) { return "", nil }).Spec().Parameters.JSON()
}

func TestTags(t *testing.T) {
	t.Parallel()
	require.JSONEq(t, `{"type":"object","additionalProperties":false,"required":["unit","share","kinds"],"properties":{
		"limit":{"type":"integer","default":10,"minimum":1,"maximum":100},
		"unit":{"type":"string","enum":["celsius","kelvin"]},
		"level":{"type":"integer","enum":[1,2,3]},
		"share":{"type":"number","minimum":0,"maximum":0.5},
		"kinds":{"type":"array","items":{"type":"string","enum":["x","y"]},"minItems":1,"maxItems":2},
		"name":{"type":"string","minLength":2,"maxLength":8,"default":"nobody"},
		"inner":{"type":"array","items":{"type":"object","additionalProperties":
			{"type":"object","additionalProperties":false,"properties":{"Mode":{"type":"string","enum":["on","off"],"default":"on"}}}}}
	}}`, parameters[tagged]())
}

func TestTagsThatDoNotFit(t *testing.T) {
	t.Parallel()
	for says, broken := range map[string]func() string{
		`tag enum:"a, b": separate the values by commas without spaces`: parameters[struct {
			F string `enum:"a, b"`
		}],
		`tag enum:"": separate the values`: parameters[struct {
			F string `enum:""`
		}],
		`F: tag enum:"a": "a" is not valid JSON for a value of the type "integer"`: parameters[struct {
			F int `enum:"a"`
		}],
		`tag default:"x": "x" is not valid JSON`: parameters[struct {
			F bool `default:"x"` //nolint:revive // wrong on purpose
		}],
		`F: type: x has type "string", want "integer"`: parameters[struct {
			F int `default:"\"x\""` //nolint:revive // wrong on purpose
		}],
		`does not equal any of`: parameters[struct {
			F int `default:"3" enum:"1,2"`
		}],
		`maximum`: parameters[struct {
			F []struct {
				N int `default:"3" max:"2"`
			}
		}],
		`tag min:"1": only numbers, strings and lists can have bounds, and the type is "boolean"`: parameters[struct {
			F bool `min:"1"`
		}],
		`tag min:"x": strconv.ParseFloat`: parameters[struct {
			F float64 `min:"x"`
		}],
		`tag max:"-1": strconv.ParseUint`: parameters[struct {
			F string `max:"-1"`
		}],
	} {
		func() {
			defer func() { require.ErrorContains(t, asError(recover()), says) }()
			broken()
		}()
	}
}

type panicked string

func (p panicked) Error() string { return string(p) }

func asError(thrown any) error {
	text, _ := thrown.(string)
	return panicked(text)
}

// The host tells the model what does not fit: where, what is expected and what came.
func TestTheModelIsToldWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	calls := []abi.ToolCall{
		abi.Call("1", "x", map[string]any{"unit": "rankine", "share": 0, "kinds": []any{"x"}}),
		abi.Call("2", "x", map[string]any{"unit": "kelvin", "share": 1, "kinds": []any{"x"}}),
		abi.Call("3", "x", map[string]any{"unit": "kelvin", "share": 0, "kinds": []any{"x", "z"}}),
		abi.Call("4", "x", map[string]any{"unit": "kelvin", "share": 0}),
		abi.Call("5", "x", map[string]any{"unit": "kelvin", "share": 0, "kinds": []any{"x"}, "nome": "y"}),
		abi.Call("6", "x", map[string]any{"unit": "kelvin", "share": 0, "kinds": []any{"x"}}),
	}
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(scripted.CallTools(calls...), scripted.Say("done")),
		Tools: []host.Tool{tool.Func("x", "", func(_ context.Context, in tagged) (tagged, error) { return in, nil })},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })

	result, err := agent.Run(t.Context(), host.Input{})

	require.NoError(t, err)
	for i, says := range []string{
		"/properties/unit: enum: rankine does not equal any of: [celsius kelvin]", "/properties/share: maximum", "/properties/kinds: validating /properties/kinds/items: enum: z",
		"kinds: Field required", `unexpected additional properties ["nome"]`,
	} {
		answer := result.Messages.At(1 + i)
		require.True(t, answer.Failed())
		require.Contains(t, answer.Content.Text(), says)
		require.Contains(t, answer.Content.Text(), "Please fix the error and try again.")
	}
	last := result.Messages.At(6)
	require.JSONEq(t, `{"limit":10,"unit":"kelvin","share":0,"kinds":["x"],"name":"nobody"}`, last.Content.Text())
}
