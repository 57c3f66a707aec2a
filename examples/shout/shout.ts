// Puts the results of tools in upper case.
import { plugin } from "agenthost"

export default plugin({
	name: "shout",
	version: "1.0.0",
	wrapToolCall: call => ({ content: String(call.next().content).toUpperCase() }),
})
