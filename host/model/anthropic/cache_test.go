package anthropic_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
)

// Marks, as tests write them.
const (
	short   = `{"type":"ephemeral"}`
	fiveMin = `{"type":"ephemeral","ttl":"5m"}`
	oneHour = `{"type":"ephemeral","ttl":"1h"}`
)

// cachedBlock is a text, marked if mark is not "".
func cachedBlock(t testing.TB, text, mark string) abi.Block {
	t.Helper()
	if mark == "" {
		return abi.TextBlock(text)
	}
	return block(t, fmt.Sprintf(`{"type":"text","text":%q,"cache_control":%s}`, text, mark))
}

// marksOf shows the parts of the prompt of a body that are marked, in their order: "tools.1 5m".
func marksOf(t testing.TB, body map[string]any) (out []string) {
	t.Helper()
	parts := func(name string, list any) {
		if list == nil {
			return
		}
		for i, part := range of[[]any](t, list) {
			mark, ok := of[map[string]any](t, part)["cache_control"].(map[string]any)
			if !ok {
				continue
			}
			ttl, ok := mark["ttl"].(string)
			if !ok {
				ttl = "-"
			}
			out = append(out, fmt.Sprintf("%s.%d %s", name, i, ttl))
		}
	}
	parts("tools", body["tools"])
	parts("system", body["system"])
	for i, message := range of[[]any](t, body["messages"]) {
		parts(fmt.Sprintf("messages.%d", i), of[map[string]any](t, message)["content"])
	}
	return out
}

func TestPromptCaching(t *testing.T) {
	t.Parallel()
	tools := []abi.ToolSpec{{Name: "a"}, {Name: "b"}}
	cached := func(mark string) wire.Map { return settings(t, `{"cache_control":`+mark+`}`) }
	for _, test := range []struct {
		name string
		req  *model.Request
		want []string
	}{
		{
			"tools, system prompt and conversation",
			request(abi.Human("hi"), abi.AI("yes"), abi.Human("go")).WithSystem(abi.Text("be kind")).WithTools(tools).WithSettings(cached(fiveMin)),
			[]string{"tools.1 5m", "system.0 5m", "messages.2.0 5m"},
		},
		{"a conversation alone", request(abi.Human("hi")).WithSettings(cached(oneHour)), []string{"messages.0.0 1h"}},
		{
			"a system message of the history is the last of the system prompt",
			request(abi.System("now"), abi.Human("hi")).WithSystem(abi.Text("be kind")).WithSettings(cached(short)),
			[]string{"system.1 -", "messages.0.0 -"},
		},
		{
			"the answers to calls",
			request(
				abi.Human("hi"), abi.AI("", abi.Call("1", "a", nil), abi.Call("2", "b", nil)),
				abi.ToolResult(abi.Call("1", "a", nil), "one"), abi.ToolResult(abi.Call("2", "b", nil), "two"),
			).WithSettings(cached(short)),
			[]string{"messages.2.1 -"},
		},
		{
			"no thought, and no note of another model, is marked",
			request(
				abi.Human("hi"), blocks(abi.RoleAI, abi.ReasoningBlock("hm", "signed"), block(t, `{"type":"anthropic_fallback","from":{"model":"x"}}`)),
			).WithSettings(settings(t, `{"cache_control":`+short+`,"thinking":{"type":"adaptive"}}`)),
			[]string{"messages.0.0 -"},
		},
		{
			"no tool that is loaded later is marked",
			request(abi.Human("hi")).WithTools(tools).WithSettings(settings(t, `{"cache_control":`+short+`,"tools":[{"name":"b","defer_loading":true},
				{"type":"tool_search_tool_bm25_20251119","name":"search"},{"name":"c","defer_loading":true}]}`)),
			[]string{"tools.2 -", "messages.0.0 -"},
		},
		{
			"what is marked stays as it is",
			request(blocks(abi.RoleHuman, cachedBlock(t, "a", oneHour))).WithSystem(abi.Blocks(cachedBlock(t, "x", oneHour))).
				WithTools(tools).WithSettings(settings(t, `{"cache_control":`+oneHour+`,"tools":[{"name":"b","cache_control":`+oneHour+`}]}`)),
			[]string{"tools.1 1h", "system.0 1h", "messages.0.0 1h"},
		},
		{
			"a part that is not to be marked",
			request(abi.Human("hi")).WithTools(tools).WithSettings(settings(t, `{"cache_control":`+short+`,"tools":[{"name":"b","cache_control":null}]}`)),
			[]string{"messages.0.0 -"},
		},
		{
			"room for one: the conversation",
			request(blocks(abi.RoleHuman, cachedBlock(t, "a", short), cachedBlock(t, "b", short), cachedBlock(t, "c", short), cachedBlock(t, "d", ""))).
				WithSystem(abi.Text("x")).WithTools(tools).WithSettings(cached(short)),
			[]string{"messages.0.0 -", "messages.0.1 -", "messages.0.2 -", "messages.0.3 -"},
		},
		{
			"room for two: the system prompt, which the tools stand before",
			request(blocks(abi.RoleHuman, cachedBlock(t, "a", short), cachedBlock(t, "b", short), cachedBlock(t, "c", ""))).
				WithSystem(abi.Text("x")).WithTools(tools).WithSettings(cached(short)),
			[]string{"system.0 -", "messages.0.0 -", "messages.0.1 -", "messages.0.2 -"},
		},
		{
			"no room",
			request(blocks(abi.RoleHuman, cachedBlock(t, "a", short), cachedBlock(t, "b", short), cachedBlock(t, "c", short), cachedBlock(t, "d", short), abi.TextBlock("e"))).
				WithSettings(cached(short)),
			[]string{"messages.0.0 -", "messages.0.1 -", "messages.0.2 -", "messages.0.3 -"},
		},
		{
			"short marks do not stand before long ones",
			request(blocks(abi.RoleHuman, cachedBlock(t, "a", oneHour), cachedBlock(t, "b", ""))).
				WithSystem(abi.Text("x")).WithTools(tools).WithSettings(cached(fiveMin)),
			[]string{"messages.0.0 1h", "messages.0.1 5m"},
		},
		{
			"long marks do not stand behind short ones",
			request(abi.Human("hi")).WithSystem(abi.Blocks(cachedBlock(t, "x", short))).WithTools(tools).WithSettings(cached(oneHour)),
			[]string{"tools.1 1h", "system.0 -", "messages.0.0 -"},
		},
		{"null is not a mark", request(abi.Human("hi")).WithSettings(cached("null")), nil},
		{"nothing is not a mark", request(abi.Human("hi")).WithSettings(cached("{}")), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			before := test.req.Messages.Messages()
			body := sent(t, test.req)
			require.Equal(t, test.want, marksOf(t, body))
			require.NotContains(t, body, "cache_control", "the API would mark by itself")
			require.Equal(t, before, test.req.Messages.Messages(), "the history stays as it is")
		})
	}
}

func TestPromptCachingBySettingOfTheModel(t *testing.T) {
	t.Parallel()
	change := func(m *anthropic.Model) { m.Settings = settings(t, `{"cache_control":`+oneHour+`}`) }
	req := request(abi.Human("hi")).WithSystem(abi.Text("x"))
	require.Equal(t, []string{"system.0 1h", "messages.0.0 1h"}, marksOf(t, sent(t, req, change)))
	require.Equal(t, []string{"system.0 5m", "messages.0.0 5m"},
		marksOf(t, sent(t, req.WithSettings(settings(t, `{"cache_control":`+fiveMin+`}`)), change)), "that of the request wins")
	require.Empty(t, marksOf(t, sent(t, req.WithSettings(settings(t, `{"cache_control":null}`)), change)))

	body := sent(t, request(abi.Human("hi")).WithSettings(settings(t, `{"cache_control":"yes"}`)))
	require.Equal(t, "yes", body["cache_control"], "the API says what is wrong with it")
	body = sent(t, request(abi.Human("hi")).WithSettings(settings(t, `{"cache_control":{"type":"ephemeral","ttl":"2h","new":[1]}}`)))
	require.Equal(t, value(t, `[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral","ttl":"2h","new":[1]}}]}]`),
		body["messages"], "the mark is sent as it is")
}

// Whatever is marked already, the API takes what is sent: there are at most four marks, if there were no more, and none that
// keeps for long stands behind one that does not, if none did.
func TestPromptCachingKeepsTheRules(t *testing.T) {
	t.Parallel()
	s := serve(t, answers(plain))
	rapid.Check(t, func(r *rapid.T) {
		left, mayBeLong := 4, true
		draw := func(name string) (out []abi.Block) {
			for i := range rapid.IntRange(0, 4).Draw(r, name) {
				marks := []string{""}
				if left > 0 && mayBeLong {
					marks = append(marks, oneHour)
				}
				if left > 0 {
					marks = append(marks, short, fiveMin)
				}
				mark := rapid.SampledFrom(marks).Draw(r, name+" mark")
				if mark != "" {
					left--
					mayBeLong = mayBeLong && mark == oneHour
				}
				out = append(out, cachedBlock(t, fmt.Sprint(name, i), mark))
			}
			return out
		}
		system := draw("system")
		req := request(blocks(abi.RoleHuman, draw("first")...), abi.AI("so"), blocks(abi.RoleHuman, draw("last")...)).
			WithSystem(abi.Blocks(system...)).WithTools(make([]abi.ToolSpec, rapid.IntRange(0, 2).Draw(r, "tools"))).
			WithSettings(settings(t, `{"cache_control":`+rapid.SampledFrom([]string{short, fiveMin, oneHour}).Draw(r, "setting")+`}`))
		_, err := s.model(t).Generate(t.Context(), req)
		require.NoError(r, err)
		marks := marksOf(t, s.last(t))
		require.NotEmpty(r, marks)
		require.LessOrEqual(r, len(marks), 4)
		ttls := make([]string, len(marks))
		for i, mark := range marks {
			_, ttls[i], _ = strings.Cut(mark, " ")
		}
		require.Regexp(r, `^(1h )*((5m|-) )*$`, strings.Join(ttls, " ")+" ")
	})
}
