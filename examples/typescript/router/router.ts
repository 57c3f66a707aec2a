// Routes a prompt: the first route whose words are in the latest question adds instructions, and may choose another model.
import { plugin } from "agenthost"

interface Route { name: string, words: string[], system?: string, model?: string }

export default plugin({
	name: "router",
	version: "1.0.0",
	configSchema: {
		type: "object",
		required: ["routes"],
		properties: {
			routes: {
				type: "array",
				items: {
					type: "object",
					required: ["name", "words"],
					additionalProperties: false,
					properties: {
						name: { type: "string" }, words: { type: "array", items: { type: "string" } },
						system: { type: "string" }, model: { type: "string" },
					},
				},
			},
		},
	},

	wrapModelCall: {
		messages: "all",
		hook(call) {
			const question = call.request.messages?.items.findLast((m) => m.role === "human")?.content ?? ""
			const words = new Set(String(question).toLowerCase().match(/[\p{L}\d]+/gu))
			const route = (call.config.routes as Route[]).find((r) => r.words.some((word) => words.has(word.toLowerCase())))
			if (!route) return
			call.emit("routed", { to: route.name })
			call.next({ model: route.model, appendSystem: route.system && "\n\n" + route.system })
		},
	},
})
