package manifest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/manifest"
)

func TestContextSchema(t *testing.T) {
	t.Parallel()
	const agent = "apiVersion: agenthost/v1\nmodel: {provider: scripted, echo: true}\n"
	files := map[string]string{"context.json": `{"type": "object", "required": ["user"]}`, "broken.json": `{"type": 7}`}
	for _, schema := range []string{"context.json", "{type: object, required: [user]}"} {
		built := build(t, setup(t, agent+"context_schema: "+schema+"\n", files), manifest.Options{})
		in := host.Input{Messages: []abi.Message{abi.Human("hi")}}
		_, err := built.Run(t.Context(), in)
		require.EqualError(t, err, "the run's context does not fit the agent's context_schema: user: Field required")
		in.Context = map[string]any{"user": "Ada"}
		_, err = built.Run(t.Context(), in)
		require.NoError(t, err)
	}
	for schema, says := range map[string]string{
		"none.json":   "none.json: there is no such file (expected a JSON Schema)",
		"broken.json": "agenthost.yaml:3:17: ",
		"{type: 7}":   "agenthost.yaml:3:17: ",
		"[]":          "agenthost.yaml:3:17: context_schema: ",
	} {
		m, err := manifest.Load(setup(t, agent+"context_schema: "+schema+"\n", files), manifest.Options{})
		if err == nil {
			_, err = m.Build(t.Context(), nil, nil)
		}
		require.ErrorContains(t, err, says, schema)
	}
}
