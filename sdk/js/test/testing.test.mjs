// Runs with Node's test runner from a directory in which the packed package is installed.
import assert from "node:assert/strict"
import { writeFile } from "node:fs/promises"
import test from "node:test"
import { HookError, plugin, tool } from "agenthost"
import { load, loadSource, PluginError } from "agenthost/testing"

const source = (keys) => `import { plugin, tool, HookError } from "agenthost"\nexport default plugin({ name: "x", version: "1",\n${keys}\n})`
const call = { id: "call-1", name: "search", args: { q: "x", big: 2n ** 60n, list: [1, -200, 1.5, true, null] } }

test("a hook changes, answers and passes on", async () => {
	const p = await loadSource(source(`wrapToolCall(call) {
		if (call.call.name === "delete") return { content: "no", status: "error" }
		call.emit("seen", call.call.args)
		call.log.info("searching")
		const reply = call.next({ setArgs: { n: 300 } })
		return { ...reply, content: reply.content.toUpperCase() }
	}`))
	assert.equal(p.description.name, "x")
	const { result, next, events, log } = p.call("wrapToolCall", { call }, { next: () => ({ tool_message: { role: "tool", content: "found" } }) })
	assert.equal(result.tool_message.content, "FOUND")
	assert.deepEqual(next, [{ set_args: { n: 300 } }])
	assert.deepEqual(events, [{ name: "seen", data: call.args }])
	assert.deepEqual(log, [{ level: "info", text: "searching" }])
	assert.deepEqual(p.call("wrapToolCall", { call: { ...call, name: "delete" } }).result.tool_message, { content: "no", status: "error" })
})

test("errors have a type and a line", async () => {
	const p = await loadSource(source(`beforeModel(call) { if (call.state.n) throw new HookError("quota", "used up", { retryable: true }); null.x }, fields: { n: {} }`))
	assert.throws(() => p.call("beforeModel", { state: { n: 1 } }), (e) => e instanceof PluginError && e.type === "quota" && e.retryable)
	assert.throws(() => p.call("beforeModel"), /plugin.js:3:\d+: TypeError/)
	await assert.rejects(loadSource("nonsense("), /plugin.js/)
	await assert.rejects(loadSource(source(`configure() { throw new Error("no") }`)), /no/)
	assert.throws(() => p.call("before_model"), /there is no hook before_model/)
})

test("questions, operations, time and chance", async () => {
	const p = await loadSource(source(`configSchema: { type: "object", properties: { url: { type: "string", default: "https://x.example" } } },
		async beforeAgent(call) {
			if (call.interrupt("go on?") !== "yes") return
			const rates = call.fetch(call.config.url).json()
			return { state: { rates, at: new Date().toISOString(), chance: Math.random() } }
		}`))
	assert.deepEqual(p.call("beforeAgent").result, { interrupts: [{ key: "question", value: "go on?" }] })
	const options = { now: 0, operations: { "http.fetch": ({ url }) => ({ status: 200, url, headers: [], body: new TextEncoder().encode(`{"eur":1}`) }) } }
	const { state } = p.call("beforeAgent", { answers: { question: "yes" } }, options).result
	assert.deepEqual(state.rates, { eur: 1 })
	assert.equal(state.at, "1970-01-01T00:00:00.000Z")
	assert.equal(p.call("beforeAgent", { answers: { question: "yes" } }, options).result.state.chance, state.chance)
	assert.throws(() => p.call("beforeAgent", { answers: { question: "yes" } }), (e) => e.type === "ENOTSUP")
})

test("tools and models", async () => {
	const p = await loadSource(source(`tools: [tool((args) => "own " + args.n, { name: "own", description: "", dynamic: true })],
		wrapModelCall: { messages: "all", hook(call) { try { call.next() } catch (e) { return e.type + call.request.messages.total } } }`))
	assert.equal(p.call("callTool", { call: { id: "1", name: "own", args: { n: 3 } } }).result.tool_message.content, "own 3")
	const fails = { next: () => { throw new HookError("busy", "try later") } }
	assert.equal(p.call("wrapModelCall", { request: { messages: [{ role: "human", content: "hi" }] } }, fails).result.response.messages[0].content, "busy1")
})

test("a hook gets what it declares, and fields start as in a run", async () => {
	const p = await loadSource(source(`fields: { sum: { reducer: "add" }, list: { reducer: "append" }, last: {} },
		beforeModel: { messages: { last: 2 }, hook: ({ state, messages }) => ({ state: { last: [state, messages.map((m) => m.content)] } }) },
		afterModel: { messages: "all", reads: ["sum"], hook: ({ state, messages }) => ({ state: { last: [state, messages.length] } }) },
		afterAgent: ({ state, messages }) => ({ state: { last: [state, messages.length] } })`))
	const messages = ["a", "b", "c"].map((content) => ({ role: "human", content }))
	const seen = (hook, input) => p.call(hook, { messages, ...input }).result.state.last
	assert.deepEqual(seen("beforeModel"), [{ sum: 0, list: [] }, ["b", "c"]])
	assert.deepEqual(seen("beforeModel", { state: { sum: 3, last: "x" } }), [{ sum: 3, list: [], last: "x" }, ["b", "c"]])
	assert.deepEqual(seen("afterModel"), [{ sum: 0 }, 3])
	assert.deepEqual(seen("afterAgent"), [{ sum: 0, list: [] }, 0], "it declares no messages")
	assert.throws(() => p.call("beforeAgent"), /the plugin has no beforeAgent; it has beforeModel, afterModel, afterAgent/)
	assert.throws(() => p.call("wrapToolCall"), /wrapToolCall needs a call in its input/)
	assert.throws(() => p.call("callTool", { call }), /the plugin has no tool search; it has none/)
})

test("files", async () => {
	await writeFile("policy.js", source("beforeModel: () => ({ state: { a: 1 } })"))
	assert.deepEqual((await load("policy.js")).call("beforeModel").result, { state: { a: 1 } })
	await assert.rejects(load("none.js"), /ENOENT/)
	if (process.env.PACKED) {
		assert.deepEqual((await load(process.env.PACKED, { config: { reads: ["search"] } })).call("wrapToolCall", { call }).result, { state: { tool_count: 1 } })
	}
})

test("outside of agenthost a plugin is its definition", () => {
	const definition = { name: "x", version: "1", tools: [tool(() => "y", { name: "t" })] }
	assert.equal(plugin(definition), definition)
	assert.equal(definition.tools[0].run(), "y")
})
