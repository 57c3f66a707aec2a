package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/toolchain/toolchaintest"
)

// screen is what a command has printed. A test waits for texts on it.
type screen struct {
	mu     sync.Mutex
	more   sync.Cond
	text   bytes.Buffer
	read   int // up to here the test has seen it
	closed bool
}

func newScreen() *screen {
	s := &screen{}
	s.more.L = &s.mu
	return s
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(p)
	s.more.Broadcast()
	return len(p), nil
}

func (s *screen) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.more.Broadcast()
}

// await waits for a text behind the last one that was awaited, and returns what the groups of the expression match.
func (s *screen) await(t *testing.T, expression string) []string {
	t.Helper()
	wanted := regexp.MustCompile(expression)
	giveUp := time.AfterFunc(4*time.Minute, s.close) // a first build by cargo takes long
	defer giveUp.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		unread := s.text.Bytes()[s.read:]
		if at := wanted.FindIndex(unread); at != nil {
			s.read += at[1]
			return wanted.FindStringSubmatch(string(unread))[1:]
		}
		if s.closed {
			t.Fatalf("%q was not printed; the last lines are:\n%s", expression, unread)
		}
		s.more.Wait()
	}
}

// developing is agenthost dev for a bundle.
type developing struct {
	*bundle

	screen  *screen
	address string
}

// develops starts agenthost dev.
func (b *bundle) develops(args ...string) *developing {
	b.t.Helper()
	d := &developing{bundle: b, screen: newScreen()}
	ctx, stop := context.WithCancel(context.WithoutCancel(b.t.Context()))
	ended := make(chan int, 1)
	go func() {
		args := append([]string{"dev", "-f", b.path("agenthost.yaml"), "--listen", "127.0.0.1:0"}, args...)
		ended <- execute(ctx, args, streams{in: strings.NewReader(""), out: d.screen, err: d.screen})
		d.screen.close()
	}()
	b.t.Cleanup(func() {
		stop()
		require.Equal(b.t, exitOK, <-ended, &d.screen.text)
	})
	return d
}

// serves waits until the agent is served.
func (d *developing) serves() {
	d.t.Helper()
	d.address = d.screen.await(d.t, `serving .+ at (http://\S+);`)[0]
}

// answers checks what the agent answers.
func (d *developing) answers(want string) {
	d.t.Helper()
	d.there(exitOK, d.address, "run", "-q", "hi")
	require.Equal(d.t, want+"\n", d.out.String())
}

// saves writes a file as editors do: a new file takes the place of the old one.
func (d *developing) saves(name, text string) {
	d.t.Helper()
	d.write(name+".new", text)
	require.NoError(d.t, os.Rename(d.path(name+".new"), d.path(name)))
}

const ruled = "apiVersion: agenthost/v1\nname: ada\nmodel: {provider: scripted, rules: rules.yaml}\n"

func saying(text string) string { return "rules: [{when: '', say: " + text + "}]\n" }

func TestDevTakesUpChanges(t *testing.T) {
	t.Parallel()
	b := setup(t, ruled)
	b.write("rules.yaml", saying("one"))
	d := b.develops()
	d.serves()
	d.screen.await(t, `agenthost run --server http://\S+ "hello"\n`)
	d.screen.await(t, `watching \S+agenthost.yaml, \S+rules.yaml\n`)
	d.answers("one")

	d.saves("rules.yaml", saying("two"))
	d.screen.await(t, `\S+agenthost.yaml: the change is in use; runs that go on keep what they began with\n`)
	d.answers("two")

	d.saves("agenthost.yaml", ruled+"recursion_limits: 3\n")
	d.screen.await(t, `ERROR \S+agenthost.yaml:4:1: unknown key "recursion_limits"\n(  .*\n)*.*did you mean "recursion_limit"`)
	d.screen.await(t, `\n  the last good version goes on serving\n`)
	d.answers("two")
	d.write("rules.yaml", saying("three")) // it counts when all is well
	require.NoError(t, os.Remove(d.path("agenthost.yaml")))
	d.screen.await(t, `ERROR \S+agenthost.yaml: there is no such file`)
	d.answers("two")
	d.write("agenthost.yaml", strings.Replace(ruled, "ada", "bob", 1))
	d.screen.await(t, `ERROR \S+agenthost.yaml: the name of the agent has changed from "ada" to "bob"; stop dev and start it again\n`)
	d.answers("two")
	d.write("agenthost.yaml", ruled+"description: the last one\n")
	d.screen.await(t, `all is well again\n`)
	d.answers("three")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.address+"/assistants/search", strings.NewReader("{}"))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	reply, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { require.NoError(t, reply.Body.Close()) }()
	said, err := io.ReadAll(reply.Body)
	require.NoError(t, err)
	require.Contains(t, string(said), "the last one")
}

func TestDevBeginsWithWhatIsBroken(t *testing.T) {
	t.Parallel()
	b := setup(t, ruled)
	d := b.develops()
	d.screen.await(t, `ERROR \S+agenthost.yaml:3:36: model.rules: \S+rules.yaml: there is no such file.*\n(.*\n)*  nothing is served yet; correct it, and dev tries again\n`)
	d.saves("rules.yaml", saying("one"))
	d.serves()
	d.answers("one")
}

func TestDevWithoutAManifest(t *testing.T) {
	t.Parallel()
	b := setup(t, ruled)
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "dev", "-f", b.path("none.yaml")))
	require.Contains(t, b.err.String(), "none.yaml: there is no such file")
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "dev", "-f", b.path("a"), "-f", b.path("b"), "--set", "a=b"))
	require.Contains(t, b.err.String(), "--set changes one manifest")
}

// The files of inner agents and of skills are watched too, and a plugin of an inner agent is checked.
func TestDevWatchesWhatAgentsAreMadeOf(t *testing.T) {
	t.Parallel()
	b := setup(t, ruled+`system_prompt: {file: prompt.md}
tools: [{agent: {file: inner/agent.yaml, name: ask, description: Asks.}}]
middleware:
  - skills: {sources: [/skills], root: .}
  - filesystem: {root: .}
`)
	b.write("rules.yaml", "rules: [{from: human, when: '', call: [{name: ask, args: {prompt: hi}}]}, {from: tool, when: '(.*)', say: 'it says $1'}]\n")
	b.write("prompt.md", "You ask.")
	b.write("inner/agent.yaml", strings.Replace(ruled, "ada", "ben", 1)+"middleware: [{plugin: ./polite.js}]\n")
	b.write("inner/rules.yaml", saying("one"))
	b.write("inner/polite.js", `import { plugin } from "agenthost"; export default plugin({ name: "polite", version: "1.0.0", afterModel() {} })`)
	b.write("skills/good/SKILL.md", "---\nname: good\ndescription: Is good.\n---\nText\n")
	d := b.develops()
	d.serves()
	d.answers("it says one")

	d.saves("inner/rules.yaml", saying("two"))
	d.screen.await(t, `the change is in use`)
	d.answers("it says two")
	d.saves("inner/polite.js", `import { plugin } from "agenthost"; export default plugin({ name: "polite", version: "1.0.0", afterModel( {} })`)
	d.screen.await(t, `ERROR \S+polite.js: it does not load\n  .*polite.js:1: .*\n(.*\n)*  the last good version goes on serving\n`)
	d.answers("it says two")
	d.saves("inner/polite.js", `import { plugin } from "agenthost"; export default plugin({ name: "polite", version: "2.0.0", afterModel() {} })`)
	d.screen.await(t, `polite.js: well again: checked in`)
	d.screen.await(t, `all is well again`)
	d.write("skills/bad/SKILL.md", "---\nname: worse\ndescription: Is bad.\n---\nText\n")
	d.screen.await(t, `skills\n  /skills/bad/SKILL.md: .*worse`)
	d.answers("it says two")
}

// stopping is the source of a plugin without an SDK that ends each run with an answer of three letters.
func stopping(answer string) string {
	return `package main

import "unsafe"

//go:wasmimport agenthost_v1 result_write
func resultWrite(pointer unsafe.Pointer, length uint32) int32

//go:wasmexport agenthost_abi_v1
func marker() {}

const description = "\x84\xa3abi\x01\xa5hooks\x81\xacbefore_model\x81\xabcan_jump_to\x91\xa3end\xa4name\xa4hand\xa7version\xa51.0.0"

const result = "\x82\xa7jump_to\xa3end\xa8messages\x91\x82\xa7content\xa3` + answer + `\xa4role\xa2ai"

//go:wasmexport describe
func describe() int32 { return say(description) }

//go:wasmexport before_model
func beforeModel(uint32) int32 { return say(result) }

func say(text string) int32 {
	written := []byte(text)
	resultWrite(unsafe.Pointer(&written[0]), uint32(len(written)))
	return 1
}

func main() {}
`
}

func stops(answer string) string {
	return "hook: before_model\nmessages: [{role: human, content: hi}]\nexpect: {result: {jump_to: end, messages: [{role: ai, content: " + answer + "}]}}\n"
}

// handProject writes a plugin project whose sources need nothing but a compiler.
func handProject(b *bundle) {
	b.write("hand/go.mod", "module example.com/hand\n\ngo 1.26.0\n")
	b.write("hand/plugin.yaml", "language: tinygo\n")
	b.write("hand/main.go", stopping("one"))
	b.write("hand/testdata/ends.yaml", stops("one"))
}

func TestDevBuildsPlugins(t *testing.T) {
	t.Parallel()
	toolchaintest.Need(t)
	b := setup(t, ruled+"middleware: [{plugin: hand/hand.wasm}]\n")
	b.write("rules.yaml", saying("model"))
	handProject(b)
	d := b.develops()
	d.screen.await(t, `hand.wasm: building with tinygo\n`)
	d.screen.await(t, `hand.wasm: built with tinygo in \d+\.\d s; 1 golden case passed\n`)
	d.serves()
	d.screen.await(t, `watching \S+agenthost.yaml, \S+hand.wasm \(built with tinygo\), \S+rules.yaml\n`)
	d.answers("one")
	good, err := os.ReadFile(d.path("hand/hand.wasm"))
	require.NoError(t, err)

	d.saves("hand/main.go", stopping("one")+"\nfunc wrong() { nonsense() }\n")
	d.screen.await(t, `ERROR \S+hand.wasm: tinygo failed: exit status 1, in the directory \S+hand\n(  .*\n)*  .*main.go:29:16: undefined: nonsense\n`)
	d.screen.await(t, `  the last good version goes on serving\n`)
	d.answers("one")
	d.saves("hand/main.go", stopping("two"))
	d.screen.await(t, `ERROR \S+hand.wasm: 1 of 1 golden case failed\n  \S+ends.yaml: FAILED\n    .*one.*two`)
	d.answers("one")
	now, err := os.ReadFile(d.path("hand/hand.wasm"))
	require.NoError(t, err)
	require.True(t, bytes.Equal(good, now), "the file is the last good one")

	d.saves("hand/testdata/ends.yaml", stops("two"))
	d.screen.await(t, `hand.wasm: well again: built with tinygo in`)
	d.screen.await(t, `the changed plugins are in use\n`)
	d.answers("two")

	// A new file of the package is a change of the plugin.
	d.write("hand/more.go", "package main\n\nfunc more() { nothing() }\n")
	d.screen.await(t, `undefined: nothing\n`)
	require.NoError(t, os.Remove(d.path("hand/more.go")))
	d.screen.await(t, `well again`)

	// The language of the project is a part of it.
	d.saves("hand/plugin.yaml", "language: cobol\n")
	d.screen.await(t, `ERROR \S+hand.wasm: \S+plugin.yaml:1.*cobol`)
	require.NoError(t, os.Rename(d.path("hand"), d.path("away")))
	d.screen.await(t, `ERROR \S+hand.wasm: `)
	d.answers("two")
	require.NoError(t, os.Rename(d.path("away"), d.path("hand")))
	d.screen.await(t, `cobol`)
	d.saves("hand/plugin.yaml", "language: tinygo\n")
	d.screen.await(t, `well again`)
	d.answers("two")
}

// Modules that dev does not build, such as those in C, are checked and swapped too; two agents share one.
func TestDevChecksModules(t *testing.T) {
	t.Parallel()
	b := setup(t, ruled+"middleware: [{plugin: mods/redact.wasm}]\n")
	b.write("rules.yaml", saying("one"))
	b.write("second/agenthost.yaml", "apiVersion: agenthost/v1\nname: ben\nmodel: {provider: scripted, echo: true}\nmiddleware: [{plugin: ../mods/redact.wasm}]\n")
	module, err := os.ReadFile(redact)
	require.NoError(t, err)
	b.write("mods/redact.wasm", string(module))
	d := b.develops("-f", b.path("second"))
	d.serves()
	d.screen.await(t, `agenthost run --server \S+ --agent ada "hello"`)
	d.screen.await(t, `watching \S+/agenthost.yaml, \S+redact.wasm \(not built here\), \S+rules.yaml\n  watching \S+second/agenthost.yaml, \S+redact.wasm \(not built here\)\n`)
	ask := func(agent, want string) {
		t.Helper()
		d.there(exitOK, d.address, "run", "-q", "--agent", agent, "hi")
		require.Equal(t, want, d.out.String())
	}
	ask("ada", "one\n")
	ask("ben", "hi\n")
	d.saves("mods/redact.wasm", "no module")
	d.screen.await(t, `ERROR \S+redact.wasm: it does not load\n  preflight: .*\n  the last good version goes on serving\n`)
	require.NoError(t, os.Remove(d.path("mods/redact.wasm")))
	d.screen.await(t, `ERROR \S+redact.wasm: it does not load\n  read: .*redact.wasm`)
	ask("ben", "hi\n")
	b.write("mods/testdata/wrong.yaml", "hook: before_model\nexpect: {result: {}}\nmessages: [{role: human, content: a@b.example}]\n")
	d.saves("mods/redact.wasm", string(module))
	d.screen.await(t, `ERROR \S+redact.wasm: 1 of 1 golden case failed\n  \S+wrong.yaml: FAILED\n`)
	require.NoError(t, os.RemoveAll(d.path("mods/testdata")))
	d.screen.await(t, `redact.wasm: well again: checked in`)
	d.screen.await(t, `all is well again`)
	ask("ada", "one\n")
}

// The loop of an author begins with a new project, in each language.
func TestDevOfANewProject(t *testing.T) {
	checkout, err := filepath.Abs("../..")
	require.NoError(t, err)
	built := func(lang string) string { return `first-try.wasm: (well again: )?built with ` + lang + ` in` }
	checked := func(file string) string { return file + `: (well again: )?checked in` }
	for lang, test := range map[string]struct{ file, wrong, says, good string }{
		"tinygo": {"before_model.go", "\nvar wrong int = nonsense\n", `before_model.go:\d+:17: undefined: nonsense`, built("tinygo")},
		"go":     {"before_model.go", "\nvar wrong int = nonsense\n", `before_model.go:\d+:17: undefined: nonsense`, built("go")},
		"rust":   {"src/lib.rs", "\nconst WRONG: u32 = nonsense;\n", `cannot find value .nonsense.(.*\n)+ +--> src/lib.rs:\d+:20`, built("rust")},
		"ts":     {"first-try.ts", "\nconst wrong: number = nonsense\n", `first-try.ts:\d+.*nonsense`, checked("first-try.ts")},
		"js":     {"first-try.js", "\nconst wrong = nonsense\n", `first-try.js:\d+.*nonsense`, checked("first-try.js")},
		"python": {"first-try.py", "\nwrong = nonsense\n", `first-try.py:\d+.*nonsense`, checked("first-try.py")},
	} {
		t.Run(lang, func(t *testing.T) {
			if strings.Contains(test.good, "built") {
				toolchaintest.Need(t)
			}
			b := setup(t, say)
			t.Chdir(b.dir)
			require.Equal(t, exitOK, b.runWith(t.Context(), "", "plugin", "new", "first-try", "--lang", lang, "--sdk", checkout, "--hooks", "before_model"), &b.err)
			t.Chdir("first-try")
			d := (&bundle{t: t, dir: filepath.Join(b.dir, "first-try")}).develops()
			d.screen.await(t, test.good+` \d+\.\d s; 1 golden case passed`)
			d.serves()
			d.answers("These are the files.")
			source, err := os.ReadFile(test.file)
			require.NoError(t, err)
			d.saves(test.file, string(source)+test.wrong)
			d.screen.await(t, test.says)
			d.screen.await(t, `the last good version goes on serving`)
			d.answers("These are the files.")
			d.saves(test.file, string(source)+"\n")
			d.screen.await(t, test.good)
			d.screen.await(t, `all is well again`)
			d.answers("These are the files.")
		})
	}
}

// A newer change stops a build that has become useless.
func TestDevStopsABuildForANewerChange(t *testing.T) {
	b := setup(t, ruled+"middleware: [{plugin: hand/hand.wasm}]\n")
	b.write("rules.yaml", saying("model"))
	handProject(b)
	require.NoError(t, os.Remove(b.path("hand/testdata/ends.yaml")))
	module, err := filepath.Abs(redact)
	require.NoError(t, err)
	b.write("tinygo", fmt.Sprintf("#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\n"+
		"if grep -q slow main.go; then echo begun >>%[1]s; exec sleep 600; fi\nexec cp '%[2]s' \"$2\"\n", b.path("begun"), module))
	require.NoError(t, os.Chmod(b.path("tinygo"), 0o700))
	t.Setenv("TINYGO", b.path("tinygo"))
	b.write("hand/main.go", "package main // slow")
	d := b.develops()
	start := time.Now()
	d.screen.await(t, `building with tinygo\n`)
	d.saves("hand/main.go", "package main // fast")
	d.serves()
	d.answers("model")
	d.saves("hand/main.go", "package main // slow")
	d.screen.await(t, `building with tinygo\n`)
	d.saves("hand/main.go", "package main // faster")
	d.screen.await(t, `building with tinygo\n`)
	d.screen.await(t, `hand.wasm: built with tinygo`)
	require.Less(t, time.Since(start), 5*time.Minute, "nobody waits for the slow builds")
	d.answers("model")
}

// A run keeps what it began with, to its end.
func TestDevSwapsForRunsThatBegin(t *testing.T) {
	t.Parallel()
	arrived, goOn := make(chan string), make(chan struct{})
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Messages []struct {
				Role    string `json:"role"`
				Content string `json:"content"`
			} `json:"messages"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		arrived <- body.Messages[0].Content
		<-goOn
		w.Header().Set("Content-Type", "text/event-stream")
		if body.Messages[len(body.Messages)-1].Role == "tool" {
			_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"done\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
			return
		}
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"list_files\",\"arguments\":\"{}\"}}]},"+
			"\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(provider.Close)
	b := setup(t, "apiVersion: agenthost/v1\nname: ada\nmodel: {provider: openai, name: m, base_url: \""+provider.URL+"/v1\"}\n"+
		"system_prompt: {file: prompt.md}\ntools: [{files: {root: .}}]\n")
	b.write("prompt.md", "the old prompt")
	d := b.develops()
	d.serves()
	run := func() chan string {
		answer := make(chan string, 1)
		go func() {
			var out, failed bytes.Buffer
			execute(t.Context(), []string{"run", "-q", "--server", d.address, "hi"}, streams{in: strings.NewReader(""), out: &out, err: &failed})
			answer <- out.String() + failed.String()
		}()
		return answer
	}
	first := run()
	require.Equal(t, "the old prompt", <-arrived)
	d.saves("prompt.md", "the new prompt")
	d.screen.await(t, `the change is in use`)
	goOn <- struct{}{}
	require.Equal(t, "the old prompt", <-arrived, "the run goes on with what it began with")
	goOn <- struct{}{}
	require.Equal(t, "done\n", <-first)
	second := run()
	for range 2 {
		require.Equal(t, "the new prompt", <-arrived)
		goOn <- struct{}{}
	}
	require.Equal(t, "done\n", <-second)
}
