//go:build !no_serve

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/strictyaml"
	devpage "github.com/agenthost/agenthost/server/dev"
)

// loud is a plugin that does what messages say.
const loud = `import { plugin } from "agenthost"

export default plugin({
	name: "loud",
	version: "1.0.0",

	beforeModel: {
		messages: "all",
		hook(call) {
			const said = String(call.messages.at(-1)?.content ?? "")
			call.log.info("it was said: " + said)
			while (said === "loop");
		},
	},

	wrapModelCall(call) {
		const [answer] = call.next().messages
		return String(answer.content).toUpperCase()
	},
})
`

const loudAgent = `apiVersion: agenthost/v1
name: ada
model: {provider: scripted, echo: true}
middleware:
  - plugin: ./loud.js
`

// loudly starts dev with the plugin.
func loudly(t *testing.T, args ...string) *developing {
	t.Helper()
	b := setup(t, loudAgent)
	b.write("loud.js", loud)
	d := b.develops(args...)
	d.serves()
	d.write("testdata/quiet.yaml", "hook: before_model\nmessages: [{role: human, content: psst}]\nexpect: {log: ['info: it was said: psst']}\n")
	d.screen.await(t, `loud.js: checked in .* s; 1 golden case passed\n`)
	return d
}

// ask sends a request with headers, and returns the status and the body.
func (d *developing) ask(method, path, body string, headers ...string) (int, string) {
	d.t.Helper()
	request, err := http.NewRequestWithContext(d.t.Context(), method, d.address+path, strings.NewReader(body))
	require.NoError(d.t, err)
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(d.t, err)
	defer func() { require.NoError(d.t, response.Body.Close()) }()
	text, err := io.ReadAll(response.Body)
	require.NoError(d.t, err)
	return response.StatusCode, string(text)
}

// get reads a document.
func (d *developing) get(into any, method, path, body string, headers ...string) {
	d.t.Helper()
	status, text := d.ask(method, path, body, headers...)
	require.Equal(d.t, http.StatusOK, status, text)
	require.NoError(d.t, json.Unmarshal([]byte(text), into), text)
}

// says has a conversation, and returns the thread and the run.
func (d *developing) says(text string, headers ...string) (thread, run string) {
	d.t.Helper()
	var made struct {
		ID string `json:"thread_id"`
	}
	d.get(&made, http.MethodPost, "/threads", "{}", headers...)
	var agents []struct {
		ID string `json:"assistant_id"`
	}
	d.get(&agents, http.MethodPost, "/assistants/search", "{}", headers...)
	input, err := json.Marshal(map[string]any{"assistant_id": agents[0].ID, "input": map[string]any{"messages": []any{map[string]any{"role": "user", "content": text}}}})
	require.NoError(d.t, err)
	d.ask(http.MethodPost, "/threads/"+made.ID+"/runs/wait", string(input), headers...)
	var all []struct {
		ID string `json:"run_id"`
	}
	d.get(&all, http.MethodGet, "/threads/"+made.ID+"/runs", "", headers...)
	require.Len(d.t, all, 1)
	return made.ID, all[0].ID
}

// watched is the stream of states that the page follows.
type watched struct {
	t     *testing.T
	lines *bufio.Scanner
}

func (d *developing) watches() *watched {
	d.t.Helper()
	ctx, end := context.WithCancel(d.t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.address+"/dev/state", http.NoBody)
	require.NoError(d.t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(d.t, err)
	require.Equal(d.t, http.StatusOK, response.StatusCode)
	d.t.Cleanup(func() {
		end()
		require.NoError(d.t, response.Body.Close())
	})
	return &watched{d.t, bufio.NewScanner(response.Body)}
}

// until reads states until one fits.
func (w *watched) until(fits func(devpage.State) bool) devpage.State {
	w.t.Helper()
	var last string
	for w.lines.Scan() {
		data, ok := strings.CutPrefix(w.lines.Text(), "data: ")
		if !ok {
			continue
		}
		last = data
		var state devpage.State
		require.NoError(w.t, json.Unmarshal([]byte(data), &state))
		if fits(state) {
			return state
		}
	}
	require.Fail(w.t, "the stream has ended", "%s %v", last, w.lines.Err())
	return devpage.State{}
}

func TestDevTellsThePageWhatIsWrong(t *testing.T) {
	t.Parallel()
	d := loudly(t)
	page := d.watches()
	first := page.until(func(s devpage.State) bool { return len(s.Agents) == 1 && len(s.Agents[0].Plugins[0].Cases) == 1 })
	require.Empty(t, first.Problems)
	require.Nil(t, first.Agents[0].Change)
	plugin := first.Agents[0].Plugins[0]
	require.Equal(t, devpage.Plugin{Name: "loud", File: d.path("loud.js"), Digest: plugin.Digest, Cases: []string{"quiet"}}, plugin)
	require.Regexp(t, `^sha256:[0-9a-f]{12}$`, plugin.Digest)

	d.saves("loud.js", strings.Replace(loud, ".toUpperCase()", ".toUpperCase() +", 1))
	broken := page.until(func(s devpage.State) bool { return len(s.Problems) > 0 })
	require.Len(t, broken.Problems, 1)
	require.Equal(t, "it does not load", broken.Problems[0].Message)
	require.Equal(t, 19, broken.Problems[0].Line)
	require.Contains(t, broken.Problems[0].File, "loud.js")
	require.Contains(t, strings.Join(broken.Problems[0].Details, "\n"), `Unexpected "}"`)
	require.Equal(t, plugin.Digest, broken.Agents[0].Plugins[0].Digest, "the last good version goes on serving")

	d.saves("agenthost.yaml", loudAgent+"recursion_limits: 3\n")
	two := page.until(func(s devpage.State) bool { return len(s.Problems) == 2 })
	require.Equal(t, []int{6, 19}, []int{two.Problems[0].Line, two.Problems[1].Line}, "the plugin is still broken")
	require.Equal(t, `unknown key "recursion_limits"`, two.Problems[0].Message)
	require.Contains(t, strings.Join(two.Problems[0].Details, "\n"), `did you mean "recursion_limit"`)

	d.saves("agenthost.yaml", loudAgent)
	d.saves("loud.js", strings.Replace(loud, ".toUpperCase()", ".toUpperCase() + '!'", 1))
	well := page.until(func(s devpage.State) bool { return len(s.Problems) == 0 })
	require.NotEqual(t, plugin.Digest, well.Agents[0].Plugins[0].Digest)
	require.Contains(t, well.Agents[0].Change.Text, "in use", "both files may be seen at once")
	require.Equal(t, []string{"loud"}, well.Agents[0].Change.Plugins)
	require.Positive(t, well.Agents[0].Change.Number)
	d.answers("HI!")
}

func TestATestCall(t *testing.T) {
	t.Parallel()
	d := loudly(t)
	thread, run := d.says("hello")
	state := func() string {
		_, text := d.ask(http.MethodGet, "/threads/"+thread+"/state", "")
		return text
	}
	before := state()
	var heads []devpage.Head
	d.get(&heads, http.MethodGet, "/dev/runs/"+run+"/calls", "")
	require.Len(t, heads, 2)
	require.Equal(t, []string{"before_model", "wrap_model_call"}, []string{heads[0].Hook, heads[1].Hook})
	require.Equal(t, []string{"loud.before_model", "loud.wrap_model_call"}, []string{heads[0].Step, heads[1].Step})

	place := "/dev/runs/" + run + "/calls/"
	var call devpage.Call
	d.get(&call, http.MethodGet, place+"1", "")
	require.Contains(t, call.Input, `"content": "hello"`)
	require.Equal(t, "[]", call.Answers)
	var same, other devpage.Outcome
	d.get(&same, http.MethodPost, place+"1", `{}`)
	require.Equal(t, call.Digest, same.Digest)
	require.Equal(t, call.Fuel, same.Fuel)
	require.Empty(t, same.Differences)
	require.Equal(t, []string{"info: it was said: hello"}, same.Log)
	require.Positive(t, same.Memory)
	require.Positive(t, same.Duration)
	d.get(&other, http.MethodPost, place+"1", edit(t, devpage.Edit{Input: strings.Replace(call.Input, `"hello"`, `"bye"`, 1)}))
	require.Equal(t, []string{"info: it was said: bye"}, other.Log)

	d.get(&call, http.MethodGet, place+"2", "")
	require.Contains(t, call.Outcome.Result, `"HELLO"`)
	require.Equal(t, []string{"next"}, []string{call.Outcome.Asked[0].Op})
	d.get(&other, http.MethodPost, place+"2", edit(t, devpage.Edit{Answers: strings.Replace(call.Answers, `"hello"`, `"bye"`, 1)}))
	require.Contains(t, other.Result, `"BYE"`)
	require.Contains(t, strings.Join(other.Differences, "\n"), `"HELLO" → "BYE"`)

	// A call that goes wrong harms nobody.
	d.get(&other, http.MethodPost, place+"2", edit(t, devpage.Edit{Answers: "[]"}))
	require.Equal(t, "unrecorded", other.Fault.Kind)
	d.get(&call, http.MethodGet, place+"1", "")
	d.get(&other, http.MethodPost, place+"1", edit(t, devpage.Edit{Input: strings.Replace(call.Input, `"hello"`, `"loop"`, 1)}))
	if other.Fault == nil { // the engine for scripts has noticed it before the deadline
		require.Equal(t, "loud.js:11: InternalError: interrupted", other.Error)
	} else {
		require.Equal(t, "deadline", other.Fault.Kind)
	}

	var fromCase devpage.Call
	d.get(&fromCase, http.MethodGet, "/dev/cases/loud/quiet", "")
	require.Contains(t, fromCase.Input, `"psst"`)
	require.Empty(t, fromCase.Outcome.Differences)
	d.get(&other, http.MethodPost, "/dev/cases/loud/quiet", edit(t, devpage.Edit{Input: strings.Replace(fromCase.Input, "psst", "hush", 1)}))
	require.Equal(t, []string{"info: it was said: hush"}, other.Log)

	// The next test call uses the module that is there then.
	d.saves("loud.js", strings.Replace(loud, ".toUpperCase()", ".toUpperCase() + '!'", 1))
	d.screen.await(t, "the changed plugins are in use")
	d.get(&other, http.MethodPost, place+"2", `{}`)
	require.NotEqual(t, call.Digest, other.Digest)
	require.Contains(t, strings.Join(other.Differences, "\n"), `"HELLO" → "HELLO!"`)
	require.Equal(t, before, state(), "nothing is written to the thread")
}

func TestARunIsRecordedFromThePage(t *testing.T) {
	t.Parallel()
	d := loudly(t)
	_, run := d.says("hello")
	d.says("another one")
	var recording devpage.Recording
	d.get(&recording, http.MethodPost, "/dev/runs/"+run+"/recording", `{}`)
	require.Equal(t, 2, recording.Calls)
	require.Equal(t, d.path("run-ada-"+run[:8]+".cassette"), recording.File)
	require.Equal(t, "agenthost plugin replay "+recording.File, recording.Command)
	info, err := os.Stat(recording.File)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	status, text := d.ask(http.MethodPost, "/dev/runs/"+run+"/recording", `{}`)
	require.Equal(t, http.StatusConflict, status)
	require.Contains(t, text, "is not overwritten")
	require.Equal(t, exitOK, d.runWith(t.Context(), "", "plugin", "replay", recording.File), &d.err)
	require.Contains(t, d.out.String(), "2 calls repeated, 0 different")
}

func TestAThreadBecomesACase(t *testing.T) {
	t.Parallel()
	d := loudly(t)
	thread, _ := d.says("hello")
	var made devpage.TestCase
	d.get(&made, http.MethodPost, "/dev/threads/"+thread+"/case", `{}`)
	require.Equal(t, d.path("tests/thread-ada-"+thread[:8]+".yaml"), made.File)
	require.Equal(t, "agenthost test "+made.File, made.Command)
	require.Equal(t, exitOK, d.runWith(t.Context(), "", "test", made.File), &d.err)
	require.Contains(t, d.out.String(), "1 case, 0 failed")
	status, text := d.ask(http.MethodPost, "/dev/threads/"+thread+"/case", `{}`)
	require.Equal(t, http.StatusConflict, status)
	require.Contains(t, text, "is not overwritten")

	_, created := d.ask(http.MethodPost, "/threads", `{}`)
	var empty struct {
		ID string `json:"thread_id"`
	}
	require.NoError(t, json.Unmarshal([]byte(created), &empty))
	status, text = d.ask(http.MethodPost, "/dev/threads/"+empty.ID+"/case", `{}`)
	require.Equal(t, http.StatusConflict, status)
	require.Contains(t, text, "nothing was said")
	status, text = d.ask(http.MethodPost, "/dev/threads/"+strings.Repeat("x", 20)+"/case", `{}`)
	require.Equal(t, http.StatusNotFound, status)
	require.Contains(t, text, "there is no such thread")
}

func TestThePageOfDevRefuses(t *testing.T) {
	t.Parallel()
	d := loudly(t)
	_, run := d.says("hello")
	place := "/dev/runs/" + run + "/calls"
	for _, test := range []struct {
		method, path, body string
		headers            []string
		status             int
		says               string
	}{
		{"GET", place, "", []string{"Origin", "https://evil.example"}, 403, "pages of other origins"},
		{"GET", "/dev/state", "", []string{"Origin", "https://evil.example"}, 403, "pages of other origins"},
		{"GET", place, "", []string{"Sec-Fetch-Site", "cross-site"}, 403, "pages of other origins"},
		{"GET", place, "", []string{"Sec-Fetch-Site", "same-site"}, 403, "pages of other origins"},
		{"POST", place + "/1", "{}", []string{"Origin", "https://evil.example", "Authorization", "Bearer x"}, 403, "pages of other origins"},
		{"GET", place, "", []string{"Host", "evil.example"}, 200, "loud"}, // Go ignores this header: the next test sets the host
		{"GET", place, "", []string{"X-Forwarded-For", "192.0.2.1"}, 403, "only this machine"},
		{"POST", place + "/1", "{}", []string{"Content-Type", "text/plain"}, 415, "application/json"},
		{"POST", place + "/1", "{", nil, 422, "Invalid JSON"},
		{"POST", place + "/1", "", nil, 422, "no body"},
		{"POST", place + "/1", `{"input": 1}`, nil, 422, "input"},
		{"POST", place + "/1", `{"input": "{"}`, nil, 422, "input: json"},
		{"POST", place + "/1", `{"input": "[]"}`, nil, 422, "input: it must be an object"},
		{"POST", place + "/1", `{"input": "{\"n\": \"x\"}"}`, nil, 422, "input: "},
		{"POST", place + "/1", `{"answers": "{}"}`, nil, 422, "answers: "},
		{"POST", place + "/1", `{"answers": "[{\"op\": \"next\", \"status\": \"great\"}]"}`, nil, 422, `\"great\" is not a status`},
		{"POST", place + "/1", `{"answers": "[{\"status\": \"ok\"}]"}`, nil, 422, "op is missing"},
		{"POST", place + "/1", `{"input": "` + strings.Repeat("x", 32<<20) + `"}`, nil, 413, "limit"},
		{"POST", place + "/99", "{}", nil, 404, "no call of a plugin with this number"},
		{"POST", place + "/one", "{}", nil, 422, "is not the number of a call"},
		{"GET", "/dev/runs/00000000-0000-0000-0000-000000000000/calls", "", nil, 404, "no such run"},
		{"GET", "/dev/runs/%2e%2e%2fx/calls", "", nil, 404, "no such run"},
		{"POST", "/dev/runs/nope/recording", "{}", nil, 404, "no such run"},
		{"GET", "/dev/cases/loud/nope", "", nil, 404, "no golden case"},
		{"GET", "/dev/cases/nope/quiet", "", nil, 404, "no agent has the plugin"},
		{"GET", "/dev/cases/loud/..%2f..%2fagenthost", "", nil, 404, "no golden case"},
		{"DELETE", place + "/1", "", nil, 404, "there is no DELETE"},
		{"GET", "/dev/secrets", "", nil, 404, "there is no GET /dev/secrets"},
	} {
		status, text := d.ask(test.method, test.path, test.body, test.headers...)
		require.Equal(t, test.status, status, "%s %s %.200s: %s", test.method, test.path, test.body, text)
		require.Contains(t, text, test.says, "%s %s", test.method, test.path)
	}
	d.answers("HI")
}

// A run is found only for its owner, and only with the scope admin.
func TestThePageOfDevKnowsOwners(t *testing.T) { //nolint:paralleltest // keys are in the environment
	for name, key := range map[string]string{"ADA": "0123456789abcdef", "BEN": "fedcba9876543210", "EVE": "00112233445566aa"} {
		t.Setenv("AGENTHOST_TEST_"+name, key)
	}
	serve := filepath.Join(t.TempDir(), "serve.yaml")
	require.NoError(t, os.WriteFile(serve, []byte(`auth:
  keys:
    - {key_env: AGENTHOST_TEST_ADA, owner: ada, scopes: [admin]}
    - {key_env: AGENTHOST_TEST_BEN, owner: ben, scopes: [admin]}
    - {key_env: AGENTHOST_TEST_EVE, owner: ada, scopes: [threads, runs]}
`), 0o600))
	d := loudly(t, "--config", serve)
	_, run := d.says("hello", "x-api-key", "0123456789abcdef")
	for key, want := range map[string]int{"0123456789abcdef": 200, "fedcba9876543210": 404, "00112233445566aa": 403, "": 401} {
		for _, request := range [][3]string{
			{"GET", "/calls", ""}, {"GET", "/calls/1", ""}, {"POST", "/calls/1", "{}"}, {"POST", "/recording", "{}"},
		} {
			status, text := d.ask(request[0], "/dev/runs/"+run+request[1], request[2], "x-api-key", key)
			require.Equal(t, want, status, "%v with %q: %s", request, key, text)
		}
	}
	for key, want := range map[string]int{"00112233445566aa": 403, "": 401} {
		status, _ := d.ask("GET", "/dev/state", "", "x-api-key", key)
		require.Equal(t, want, status)
		status, _ = d.ask("GET", "/dev/cases/loud/quiet", "", "x-api-key", key)
		require.Equal(t, want, status)
	}
}

// The page of serve has nothing of this.
func TestServeHasNoTestCalls(t *testing.T) {
	t.Parallel()
	b := setup(t, loudAgent)
	b.write("loud.js", loud)
	d := &developing{bundle: b, address: b.serves()}
	_, run := d.says("hello")
	for _, path := range []string{"/dev/state", "/dev/runs/" + run + "/calls", "/dev/cases/loud/quiet"} {
		status, _ := d.ask(http.MethodGet, path, "")
		require.Equal(t, http.StatusNotFound, status, path)
	}
	status, _ := d.ask(http.MethodPost, "/dev/runs/"+run+"/calls/1", "{}")
	require.Equal(t, http.StatusNotFound, status)
	_, page := d.ask(http.MethodGet, "/", "")
	require.NotContains(t, page, "data-dev")
}

func edit(t *testing.T, e devpage.Edit) string {
	t.Helper()
	text, err := json.Marshal(e)
	require.NoError(t, err)
	return string(bytes.TrimSpace(text))
}

func TestPlacesOfProblems(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]devpage.Problem{
		"main.go:12:3: undefined: x":             {File: "main.go", Line: 12, Column: 3},
		" --> src/lib.rs:5:9":                    {File: "src/lib.rs", Line: 5, Column: 9},
		"read: script: loud.ts:10: Unexpected }": {File: "loud.ts", Line: 10},
		"at http://example.com:80/x":             {File: "p.wasm"},
		"12:30: it is late":                      {File: "p.wasm"},
		"no place at all":                        {File: "p.wasm"},
	} {
		got := problemsOf("p.wasm", &problemError{"it does not build", []string{"first", line}})
		require.Len(t, got, 1)
		want.Message, want.Details = "it does not build", []string{"first", line}
		require.Equal(t, want, got[0], line)
	}
	got := problemsOf("a.yaml", &strictyaml.Error{Problems: []strictyaml.Problem{{Message: "one"}, {File: "b.yaml", Line: 2, Column: 1, Path: "model", Message: "two"}}})
	require.Equal(t, []devpage.Problem{{File: "a.yaml", Message: "one"}, {File: "b.yaml", Line: 2, Column: 1, Message: "model: two"}}, got)
}
