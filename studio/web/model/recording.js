// Recordings: events in files, as `agenthost run --output jsonl`, the studio itself and `agenthost threads export` write them.

import { diffStates, emptyState } from './state.js';

/** @typedef {import('./types.js').Row} Row */
/** @typedef {import('./types.js').Model} Model */
/** @typedef {import('./types.js').Checkpoint} Checkpoint */
/** @typedef {import('./types.js').State} State */
/** @typedef {import('./types.js').Event} Event */

/**
 * read returns the events of a recording.
 * @param {string} text
 * @returns {Row[]}
 */
export function read(text) {
	const whole = text.trimStart().startsWith('{') ? parse(text) : null;
	if (whole?.format) {
		if (whole.format !== 'agenthost.thread/1') throw new Error(`This file has the format ${whole.format}, which this version does not know.`);
		return fromExport(whole);
	}
	/** @type {Row[]} */
	const rows = [];
	let run = '', part = 0;
	for (const [i, line] of text.split('\n').entries()) {
		if (!line.trim()) continue;
		const value = parse(line);
		if (value?.event?.type && value.run_id) rows.push({ attempt: 1, id: String(i), ...value });
		else if (typeof value?.type === 'string' && typeof value.time === 'string') {
			if (value.type === 'run' || value.run !== run) part++;
			run = value.run;
			rows.push({ id: String(i), run_id: `${run}/${part}`, attempt: 1, event: value });
		} else throw new Error(`Line ${i + 1} is not an event.`);
	}
	if (!rows.length) throw new Error('The file has no events.');
	return rows;
}

/** @param {string} text */
function parse(text) {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}

/**
 * fromExport makes the events that lead to the checkpoints of an exported thread.
 * @param {any} doc
 * @returns {Row[]}
 */
function fromExport(doc) {
	/** @type {Row[]} */
	const rows = [];
	let run = '', part = 0, last = '';
	/** @type {Set<string>} */
	const fields = new Set();
	/** @param {Omit<Event, 'seq'|'run'>} event */
	const add = (event) => rows.push({ id: String(rows.length), run_id: `${run}/${part}`, attempt: 1, event: { seq: rows.length + 1, run, agent: doc.thread, ...event } });
	/** @param {any} c */
	const end = (c) => add({ type: 'end', time: last, ...(c && { status: c.asked?.length || c.paused ? 'interrupted' : c.failure ? 'failed' : 'completed', ...(c.failure && { error: { type: 'error', message: c.failure } }) }) });
	const all = doc.checkpoints ?? [];
	all.forEach((/** @type {any} */ c, /** @type {number} */ i) => {
		if (c.run !== run || c.source === 'input') {
			if (i > 0) end(all[i - 1]);
			run = c.run;
			part++;
			add({ type: 'run', time: c.time });
		}
		last = c.time;
		if (c.step && c.source === 'loop') add({ type: 'step', step: c.step, index: i + 1, time: c.time });
		const unset = c.rewritten ? [...fields].filter((f) => !(f in (c.set ?? {}))) : c.unset;
		for (const name of Object.keys(c.set ?? {})) fields.add(name);
		if (c.added || c.replaced || c.removed || c.set || c.unset || c.rewritten) {
			add({ type: 'state', step: c.step ?? 'input', time: c.time, messages: c.added, patch: c.replaced, remove: c.removed, state: c.set, unset, reset: c.rewritten });
		}
		add({ type: 'checkpoint', time: c.time, checkpoint: c.checkpoint, parent: c.parent, source: c.source, step: c.step, next: c.next });
	});
	if (all.length) {
		end(all[all.length - 1]);
		const questions = rows[rows.length - 1].event;
		if (doc.interrupts?.length) Object.assign(questions, { status: 'interrupted', interrupts: doc.interrupts });
	}
	return rows;
}

/**
 * write returns a thread as a recording: its events, and its states where there are no events.
 * @param {Model} m
 */
export function write(m) {
	const told = new Set(m.rows.map((r) => r.event.checkpoint));
	const seeds = [...m.checkpoints.values()].filter((c) => c.state && !told.has(c.id)).sort((a, b) => a.id - b.id);
	const first = Math.min(...[...m.checkpoints.keys()].filter((id) => told.has(id)));
	const earlier = seeds.filter((c) => c.id < first), later = seeds.filter((c) => c.id > first);
	return [...fromStates('earlier', earlier), ...m.rows, ...fromStates('later', later)].map((r) => JSON.stringify(r) + '\n').join('');
}

/**
 * fromStates makes events that lead to checkpoints of which only the states are known.
 * @param {string} run
 * @param {Checkpoint[]} all in their order
 * @returns {Row[]}
 */
function fromStates(run, all) {
	/** @type {Row[]} */
	const rows = [];
	/** @param {Omit<Event, 'seq'|'run'>} event */
	const add = (event) => rows.push({ id: `${run}.${rows.length}`, run_id: run, attempt: 1, event: { seq: rows.length + 1, run, ...event } });
	/** @type {Map<number, State>} */
	const known = new Map([[0, emptyState()]]);
	for (const { id, parent, source, step, next, time, state } of all) {
		if (!state) continue;
		if (!rows.length) add({ type: 'run', time });
		const before = known.get(parent), d = diffStates(before ?? emptyState(), state);
		const kept = d.fields.filter((f) => f.after !== undefined).map((f) => [f.name, f.after]);
		add({
			type: 'state', time, step: step || source, reset: !before, messages: d.added, patch: d.replaced.map((r) => r.after), remove: d.removed.flatMap((x) => x.id ?? []),
			state: Object.fromEntries(kept), unset: d.fields.filter((f) => f.after === undefined).map((f) => f.name),
		});
		add({ type: 'checkpoint', time, checkpoint: id, parent, source, step, next });
		known.set(id, state);
	}
	if (rows.length) add({ type: 'end', time: rows[rows.length - 1].event.time, status: 'completed' });
	return rows;
}
