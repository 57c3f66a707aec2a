// Recordings: events in files, as `agenthost run --output jsonl`, the studio itself and `agenthost threads export` write them.

/** @typedef {import('./types.js').Row} Row */
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
		} else throw new Error(`Line ${i + 1} is no event.`);
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
