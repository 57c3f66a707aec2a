// The state of a thread: how events change it, and what it was at each checkpoint.

import { partingOf, wayTo } from './tree.js';

/** @typedef {import('./types.js').Event} Event */
/** @typedef {import('./types.js').State} State */
/** @typedef {import('./types.js').Message} Message */
/** @typedef {import('./types.js').Model} Model */

/** @returns {State} */
export const emptyState = () => ({ messages: [], fields: {} });

/**
 * applyTo changes a list of messages, which it owns, and returns it, or another one.
 * @param {Message[]} messages
 * @param {Event} e
 * @returns {Message[]}
 */
function applyMessages(messages, e) {
	if (e.reset) messages = [];
	if (e.remove?.length) {
		const gone = new Set(e.remove);
		messages = messages.filter((m) => !gone.has(m.id ?? ''));
	}
	for (const patched of e.patch ?? []) {
		const at = messages.findLastIndex((m) => m.id === patched.id);
		if (at >= 0) messages[at] = patched;
	}
	for (const m of e.messages ?? []) messages.push(m);
	return messages;
}

/**
 * @param {Record<string, unknown>} fields
 * @param {Event} e
 */
function applyFields(fields, e) {
	if (!e.state && !e.unset?.length) return fields;
	const out = { ...fields, ...e.state };
	for (const name of e.unset ?? []) delete out[name];
	return out;
}

/**
 * change applies an event of the type state. The list of messages is changed in place if it may be.
 * @param {State} s
 * @param {Event} e
 * @param {boolean} owned
 * @returns {State}
 */
export function change(s, e, owned) {
	const touches = e.reset || e.remove?.length || e.patch?.length || e.messages?.length;
	const messages = !touches ? s.messages : applyMessages(owned ? s.messages : s.messages.slice(), e);
	return { messages, fields: applyFields(s.fields, e) };
}

/**
 * stateAt returns the state at a checkpoint; null if not all is known that led to it.
 * @param {Model} m
 * @param {number} id 0: the empty thread
 * @returns {State|null}
 */
export function stateAt(m, id) {
	/** @type {Event[][]} */
	const way = [];
	let base = emptyState();
	while (id !== 0) {
		const c = m.checkpoints.get(id);
		if (!c) return null;
		if (c.state && !(c.guessed && m.checkpoints.has(c.parent))) {
			base = c.state;
			break;
		}
		way.push(c.changes);
		id = c.parent;
	}
	let s = { messages: base.messages.slice(), fields: base.fields };
	for (const changes of way.reverse()) for (const e of changes) s = change(s, e, true);
	return s;
}

/**
 * @typedef {object} StateDiff
 * @property {Message[]} added
 * @property {Message[]} removed
 * @property {{before: Message, after: Message}[]} replaced
 * @property {number} kept messages that are the same
 * @property {{name: string, before: unknown, after: unknown}[]} fields
 */

/**
 * diffStates returns what differs between two states.
 * @param {State} a
 * @param {State} b
 * @returns {StateDiff}
 */
export function diffStates(a, b) {
	const key = /** @param {Message} m */ (m) => m.id ?? JSON.stringify(m);
	const before = new Map(a.messages.map((m) => [key(m), m])), after = new Map(b.messages.map((m) => [key(m), m]));
	/** @type {StateDiff} */
	const out = { added: [], removed: [], replaced: [], kept: 0, fields: [] };
	for (const [id, m] of before) if (!after.has(id)) out.removed.push(m);
	for (const [id, m] of after) {
		const was = before.get(id);
		if (!was) out.added.push(m);
		else if (was !== m && JSON.stringify(was) !== JSON.stringify(m)) out.replaced.push({ before: was, after: m });
		else out.kept++;
	}
	for (const name of new Set([...Object.keys(a.fields), ...Object.keys(b.fields)])) {
		const x = a.fields[name], y = b.fields[name];
		if (x !== y && JSON.stringify(x) !== JSON.stringify(y)) out.fields.push({ name, before: x, after: y });
	}
	return out;
}

/** @param {unknown} v */
const empty = (v) => ['0', '""', '[]', '{}', 'null', 'false'].includes(JSON.stringify(v));

/**
 * isFirst reports whether a field has its first value on one side, and none on the other: a state from the server has these, and events do not tell them.
 * @param {{before: unknown, after: unknown}} f
 */
export const isFirst = (f) => (f.before === undefined && empty(f.after)) || (f.after === undefined && empty(f.before));

/**
 * writersOf returns who wrote a field, or a message, on the way from one checkpoint to another. Between two branches, these are the ways from where they part.
 * @param {Model} m
 * @param {number} from
 * @param {number} to
 * @param {{field?: string, message?: string}} what
 */
export function writersOf(m, from, to, { field, message }) {
	const base = partingOf(m.checkpoints, from, to);
	/** @type {Set<string>} */
	const out = new Set();
	for (const end of [from, to]) {
		const way = wayTo(m.checkpoints, end);
		for (const id of way.slice(way.indexOf(base) + 1)) {
			for (const w of m.checkpoints.get(id)?.writers ?? []) if (w.fields.includes(field ?? '\0') || w.messages.includes(message ?? '\0')) out.add(w.step);
		}
	}
	return [...out];
}
