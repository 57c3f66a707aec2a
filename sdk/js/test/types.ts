// Uses of the types that must compile, and mistakes that must not.
import { HookError, plugin, tool, type Context, type Message } from "agenthost"
import { load, PluginError } from "agenthost/testing"

const count = (messages: readonly Message[]) => messages.filter((m) => m.role === "ai").length

export default plugin({
	name: "types", version: "1.0.0",
	capabilities: { "http.fetch": "to look up rates" },
	tools: [tool((args: { q: string }, call) => `${args.q} ${call.idempotencyKey}`, { name: "look", schema: { type: "object" } })],
	async beforeAgent(call: Context) {
		const rates = call.fetch("https://rates.example", { headers: { accept: "application/json" } }).json()
		return { state: { rates }, messages: [{ role: "system", content: "x" }] }
	},
	beforeModel: { messages: { last: 2 }, canJumpTo: ["end"], hook: (call) => count(call.messages) > 3 ? { jumpTo: "end" } : undefined },
	wrapModelCall: { passesTokens: true, hook: (call) => { call.next({ appendSystem: "!" }) } },
	wrapToolCall: {
		tools: ["x"],
		async hook(call) {
			if (!call.known) throw new HookError("unknown", "no such tool", { retryable: false })
			return { ...call.next(), content: "y" }
		},
	},
})

// @ts-expect-error a target that does not exist
plugin({ name: "x", version: "1", beforeModel: () => ({ jumpTo: "nowhere" }) })
// @ts-expect-error an unknown hook
plugin({ name: "x", version: "1", beforeModels() {} })
// @ts-expect-error only wrap hooks have next
plugin({ name: "x", version: "1", beforeModel(call) { call.next() } })
// @ts-expect-error the version is missing
plugin({ name: "x" })

export async function check() {
	const p = await load("x.wasm", { config: { a: 1 } })
	try {
		return p.call("wrapToolCall", { call: { id: "1", name: "x", args: {} } }, { next: () => ({ tool_message: { content: "y" } }) }).log[0]?.text
	} catch (e) {
		return e instanceof PluginError ? e.type : undefined
	}
}
