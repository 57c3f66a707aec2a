// The hook of the suite hooks, in TypeScript.
import { plugin } from "agenthost"

export default plugin({
	name: "bench",
	version: "1.0.0",
	fields: { chars: { lifetime: "thread", reducer: "add" } },
	beforeModel: {
		messages: { last: 1 },
		hook: ({ messages }) => ({ state: { chars: messages[0].content.length } }),
	},
})
