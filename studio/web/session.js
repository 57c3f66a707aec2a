// What is open in the page: the threads, the agents, and one thread with its model. Views read these signals, and call the functions here.

import { batch, signal } from '@preact/signals';
import { ApiError, api, events, follow, locked } from './client.js';
import { programOf } from './model/graph.js';
import { checkpointName, checkpointOf } from './model/langgraph.js';
import { emptyModel, reduce, seed, without } from './model/reduce.js';
import { read } from './model/recording.js';
import { brief } from './model/text.js';
import { go, route } from './route.js';

/** @typedef {import('./model/types.js').Row} Row */
/** @typedef {import('./model/types.js').Message} Message */

/**
 * @typedef {object} Thread
 * @property {string} thread_id
 * @property {string} status idle, busy, interrupted or error
 * @property {Record<string, any>} metadata
 * @property {string} created_at
 * @property {string} updated_at
 * @property {Record<string, {id: string, value: unknown}[]>} [interrupts]
 * @property {{error: string, message: string}|null} [error]
 */
/** @typedef {{assistant_id: string, graph_id: string, name: string, description: string|null}} Assistant */

/** Whether the page shows a file, without a server. */
export const still = signal(false);
/** @type {import('@preact/signals').Signal<Thread[]|null>} */
export const threads = signal(/** @type {Thread[]|null} */ (null));
export const threadTotal = signal(0);
/** @type {import('@preact/signals').Signal<Assistant[]>} */
export const assistants = signal(/** @type {Assistant[]} */ ([]));
/** What went wrong when the lists were read. */
export const listError = signal('');

/** @type {import('@preact/signals').Signal<Thread|null>} */
export const thread = signal(/** @type {Thread|null} */ (null));
export const model = signal(emptyModel());
/** 'loading', 'live', 'lost' (reconnecting) or 'failed' */
export const state = signal(/** @type {'none'|'loading'|'live'|'lost'|'failed'} */ ('none'));
export const failure = signal('');
/** Messages that were sent and are not in the thread yet. */
export const sent = signal(/** @type {{run: string, text: string}[]} */ ([]));
/** Whether earlier events are gone, so that only the states of the thread are known. */
export const partial = signal(false);

/** @param {unknown} err */
export const messageOf = (err) => (err instanceof Error ? err.message : String(err));

/** What the list of threads is limited to. */
export const filter = signal({ status: '', limit: 50 });

/** refresh reads the list of threads, and that of agents if it is not there. */
export async function refresh() {
	try {
		const { status, limit } = filter.value;
		const body = {
			limit, sort_by: 'updated_at', sort_order: 'desc', select: ['thread_id', 'status', 'interrupts', 'metadata', 'created_at', 'updated_at'], ...(status && { status }),
		};
		const [found, total, agents] = await Promise.all([
			api('POST', '/threads/search', body), api('POST', '/threads/count', status ? { status } : {}),
			assistants.value.length ? assistants.value : api('POST', '/assistants/search', { limit: 100 }),
		]);
		batch(() => {
			if (JSON.stringify(found) !== JSON.stringify(threads.value)) threads.value = found;
			threadTotal.value = total;
			if (assistants.value !== agents) assistants.value = agents;
			listError.value = '';
		});
	} catch (err) {
		listError.value = messageOf(err);
	}
}

/** completeHistory reads checkpoints that others follow and that the events do not tell: those of earlier runs, and of changes to the state. */
export async function completeHistory() {
	const m = model.value, id = thread.value?.thread_id;
	if (still.value || !id || ![...m.checkpoints.values()].some((c) => c.parent && (!c.state || c.guessed) && !m.checkpoints.has(c.parent)) && m.checkpoints.size) return;
	try {
		const all = await api('GET', `/threads/${id}/history?limit=200`);
		if (thread.value?.thread_id !== id) return;
		let next = model.value;
		for (const doc of all) {
			const c = checkpointOf(doc);
			if (c && !next.checkpoints.get(c.id)?.changes.length) next = seed(next, c);
		}
		if (next !== model.value) model.value = next;
	} catch (err) {
		listError.value = messageOf(err);
	}
}

let opened = new AbortController();

/**
 * open opens a thread, and follows it until another one is opened.
 * @param {string} id '' closes the thread
 */
export async function open(id) {
	if (still.value || (thread.value?.thread_id === id && state.value !== 'failed')) return;
	opened.abort();
	opened = new AbortController();
	const { signal: left } = opened;
	batch(() => {
		thread.value = null;
		model.value = emptyModel();
		sent.value = [];
		partial.value = false;
		failure.value = '';
		state.value = id ? 'loading' : 'none';
	});
	if (!id) return;
	try {
		const since = await load(id, left);
		if (!left.aborted) await keepFollowing(id, since, left);
	} catch (err) {
		if (left.aborted) return;
		batch(() => {
			state.value = 'failed';
			failure.value = err instanceof ApiError && err.status === 404 ? 'There is no such thread, or it belongs to somebody else.' : messageOf(err);
		});
	}
}

/**
 * load reads what there is of a thread, and returns the position of the last event.
 * @param {string} id
 * @param {AbortSignal} left
 */
async function load(id, left) {
	const head = await api('GET', `/threads/${id}`, undefined, left);
	let since = '', m = emptyModel();
	for await (const page of events(id, left)) {
		since = page.next;
		m = reduce(m, page.events);
	}
	if (left.aborted) return since;
	const { values, ...shown } = head;
	batch(() => {
		thread.value = shown;
		model.value = m;
	});
	if (m.run ? m.run.end : values) await complete(id, left); // a new thread has nothing yet, and its events come
	state.value = 'live';
	return since;
}

/**
 * complete reads the newest state if the events do not lead to it: those of older runs are gone, or somebody has changed the state.
 * @param {string} id
 * @param {AbortSignal} [left]
 */
async function complete(id, left) {
	const doc = await api('GET', `/threads/${id}/state`, undefined, left);
	const c = checkpointOf(doc);
	if (left?.aborted || !c || (c.id === model.value.head && c.state?.messages.length === model.value.now.messages.length)) return;
	const known = model.value.checkpoints.has(c.parent) || c.parent === 0;
	const next = seed(model.value, c);
	next.now = /** @type {import('./model/types.js').State} */ (c.state);
	next.owned = false;
	next.head = c.id;
	next.pending = [];
	batch(() => {
		model.value = next;
		partial.value = !known;
	});
}

/**
 * keepFollowing follows the events of a thread, and comes back after the connection broke.
 * @param {string} id
 * @param {string} since
 * @param {AbortSignal} left
 */
async function keepFollowing(id, since, left) {
	for (let pause = 250; !left.aborted; pause = Math.min(pause * 2, 8000)) {
		const arrived = collect(left);
		try {
			for await (const { id: at, frame } of follow(id, since, left)) {
				since = at || since;
				pause = 250;
				state.value = 'live';
				if (frame.name === 'event') arrived.add(frame.row);
				else if (frame.name === 'over') await over(id, frame, arrived, left);
			}
		} catch (err) {
			if (left.aborted) return;
			if (err instanceof ApiError && err.status >= 400 && err.status < 500 && err.status !== 429) throw err;
		}
		arrived.flush();
		if (left.aborted) return;
		state.value = 'lost';
		await new Promise((done) => setTimeout(done, pause));
	}
}

/**
 * collect adds events to the model once per frame, however many come.
 * @param {AbortSignal} left
 */
function collect(left) {
	/** @type {Row[]} */
	let rows = [];
	let timer = 0;
	const flush = () => {
		clearTimeout(timer);
		timer = 0;
		if (!rows.length || left.aborted) return;
		const more = rows;
		rows = [];
		batch(() => {
			model.value = reduce(model.value, more);
			if (more.some((r) => r.event.type === 'checkpoint' && !r.event.parent)) partial.value = false; // the state was read before them
			if (sent.value.length) sent.value = sent.value.filter((s) => !model.value.runs.has(s.run));
			const run = model.value.run;
			if (thread.value && run && !run.end && thread.value.status !== 'busy') thread.value = { ...thread.value, status: 'busy' };
		});
	};
	return {
		flush,
		/** @param {Row} row */
		add(row) {
			rows.push(row);
			timer ||= window.setTimeout(flush, 16);
		},
	};
}

/**
 * over is what happens when a run is over.
 * @param {string} id
 * @param {{run_id: string, status: string}} frame
 * @param {{flush: () => void}} arrived
 * @param {AbortSignal} left
 */
async function over(id, frame, arrived, left) {
	arrived.flush();
	if (frame.status === 'removed') model.value = without(model.value, frame.run_id);
	sent.value = sent.value.filter((s) => s.run !== frame.run_id);
	const { values: _, ...head } = await api('GET', `/threads/${id}`, undefined, left);
	if (left.aborted) return;
	thread.value = head;
	await complete(id, left);
	refresh();
}

/** agentOf returns the assistant of the open thread, or the first one. */
export function agentOf() {
	const m = thread.value?.metadata ?? {};
	const all = assistants.value;
	return all.find((a) => a.assistant_id === m.assistant_id) ?? all.find((a) => a.graph_id === m.graph_id) ?? all[0];
}

/** The program of the open thread's agent; null: it is not known. @type {import('@preact/signals').Signal<import('./model/graph.js').Program|null>} */
export const program = signal(/** @type {import('./model/graph.js').Program|null} */ (null));
let programOwner = '';

/**
 * readProgram reads the program of the agent, unless it is there.
 * @param {boolean} [again] even then, because how its plugins are held changes
 */
export async function readProgram(again) {
	const id = agentOf()?.assistant_id ?? '';
	if (still.value || !id || (programOwner === id && !again)) return;
	if (programOwner !== id) program.value = null;
	programOwner = id;
	try {
		const read = programOf(await api('GET', `/assistants/${id}/graph`));
		if (programOwner === id) program.value = read;
	} catch (err) {
		programOwner = '';
		listError.value = messageOf(err);
	}
}

/** renew reads again what the server says of its agents, because it has changed. */
export async function renew() {
	assistants.value = [];
	await refresh();
	const id = programOwner;
	if (!id) return;
	const read = programOf(await api('GET', `/assistants/${id}/graph`));
	if (programOwner === id) program.value = read;
}

/**
 * say sends a message. Without an open thread it begins one.
 * @param {string} text
 * @param {string} agent
 */
export async function say(text, agent) {
	let id = thread.value?.thread_id;
	if (!id) {
		const chosen = assistants.value.find((a) => a.assistant_id === agent);
		id = (await api('POST', '/threads', { metadata: { title: brief(text, 80), graph_id: chosen?.graph_id } })).thread_id;
		go({ thread: id, view: 'chat' });
		await until(() => thread.value?.thread_id === id);
	}
	const run = await api('POST', `/threads/${id}/runs`, { assistant_id: agent, input: { messages: [{ role: 'user', content: text }] } });
	if (!model.value.runs.has(run.run_id)) sent.value = [...sent.value, { run: run.run_id, text }];
	refresh();
}

/** @param {() => boolean} ready */
async function until(ready) {
	for (let i = 0; i < 200 && !ready(); i++) await new Promise((done) => setTimeout(done, 10));
}

/**
 * start starts a run that is not a message: answers, or going on from a checkpoint.
 * @param {object} body
 */
export async function start(body) {
	const id = thread.value?.thread_id;
	if (!id) return;
	await api('POST', `/threads/${id}/runs`, { assistant_id: agentOf()?.assistant_id, ...body });
	if (thread.value?.thread_id === id) thread.value = { ...thread.value, status: 'busy' };
	refresh();
}

/** cancel cancels the runs of the open thread that are not over. */
export async function cancel() {
	const id = thread.value?.thread_id;
	if (!id) return;
	const all = await api('GET', `/threads/${id}/runs?limit=100`);
	for (const run of all) {
		if (run.status === 'running' || run.status === 'pending') await api('POST', `/threads/${id}/runs/${run.run_id}/cancel?action=interrupt`);
	}
	sent.value = [];
}

/**
 * edit changes the state of the open thread, from a checkpoint on.
 * @param {number} checkpoint
 * @param {object} values
 * @param {string} [as] the step whose change it is
 */
export async function edit(checkpoint, values, as) {
	const id = thread.value?.thread_id ?? '';
	await api('POST', `/threads/${id}/state`, { values, checkpoint_id: checkpointName(checkpoint), ...(as && { as_node: as }) });
	thread.value = (await api('GET', `/threads/${id}`)) ?? thread.value;
	await complete(id);
}

/**
 * rename gives a thread a title.
 * @param {string} id
 * @param {string} title
 */
export async function rename(id, title) {
	const changed = await api('PATCH', `/threads/${id}`, { metadata: { title } });
	if (thread.value?.thread_id === id) thread.value = { ...thread.value, metadata: changed.metadata };
	await refresh();
}

/** @param {string} id */
export async function copy(id) {
	const made = await api('POST', `/threads/${id}/copy`);
	await api('PATCH', `/threads/${made.thread_id}`, { metadata: { title: titleOf(made) + ' (copy)' } });
	await refresh();
	go({ thread: made.thread_id, view: 'chat' });
}

/** @param {string} id */
export async function remove(id) {
	await api('DELETE', `/threads/${id}`);
	if (route.value.thread === id) go({ thread: '', view: 'chat' });
	await refresh();
}

/** statusOf says what a thread does. @param {Thread} t */
export const statusOf = (t) =>
	t.status === 'busy' ? 'running' : t.status === 'error' ? 'failed' : t.status !== 'interrupted' ? t.status : Object.keys(t.interrupts ?? {}).length ? 'waits' : 'stopped';

/** @param {{thread_id: string, metadata?: Record<string, any>}} t */
export const titleOf = (t) => {
	const { title, thread_name: name } = t.metadata ?? {};
	return brief(String(title ?? name ?? ''), 80) || 'Thread ' + t.thread_id.slice(0, 8);
};

/** The name of the file that is shown. */
export const fileName = signal('');

/**
 * show shows a recording, without a server.
 * @param {{name: string, text: string}} recording
 */
export function show({ name, text }) {
	still.value = true;
	fileName.value = name;
	if (!route.value.thread) go({ thread: 'file', view: 'chat' });
	try {
		model.value = reduce(emptyModel(), read(text));
		state.value = 'live';
	} catch (err) {
		state.value = 'failed';
		failure.value = messageOf(err);
	}
}

/** watch keeps the list of threads as it is on the server, as long as somebody looks. */
export function watch() {
	refresh();
	setInterval(() => {
		if (document.visibilityState === 'visible' && !locked.value) refresh();
	}, 4000);
}
