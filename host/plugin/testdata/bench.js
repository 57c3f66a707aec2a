// What the guest bench does, in JavaScript.
import { plugin } from "agenthost"

export default plugin({
	name: "bench", version: "1.0.0",
	fields: { chars: { lifetime: "thread", reducer: "add" } },
	beforeAgent() {},
	beforeModel: {
		messages: { last: 1 },
		hook: ({ messages }) => ({ state: { chars: messages.reduce((sum, m) => sum + m.content.length, 0) } }),
	},
	wrapModelCall(call) { call.next() },
	wrapToolCall(call) { call.next() },
})
