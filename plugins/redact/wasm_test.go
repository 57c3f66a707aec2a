package main

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/plugins/internal/plugintest"
)

// outcome is what a run led to.
type outcome struct {
	*host.Result
	events []string // the data of the events "redacted"
	err    error
}

// redacted runs an agent whose model calls the tool lookup for each of results, which it returns, and then says done.
func redacted(t *testing.T, config map[string]any, input string, results ...abi.Content) outcome {
	t.Helper()
	calls := make([]abi.ToolCall, len(results))
	for i := range results {
		calls[i] = abi.Call(string(rune('a'+i)), "lookup", map[string]any{"n": i})
	}
	lookup := tool.Func("lookup", "Looks up.", func(_ context.Context, in struct {
		N int `json:"n"`
	},
	) (abi.Content, error) {
		return results[in.N], nil
	})
	newModel := func() model.Model {
		if len(calls) == 0 {
			return scripted.NewTurns(scripted.Say("done"))
		}
		return scripted.NewTurns(scripted.CallTools(calls...), scripted.Say("done"))
	}
	build := func() *host.Agent {
		agent, err := host.New(host.Config{
			Model: newModel(), Tools: []host.Tool{lookup},
			Middleware: []host.Middleware{plugin.Wasm{Path: "redact.wasm", Config: config, Engine: plugintest.Engine}},
		})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, agent.Close()) })
		return agent
	}
	in := host.Input{Messages: []abi.Message{abi.Human(input)}}
	var out outcome
	out.Result, out.err = build().Run(t.Context(), in)
	for event, err := range build().Stream(t.Context(), in) {
		if err == nil && event.Type == host.EventCustom {
			out.events = append(out.events, event.Name+" "+event.Data.JSON())
		}
	}
	return out
}

// said returns the texts of the messages of a role.
func (o *outcome) said(role abi.Role) []string {
	var texts []string
	for _, m := range o.Messages.All() {
		if m.Role == role {
			texts = append(texts, m.Content.Text())
		}
	}
	return texts
}

func TestStrategies(t *testing.T) {
	t.Parallel()
	for strategy, want := range map[string]struct{ input, result string }{
		"redact": {"I am [REDACTED_EMAIL]", "card [REDACTED_CREDIT_CARD], key [REDACTED_API_KEY]"},
		"mask":   {"I am ann@****.example", "card ************1111, key ****MPLE"},
		"hash":   {"I am <email_hash:9c012ece>", "card <credit_card_hash:9bbef194>, key <api_key_hash:1a5d44a2>"},
	} {
		t.Run(strategy, func(t *testing.T) {
			t.Parallel()
			out := redacted(t, map[string]any{"strategy": strategy}, "I am ann@mail.shop.example",
				abi.Text("card 4111111111111111, key AKIAIOSFODNN7EXAMPLE"))
			require.NoError(t, out.err)
			require.Equal(t, []string{want.input}, out.said(abi.RoleHuman))
			require.Equal(t, []string{want.result}, out.said(abi.RoleTool))
			require.Equal(t, `{"redactions":3}`, out.State.Raw().JSON())
			require.Equal(t, []string{`redacted {"email":1}`, `redacted {"api_key":1,"credit_card":1}`}, out.events)
		})
	}
}

func TestBlock(t *testing.T) {
	t.Parallel()
	for name, out := range map[string]outcome{
		"input":  redacted(t, map[string]any{"strategy": "block"}, "I am ann@mail.example and bob@mail.example"),
		"result": redacted(t, map[string]any{"strategy": "block", "apply_to_input": false}, "ann@mail.example", abi.Text("a@mail.example b@mail.example")),
	} {
		var document *abi.Error
		require.ErrorAs(t, out.err, &document, name)
		require.Equal(t, "pii_detected", document.Type)
		require.Equal(t, "Detected 2 instance(s) of email in text content", document.Message)
		require.NotErrorAs(t, out.err, new(*plugin.Error), "it is an ordinary error, and no fault")
	}
}

func TestParallelToolCallsAddUp(t *testing.T) {
	t.Parallel()
	results := make([]abi.Content, 8)
	for i := range results {
		results[i] = abi.Text("from 10.1.2.3 and 10.1.2.4")
	}
	out := redacted(t, nil, "hello", results...)
	require.NoError(t, out.err)
	require.Equal(t, `{"redactions":16}`, out.State.Raw().JSON())
	require.Len(t, out.events, 8)
}

func TestNothingToFind(t *testing.T) {
	t.Parallel()
	out := redacted(t, nil, "hello", abi.Text("all is well"))
	require.NoError(t, out.err)
	require.Equal(t, `{"redactions":0}`, out.State.Raw().JSON())
	require.Empty(t, out.events)
	require.Equal(t, []string{"all is well"}, out.said(abi.RoleTool))
}

func TestContentOfBlocks(t *testing.T) {
	t.Parallel()
	image := abi.ImageURLBlock("https://mail.example/ann@mail.example.png")
	out := redacted(t, nil, "hello", abi.Blocks(abi.TextBlock("to ann@mail.example"), image))
	require.NoError(t, out.err)
	i := slices.IndexFunc(out.Messages.Messages(), func(m abi.Message) bool { return m.Role == abi.RoleTool })
	blocks := out.Messages.At(i).Content.Blocks()
	require.Equal(t, "to [REDACTED_EMAIL]", blocks[0].Text())
	require.Equal(t, image, blocks[1])
}

func TestNarrowing(t *testing.T) {
	t.Parallel()
	mail := abi.Text("to ann@mail.example")
	input := redacted(t, map[string]any{"apply_to_tool_results": false}, "I am ann@mail.example", mail)
	require.Equal(t, []string{"I am [REDACTED_EMAIL]"}, input.said(abi.RoleHuman))
	require.Equal(t, []string{"to ann@mail.example"}, input.said(abi.RoleTool))
	results := redacted(t, map[string]any{"apply_to_input": false}, "I am ann@mail.example", mail)
	require.Equal(t, []string{"I am ann@mail.example"}, results.said(abi.RoleHuman))
	require.Equal(t, []string{"to [REDACTED_EMAIL]"}, results.said(abi.RoleTool))
	types := redacted(t, map[string]any{"types": []any{"ip"}}, "ann@mail.example 10.1.2.3")
	require.Equal(t, []string{"ann@mail.example [REDACTED_IP]"}, types.said(abi.RoleHuman))
}

func TestConfigurationErrors(t *testing.T) {
	t.Parallel()
	for says, config := range map[string]map[string]any{
		"strategy":       {"strategy": "shout"},
		"types":          {"types": []any{"iban"}},
		"minItems":       {"types": []any{}},
		"apply_to_input": {"apply_to_input": "yes"},
		"detectors":      {"detectors": []any{}},
	} {
		_, err := host.New(host.Config{
			Model:      scripted.NewTurns(),
			Middleware: []host.Middleware{plugin.Wasm{Path: "redact.wasm", Config: config, Engine: plugintest.Engine}},
		})
		require.ErrorContains(t, err, `middleware "redact": config: `)
		require.ErrorContains(t, err, says)
	}
}
