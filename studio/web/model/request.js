// What the model was sent: the request of the agent, and what each middleware made of it.

import { textOf } from './text.js';

/** @typedef {import('./types.js').Request} Request */
/** @typedef {import('./types.js').RequestChange} RequestChange */
/** @typedef {import('./types.js').Message} Message */
/** @typedef {import('./types.js').Tool} Tool */

/**
 * @typedef {object} Sent A request as a whole.
 * @property {string} model
 * @property {string} system
 * @property {Map<string, Tool>} tools
 * @property {string} choice
 * @property {Record<string, unknown>} settings
 * @property {Message[]} messages
 */

/** @typedef {{step: string, before: Sent, after: Sent}} Layer */

/**
 * apply returns a request after a change.
 * @param {Sent} s
 * @param {RequestChange} c
 * @returns {Sent}
 */
export function apply(s, c) {
	const out = { ...s };
	if (c.model !== undefined) out.model = c.model;
	if (c.system !== undefined) out.system = textOf(c.system);
	if (c.tool_choice !== undefined) out.choice = c.tool_choice;
	if (c.settings !== undefined) out.settings = c.settings;
	if (c.tools || c.tool_names) {
		const all = new Map([...s.tools, ...(c.tools ?? []).map((t) => /** @type {const} */ ([t.name, t]))]);
		out.tools = new Map((c.tool_names ?? [...all.keys()]).map((name) => [name, all.get(name) ?? { name }]));
	}
	if (c.messages) out.messages = c.messages.flatMap((p) => ('message' in p ? [p.message] : s.messages.slice(p.from, p.to)));
	return out;
}

/**
 * layersOf returns a request hook by hook. The first layer is what the agent asks by itself.
 * @param {Request} r
 * @returns {Layer[]}
 */
export function layersOf(r) {
	/** @type {Sent} */
	let now = { model: '', system: '', tools: new Map(), choice: '', settings: {}, messages: r.before };
	return r.layers.map(({ step, change }) => {
		const before = now;
		now = apply(now, change);
		return { step, before, after: now };
	});
}
