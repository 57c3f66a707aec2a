package builtin_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// writing makes a history with a call that writes a long text, and its answer.
func writing(tool, text string) []abi.Message {
	given := talk("human 1", "ai "+tool+":1 calc:2", "tool 1 ok", "tool 2 ok", "ai: written", "human 6")
	given[1].ToolCalls[0].Args = abi.Call("1", tool, map[string]any{"file_path": "/a.txt", "content": text, "n": 7, "old": []any{text}}).Args
	given[1].ToolCalls[1].Args = abi.Call("2", "calc", map[string]any{"q": text}).Args
	return given
}

// clipping clips arguments of more than 30 characters from so many messages on.
func clipping(from, keep int) builtin.Summarization {
	s := overflowing(1)
	s.TruncateArgsSettings = &builtin.TruncateArgsSettings{Trigger: messagesOf(from), Keep: messagesOf(keep), MaxLength: 40}
	return s
}

func TestOldArgumentsAreClipped(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789", 5)
	long := `{"content":"` + text + `","file_path":"/a.txt","n":7,"old":["` + text + `"]}`
	short := `{"content":"01234567890123456789...(argument truncated)","file_path":"/a.txt","n":7,"old":["` + text + `"]}`
	tokens := func(n int) builtin.Summarization {
		s := clipping(1, 1)
		s.TruncateArgsSettings.Keep = tokensOf(n)
		s.TokenCounter = builtin.TokenCounter{PerMessage: 10}
		return s
	}
	other := clipping(6, 2)
	other.OnOverflow, other.TruncateArgsSettings.TruncationText = "fail", " [...]"
	for name, test := range map[string]struct {
		s    builtin.Summarization
		tool string
		text string
		want string
	}{
		"of write_file":             {clipping(6, 2), "write_file", text, short},
		"of edit_file":              {clipping(6, 4), "edit_file", text, short},
		"not of other tools":        {clipping(6, 2), "search", text, long},
		"not before the trigger":    {clipping(7, 2), "write_file", text, long},
		"not in what is kept":       {clipping(6, 5), "write_file", text, long},
		"not if fewer are there":    {clipping(6, 20), "write_file", text, long},
		"before the kept tokens":    {tokens(40), "write_file", text, short},
		"not in the kept tokens":    {tokens(50), "write_file", text, long},
		"if not even one is kept":   {tokens(1), "write_file", text, short},
		"with another text":         {other, "write_file", text, strings.Replace(short, "...(argument truncated)", " [...]", 1)},
		"not a short one":           {clipping(6, 2), "write_file", text[:40], strings.ReplaceAll(long, text, text[:40])},
		"not into something longer": {clipping(6, 2), "write_file", text[:41], strings.ReplaceAll(long, text, text[:41])},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			main := newWitness(scripted.Say("done"))
			given := writing(test.tool, test.text)
			thread, err := runInThread(t, main, newWitness(), given, test.s)
			require.NoError(t, err)
			sent := main.asked[0].Messages
			require.Equal(t, test.want, sent.At(1).ToolCalls[0].Args.JSON())
			require.Equal(t, given[1].ToolCalls[1], sent.At(1).ToolCalls[1])
			require.Equal(t, given, thread[:6], "the thread stays")
		})
	}
}

// Clipped arguments may make a summary unnecessary; if not, it is made of them.
func TestArgumentsAreClippedBeforeASummary(t *testing.T) {
	t.Parallel()
	given := writing("write_file", strings.Repeat("0123456789", 20))
	for name, test := range map[string]struct {
		limit     int
		clips     bool
		summaries int
	}{
		"unclipped": {600, false, 1}, "clipped": {600, true, 0}, "clipped, and still too long": {400, true, 1},
	} {
		s := clipping(1, 2)
		if !test.clips {
			s.TruncateArgsSettings = nil
		}
		s.Trigger, s.Keep = builtin.ContextTriggers{tokensOf(test.limit)}, messagesOf(2)
		s.TokenCounter.Func = func(m *abi.Message) int {
			n := len(m.Content.Text())
			for i := range m.ToolCalls {
				n += len(m.ToolCalls[i].Args.JSON())
			}
			return n
		}
		small := newWitness(scripted.Say("SUMMARY"))
		_, err := runInThread(t, newWitness(scripted.Say("done")), small, given, s)
		require.NoError(t, err)
		require.Equal(t, test.summaries, small.Calls(), name)
		if test.summaries == 1 && test.clips {
			require.Contains(t, small.prompts()[0], `"content":"01234567890123456789...(argument truncated)"`)
		}
	}
}

// What is sent again after an overflow has the clipped arguments, too.
func TestArgumentsStayClippedAfterAnOverflow(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789", 5)
	given := append(talk("human "+wordy), writing("write_file", text)...)
	for i := range given {
		given[i].ID = string(rune('a' + i))
	}
	s := clipping(1, 2)
	s.Keep = messagesOf(6)
	main := newWitness(tooLong, scripted.Say("done"))
	thread, err := runInThread(t, main, newWitness(scripted.Say("SUMMARY")), given, s)
	require.NoError(t, err)
	require.Contains(t, main.asked[1].Messages.At(2).ToolCalls[0].Args.JSON(), "(argument truncated)")
	require.Equal(t, given[1:], thread[1:7])
}

func TestTruncateArgsSettingsAreChecked(t *testing.T) {
	t.Parallel()
	for text, problem := range map[string]string{
		"{truncate_args_settings: {}}":                                                     "truncate_args_settings: trigger is missing; give it a size such as {messages: 20}",
		"{truncate_args_settings: {trigger: {tokens: 0}}}":                                 "trigger thresholds must be greater than 0",
		"{truncate_args_settings: {trigger: {fraction: 0.5}}}":                             "Model profile information is required",
		"{truncate_args_settings: {trigger: {tokens: 5}, keep: {tokens: 1, messages: 1}}}": "keep has several sizes",
		"{truncate_args_settings: {trigger: {tokens: 5}, max_length: -1}}":                 "max_length is -1; it must be greater than 0",
		"{truncate_args_settings: {triggers: {tokens: 5}}}":                                `unknown key "triggers"`,
	} {
		var s builtin.Summarization
		err := strictyaml.Decode("agenthost.yaml", []byte(text), &s)
		if err == nil {
			_, err = s.Hooks(t.Context(), host.Env{Model: scripted.NewTurns()})
		}
		require.ErrorContains(t, err, problem, text)
	}
	var s builtin.Summarization
	require.NoError(t, strictyaml.Decode("agenthost.yaml", []byte("{truncate_args_settings: {trigger: {messages: 20}}}"), &s))
	main := newWitness(scripted.Say("done"))
	given := append(writing("write_file", strings.Repeat("x", 2001)), talk(strings.Split(strings.Repeat("human x,", 20), ",")[:20]...)...)
	for i := range given {
		given[i].ID = ""
	}
	s.Model = "small"
	_, err := ask(t, newReader(t, main, newWitness(), s), given)
	require.NoError(t, err)
	require.Contains(t, main.asked[0].Messages.At(1).ToolCalls[0].Args.JSON(), strings.Repeat("x", 20)+"...(argument truncated)")
}
