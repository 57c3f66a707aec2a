package js_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/anatomy"
	"github.com/agenthost/agenthost/sdk/js"
	"github.com/agenthost/agenthost/test/scripts"
)

var bench = scripts.Bench{Module: func(source string) ([]byte, error) { return js.Plugin(js.Script{File: "policy.js", Source: source}) }}

func TestMain(m *testing.M) { os.Exit(bench.Run(m)) }

// script wraps the keys of a plugin.
func script(keys string) string {
	return "import { plugin, tool, HookError } from \"agenthost\"\nexport default plugin({ name: \"policy\", version: \"1.0.0\",\n" + keys + "\n})"
}

func TestScriptsServeHooks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ keys, want string }{
		"passes on":           {`wrapToolCall(call) { return call.next() }`, "found: a needle"},
		"says nothing":        {`wrapToolCall() {}`, "found: a needle"},
		"answers":             {`wrapToolCall(call) { return "no " + call.call.name + " " + call.call.args.n }`, "found: no search 2"},
		"changes the answer":  {`async wrapToolCall(call) { const m = await call.next(); return { ...m, content: m.content.toUpperCase() } }`, "found: A NEEDLE"},
		"only some tools":     {`wrapToolCall: { tools: ["other"], hook() { return "never" } }`, "found: a needle"},
		"answers for a model": {`wrapModelCall(call) { return "no model: " + call.request.model }`, "no model: searcher"},
		"jumps":               {`beforeModel: { canJumpTo: ["end"], hook: () => ({ jumpTo: "end", messages: [{ role: "ai", content: "stopped" }] }) }`, "stopped"},
		"catches errors":      {`wrapModelCall(call) { try { call.next({ model: "none" }) } catch (e) { return e.type } }`, "ENOENT"},
		"views":               {`wrapModelCall: { messages: "all", hook: (call) => call.request.messages.items[0].content + "!" }`, "hi!"},
		"fields": {`fields: { n: { reducer: "add" } }, beforeAgent: () => ({ state: { n: 2 } }),
			beforeModel: () => ({ state: { n: 3 } }), wrapModelCall: (call) => "n is " + call.state.n`, "n is 5"},
		"virtual time":    {`wrapModelCall: (call) => new Date().toISOString() + " " + call.now`, "2023-11-14T22:13:20.000Z 1700000000000"},
		"documents":       {`wrapToolCall: (call) => JSON.stringify({ ...call.call.args, b: 2n ** 63n === 9223372036854775808n })`, `found: {"n":2,"q":"x","b":true}`},
		"frozen input":    {`wrapToolCall(call) { try { call.call.args.q = "y" } catch (e) { return e.name } }`, "found: TypeError"},
		"no eval":         {`wrapToolCall(call) { try { return eval("1") } catch (e) { return e.name + e.message } }`, "found: TypeErroreval is not supported"},
		"no Function":     {`wrapToolCall(call) { try { return Function("return 1")() } catch (e) { return e.name } }`, "found: TypeError"},
		"half a pair":     {`wrapToolCall: () => "\ud800x"`, "found: \ufffdx"},
		"binary content":  {`wrapToolCall: () => ({ content: "x", artifact: { b: new Uint8Array([1, 2, 255]), f: 0.5, n: -1, big: 2n ** 64n - 1n } })`, "found: x"},
		"denied fetch":    {`wrapToolCall(call) { try { call.fetch("https://x.example") } catch (e) { return e.type } }`, "found: EDENIED"},
		"budget":          {`wrapToolCall: (call) => "left " + call.budget().next`, "found: left 10"},
		"run info":        {`wrapToolCall: (call) => JSON.stringify(call.runInfo())`, `found: {"usage":{"input_tokens":0,"output_tokens":0,"total_tokens":0}}`},
		"model info":      {`wrapToolCall: (call) => call.modelInfo().name`, "found: searcher"},
		"no such model":   {`wrapToolCall(call) { try { call.modelInfo("huge") } catch (e) { return e.type } }`, "found: ENOENT"},
		"tools":           {`wrapModelCall: (call) => call.toolSpecs().map((t) => t.name).join()`, "search"},
		"tokens":          {`wrapToolCall: (call) => String(call.countTokens([{ role: "human", content: "12345678" }]))`, "found: 2"},
		"denied fetches":  {`wrapToolCall: (call) => call.fetchAll([{ url: "https://x.example" }, { url: "https://y.example" }]).map((o) => o.error.type).join()`, "found: EDENIED,EDENIED"},
		"denied answers":  {`wrapToolCall: (call) => call.generateAll([{ messages: [{ role: "human", content: "hi" }] }])[0].error.type`, "found: EDENIED"},
		"denied sleep":    {`wrapToolCall(call) { try { call.sleep(1) } catch (e) { return e.type } }`, "found: EDENIED"},
		"no context":      {`wrapToolCall: (call) => JSON.stringify(call.context)`, "found: {}"},
		"deep recursion":  {`wrapToolCall() { const f = (n) => f(n + 1) + 1; try { f(0) } catch (e) { return e.name } }`, "found: RangeError"},
		"nothing is left": {`wrapToolCall() { const a = []; try { for (;;) a.push(new ArrayBuffer(8 << 20)) } catch (e) { a.length = 0; return e.name } }`, "found: InternalError"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, _, err := bench.Result(t, script(test.keys))
			require.NoError(t, err)
			require.Equal(t, test.want, scripts.Text(t, result))
		})
	}
}

// A hook's own error is not a fault: middleware can retry or answer it.
func TestScriptsFailWithErrorsOfTheirOwn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ keys, want string }{
		"throws":          {`wrapToolCall(call) { throw new Error("broken") }`, "policy.js:3:32: Error: broken"},
		"rejects":         {`async wrapToolCall(call) { await null; null.x }`, "policy.js:3:40: TypeError: "},
		"throws a type":   {`wrapToolCall(call) { throw new HookError("quota", "used up") }`, "used up"},
		"throws a string": {`wrapToolCall(call) { throw "odd" }`, "the script threw odd"},
		"throws nothing":  {`wrapToolCall(call) { throw undefined }`, "the script threw"},
		"loops":           {`wrapToolCall(call) { for (;;) {} }`, "interrupted"},
		"loops and traps": {`wrapToolCall(call) { for (;;) { try { for (;;) {} } catch {} } }`, "interrupted"},
		"loops by jobs":   {`async wrapToolCall(call) { for (;;) await null }`, "runs too long"},
		"never settles":   {`wrapToolCall: () => new Promise(() => {})`, "waits for a promise that nothing can settle"},
		"cyclic":          {`wrapToolCall() { const a = {}; a.a = a; return { content: "x", artifact: a } }`, "nests more than 64"},
		"function":        {`wrapToolCall: () => ({ content: "x", artifact: [1, () => 1] })`, "tool_message.artifact[1] is a function"},
		"not a number":    {`wrapToolCall: () => ({ content: "x", artifact: NaN })`, "tool_message.artifact is not a finite number"},
		"a map":           {`wrapToolCall: () => ({ content: "x", artifact: new Map() })`, "is neither a plain object"},
		"huge":            {`wrapToolCall: () => "x".repeat(2 << 20)`, "larger than 1 MiB"},
		"getter":          {`wrapToolCall: () => ({ content: "x", artifact: { get a() { throw new Error("got") } } })`, "got"},
		"unknown key":     {`wrapToolCall: () => ({ contents: "x" })`, `unknown key "contents"`},
		"large integer":   {`wrapToolCall: () => ({ content: "x", artifact: 2n ** 64n })`, "integer of more than 64 bits"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := bench.Result(t, script(test.keys))
			require.ErrorContains(t, err, test.want)
			var fault *plugin.Error
			require.NotErrorAs(t, err, &fault)
		})
	}
}

func TestInterruptsCannotBeSwallowed(t *testing.T) {
	t.Parallel()
	result, _, err := bench.Result(t, script(`wrapToolCall(call) { try { call.interrupt({ ok: "?" }) } catch {} return "went on" }`))
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
}

func TestTools(t *testing.T) {
	t.Parallel()
	result, _, err := bench.Result(t, strings.Replace(script(`tools: [tool((args, ctx) => "own " + args.n + " " + typeof ctx.idempotencyKey, { name: "lookup", description: "Looks up." })],
		wrapToolCall: (call) => call.next({ tool: "lookup" })`), `description: "Looks up."`, `description: "Looks up.", dynamic: true, schema: { type: "object" }`, 1))
	require.NoError(t, err)
	require.Equal(t, "found: own 2 string", scripts.Text(t, result))
}

func TestLogs(t *testing.T) {
	t.Parallel()
	_, logged, err := bench.Result(t, script(`wrapToolCall(call) { call.log.warn("careful", { a: 1n }); console.log("said") }`))
	require.NoError(t, err)
	require.Contains(t, logged, `level=WARN msg="careful {\"a\":\"1\"}"`)
	require.Contains(t, logged, "level=INFO msg=said")
}

// Equal inputs give equal random numbers, in any instance and after any number of calls.
func TestRandomNumbersFollowTheSeed(t *testing.T) {
	t.Parallel()
	source := script(`wrapModelCall: (call) => [Math.random(), Math.random()].join()`)
	agent, _, err := bench.Agent(t, source)
	require.NoError(t, err)
	var said []string
	for range 3 {
		result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
		require.NoError(t, err)
		said = append(said, scripts.Text(t, result))
	}
	again, _, err := bench.Result(t, source, func(w *plugin.Wasm) { w.Isolation = plugin.IsolateCall })
	require.NoError(t, err)
	require.Equal(t, []string{said[0], said[0], said[0]}, []string{said[1], said[2], scripts.Text(t, again)})
}

func TestScriptsThatDoNotLoad(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ source, want string }{
		"syntax":       {"export default {\n  a: ,\n}", "policy.js:2"},
		"throws":       {"const a = null\na.b()", "policy.js:2"},
		"no plugin":    {"export const a = 1", "export default plugin("},
		"node module":  {`import fs from "node:fs"`, `no module "node:fs"`},
		"unknown hook": {script(`beforeModels() {}`), `unknown key "beforeModels"`},
		"loops":        {"for (;;) {}", "interrupted"},
		"no name":      {`import { plugin } from "agenthost"; export default plugin({ version: "1" })`, "name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := bench.Agent(t, test.source)
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestConfiguration(t *testing.T) {
	t.Parallel()
	source := script(`configSchema: { type: "object", properties: { word: { type: "string", default: "none" } } },
		configure(config) { if (config.word === "bad") throw new HookError("config", "that word is taken") },
		wrapModelCall: (call) => call.config.word`)
	result, _, err := bench.Result(t, source, func(w *plugin.Wasm) { w.Config = map[string]any{"word": "good"} })
	require.NoError(t, err)
	require.Equal(t, "good", scripts.Text(t, result))
	_, _, err = bench.Agent(t, source, func(w *plugin.Wasm) { w.Config = map[string]any{"word": "bad"} })
	require.ErrorContains(t, err, "that word is taken")
}

// What a call leaves behind, such as promise jobs without end, does not reach the next call.
func TestACallThatRanTooLongSparesTheNext(t *testing.T) {
	t.Parallel()
	agent, _, err := bench.Agent(t, script(`wrapModelCall: { messages: "all", hook(call) {
		if (call.request.messages.items[0].content !== "loop") return "fine"
		return (async () => { for (;;) await null })()
	} }`))
	require.NoError(t, err)
	_, err = agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("loop")}})
	require.ErrorContains(t, err, "runs too long")
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
	require.NoError(t, err)
	require.Equal(t, "fine", scripts.Text(t, result))
}

func TestAScriptBeyondTheInputLimitIsRefused(t *testing.T) {
	t.Parallel()
	_, _, err := bench.Agent(t, script(`beforeModel() {}`), func(w *plugin.Wasm) { w.Limits.Input = 64 })
	require.ErrorContains(t, err, "its script has")
}

func TestAnEngineWithoutAScriptTraps(t *testing.T) {
	t.Parallel()
	_, _, err := bench.Agent(t, "", func(w *plugin.Wasm) {
		engine, _, err := anatomy.CutScript(w.Bytes)
		require.NoError(t, err)
		w.Bytes = engine
	})
	require.ErrorContains(t, err, "this is an engine without a script")
}
