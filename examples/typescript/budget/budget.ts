// A budget of tokens for each tenant, over all of its threads. The caller names the tenant in the field tenant.
import { plugin } from "agenthost"

interface Config { tokens: number, tenants: Record<string, number> }

export default plugin({
	name: "budget",
	version: "1.0.0",
	guards: true,
	capabilities: { "kv.get": { reason: "reads what a tenant has used", required: true }, "kv.put": { reason: "counts it", required: true } },
	configSchema: {
		type: "object",
		properties: {
			tokens: { type: "integer", default: 100_000, description: "What a tenant may use." },
			tenants: { type: "object", default: {}, additionalProperties: { type: "integer" }, description: "Budgets of single tenants." },
		},
	},
	fields: { tenant: { lifetime: "thread", schema: { type: "string" } } },

	wrapModelCall(call) {
		const { tokens, tenants } = call.config as Config
		const tenant = call.state.tenant ?? "nobody"
		const most = tenants[tenant] ?? tokens
		const spent = call.store("plugin").get(tenant)?.value ?? 0
		if (spent >= most) return `The budget of ${tenant} is used up: ${spent} of ${most} tokens.`

		const used = call.next().messages.reduce((sum, m) => sum + (m.usage?.total_tokens ?? 0), 0)
		for (;;) { // another run of the tenant may count at the same time
			const { value, version } = call.store("plugin").get(tenant) ?? { value: 0, version: 0 }
			try {
				return void call.store("plugin").put(tenant, value + used, { ifVersion: version })
			} catch (e) {
				if ((e as { type?: string }).type !== "ECONFLICT") throw e
			}
		}
	},
})
