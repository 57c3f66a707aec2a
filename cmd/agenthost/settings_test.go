package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// validate and doctor find what a run would fail with, without a key and without a request.
func TestValidateAndDoctorRefuseTheSettingsThatARunRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ model, says string }{
		{"{provider: openai, name: m, settings: {messages: []}}", `the setting "messages" is not allowed, because the agent sets it; remove it`},
		{"{provider: anthropic, name: m, tools: [a]}", `the setting "tools" must be a list of mappings`},
		{"{provider: gemini, name: m, headers: {'a b': c}}", `the header "a b" is not a valid name`},
		{"{provider: anthropic, name: m, effort: high}", "for anthropic, write output_config: {effort: high}"},
	} {
		b := setup(t, "apiVersion: agenthost/v1\nmodel: "+test.model+"\n")
		for _, args := range [][]string{{"validate"}, {"doctor"}, {"run", "hi"}} {
			require.Equal(t, exitUsage, b.run(args...), args)
			require.Contains(t, b.out.String()+b.err.String(), test.says, args)
		}
	}
}
