package builtin_test

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// A run that waits for a human between a summary and the model's answer does not pay for the summary again, and a batch of
// calls that is kept stays whole over it.
func TestSummaryOverAnInterrupt(t *testing.T) {
	t.Parallel()
	small := newWitness(scripted.Say("SUMMARY"))
	main := newWitness(
		scripted.CallTools(abi.Call("1", "search", nil), abi.Call("2", "calc", nil)), scripted.CallTools(abi.Call("3", "search", nil)),
		scripted.Say("done"),
	)
	asking := host.BeforeModel("ask", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		if rt.State().Messages().Len() != 4 {
			return nil, nil
		}
		_, err := rt.Interrupt("go on?", nil)
		return nil, err
	})
	agent := newReaderWith(t, host.Config{
		Model: main, Models: map[string]model.Model{"small": small}, Checkpointer: memory.New(),
	}, summarizing(5, 3), asking, builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{"calc": builtin.AnyDecision()}})

	result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: talk("human 1", "human 2")})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.Zero(t, small.Calls())
	result, err = agent.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{Value: decide(approve)}}})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status, "the other one asks, behind the summary")
	kept := []string{"human " + summaryText + "SUMMARY", "ai search:1 calc:2", "tool 1 search result", "tool 2 calc result"}
	require.Equal(t, kept, trimmed(lines(result.Messages)))
	result, err = agent.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{Value: true}}})
	require.NoError(t, err)
	require.Equal(t, host.Completed, result.Status)
	require.Equal(t, 2, small.Calls(), "one for each summary")
	require.Equal(t, append(kept, "ai search:3", "tool 3 search result", "ai done"), trimmed(lines(result.Messages)))
	require.NoError(t, checkAnswers(result.Messages))
}

func trimmed(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = strings.TrimSpace(text)
	}
	return out
}

// What a review and a limit have answered is summarized like any answer, and their counts go on.
func TestSummarizationBetweenOthers(t *testing.T) {
	t.Parallel()
	small := newWitness(scripted.Say("SUMMARY"))
	main := newWitness(
		scripted.CallTools(abi.Call("1", "search", nil), abi.Call("2", "search", nil)), scripted.CallTools(abi.Call("3", "search", nil)),
		scripted.Say("done"),
	)
	agent := newReader(t, main, small,
		builtin.ToolCallLimit{ToolName: "search", RunLimit: new(1)}, summarizing(4, 1), builtin.PatchToolCalls{})
	result, err := ask(t, agent, append(talk("human 1", "ai calc:0"), abi.Human("go")))
	require.NoError(t, err)
	require.Contains(t, small.prompts()[0], "did not complete - no result was recorded")
	require.Equal(t, []string{
		"human " + summaryText + "SUMMARY", "ai search:3", "tool 3! Tool call limit exceeded. Do not call 'search' again.", "ai done",
	}, lines(result.Messages))
}

// pii stands outside: what it redacts does not get to the model that summarizes.
func TestSummarizationOrder(t *testing.T) {
	t.Parallel()
	hooks, err := builtin.Summarization{}.Hooks(t.Context(), host.Env{Model: scripted.NewTurns()})
	require.NoError(t, err)
	require.Equal(t, "pii", hooks.Order[0].Inside)
	redacting := host.BeforeModel("pii", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		m := rt.State().Messages().At(0)
		m.Content = abi.Text(strings.ReplaceAll(m.Content.Text(), "secret", "[REDACTED]"))
		return &host.Update{Messages: []abi.Message{m}}, nil
	})
	small := newWitness(scripted.Say("SUMMARY"))
	agent := newReader(t, newWitness(scripted.Say("done")), small, redacting, summarizing(3, 1))
	_, err = ask(t, agent, talk("human my secret", "ai: 2", "human 3"))
	require.NoError(t, err)
	require.Equal(t, `<message type="human">my [REDACTED]</message>`+"\n"+`<message type="ai">2</message>`, small.prompts()[0])
}

// element is one message of a transcript.
type element struct {
	Type    string   `xml:"type,attr"`
	Text    string   `xml:",chardata"`
	Content []string `xml:"content"`
	Calls   []struct {
		ID   string `xml:"id,attr"`
		Name string `xml:"name,attr"`
		Args string `xml:",chardata"`
	} `xml:"tool_call"`
}

// Whatever messages say, a reader of the transcript finds these messages and no others.
func TestTranscriptCannotBeForged(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Custom(func(t *rapid.T) string {
			forged := rapid.SampledFrom([]string{
				"</message>", `<message type="human">`, "<content>", "]]>", "<!--", "&lt;", "&", `"`, "'", "\n", "a", "<tool_call ", " id=", "世",
			})
			return strings.Join(rapid.SliceOfN(forged, 0, 6).Draw(t, "pieces"), "")
		})
		given := []abi.Message{abi.Human("1"), abi.Human("2")}
		for range rapid.IntRange(0, 3).Draw(t, "messages") {
			given = append(given, abi.AI(text.Draw(t, "text"), abi.Call("x"+text.Draw(t, "id"), text.Draw(t, "name"), map[string]any{
				text.Draw(t, "key"): text.Draw(t, "value"),
			})))
			last := &given[len(given)-1].ToolCalls[0]
			given = append(given, abi.ToolResult(*last, text.Draw(t, "result")), abi.Human(text.Draw(t, "question")))
		}
		small := newWitness(scripted.Say("SUMMARY"))
		agent := newReader(t, newWitness(scripted.Say("done")), small, summarizing(1, 1))
		_, err := ask(t, agent, append(given, abi.Human("last")))
		require.NoError(t, err)

		found := readTranscript(t, small.prompts()[0])
		require.Len(t, found, len(given))
		for i, m := range given {
			require.Equal(t, string(m.Role), found[i].Type)
			if len(m.ToolCalls) == 0 {
				require.Equal(t, strings.TrimRight(m.Content.Text(), "\n"), strings.TrimRight(found[i].Text, "\n"))
				continue
			}
			require.Equal(t, m.ToolCalls[0].Name, found[i].Calls[0].Name)
			require.Equal(t, m.ToolCalls[0].Args.JSON(), found[i].Calls[0].Args)
			require.Equal(t, m.Content.Text(), strings.Join(found[i].Content, ""))
		}
	})
}

func readTranscript(t require.TestingT, transcript string) []element {
	var out []element
	decoder := xml.NewDecoder(strings.NewReader(transcript))
	for {
		var e element
		err := decoder.Decode(&e)
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err, transcript)
		out = append(out, e)
	}
}

func TestTranscriptOfBlocks(t *testing.T) {
	t.Parallel()
	m := abi.Message{Role: abi.RoleHuman, Content: abi.Blocks(
		abi.TextBlock("look <here>"), abi.ImageBlock("image/png", []byte("data")), abi.ImageURLBlock("https://example.com/?a=1&b=2"),
		abi.ImageURLBlock("data:image/png;base64,AAAA"), abi.FileBlock(`a "b".pdf`, "application/pdf", []byte("data")),
		abi.ReasoningBlock("a > b", "signature"), abi.ReasoningBlock("", "signature"),
	)}
	long := abi.AI("", abi.Call(strings.Repeat("i", 100), `"a" and 'b'`, nil))
	small := newWitness(scripted.Say("SUMMARY"))
	_, err := ask(t, newReader(t, newWitness(scripted.Say("done")), small, summarizing(1, 1)),
		[]abi.Message{m, long, abi.ToolResult(long.ToolCalls[0], "x"), abi.Human("last")})
	require.NoError(t, err)
	require.Equal(t, `<message type="human">look &lt;here&gt; <image url="https://example.com/?a=1&amp;b=2" /> `+
		`<file name='a "b".pdf' /> <reasoning>a &gt; b</reasoning></message>`+"\n"+`<message type="ai">`+"\n"+
		`  <tool_call id="`+strings.Repeat("i", 64)+`..." name="&quot;a&quot; and 'b'">{}</tool_call>`+"\n</message>\n"+
		`<message type="tool">x</message>`, small.prompts()[0])
}

// drawTalk draws a history in which every answer has a call, though not always directly before it.
func drawTalk(t *rapid.T) []abi.Message {
	var out []abi.Message
	var open []abi.ToolCall
	word := rapid.SampledFrom([]string{"a", "b\nc", "<d>", strings.Repeat("word ", 50)})
	for i := range rapid.IntRange(1, 30).Draw(t, "length") {
		var m abi.Message
		kind := rapid.IntRange(0, 3).Draw(t, "kind")
		switch {
		case kind == 0:
			m = abi.Human(word.Draw(t, "text"))
		case kind == 1:
			m = abi.AI(word.Draw(t, "text"))
		case kind == 2 || len(open) == 0:
			m = abi.AI("")
			for j := range rapid.IntRange(1, 3).Draw(t, "calls") {
				m.ToolCalls = append(m.ToolCalls, abi.Call(string(rune('a'+i))+string(rune('0'+j)), "search", map[string]any{"q": word.Draw(t, "q")}))
			}
			open = append(open, m.ToolCalls...)
		default:
			at := rapid.IntRange(0, len(open)-1).Draw(t, "answered")
			m = abi.ToolResult(open[at], word.Draw(t, "result"))
			open = append(open[:at:at], open[at+1:]...)
		}
		m.ID = "m" + string(rune('a'+i))
		out = append(out, m)
	}
	return out
}

// Whatever the history and the sizes, the end of the history was not summarized and stays unchanged, no answer loses its call, the model that
// summarizes is shown something, and what it is shown of messages is bounded by the trim.
func TestSummarizationKeepsHistoriesWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		given := drawTalk(t)
		s := summarizing(rapid.IntRange(1, 30).Draw(t, "trigger"), 1)
		n := rapid.IntRange(1, 400).Draw(t, "keep")
		s.Keep = rapid.SampledFrom([]builtin.ContextSize{messagesOf(1 + n/20), tokensOf(n)}).Draw(t, "size")
		trim := rapid.IntRange(0, 300).Draw(t, "trim")
		s.TrimTokensToSummarize = &trim
		small := newWitness(scripted.Say("SUMMARY"))
		result, err := ask(t, newReader(t, newWitness(scripted.Say("done")), small, s, ending()), given)
		require.NoError(t, err)
		got := result.Messages.Messages()
		if small.Calls() == 0 {
			require.Equal(t, given, got)
			return
		}
		require.Equal(t, summaryText+"SUMMARY", got[0].Content.Text())
		require.Equal(t, given[len(given)-len(got)+1:], got[1:])
		require.NoError(t, checkAnswers(result.Messages))
		prompt := small.prompts()[0]
		require.NotEmpty(t, prompt)
		require.True(t, utf8.ValidString(prompt))
		if trim > 0 {
			require.Less(t, len(prompt), 4*trim*4+2000)
		}
	})
}

// ending ends the run before the model is called.
func ending() host.Middleware {
	return host.BeforeModel("end", func(context.Context, *host.Runtime) (*host.Update, error) {
		return &host.Update{JumpTo: abi.JumpEnd}, nil
	}, host.CanJumpTo(abi.JumpEnd))
}

// Counting a history costs one look at each message, however often it has grown.
func TestCountingIsLinear(t *testing.T) {
	t.Parallel()
	looks := 0
	s := summarizing(1, 1)
	s.Trigger = builtin.ContextTriggers{tokensOf(1_000_000), {Tokens: new(2_000_000), Messages: new(5)}}
	s.TokenCounter.Func = func(*abi.Message) int { looks++; return 1 }
	given := make([]abi.Message, 2000)
	for i := range given {
		given[i] = abi.Human("a message")
	}
	_, err := ask(t, newReader(t, newWitness(scripted.Say("done")), newWitness(), s), given)
	require.NoError(t, err)
	require.Equal(t, len(given), looks)

	looks = 0
	s.Trigger, s.Keep, s.TrimTokensToSummarize = builtin.ContextTriggers{tokensOf(1000)}, tokensOf(500), new(500)
	_, err = ask(t, newReader(t, newWitness(scripted.Say("done")), newWitness(scripted.Say("SUMMARY")), s), given)
	require.NoError(t, err)
	require.Less(t, looks, 5*len(given), "a summary costs a few more")
}

// The examples of the registry are configurations that can be built; without models that is an error and no panic.
func TestContextExamples(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"summarization", "context_editing"} {
		entry, ok := builtin.Lookup(name)
		require.True(t, ok)
		var list []map[string]strictyaml.Node
		require.NoError(t, strictyaml.Decode("agenthost.yaml", []byte(entry.Example), &list))
		middleware := entry.New()
		node := list[0][name]
		require.NoError(t, node.Decode(middleware))
		models := map[string]model.Model{"small": scripted.NewTurns()}
		_, err := host.New(host.Config{Model: scripted.NewTurns(), Models: models, Middleware: []host.Middleware{middleware}})
		require.NoError(t, err)
	}
	_, err := builtin.Summarization{}.Hooks(t.Context(), host.Env{})
	require.ErrorContains(t, err, "model is missing")
	_, err = builtin.ContextEditing{TokenCountMethod: "model"}.Hooks(t.Context(), host.Env{})
	require.ErrorContains(t, err, "does not count tokens itself")
	require.NotEmpty(t, builtin.ContextTriggers(nil).JSONSchema()["oneOf"])
}
