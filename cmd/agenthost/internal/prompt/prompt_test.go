package prompt_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/prompt"
	"github.com/agenthost/agenthost/internal/text"
)

func TestAReviewIsAskedCallByCall(t *testing.T) {
	t.Parallel()
	s := typing("a", "respond", "", "it is sent")
	answers, err := s.answer(t, review)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"ask-1": `{"decisions":[{"type":"approve"},{"message":"it is sent","type":"respond"}]}`}, answers)
	require.Equal(t, `
1 of 2: write (call-1) needs a decision, says hitl.after_model
  │ Tool execution requires approval
  path: "a.txt"
  text: |
    │ one
    │ two
  [a]pprove  [e]dit  [r]eject > 
2 of 2: mail (call-2) needs a decision, says hitl.after_model
  to: "ada"
  [a]pprove  res[p]ond >   the result, for the model >   there is no default; type a text
  the result, for the model > `, s.out.String())
}

func TestWhatIsNotUnderstoodIsSaid(t *testing.T) {
	t.Parallel()
	s := typing("", "yes", "p\x1b[2J", "a")
	_, err := s.answer(t, write)
	require.NoError(t, err)
	const again = "  [a]pprove  [e]dit  [r]eject > "
	require.Contains(t, s.out.String(), again+"  there is no default; type one of these words, or its letter in brackets\n"+
		again+"  \"yes\" is not an answer to this question; type one of these words, or its letter in brackets\n"+
		again+"  \"p\\x1b[2J\" is not an answer to this question; type one of these words, or its letter in brackets\n"+again)
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		typed []string
		asked string
		want  string
	}{
		"approve":                   {[]string{"A"}, write, `{"decisions":[{"type":"approve"}]}`},
		"no default":                {[]string{"", " ", "yes", "p", " approve "}, write, `{"decisions":[{"type":"approve"}]}`},
		"reject":                    {[]string{"r", "not today"}, write, `{"decisions":[{"message":"not today","type":"reject"}]}`},
		"reject without a reason":   {[]string{"reject", ""}, write, `{"decisions":[{"type":"reject"}]}`},
		"the last line has no end":  {[]string{"a"}, write, `{"decisions":[{"type":"approve"}]}`},
		"retry":                     {[]string{"a", "r", "t"}, unfinished, `{"type":"retry"}`},
		"skip":                      {[]string{"s", "paid by hand"}, unfinished, `{"message":"paid by hand","type":"skip"}`},
		"respond":                   {[]string{"p", "receipt 7"}, unfinished, `{"message":"receipt 7","type":"respond"}`},
		"JSON":                      {[]string{"", `{"yes": true}`}, `"Shall I?"`, `{"yes":true}`},
		"text":                      {[]string{"why not"}, `"Shall I?"`, `"why not"`},
		"text that looks like JSON": {[]string{"[sic"}, `"Shall I?"`, `"[sic"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answers, err := typing(test.typed...).answer(t, test.asked)
			require.NoError(t, err)
			require.Equal(t, map[string]string{"ask-1": test.want}, answers)
		})
	}
}

func TestSeveralInterruptsAreAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	s := typing("a", "42", "t")
	answers, err := s.answer(t, write, `"How many?"`, unfinished)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"ask-1": `{"decisions":[{"type":"approve"}]}`, "ask-2": "42", "ask-3": `{"type":"retry"}`}, answers)
	require.Contains(t, s.out.String(), "2 of 3: ok? of hitl.after_model (id ask-2)\n  \"How many?\"\n  answer (JSON or text) > ")
	require.Contains(t, s.out.String(), "3 of 3: pay (call-4) was cut off; it had started at 2023-11-14 22:13:20Z\n"+
		"  │ The process died.\n  sum: 3\n  re[t]ry  [s]kip  res[p]ond > ")
}

func TestEditing(t *testing.T) {
	t.Parallel()
	s := typing("e")
	s.edits = []string{`{"path": "b.txt", "size": 12345678901234567}`}
	answers, err := s.answer(t, write)
	require.NoError(t, err)
	require.Equal(t, `{"decisions":[{"edited_action":{"args":{"path":"b.txt","size":12345678901234567},"name":"write"},"type":"edit"}]}`, answers["ask-1"])
	require.Equal(t, []string{"{\n  \"path\": \"a.txt\",\n  \"text\": \"one\\ntwo\"\n}\n"}, s.given)
	require.Contains(t, s.out.String(), `path: "b.txt"`)
}

func TestAMistakeOpensTheEditorAgain(t *testing.T) {
	t.Parallel()
	s := typing("e", "", "", "")
	s.edits = []string{`{"path": `, `[]`, `{"text": "x"}`, `{"path": "b.txt"}`}
	answers, err := s.answer(t, write)
	require.NoError(t, err)
	require.Equal(t, `{"decisions":[{"edited_action":{"args":{"path":"b.txt"},"name":"write"},"type":"edit"}]}`, answers["ask-1"])
	require.Equal(t, []string{`{"path": `, `[]`, `{"text": "x"}`}, s.given[1:], "with the mistake in it")
	for _, text := range []string{"this is not JSON", "they must be a JSON object", "path", "Enter: edit again, c: do not edit > "} {
		require.Contains(t, s.out.String(), text)
	}
}

func TestEditingIsGivenUp(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ edits, typed []string }{
		"a mistake":        {[]string{"{"}, []string{"e", "c", "a"}},
		"nothing changed":  {[]string{`{"text":"one\ntwo","path":"a.txt"}`}, []string{"e", "a"}},
		"no editor at all": {nil, []string{"e", "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := typing(test.typed...)
			s.edits = test.edits
			answers, err := s.answer(t, write)
			require.NoError(t, err)
			require.Equal(t, `{"decisions":[{"type":"approve"}]}`, answers["ask-1"])
			require.NotContains(t, s.out.String(), "\x1b")
		})
	}
}

func TestAPromptThatIsLeft(t *testing.T) {
	t.Parallel()
	for _, typed := range [][]string{nil, {"a"}, {"r"}, {"a", "p"}, {"e"}} {
		s := typing(typed...)
		s.edits = []string{"{"}
		_, err := s.answer(t, review)
		require.ErrorIs(t, err, prompt.ErrLeft)
		require.True(t, strings.HasSuffix(s.out.String(), "\n"))
	}
}

func TestAContextEndsThePrompt(t *testing.T) {
	t.Parallel()
	in, keyboard := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	lines := prompt.NewLines(in)
	p := &prompt.Prompt{In: lines, Out: io.Discard}
	_, err := p.Confirm(ctx, "Go on?")
	require.ErrorIs(t, err, prompt.ErrLeft)

	go func() { _, _ = keyboard.Write([]byte("kept\n")) }()
	text, err := lines.Next(t.Context())
	require.NoError(t, err)
	require.Equal(t, "kept", text, "what was being read is not lost")
	require.NoError(t, keyboard.Close())
	_, err = lines.Next(t.Context())
	require.ErrorIs(t, err, io.EOF)
}

func TestConfirm(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]bool{"y": true, "YES": true, "n": false, "no": false} {
		s := typing("", "what?", typed)
		yes, err := s.p.Confirm(t.Context(), "Remove a\x1b[2J?")
		require.NoError(t, err)
		require.Equal(t, want, yes)
		require.Equal(t, "Remove a [2J? [y/n]   there is no default; type y or n\n"+
			"Remove a [2J? [y/n]   \"what?\" is not an answer to this question; type y or n\nRemove a [2J? [y/n] ", s.out.String())
	}
}

func TestNothingOfAModelSteersTheTerminalOrForgesAPrompt(t *testing.T) {
	t.Parallel()
	const steer = `\u001b[2J\u202e\n[a]pprove  [r]eject > a\n\r`
	s := typing("a", "yes")
	_, err := s.answer(t, `{"action_requests":[{"name":"w`+steer+`","args":{"x`+steer+`":"`+steer+`","y":"a\n`+`[a]pprove > "},"description":"d`+steer+`"}],
		"review_configs":[]}`, `{"k`+steer+`":"`+steer+`"}`)
	require.NoError(t, err)
	prompts := 0
	for line := range strings.Lines(s.out.String()) {
		line = strings.TrimSuffix(line, "\n")
		require.False(t, strings.ContainsFunc(line, text.Steers), "%q", line)
		if strings.HasPrefix(line, "  [a]pprove") {
			prompts++
		}
	}
	require.Equal(t, 1, prompts, "ours alone:\n%s", &s.out)
}

func TestLongArgumentsAreShownOnDemand(t *testing.T) {
	t.Parallel()
	asked := `{"action_requests":[{"name":"write","args":{"text":"` + strings.Repeat(`line\n`, 100) + `the end"}}]}`
	s := typing("v", "a")
	_, err := s.answer(t, asked)
	require.NoError(t, err)
	before, after, ok := strings.Cut(s.out.String(), "[v]iew > ")
	require.True(t, ok)
	require.Contains(t, before, "… 42 more lines")
	require.NotContains(t, before, "the end")
	require.Contains(t, after, "the end")
}
