package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const costly = `apiVersion: agenthost/v1
name: agent
model: {provider: scripted, name: m, turns: [{tool_calls: [{name: write_todos, args: {todos: []}}], usage: {input_tokens: 1M}}], after_end: repeat_last}
middleware: [todo_list]
`

func TestABudgetInMoneyEndsARun(t *testing.T) {
	t.Parallel()
	b := setup(t, costly+"prices: {currency: EUR, models: {m: {input: 0.2, output: 1}}}\n")
	require.Equal(t, exitLimit, b.run("run", "--budget", "0.50", "hi"), &b.err)
	require.Contains(t, b.err.String(), "the run has cost 0.6 EUR; its budget is 0.5 EUR")

	b.write("prices.yaml", "models: {scripted:m: {input: 1, output: 1}, m: {input: \"0.25\", output: 1}}\n")
	b.write("agenthost.yaml", costly+"prices: prices.yaml\n")
	require.Equal(t, exitLimit, b.run("run", "--budget", "0.5", "hi"), &b.err)
	require.Contains(t, b.err.String(), "the run has cost 0.5 USD; its budget is 0.5 USD")
}

func TestABudgetInMoneyThatCannotBeKept(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ manifest, budget, want string }{
		"no prices":     {costly, "1", `--budget: the model "m": its price is unknown`},
		"another model": {costly + "prices: {models: {x: {input: 1, output: 1}}}\n", "1", `its price is unknown`},
		"no amount":     {costly, "much", `--budget: "much" is not an amount`},
		"nothing":       {costly, "0", "--budget: the amount must be more than 0"},
		"no file":       {costly + "prices: prices.yaml\n", "1", "prices.yaml: there is no such file"},
		"no output":     {costly + "prices: {models: {m: {input: 1}}}\n", "1", "output"},
		"negative":      {costly + "prices: {models: {m: {input: -1, output: 1}}}\n", "1", `"-1" is not an amount`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, test.manifest)
			require.Equal(t, exitUsage, b.run("run", "--budget", test.budget, "hi"), &b.err)
			require.Contains(t, b.err.String(), test.want)
		})
	}
	b := setup(t, costly)
	b.write("serve.yaml", "limits: {run_cost: 0.5}\n")
	require.Equal(t, exitUsage, b.run("serve", "-f", b.path("agenthost.yaml"), "--config", b.path("serve.yaml"), "--listen", "127.0.0.1:0"), &b.err)
	require.Contains(t, b.err.String(), `limits.run_cost in serve.yaml: the model "m": its price is unknown`)
}
