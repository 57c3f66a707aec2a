package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/cases/evaluate"
)

// judged is an agent with a judge, which likes answers with the word good.
const judged = `apiVersion: agenthost/v1
model: {provider: scripted, rules: rules.yaml}
models: {judge: {provider: scripted, rules: judge.yaml}}
`

const judgeRules = `rules:
  - {when: '(?s)"first_answer":"[^"]*good', say: '{"better": {"probabilities": {"first": 0.8, "second": 0.1, "neither": 0.1}}}'}
  - {when: '(?s)"second_answer":"[^"]*good', say: '{"better": {"probabilities": {"first": 0.1, "second": 0.8, "neither": 0.1}}}'}
  - {when: '(?s)"first_answer"', say: '{"better": {"probabilities": {"first": 0.7, "second": 0.2, "neither": 0.1}}}'}
  - {when: '(?s)good', say: '{"fulfilled": {"probability": 0.9}}'}
  - {when: '', say: '{"fulfilled": {"probability": 0.2}}'}
`

// evaluating returns a directory with an agent, another manifest of it, and two cases.
func evaluating(t *testing.T) *bundle {
	t.Helper()
	b := setup(t, judged)
	b.write("rules.yaml", "rules: [{when: ask, say: a good answer}, {when: '', say: an answer}]\n")
	b.write("judge.yaml", judgeRules)
	b.write("worse.yaml", strings.Replace(judged, "rules: rules.yaml", "rules: worse-rules.yaml", 1))
	b.write("worse-rules.yaml", "rules: [{when: '', say: hm}]\n")
	b.write("tests/asks.yaml", "rubric: The answer is kind.\nturns: [{input: ask, expect: {message: {contains: answer}}}]\n")
	b.write("tests/set.yaml", "dataset: {file: set.csv}\nturns: [{input: \"${q}\", expect: {message: \"${a}\"}}]\n")
	b.write("tests/set.csv", "q,a\nfirst,an answer\nsecond,another answer\n")
	return b
}

// eval runs the command in the bundle's directory.
func (b *bundle) eval(args ...string) int {
	return b.runWith(b.t.Context(), "", append([]string{"eval", b.dir, "-o", filepath.Join(b.dir, "evals")}, args...)...)
}

// Two manifests with prices are compared by cost, too.
func TestTheCostOfAnEvaluation(t *testing.T) {
	t.Parallel()
	const priced = "apiVersion: agenthost/v1\nmodel: {provider: scripted, name: m, turns: [{content: hi, usage: {input_tokens: 1000}}]}\n"
	b := setup(t, priced+"prices: {models: {m: {input: 2, output: 1}}}\n")
	b.write("cheap.yaml", priced+"prices: {models: {m: {input: 0.5, output: 1}}}\n")
	b.write("tests/hi.yaml", "turns: [{input: hi, expect: {message: hi}}]\n")
	require.Equal(t, exitOK, b.eval("-n", "3", "--against", filepath.Join(b.dir, "cheap.yaml")), b.out.String(), &b.err)
	require.Regexp(t, `hi.yaml +own .* tokens  cost 0.006\n`, b.out.String())
	require.Regexp(t, `hi.yaml +against .* tokens  cost 0.0015\n`, b.out.String())
	page, err := os.ReadFile(filepath.Join(b.dir, "evals", "report.html"))
	require.NoError(t, err)
	require.Contains(t, string(page), `<td class="n">0.0015</td>`)
	document, err := os.ReadFile(filepath.Join(b.dir, "evals", "report.json"))
	require.NoError(t, err)
	var summary evaluate.Summary
	require.NoError(t, json.Unmarshal(document, &summary))
	require.EqualValues(t, 6_000_000, summary.Total[0].Cost)
	require.Zero(t, summary.Total[0].Unpriced)
}

func TestAnEvaluation(t *testing.T) {
	t.Parallel()
	b := evaluating(t)
	require.Equal(t, exitOK, b.eval("-n", "3", "--judge", "judge", "--against", filepath.Join(b.dir, "worse.yaml")), b.out.String(), &b.err)
	out := b.out.String()
	require.Regexp(t, `asks.yaml +own +3/3  100 % \(44–100 %\) .* score 0.90\n`, out)
	require.Regexp(t, `asks.yaml +against +0/3  0 % \(0–56 %\) .* score 0.20\n  message: "answer" is not in "hm"\n`, out)
	require.Regexp(t, `set.yaml#2 +own +0/3`, out)
	require.Regexp(t, `(?m)^all cases +own +6/9  67 % `, out)
	require.Contains(t, out, "the judge prefers own 3/3  100 % (44–100 %), against 0/3  0 % (0–56 %), neither 6")
	for _, name := range []string{"report.json", "report.html", "latest.jsonl"} {
		require.FileExists(t, filepath.Join(b.dir, "evals", name))
	}
	page, err := os.ReadFile(filepath.Join(b.dir, "evals", "report.html"))
	require.NoError(t, err)
	require.Contains(t, string(page), "message: &#34;answer&#34; is not in &#34;hm&#34;")
	require.Contains(t, string(page), "3/3  100 % (44–100 %)")

	require.Equal(t, exitFailed, b.eval("-n", "1", "--json", "--least", "0.9"))
	require.Contains(t, b.err.String(), "no judge")
	var summary evaluate.Summary
	require.NoError(t, json.Unmarshal(b.out.Bytes(), &summary))
	require.Equal(t, 3, summary.Total[0].Passed.Of)
	require.Equal(t, 9, summary.Before[0].Passed.Of)
	require.Equal(t, exitOK, b.eval("-n", "1", "--least", "0.5"))
	require.Contains(t, b.out.String(), "+0 points since the last evaluation, within the intervals")
}

func TestAnEvaluationGoesOnAfterItWasStopped(t *testing.T) {
	t.Parallel()
	b := evaluating(t)
	stopped, stop := context.WithCancel(t.Context())
	b.err.Reset()
	code := execute(stopped, []string{"eval", b.dir, "-o", filepath.Join(b.dir, "evals"), "-n", "2", "--parallel", "1"}, streams{
		in: strings.NewReader(""), out: &b.out, err: &impatient{stop: stop, after: 2}, watched: true,
	})
	require.Equal(t, exitSignal, code)
	require.Equal(t, exitOK, b.eval("-n", "2"), &b.err)
	require.Contains(t, b.err.String(), "going on after 2 of 6 samples")
	require.Regexp(t, `(?m)^all cases +4/6 `, b.out.String())
}

// impatient stops a command when it has shown some progress.
type impatient struct {
	stop  func()
	after int
}

func (s *impatient) Write(b []byte) (int, error) {
	if strings.Contains(string(b), " of 6, ") {
		s.after--
		if s.after == 0 {
			s.stop()
		}
	}
	return len(b), nil
}

func TestEvaluationsThatCannotBegin(t *testing.T) {
	t.Parallel()
	b := evaluating(t)
	for _, test := range []struct {
		args    []string
		message string
	}{
		{[]string{"-n", "0"}, "at least once"},
		{[]string{"--parallel", "0"}, "at least one sample"},
		{[]string{"--timeout", "0s"}, "must be positive"},
		{[]string{"--least", "2"}, "from 0 to 1"},
		{[]string{"--judge", "nobody"}, `there is no model "nobody" under models`},
		{[]string{"--against", filepath.Join(b.dir, "gone.yaml")}, "gone.yaml"},
		{[]string{"--run", "zzz"}, "has a path that matches"},
	} {
		require.Equal(t, exitUsage, b.eval(test.args...), test.args)
		require.Contains(t, b.err.String(), test.message)
	}
}
