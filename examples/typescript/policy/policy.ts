// A policy for tools: reads go through, writes ask a person, and everything else is refused. A run may call five tools.
import { plugin } from "agenthost"

interface Config { reads: string[], writes: string[] }

const most = 5

export default plugin({
	name: "policy",
	version: "1.0.0",
	guards: true,
	configSchema: {
		type: "object",
		properties: {
			reads: { type: "array", items: { type: "string" }, default: [] },
			writes: { type: "array", items: { type: "string" }, default: [] },
		},
	},
	fields: { tool_count: { lifetime: "run", reducer: "add", schema: { type: "integer" } } },

	wrapToolCall(call) {
		const { name, args } = call.call
		const { reads, writes } = call.config as Config
		if (call.state.tool_count >= most) return refuse(`A run may call ${most} tools. Answer with what you have.`)
		if (writes.includes(name) && call.interrupt({ tool: name, args, question: "Run it?" }) !== true) {
			return refuse(`A person refused ${name}.`)
		}
		if (!reads.includes(name) && !writes.includes(name)) return refuse(`The tool ${name} is not allowed.`)
		call.next()
		return { state: { tool_count: 1 } }
	},
})

const refuse = (content: string) => ({ content, status: "error" })
