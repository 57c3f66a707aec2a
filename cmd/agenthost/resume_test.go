package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// A script goes on where the thread stands, in every process that continues it.
func TestAScriptContinuesWhereTheThreadStands(t *testing.T) {
	t.Parallel()
	b := setup(t, `apiVersion: agenthost/v1
model:
  provider: scripted
  turns:
    - {tool_calls: [{name: write_file, args: {path: a.txt, content: one}}]}
    - {content: written}
    - {error: broken}
    - {content: again}
    - {tool_calls: [{name: write_file, args: {path: a.txt, content: two}}]}
    - {content: twice}
tools: [{files: {root: ., write: true}}]
middleware: [{human_in_the_loop: {interrupt_on: {write_file: true}}}]
checkpoint: sqlite:agent.db
`)
	b.must(exitWaiting, "run", "--thread", "ada", "hi")
	b.must(exitOK, "resume", "ada", "--approve", "call-1-1")
	require.Equal(t, "written\n", b.out.String())
	b.must(exitProvider, "run", "--thread", "ada", "hi")
	require.Contains(t, b.err.String(), "broken")
	b.must(exitOK, "run", "--thread", "ada", "--continue", "--set", "model.turns[2].error=", "--set", "model.turns[2].content=mended")
	require.Equal(t, "mended\n", b.out.String())
	b.must(exitOK, "run", "--thread", "ada", "hi")
	require.Equal(t, "again\n", b.out.String())
	b.must(exitWaiting, "run", "--thread", "ada", "hi")
	b.must(exitOK, "resume", "ada", "--approve", "call-5-1")
	require.Equal(t, "twice\n", b.out.String())
	require.Len(t, b.shown("ada").Messages, 12)
}

func TestARunThatAsksIsResumed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args    []string
		files   map[string]string
		input   string
		answers string
		written map[string]string
	}{
		"approve": {args: []string{"--approve", "call-1", "--approve", "call-2"}, answers: "written", written: map[string]string{"a": "one", "b": "two"}},
		"reject one": {
			args: []string{"--reject", "call-1", "--message", "it is late", "--approve", "call-2"}, answers: "written", written: map[string]string{"b": "two"},
		},
		"all of an interrupt": {args: []string{"--reject", "ASK", "--message", "it is late"}, answers: "not written: it is late"},
		"edit": {
			args: []string{"--edit", "call-1=DIR/args.json", "--reject", "call-2"}, files: map[string]string{"args.json": `{"path": "c", "content": "three"}`},
			answers: "written", written: map[string]string{"c": "three"},
		},
		"answer on standard input": {
			args: []string{"--answer", "-"}, input: `{"ASK": {"decisions": [{"type": "approve"}, {"type": "reject"}]}}`,
			answers: "written", written: map[string]string{"a": "one"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := threads(t, noting)
			b.must(exitWaiting, "run", "-q", "--thread", "ada", "note a b")
			require.Contains(t, b.err.String(), "  agenthost resume ada -f "+b.path("agenthost.yaml")+" --approve call-1 --approve call-2\n")
			for file, text := range test.files {
				b.write(file, text)
			}
			ask := b.shown("ada").Interrupts[0].ID
			fill := regexp.MustCompile("ASK|DIR")
			filled := func(text string) string {
				return fill.ReplaceAllStringFunc(text, func(word string) string { return map[string]string{"ASK": ask, "DIR": b.dir}[word] })
			}
			args := []string{"resume", "ada", "-q", "-f", b.path("agenthost.yaml"), "--as", "bob"}
			for _, arg := range test.args {
				args = append(args, filled(arg))
			}
			require.Equal(t, exitOK, b.runWith(t.Context(), filled(test.input), args...), &b.err)
			require.Equal(t, test.answers+"\n", b.out.String())
			for _, file := range []string{"a", "b", "c"} {
				text, err := os.ReadFile(b.path("data/" + file))
				require.Equal(t, test.written[file] != "", err == nil, file)
				require.Equal(t, test.written[file], string(text))
			}
			require.Equal(t, exitOK, b.threads("history", "ada"))
			require.Contains(t, b.out.String(), "bob answered "+ask+" of human_in_the_loop.after_model at ")
		})
	}
}

func TestResumeWithoutAnswersGoesOn(t *testing.T) {
	t.Parallel()
	b := threads(t, noting+"interrupt_before: [tools]\n")
	b.must(exitWaiting, "run", "-q", "--thread", "ada", "note a")
	b.must(exitWaiting, "resume", "-q", "ada")
	require.Contains(t, b.err.String(), "waits for an answer before human_in_the_loop.after_model", "it keeps waiting")
	b.must(exitWaiting, "resume", "-q", "ada", "--approve", "call-1")
	require.Equal(t, "agenthost: the run is interrupted at a breakpoint, before tools\nto continue it:\n"+
		"  agenthost resume ada -f "+b.path("agenthost.yaml")+"\n", b.err.String())
	b.must(exitOK, "resume", "-q", "ada")
	require.Equal(t, "written\n", b.out.String())
	b.must(exitOK, "run", "-q", "--thread", "ada", "--continue")
	require.Equal(t, "written\n", b.out.String(), "a run that is over stays as it is")
}

func TestAnswersAreCheckedBeforeAnythingRuns(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	b.must(exitWaiting, "run", "--thread", "ada", "note a b")
	ask := b.shown("ada").Interrupts[0].ID
	b.write("one.json", `{"`+ask+`": {"decisions": [{"type": "approve"}]}}`)
	b.write("respond.json", `{"`+ask+`": {"decisions": [{"type": "approve"}, {"type": "respond", "message": "x"}]}}`)
	b.write("none.json", `{"ask-0": true}`)
	b.write("list.json", `["x"]`)
	b.write("empty.json", `{}`)
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"--approve", "call-7"}, `--approve call-7: no question or call has the id "call-7"; there are ` + ask + " (about call-1, call-2)"},
		{[]string{"--approve", "call-2"}, ask + " asks about 2 calls at once, and needs a decision about each; missing: call-1 (write_file)"},
		{[]string{"--approve", "call-1", "--approve", "call-1"}, "call-1 (write_file) has two decisions; give one"},
		{[]string{"--respond", "call-1", "--message", "x"}, `call-1 (write_file): the decision "respond" is not allowed; it may be one of approve, edit, reject`},
		{[]string{"--retry", "call-1"}, `the decision "retry" is not allowed`},
		{[]string{"--edit", "call-1"}, "--edit call-1: write it as ID=FILE"},
		{[]string{"--edit", "call-1=" + b.path("list.json")}, "the edited arguments: they must be a JSON object"},
		{[]string{"--edit", "call-1=" + b.path("nowhere.json")}, "no such file"},
		{[]string{"--message", "x"}, "it must follow the --reject, --respond or --skip that it belongs to"},
		{[]string{"--approve", "call-1", "--message", "x"}, "the --approve before it takes no message"},
		{[]string{"--reject", "call-1", "--message", "x", "--message", "y"}, "--reject before it has two messages; keep one"},
		{[]string{"--approve", ""}, "the id is missing; 'agenthost threads show THREAD' shows the ids"},
		{[]string{"--answer", b.path("one.json")}, "it has 1 decisions, and 2 calls are asked about: call-1, call-2, in this order"},
		{[]string{"--answer", b.path("respond.json")}, `call-2 (write_file): the decision "respond" is not allowed`},
		{[]string{"--answer", b.path("none.json")}, `no question or call has the id "ask-0"`},
		{[]string{"--answer", b.path("list.json")}, "this must be a JSON object {interrupt id: answer}"},
		{[]string{"--answer", b.path("empty.json")}, "there are no answers"},
	} {
		b.must(exitUsage, append([]string{"resume", "ada"}, test.args...)...)
		require.Contains(t, b.err.String(), test.says)
	}
	require.Equal(t, checkpoint.Waiting, b.shown("ada").State)
	b.must(exitOK, "resume", "ada", "--approve", ask)
	b.must(exitUsage, "resume", "ada", "--approve", "call-1")
	require.Contains(t, b.err.String(), `thread "ada": nothing in the thread waits for an answer`)
}

func TestAnAnswerThatWillNotDoIsCorrected(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	b.must(exitWaiting, "run", "--thread", "ada", "note a")
	ask := b.shown("ada").Interrupts[0].ID
	b.write("other.json", `{"`+ask+`": {"decisions": [{"type": "edit", "edited_action": {"name": "burn", "args": {}}}]}}`)
	b.must(exitFailed, "resume", "ada", "--answer", b.path("other.json"))
	require.Contains(t, b.err.String(), "'burn', which is not an available tool")
	command := "  agenthost resume ada -f " + b.path("agenthost.yaml")
	require.Contains(t, b.err.String(), "\n  the run stopped before human_in_the_loop.after_model; to continue it:\n"+command+"\n"+
		"  or, if an answer caused this, with another answer:\n"+command+" --approve call-1\n")
	b.must(exitOK, "resume", "ada", "--approve", "call-1")
}

func TestInterruptsAreAnsweredOneByOne(t *testing.T) {
	t.Parallel()
	b := threads(t, strings.Replace(noting, "human_in_the_loop: {", "human_in_the_loop: {interrupt_mode: per_call, ", 1))
	b.must(exitWaiting, "run", "-q", "--thread", "ada", "note a b")
	require.Contains(t, b.err.String(), " --approve call-1 --approve call-2\n")
	b.must(exitWaiting, "resume", "-q", "ada", "--approve", "call-2")
	require.Contains(t, b.err.String(), " --approve call-1\n")
	require.NotContains(t, b.err.String(), "call-2")
	require.FileExists(t, b.path("data/b"))
	require.Len(t, b.shown("ada").Finished, 1)
	require.Equal(t, exitOK, b.threads("show", "ada"))
	require.Contains(t, b.out.String(), "\ndone, but other tool calls of the response are not:\n\ntool write_file (call-2)\n")
	require.NoFileExists(t, b.path("data/a"))
	b.must(exitOK, "resume", "-q", "ada", "--reject", "call-1")
	require.NoFileExists(t, b.path("data/a"))
}

func TestACallThatACrashHasCutOff(t *testing.T) {
	t.Parallel()
	module, err := badGuest()
	require.NoError(t, err)
	for decision, answer := range map[string]string{"--retry": "paid", "--skip": "by hand", "--respond": "receipt 7"} {
		t.Run(decision, func(t *testing.T) {
			t.Parallel()
			b := setup(t, `apiVersion: agenthost/v1
model: {provider: scripted, rules: rules.yaml}
checkpoint: sqlite:agent.db
interrupt_before: [tools]
middleware: [{plugin: `+module+`}]
`)
			b.write("rules.yaml", "rules: [{from: human, when: '', call: [{name: pay, args: {}}]}, {tool: pay, when: '(?s).*', say: '$0'}]\n")
			b.must(exitWaiting, "run", "--thread", "ada", "pay")
			b.crash("ada", &checkpoint.Execution{CallID: "call-1", N: 1, Attempts: 1, Tool: "pay", Args: wire.Map{}.Raw(), Started: 1700000000000})
			require.Equal(t, exitOK, b.threads("show", "ada"))
			require.Contains(t, b.out.String(), "interrupted by a crash; it is unknown whether these calls took effect\n  pay (call-1), started 2023-11-14 22:13:20Z\n")

			b.must(exitWaiting, "resume", "-q", "ada")
			require.Contains(t, b.err.String(), "pay (call-1) was cut off; it had started at 2023-11-14 22:13:20Z\n")
			require.Contains(t, b.err.String(), " --retry call-1\n")
			require.Contains(t, b.err.String(), " --skip call-1\n")

			more := []string{"resume", "-q", "ada", decision, "call-1"}
			if decision != "--retry" {
				more = append(more, "--message", answer)
			}
			b.must(exitOK, more...)
			require.Equal(t, answer+"\n", b.out.String())
		})
	}
}

func TestTimeTravel(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	b.must(exitWaiting, "run", "--thread", "ada", "note a")
	b.must(exitOK, "resume", "-q", "ada", "--approve", "call-1")
	b.must(exitOK, "resume", "-q", "ada", "--checkpoint", "3", "--reject", "call-1", "--message", "no")
	require.Equal(t, "not written: no\n", b.out.String())
	b.must(exitOK, "run", "-q", "--thread", "ada", "--checkpoint", "1", "hi")
	require.Equal(t, exitOK, b.threads("history", "ada"))
	require.Contains(t, b.out.String(), " after #3  ")
	require.Contains(t, b.out.String(), " after #1  ")
	require.Equal(t, exitOK, b.threads("show", "ada", "--checkpoint", "3"))
	require.Contains(t, b.out.String(), " --checkpoint 3 --approve call-1\n")
	for _, args := range [][]string{{"run", "--thread", "ada", "--checkpoint", "99", "hi"}, {"resume", "ada", "--checkpoint", "99"}} {
		b.must(exitUsage, args...)
		require.Contains(t, b.err.String(), `thread "ada": the thread has no such checkpoint`)
	}
}

func TestAThreadThatIsNotThere(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	b.must(exitUsage, "run", "--thread", "bob", "--continue")
	require.Contains(t, b.err.String(), `thread "bob": there is no such thread; start it with messages`)
	b.must(exitUsage, "resume", "bob")
	require.Contains(t, b.err.String(), `thread "bob": there is no such thread; 'agenthost threads list' shows the threads`)
	b.must(exitUsage, "resume", "a\nb")
	require.Contains(t, b.err.String(), "the name of a thread must have 1 to 512 bytes")
}

func TestAChangedProgramIsRefusedUnlessItIsAccepted(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	b.must(exitWaiting, "run", "--thread", "ada", "note a")
	b.write("agenthost.yaml", noting+"  - model_call_limit: {run_limit: 9}\n")
	b.must(exitUsage, "resume", "ada", "--approve", "call-1")
	require.Contains(t, b.err.String(), `middleware "model_call_limit" is new`)
	require.Contains(t, b.err.String(), "--accept-changes")
	b.must(exitOK, "resume", "ada", "--approve", "call-1", "--accept-changes")
}
