package main

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/testservers"
)

// TestCasesOfTheExamples performs the cases of every example in this repository.
func TestCasesOfTheExamples(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "test", "../../examples"), b.out.String(), &b.err)
	require.Regexp(t, `(?m)^([2-9]\d) cases, 0 failed$`, b.out.String())
	require.NoError(t, filepath.WalkDir("../../examples", func(path string, entry os.DirEntry, err error) error {
		require.NotEqual(t, "agent.db", entry.Name(), "a case keeps its threads in memory: %s", path)
		return err
	}))
}

// keeper writes notes, and asks before.
const keeper = `apiVersion: agenthost/v1
name: keeper
model: {provider: scripted, rules: rules.yaml}
tools: [{files: {root: notes, write: true}}]
middleware: [{human_in_the_loop: {interrupt_on: {write_file: {allowed_decisions: [approve, edit, reject]}}}}]
`

const keeperRules = `rules:
  - {from: human, when: '^note (\w+)$', call: [{name: write_file, args: {path: $1.md, content: $1}}]}
  - {tool: write_file, when: rejected, say: I did not.}
  - {tool: write_file, when: '', say: Done.}
  - {when: '', say: Hm.}
`

// keeping returns a directory with the agent and cases.
func keeping(t *testing.T, cases map[string]string) *bundle {
	t.Helper()
	b := setup(t, keeper)
	b.write("rules.yaml", keeperRules)
	b.write("notes/old.md", "old")
	for name, text := range cases {
		b.write("tests/"+name+".yaml", text)
	}
	return b
}

// agentTest runs the command in the bundle's directory.
func (b *bundle) agentTest(args ...string) int {
	return b.runWith(b.t.Context(), "", append([]string{"test", b.dir}, args...)...)
}

const approves = `turns:
  - input: note sky
    answers: [{approve: write_file}]
    expect:
      message: Done.
      files: {notes/sky.md: sky, notes/old.md: old}
  - input: thanks
    expect: {message: Hm.}
`

func TestACasePassesAndLeavesNoTraces(t *testing.T) {
	t.Parallel()
	b := keeping(t, map[string]string{"approves": approves, "edits": `turns:
  - input: note sky
    answers: [{edit: write_file, args: {path: sea.md, content: blue}}]
    expect: {files: {notes/sky.md: null, notes/sea.md: blue}, tool_calls: [{name: write_file, status: success}]}
`})
	require.Equal(t, exitOK, b.agentTest(), b.out.String(), &b.err)
	require.Regexp(t, `^\S+approves.yaml: ok \(3 model calls, \S+\)\n\S+edits.yaml: ok \(2 model calls, \S+\)\n2 cases, 0 failed\n$`, b.out.String())
	require.NoFileExists(t, filepath.Join(b.dir, "notes", "sky.md"))
	require.Equal(t, exitOK, b.agentTest("--run", "edits"))
	require.Contains(t, b.out.String(), "1 case, 0 failed")
}

func TestACaseThatFailsSaysHowToSeeTheRun(t *testing.T) {
	t.Parallel()
	b := keeping(t, map[string]string{"a": approves, "b": `turns:
  - input: note sky
    answers: [{reject: write_file}]
    expect: {message: Done.}
`})
	runs := filepath.Join(b.dir, "runs")
	report := filepath.Join(b.dir, "report.xml")
	require.Equal(t, exitFailed, b.agentTest("--junit", report, "--runs", runs))
	require.Contains(t, b.out.String(), `b.yaml: FAILED`)
	require.Contains(t, b.out.String(), `  message: "Done." → "I did not."`)
	require.Contains(t, b.out.String(), "2 cases, 1 failed")
	_, file, found := strings.Cut(b.out.String(), "to see the run: agenthost studio ")
	require.True(t, found)
	file, _, _ = strings.Cut(file, "\n")
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "studio", file, "--html", filepath.Join(b.dir, "a.html")), &b.err)
	kept, err := filepath.Glob(filepath.Join(runs, "*.jsonl"))
	require.NoError(t, err)
	require.Len(t, kept, 2, "the flag keeps the events of all cases")

	text, err := os.ReadFile(report)
	require.NoError(t, err)
	var suite junitSuite
	require.NoError(t, xml.Unmarshal(text, &suite))
	require.Equal(t, 2, suite.Tests)
	require.Equal(t, 1, suite.Failures)
	require.Nil(t, suite.Cases[0].Failure)
	require.Equal(t, `message: "Done." → "I did not."`, suite.Cases[1].Failure.Message)
}

func TestEachCaseAsALineOfJSON(t *testing.T) {
	t.Parallel()
	b := keeping(t, map[string]string{"a": approves, "b": "turns: [{input: note sky}]\n"})
	require.Equal(t, exitFailed, b.agentTest("--json", "--parallel", "1"))
	lines := strings.Split(strings.TrimSpace(b.out.String()), "\n")
	require.Len(t, lines, 2)
	var record caseRecord
	require.NoError(t, json.Unmarshal([]byte(lines[1]), &record))
	require.False(t, record.OK)
	require.Equal(t, 1, record.Used.ModelCalls)
	require.Equal(t, []caseDifference{{
		Turn: 1, Key: "status", Text: `status: completed → interrupted: it waits for a decision about write_file {"content":"sky","path":"sky.md"}`,
	}}, record.Differences)
	require.FileExists(t, record.Events)
}

func TestAnUpdateOfACase(t *testing.T) {
	t.Parallel()
	b := keeping(t, map[string]string{"a": approves, "b": "turns:\n  - input: note sky\n"})
	require.Equal(t, exitOK, b.agentTest("--update"), b.out.String(), &b.err)
	require.Contains(t, b.out.String(), "b.yaml: updated")
	require.Contains(t, b.out.String(), "2 cases, 0 failed, 1 updated")
	require.Equal(t, exitOK, b.agentTest(), b.out.String(), &b.err)
}

func TestCasesThatCannotBePerformed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text, message string
		code          int
	}{
		"invalid":      {"turns: [{inputs: a}]", `unknown key "inputs"`, exitUsage},
		"no manifest":  {"manifest: gone.yaml\nturns: [{input: a}]", "gone.yaml is not there", exitFailed},
		"no cassette":  {"cassette: a.cassette\nturns: [{input: a}]", "record it with 'agenthost test --record", exitFailed},
		"no tool":      {"tools: {readfile: [{content: a}]}\nturns: [{input: a}]", `tools.readfile: the agent offers no tool of that name; did you mean "read_file"?`, exitFailed},
		"bad override": {"set: ['recursion=5']\nturns: [{input: a}]", `unknown key "recursion"`, exitFailed},
		"no rules":     {"model: {rules: gone.yaml}\nturns: [{input: a}]", "gone.yaml", exitFailed},
		"real model":   {"set: ['model=openai:gpt-x']\nturns: [{input: a}]", "would ask a real model for model", exitFailed},
		"no answer":    {"turns: [{input: a, answers: [{approve: write_file}]}]", "nobody asked for {approve: write_file}", exitFailed},
		"wrong answer": {"turns: [{input: note a, answers: [{respond: write_file, message: x}]}]", "respond", exitFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := keeping(t, map[string]string{"a": test.text})
			require.Equal(t, test.code, b.agentTest(), b.out.String())
			require.Contains(t, b.out.String()+b.err.String(), test.message)
			require.NotContains(t, b.out.String()+b.err.String(), "agenthost-case-", "the copy is gone when somebody reads this")
		})
	}
}

func TestPlacesWithoutCases(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	for _, test := range []struct {
		args    []string
		message string
	}{
		{nil, "there are no cases in"},
		{[]string{"--parallel", "0"}, "at least one case"},
		{[]string{"--timeout", "-1s"}, "must be positive"},
		{[]string{"--run", "("}, "--run"},
	} {
		require.Equal(t, exitUsage, b.agentTest(test.args...))
		require.Contains(t, b.err.String(), test.message)
	}
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "test", filepath.Join(b.dir, "gone")))
	require.Contains(t, b.err.String(), "name a directory or the file of a case")
	full := keeping(t, map[string]string{"a": approves})
	require.Equal(t, exitUsage, full.agentTest("--run", "zzz"))
	require.Contains(t, full.err.String(), "none of the 1 cases")
	require.Equal(t, exitUsage, full.agentTest("--record"))
	require.Contains(t, full.err.String(), "none of the cases names a cassette")
}

func TestACaseThatTakesTooLong(t *testing.T) {
	t.Parallel()
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(hangs.Close)
	b := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: scripted, turns: [{tool_calls: [{name: get, args: {}}]}]}\n"+
		"tools: [{http: {name: get, description: gets, url: \""+hangs.URL+"\"}}]\n")
	b.write("tests/a.yaml", "turns: [{input: a}]")
	require.Equal(t, exitFailed, b.agentTest("--timeout", "200ms"), b.out.String())
	require.Contains(t, b.out.String(), "the case took longer than 200ms")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, exitSignal, b.runWith(ctx, "", "test", b.dir))
}

// TestACassetteOfARealModel records an agent with a model of a server that others wrote, and repeats the case without the server and the key.
func TestACassetteOfARealModel(t *testing.T) {
	t.Parallel()
	b := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: openai, name: gpt-x, base_url: \"${URL}\", api_key_env: SOME_KEY}\n"+
		"system_prompt: \"The password is ${SOME_KEY}.\"\ntools: [{files: {root: notes}}]\n")
	b.write("notes/sky.md", "blue")
	b.write("fixtures.json", `{"fixtures": [
		{"match": {"userMessage": "Which?", "hasToolResult": false}, "response": {"toolCalls": [{"id": "call_1", "name": "read_file", "arguments": {"path": "sky.md"}}]}},
		{"match": {"userMessage": "Which?", "toolResultContains": "blue"}, "response": {"content": "It is blue."}}]}`)
	url := testservers.Aimock(b.t, filepath.Join(b.dir, "fixtures.json")) + "/v1"
	const asks = "cassette: sky.cassette\nenv: {URL: %q, SOME_KEY: %s}\nturns:\n  - input: %s\n    expect: {message: It is blue., tool_calls: [{name: read_file}]}\n"
	b.write("tests/sky.yaml", fmt.Sprintf(asks, url, "sk-very-secret", "Which?"))
	require.Equal(t, exitOK, b.agentTest("--record"), b.out.String(), &b.err)
	require.Contains(t, b.out.String(), "recorded 2 exchanges")
	text, err := os.ReadFile(filepath.Join(b.dir, "tests", "sky.cassette"))
	require.NoError(t, err)
	require.NotContains(t, string(text), "very-secret")
	require.Contains(t, string(text), "The password is ***.")

	b.write("tests/sky.yaml", fmt.Sprintf(asks, "http://127.0.0.1:1/v1", "sk-any-other", "Which?"))
	require.Equal(t, exitOK, b.agentTest(), b.out.String(), &b.err)
	b.write("notes/sky.md", "grey")
	require.Equal(t, exitFailed, b.agentTest())
	require.Contains(t, b.out.String(), `cassette: call 2 of model is not in the cassette; the nearest recorded request, exchange 2, differs in `+
		`messages[2].content: "blue" → "grey"`)
	require.Equal(t, exitFailed, b.agentTest("--update"), "an update does not hide it")
}

// TestACassetteHasEveryKindOfModel records an agent whose router asks a decision model and whose store asks an embedding model, and repeats
// the case without the server and the key.
func TestACassetteHasEveryKindOfModel(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		answers := map[string]string{
			"/v1/embeddings": `{"data": [{"index": 0, "embedding": [0.6, 0.8]}]}`,
			"/v1/decisions": `{"model": "luna", "answers": [{"name": "model_route", "type": "choice", "choice": "fast", "confidence": 0.9,
				"probabilities": [{"value": "fast", "probability": 0.9}, {"value": "strong", "probability": 0.1}]}]}`,
		}
		if r.Header.Get("Authorization") != "Bearer sk-very-secret" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = io.WriteString(w, answers[r.URL.Path])
	}))
	t.Cleanup(server.Close)
	b := setup(t, `apiVersion: agenthost/v1
model: {provider: scripted, turns: [{content: strong}]}
models:
  judge: {provider: openai, name: luna, api: decisions, base_url: "${URL}", api_key_env: SOME_KEY}
  small: {provider: scripted, turns: [{content: fast}]}
  large: {provider: scripted, turns: [{content: strong}]}
store: {index: {embed: {provider: openai, name: small, base_url: "${URL}", api_key_env: SOME_KEY}, dims: 2}}
middleware:
  - openai_model_router:
      model: judge
      instructions: Choose.
      choices: {fast: {model: small, criteria: Short questions.}, strong: {model: large, criteria: The rest.}}
`)
	const asks = "%s\nenv: {URL: %q, SOME_KEY: %s}\nstore: [{namespace: [facts], key: sky, value: %s}]\n" +
		"turns: [{input: %s, expect: {message: fast, state: {model_route: {choice: fast, confidence: 0.9, probabilities: {fast: 0.9, strong: 0.1}}}}}]\n"
	write := func(answers, url, key, value, input string) {
		b.write("tests/a.yaml", fmt.Sprintf(asks, answers, url, key, value, input))
	}
	write("cassette: a.cassette", server.URL+"/v1", "sk-very-secret", "blue", "Which?")
	require.Equal(t, exitOK, b.agentTest("--record"), b.out.String(), &b.err)
	require.Contains(t, b.out.String(), "recorded 3 exchanges")
	require.Equal(t, int32(2), asked.Load())
	text, err := os.ReadFile(filepath.Join(b.dir, "tests", "a.cassette"))
	require.NoError(t, err)
	require.NotContains(t, string(text), "very-secret")

	write("cassette: a.cassette", "http://127.0.0.1:1/v1", "sk-any-other", "blue", "Which?")
	for range 2 {
		require.Equal(t, exitOK, b.agentTest(), b.out.String(), &b.err)
	}
	write("cassette: a.cassette", server.URL+"/v1", "sk-very-secret", "blue", "Who?")
	require.Equal(t, exitFailed, b.agentTest())
	require.Contains(t, b.out.String(), `cassette: call 1 of models.judge is not in the cassette; the nearest recorded request, exchange 2, differs in `+
		`state.content: "Which?" → "Who?"`)
	write("cassette: a.cassette", server.URL+"/v1", "sk-very-secret", "grey", "Which?")
	require.Equal(t, exitFailed, b.agentTest())
	require.Contains(t, b.out.String(), `call 1 of store.index.embed is not in the cassette; the nearest recorded request, exchange 1, differs in `+
		`texts[0]: "blue" → "grey"`)
	write("models: {judge: {echo: true}}", server.URL+"/v1", "sk-very-secret", "blue", "Which?")
	require.Equal(t, exitFailed, b.agentTest())
	require.Contains(t, b.out.String(), "would ask a real embedding model for store.index.embed; name a cassette under the key cassette, and record it")
	require.Equal(t, int32(2), asked.Load())

	const scripts = "model: {turns: [{content: fast}]}\nmodels: {small: {turns: [{content: fast}]}}\n"
	write(scripts+"cassette: b.cassette", server.URL+"/v1", "sk-very-secret", "blue", "Which?")
	require.Equal(t, exitOK, b.agentTest("--record"), b.out.String(), &b.err)
	require.Contains(t, b.out.String(), "recorded 2 exchanges", "the judge and the embedding model have no script")
	write(scripts+"cassette: b.cassette", "http://127.0.0.1:1/v1", "sk-any-other", "blue", "Which?")
	require.Equal(t, exitOK, b.agentTest(), b.out.String(), &b.err)
}

func TestResultsInPlaceOfTools(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(server.Close)
	b := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: scripted, echo: true}\n"+
		"tools: [{http: {name: get, description: gets, url: \""+server.URL+"/{id}\"}}]\ncontext_schema: {type: object, required: [who]}\n")
	b.write("tests/a.yaml", `model:
  turns:
    - tool_calls: [{name: get, args: {id: b}}, {name: get, args: {id: a}}, {name: get, args: {id: a}}]
    - content: done
tools:
  get:
    - {args: {id: a}, content: first}
    - {error: not here}
now: 2026-05-05T12:00:00Z
turns:
  - input: go
    context: {who: ada}
    expect:
      tool_calls:
        - {name: get, result: not here, status: error}
        - {name: get, result: first}
        - {name: get, args_contain: {id: a}}
      message: done
      limits: {model_calls: 2, tool_calls: 3}
`)
	require.Equal(t, exitOK, b.agentTest(), b.out.String(), &b.err)
	require.Zero(t, asked.Load())
}

func TestStoreAndStateOfACase(t *testing.T) {
	t.Parallel()
	b := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: scripted, turns: [{tool_calls: [{name: write_todos, args: {todos: [{content: a, status: pending}]}}]}, {content: ok}]}\n"+
		"middleware: [todo_list]\n")
	b.write("tests/a.yaml", `store: [{namespace: [facts], key: sky, value: {color: blue}}]
turns:
  - input: go
    expect:
      state: {todos: [{content: a, status: pending}]}
      store: [{namespace: [facts], key: sky, value: {color: blue}}, {namespace: [facts], key: sea, value: null}]
      messages: [{role: ai}, {role: tool, name: write_todos}, {role: ai, content: ok}]
`)
	require.Equal(t, exitOK, b.agentTest(), b.out.String(), &b.err)
}

func TestACaseOfARecordedRun(t *testing.T) {
	t.Parallel()
	b := keeping(t, nil)
	require.Equal(t, exitOK, b.run("run", "--output", "jsonl", "hello there"), &b.err)
	b.write("run.jsonl", b.out.String())
	file := filepath.Join(b.dir, "tests", "hello.yaml")
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "test", "new", filepath.Join(b.dir, "run.jsonl"), "-o", file, "--description", "It hums."), &b.err)
	require.Equal(t, exitOK, b.agentTest(), b.out.String(), &b.err)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), "message: \"Hm.\"")
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "test", "new", filepath.Join(b.dir, "run.jsonl"), "-o", file))
	require.Contains(t, b.err.String(), "is not overwritten")
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "test", "new", file))
	require.Contains(t, b.err.String(), "line 1 is not an event")
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "test", "new", filepath.Join(b.dir, "run.jsonl")))
	require.Equal(t, strings.Replace(string(text), "description: \"It hums.\"\n", "", 1), b.out.String())
}
