// What LangGraph's API says of messages and states, as this page has them.

/** @typedef {import('./types.js').Message} Message */
/** @typedef {import('./types.js').Checkpoint} Checkpoint */

/**
 * @param {any} m a message of the API
 * @returns {Message}
 */
export function messageOf(m) {
	const roles = /** @type {Record<string, Message['role']>} */ ({ human: 'human', ai: 'ai', tool: 'tool', system: 'system' });
	return {
		role: roles[m?.type] ?? 'system', content: m?.content, id: m?.id ?? undefined, name: m?.name ?? undefined,
		tool_calls: m?.tool_calls?.length ? m.tool_calls : undefined, invalid_tool_calls: m?.invalid_tool_calls?.length ? m.invalid_tool_calls : undefined,
		tool_call_id: m?.tool_call_id, status: m?.status, artifact: m?.artifact ?? undefined, usage: m?.usage_metadata ?? undefined,
	};
}

/**
 * checkpointOf returns a checkpoint of a state document; null for the empty thread.
 * @param {any} doc
 * @returns {Checkpoint|null}
 */
export function checkpointOf(doc) {
	const id = Number(doc?.checkpoint?.checkpoint_id ?? 0);
	if (!id) return null;
	const { messages, ...fields } = doc.values ?? {};
	return {
		id, parent: Number(doc.parent_checkpoint?.checkpoint_id ?? 0), source: doc.metadata?.source ?? '', step: '', next: doc.next?.[0] ?? '',
		time: doc.created_at ?? '', run_id: doc.metadata?.run_id ?? '', changes: [], writers: [],
		state: { messages: (messages ?? []).map(messageOf), fields },
	};
}

/**
 * checkpointName returns the name of a checkpoint in the API.
 * @param {number} id
 */
export const checkpointName = (id) => String(id).padStart(20, '0');
