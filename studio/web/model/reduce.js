// The reducer: from the events of a thread to what the views show. It is pure but for one thing: a model that has been extended must not be used any
// more, because the new one shares its lists.

import { change, diffStates, emptyState, isFirst, stateAt } from './state.js';
import { textOf } from './text.js';
import { moment } from './time.js';

/** @typedef {import('./types.js').Event} Event */
/** @typedef {import('./types.js').Row} Row */
/** @typedef {import('./types.js').Model} Model */
/** @typedef {import('./types.js').Run} Run */
/** @typedef {import('./types.js').Span} Span */
/** @typedef {import('./types.js').Checkpoint} Checkpoint */

/** @returns {Model} */
export function emptyModel() {
	return {
		rows: [], now: emptyState(), owned: true, head: 0, pending: [], writers: [], checkpoints: new Map(), runs: new Map(), run: null, live: null,
		calls: new Map(), spans: [], step: null, open: [], spanFrom: 0, requests: [], asked: [], base: null, parts: new Map(), visits: new Map(), notices: [],
	};
}

/**
 * reduce adds events to a model.
 * @param {Model} before
 * @param {Row[]} rows
 * @returns {Model}
 */
export function reduce(before, rows) {
	let m = { ...before };
	for (const row of rows) {
		const run = m.runs.get(row.run_id);
		if (run && row.attempt > run.attempt) m = reduce(seedsOf(m), withoutVoid(m.rows, row.run_id));
		add(m, row);
	}
	return m;
}

/**
 * withoutVoid leaves out what a run told and did not save, since a later attempt tells it again.
 * @param {Row[]} rows
 * @param {string} run
 */
function withoutVoid(rows, run) {
	const saved = rows.findLastIndex((r) => r.run_id === run && r.event.type === 'checkpoint');
	return rows.filter((r, i) => r.run_id !== run || i <= saved);
}

/**
 * without leaves out a run that was rolled back.
 * @param {Model} m
 * @param {string} run
 */
export const without = (m, run) => reduce(seedsOf(m), m.rows.filter((r) => r.run_id !== run));

/**
 * seedsOf returns an empty model that knows the states that do not come from events.
 * @param {Model} m
 */
function seedsOf(m) {
	const out = emptyModel();
	for (const c of m.checkpoints.values()) if (c.state && !c.guessed) out.checkpoints.set(c.id, c);
	return out;
}

/**
 * seed adds a checkpoint that is known from elsewhere, such as the history of the thread, because its events are gone or never were.
 * @param {Model} m
 * @param {Checkpoint} c
 */
export function seed(m, c) {
	const known = m.checkpoints.get(c.id);
	if (known && (!known.state || known.guessed)) Object.assign(known, { state: c.state, guessed: false });
	else if (!known) m.checkpoints.set(c.id, c);
	const before = c.source === 'update' && c.state && !c.writers.length ? stateAt(m, c.parent) : null;
	if (before && c.state) { // somebody has changed the state
		const d = diffStates(before, c.state);
		c.writers = [{ step: 'update', fields: d.fields.filter((f) => !isFirst(f)).map((f) => f.name), messages: [...d.added, ...d.removed, ...d.replaced.map((r) => r.after)].flatMap((x) => x.id ?? []) }];
	}
	return { ...m };
}

/**
 * @param {Model} m
 * @param {Row} row
 */
function add(m, row) {
	m.rows.push(row);
	const e = row.event;
	const at = moment(e.time);
	const run = runOf(m, row, at);
	if (run.end && e.type !== 'end') run.end = 0;
	const handle = handlers[e.type];
	handle?.(m, e, run, row, at);
}

/**
 * @param {Model} m
 * @param {Row} row
 * @param {number} at
 * @returns {Run}
 */
function runOf(m, row, at) {
	let run = m.runs.get(row.run_id);
	if (!run) {
		const last = m.run;
		if (last?.end && last.interrupts.length) {
			m.spans.push(span('wait', 'waited for a person', last.end, at, row, { detail: last.interrupts[0]?.step }));
		}
		const s = span('run', row.event.agent ?? 'run', at, 0, row);
		m.spans.push(s);
		run = {
			id: row.run_id, agent: row.event.agent ?? '', start: at, end: 0, status: 'running', interrupts: [], attempt: row.attempt, step: '', span: s,
		};
		m.runs.set(row.run_id, run);
		m.base = null;
		leaveStep(m, at);
	}
	run.attempt = row.attempt;
	if (row.attempt > 1) run.span.attempt = row.attempt;
	m.run = run;
	return run;
}

/**
 * @param {Span['kind']} kind
 * @param {string} name
 * @param {number} start
 * @param {number} end
 * @param {Row} row
 * @param {Partial<Span>} [more]
 * @returns {Span}
 */
const span = (kind, name, start, end, row, more) => ({
	kind, name, start, end, own: end ? end - start : 0, depth: 0, run_id: row.run_id, event: row.event, ...more,
});

/**
 * leaveStep ends the present step, and sorts what happened in it by its beginning.
 * @param {Model} m
 * @param {number} at
 */
function leaveStep(m, at) {
	sortStep(m);
	if (m.step && !m.step.end) {
		m.step.end = at;
		if (m.step.kind === 'hook') { // its own time is that of its hook
			m.step.inside?.push({ start: moment(m.step.event.time), end: at });
			return closeStep(m);
		}
		m.step.inside = m.open.filter((s) => s.depth === 2 && s.kind !== 'note');
		m.step.own = Math.max(0, at - m.step.start - m.step.inside.reduce((sum, s) => sum + s.end - s.start, 0));
	}
	closeStep(m);
}

/** @param {Model} m */
function closeStep(m) {
	m.step = null;
	m.open = [];
	m.spanFrom = m.spans.length;
}

/** @param {Model} m */
function sortStep(m) {
	const part = m.spans.slice(m.spanFrom);
	part.sort((a, b) => a.start - b.start || b.end - b.start - (a.end - a.start));
	for (let i = 0; i < part.length; i++) m.spans[m.spanFrom + i] = part[i];
}

/**
 * inStep adds what happened within the present step. A wrap hook contains what began after it and is not contained yet.
 * @param {Model} m
 * @param {Span} s
 * @param {(inner: Span) => boolean} contains
 */
function inStep(m, s, contains) {
	s.depth = m.step ? 2 : 1;
	for (const inner of m.open) {
		if (!contains(inner)) continue;
		if (inner.depth === s.depth && inner.kind !== 'note') {
			s.own -= inner.end - inner.start;
			(s.inside ??= []).push(inner);
		}
		inner.depth++;
		inner.start = Math.max(inner.start, s.start); // events of calls that run at once are told later than they happened
	}
	s.own = Math.max(0, s.own);
	m.open.push(s);
	m.spans.push(s);
}

/**
 * idsOf returns the ids of the messages that a change touches.
 * @param {{messages?: {id?: string}[], patch?: {id?: string}[], remove?: string[]}} u
 */
const idsOf = (u) => [...(u.messages ?? []), ...(u.patch ?? []), ...(u.remove ?? []).map((id) => ({ id }))].flatMap(({ id }) => id ?? []);

const none = () => false;

/**
 * @param {Event} e
 * @param {number} at
 */
const began = (e, at) => at - (e.duration ?? 0) / 1e6;

/** @type {Record<string, (m: Model, e: Event, run: Run, row: Row, at: number) => void>} */
const handlers = {
	run(m, e, run) {
		run.status = 'running';
		run.agent = e.agent ?? run.agent;
		m.live = null;
		if (e.answers) for (const c of m.calls.values()) if (c.status === 'asks') c.status = 'running';
	},

	step(m, e, run, row, at) {
		leaveStep(m, at);
		const name = e.step ?? '';
		run.step = name;
		m.live = null;
		m.visits.set(name, (m.visits.get(name) ?? 0) + 1);
		m.step = span('step', name, at, 0, row, { depth: 1 });
		m.spanFrom = m.spans.length;
		m.spans.push(m.step);
		m.spanFrom++;
	},

	hook(m, e, _run, row, at) {
		const name = e.step ?? '';
		const call = e.call?.id;
		let s = span('hook', name, began(e, at), at, row, { failed: !!e.error, detail: e.call?.name, call });
		if (m.step?.name === name) s = Object.assign(m.step, { kind: 'hook', own: s.own, failed: s.failed, event: e, inside: [{ start: m.step.start, end: s.start }] }); // the step is this hook
		else inStep(m, s, !name.includes('.wrap_') ? none : (inner) => (call ? inner.call === call : inner.start >= s.start));
		s.passed = !!e.error && (m.open.some((inner) => inner !== s && inner.start >= s.start && inner.event.error?.message === e.error?.message) || (!!call && e.error.type === 'tool_error'));
		part(m, e, s);
		const u = e.update;
		if (u) {
			m.writers.push({ step: name, fields: Object.keys(u.state ?? {}), messages: idsOf(u), jump: u.jump_to });
		}
	},

	model(m, e, run, row, at) {
		inStep(m, span('model', e.model ?? 'model', began(e, at), at, row, { failed: !!e.error }), none);
		const base = m.base ? [{ step: 'agent', change: m.base }] : [];
		m.owned = false; // the request keeps the list
		m.requests.push({
			run_id: row.run_id, step: m.step?.event.index ?? 0, model: e.model ?? '', time: e.time, before: m.now.messages,
			layers: base.concat(m.asked), answer: e,
		});
		run.step = run.step || 'model';
	},

	request(m, e) {
		const change = e.request ?? {};
		if (e.step === 'model') {
			m.base = change;
			m.asked = [];
			return;
		}
		const again = m.asked.findIndex((l) => l.step === e.step);
		if (again >= 0) m.asked.length = again;
		m.asked = m.asked.concat({ step: e.step ?? '', change });
	},

	tool(m, e, _run, row, at) {
		const call = e.call;
		if (!call) return;
		const over = e.messages || e.error || e.interrupts || e.duration;
		const known = m.calls.get(call.id);
		const start = over ? began(e, at) : at;
		m.calls.set(call.id, {
			id: call.id, name: call.name, args: call.args, start, end: over ? at : 0, error: e.error?.message, messages: e.messages, said: known?.said,
			status: !over ? 'running' : e.interrupts ? 'asks' : e.error || e.messages?.some((r) => r.status === 'error') ? 'failed' : 'done',
		});
		if (over) {
			inStep(m, span('tool', call.name, start, at, row, { failed: !!e.error || m.calls.get(call.id)?.status === 'failed', call: call.id }), (inner) => inner.call === call.id);
		}
	},

	token(m, e) {
		let live = m.live;
		if (!live || live.index !== e.index || live.message !== e.message) {
			live = { message: e.message ?? '', index: e.index ?? 0, text: '', reasoning: '', calls: [] };
		}
		const piece = e.call_piece;
		const calls = live.calls;
		if (piece) {
			const at = piece.index ?? 0;
			const c = (calls[at] ??= { id: '', name: '', args: '' });
			calls[at] = { id: piece.id || c.id, name: piece.name || c.name, args: c.args + (piece.args ?? '') };
		}
		m.live = { ...live, text: live.text + (e.text ?? ''), reasoning: live.reasoning + (e.reasoning ?? ''), calls };
	},

	state(m, e) {
		m.now = change(m.now, e, m.owned);
		m.owned = true;
		m.pending = m.pending.concat(e);
		m.live = null;
		// What no hook has claimed is the work of the step.
		const fields = [...Object.keys(e.state ?? {}), ...(e.unset ?? [])].filter((f) => !m.writers.some((w) => w.fields.includes(f)));
		const messages = idsOf(e).filter((id) => !m.writers.some((w) => w.messages.includes(id)));
		if (e.step && fields.length + messages.length) m.writers.push({ step: e.step, fields, messages });
	},

	checkpoint(m, e, _run, row, at) {
		const id = e.checkpoint ?? 0;
		const parent = e.parent ?? 0;
		/** @type {Checkpoint} */
		const c = {
			id, parent, source: e.source ?? '', step: e.step ?? '', next: e.next ?? '', time: e.time, run_id: row.run_id, changes: m.pending, writers: m.writers,
			state: m.checkpoints.get(id)?.state,
		};
		m.checkpoints.set(id, c);
		if (parent !== m.head) { // the run began at another place of the thread
			const s = stateAt(m, id);
			if (s) {
				m.now = s;
				m.owned = true;
			} else { // nobody knows what led there: this is the best there is
				c.state = m.now;
				c.guessed = true;
				m.owned = false;
			}
		}
		m.head = id;
		m.pending = [];
		m.writers = [];
		inStep(m, span('save', 'checkpoint ' + id, at, at, row, { detail: e.source }), none);
	},

	custom(m, e, _run, row, at) {
		if (isOfAgent(e)) return ofAgent(m, e.data, row, e.data.call_id ?? '', nameOf(e.data));
		inStep(m, span('note', e.name ?? 'custom', at, at, row), none);
	},

	warn: note,
	alert: note,

	end(m, e, run, _row, at) {
		leaveStep(m, at);
		m.live = null;
		run.end = at;
		run.status = e.status ?? 'completed';
		run.error = e.error;
		run.interrupts = e.interrupts ?? [];
		run.step = '';
		run.span.end = at;
		run.span.own = at - run.span.start;
		run.span.failed = run.status === 'failed';
		run.span.detail = run.status;
		for (const c of m.calls.values()) if (c.status === 'running') c.status = 'failed';
	},
};

/**
 * @param {Model} m
 * @param {Event} e
 * @param {Run} _run
 * @param {Row} row
 * @param {number} at
 */
function note(m, e, _run, row, at) {
	m.notices.push(row);
	inStep(m, span('note', e.text ?? e.type, at, at, row, { failed: true }), none);
}

/** isOfAgent reports whether an event tells what an agent did that runs as a tool. @param {Event} e */
const isOfAgent = (e) => e.name === 'agent' && typeof e.data?.event?.type === 'string';

/** nameOf returns the name of such an agent; without one, that of the tool. @param {{agent: string, event: Event}} data */
const nameOf = ({ agent, event }) => String(event.agent || agent);

/**
 * ofAgent adds what an agent did that runs as a tool. Its steps are left out: they are those of its hooks, models and tools.
 * @param {Model} m
 * @param {{event: Event}} data
 * @param {Row} row
 * @param {string} call the call of the outermost agent's tool
 * @param {string} agent the agents that lead to it
 */
function ofAgent(m, { event: e }, row, call, agent) {
	if (e.type === 'custom' && isOfAgent(e)) return ofAgent(m, e.data, row, call, `${agent} › ${nameOf(e.data)}`);
	const at = moment(e.time), known = m.calls.get(call);
	/** @param {Span['kind']} kind @param {string} name */
	const of = (kind, name) => span(kind, name, began(e, at), at, { ...row, event: e }, { failed: !!e.error, detail: agent, call, agent });
	/** @param {Span} s @param {(inner: Span) => boolean} contains */
	const put = (s, contains) => inStep(m, s, (inner) => inner.agent === agent && inner.call === call && contains(inner));
	if (e.type === 'hook') {
		const s = of('hook', e.step ?? ''), own = e.call?.id;
		put(s, !s.name.includes('.wrap_') ? none : (inner) => (own ? inner.event.call?.id === own : inner.start >= s.start && !inner.event.call));
		s.passed = !!e.error && m.open.some((inner) => inner !== s && inner.agent === agent && inner.event.error?.message === e.error?.message);
		part(m, e, s);
	} else if (e.type === 'model') {
		put(of('model', e.model ?? 'model'), none);
		const answer = e.messages?.findLast((x) => x.role === 'ai');
		if (known && answer) known.said = textOf(answer.content) || (answer.tool_calls ?? []).map((c) => `${c.name}(…)`).join(', ');
	} else if (e.type === 'tool' && (e.messages || e.error || e.interrupts || e.duration)) {
		put(of('tool', e.call?.name ?? ''), (inner) => inner.event.call?.id === e.call?.id);
	} else if (e.type === 'warn' || e.type === 'alert' || e.type === 'custom') put(of('note', e.text ?? e.name ?? e.type), none);
}

/**
 * part counts what a middleware does.
 * @param {Model} m
 * @param {Event} e
 * @param {Span} s
 */
function part(m, e, s) {
	const dot = s.name.lastIndexOf('.');
	const name = (s.agent ? s.agent + ' › ' : '') + s.name.slice(0, dot);
	let p = m.parts.get(name);
	if (!p) {
		p = { name, digest: '', fuel: [], memory: 0, hostCalls: 0, calls: 0, own: 0, faults: [], instances: new Set(), hooks: new Map() };
		m.parts.set(name, p);
	}
	p.calls++;
	p.own += s.own;
	if (e.digest) p.digest = e.digest;
	if (e.fuel) p.fuel.push(e.fuel);
	p.memory = Math.max(p.memory, e.memory ?? 0);
	p.hostCalls = Math.max(p.hostCalls, e.host_calls ?? 0);
	if (e.instance) p.instances.add(e.instance);
	if (e.error && !s.passed) p.faults.push({ step: s.name, error: e.error, time: e.time });
	const hook = s.name.slice(dot + 1);
	const h = p.hooks.get(hook) ?? { calls: 0, own: 0, fuel: 0 };
	p.hooks.set(hook, { calls: h.calls + 1, own: h.own + s.own, fuel: h.fuel + (e.fuel ?? 0) });
}
