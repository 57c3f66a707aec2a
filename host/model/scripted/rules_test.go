package scripted_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func TestRulesAnswerByTheFirstThatMatches(t *testing.T) {
	t.Parallel()
	rules := []scripted.Rule{
		{From: "human", When: `^weather in (?P<city>\w+)`, Call: []scripted.RuleCall{{Tool: "weather", Args: map[string]any{
			"city": "${city}", "list": []any{"$1", 1}, "names": []string{"$1"}, "deep": map[string]any{"all": "$0"}, "days": 2,
		}}}},
		{From: "tool", Tool: "weather", When: `(\d+) degrees`, Say: "It is $1."},
		{Tool: "news", Say: "News: $0"},
		{From: "human", When: "(?i)hello", Say: "Hi there"},
		{When: "price", Say: "$$5 for $missing."},
		{Say: "What?"},
	}
	weather := abi.Call("call-1", "weather", nil)
	for _, test := range []struct {
		name     string
		messages []abi.Message
		want     string
	}{
		{"the latest human message", []abi.Message{abi.Human("weather in Oslo"), abi.AI("later"), abi.Human("HELLO")}, "Hi there"},
		{"a result of a tool", []abi.Message{abi.Human("hello"), abi.ToolResult(weather, "20 degrees")}, "It is 20."},
		{"a result of another tool", []abi.Message{abi.ToolResult(abi.ToolCall{Name: "x"}, "20 degrees")}, "What?"},
		{"a result only of its tool", []abi.Message{abi.ToolResult(abi.ToolCall{Name: "news"}, "20 degrees")}, "News: "},
		{"not an AI message", []abi.Message{abi.Human("hello"), abi.AI("price")}, "Hi there"},
		{"dollars and unknown groups", []abi.Message{abi.Human("price")}, "$5 for ."},
		{"anything, at last", []abi.Message{abi.Human("")}, "What?"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m, err := scripted.NewRules(rules...)
			require.NoError(t, err)
			require.Equal(t, test.want, ask(t, m, test.messages...).Content.Text())
		})
	}

	m, err := scripted.NewRules(rules...)
	require.NoError(t, err)
	for _, id := range []string{"call-1", "call-2"} {
		require.Equal(t, []abi.ToolCall{abi.Call(id, "weather", map[string]any{
			"city": "Oslo", "list": []any{"Oslo", 1}, "names": []string{"Oslo"}, "days": 2,
			"deep": map[string]any{"all": "weather in Oslo"},
		})}, ask(t, m, abi.Human("weather in Oslo now")).ToolCalls)
	}
}

// The ids of calls do not repeat in a history, whichever process continues it.
func TestRulesContinueTheNumbersOfCalls(t *testing.T) {
	t.Parallel()
	fresh := func() *scripted.Rules {
		m, err := scripted.NewRules(scripted.Rule{Call: []scripted.RuleCall{{Tool: "a"}, {Tool: "b"}}})
		require.NoError(t, err)
		return m
	}
	m := fresh()
	first := *ask(t, m, abi.Human("hi"))
	require.Equal(t, "call-2", first.ToolCalls[1].ID)
	require.Equal(t, "call-3", ask(t, m, abi.Human("hi")).ToolCalls[0].ID)
	require.Equal(t, "call-3", ask(t, fresh(), first, abi.Human("hi")).ToolCalls[0].ID)
	first.ToolCalls[0].ID, first.ToolCalls[1].ID = "call-7x", "other-9"
	require.Equal(t, "call-1", ask(t, fresh(), first, abi.Human("hi")).ToolCalls[0].ID)
}

func TestRulesWithoutAMatch(t *testing.T) {
	t.Parallel()
	m, err := scripted.NewRules(scripted.Rule{When: "^x$", Say: "x"})
	require.NoError(t, err)

	_, err = m.Generate(t.Context(), request(abi.Human("hello")))
	require.EqualError(t, err, `rules: no rule matches the human message "hello"; add a last rule with when: ""`)
	_, err = m.Generate(t.Context(), request(abi.Human(strings.Repeat("ä", 81))))
	require.EqualError(t, err, `rules: no rule matches the human message "`+strings.Repeat("ä", 80)+`…"; add a last rule with when: ""`)
	_, err = m.Generate(t.Context(), request(abi.AI("x")))
	require.EqualError(t, err, "rules: there is no human or tool message to answer")
}

func TestNewRulesError(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		rule scripted.Rule
		want string
	}{
		{"a broken expression", scripted.Rule{When: "("}, "rule 2: when: error parsing regexp: missing closing ): `(`"},
		{"an unknown sender", scripted.Rule{From: "ai", Say: "x"}, `rule 2: from is "ai"; use "human" or "tool", or leave it out`},
		{"nothing to do", scripted.Rule{When: "x"}, "rule 2: the rule has neither say nor call; add one of them"},
		{
			"arguments without a form",
			scripted.Rule{Call: []scripted.RuleCall{{Tool: "t", Args: map[string]any{"c": make(chan int)}}}},
			"rule 2: call of t: args: ",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := scripted.NewRules(scripted.Rule{Say: "fine"}, test.rule)
			require.ErrorContains(t, err, test.want)
		})
	}
}
