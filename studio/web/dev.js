// What the page does only for `agenthost dev`: it follows what the last change of a file has done, calls plugins again, and keeps runs as cassettes.

import { batch, signal } from '@preact/signals';
import { ApiError, api, locked, stream } from './client.js';
import { lastChange } from './model/dev.js';
import { renew } from './session.js';

/** @typedef {import('./model/dev.js').State} State */
/** @typedef {import('./model/dev.js').Kept} Kept */

/** Whether the server is `agenthost dev`. */
export const isDev = document.documentElement.hasAttribute('data-dev');

/** What dev does; null: it has not said so. @type {import('@preact/signals').Signal<State|null>} */
export const dev = signal(/** @type {State|null} */ (null));
/** Why dev does not say so. */
export const devError = signal('');
/** The number of the last change that the person need not be told of. */
export const seenChange = signal(0);
/** The file that was written last, or why there is none. @type {import('@preact/signals').Signal<Kept|null>} */
export const kept = signal(/** @type {Kept|null} */ (null));

/** @param {State} state */
function take(state) {
	const before = lastChange(dev.value)?.change.number ?? 0, now = lastChange(state)?.change.number ?? 0;
	batch(() => {
		if (!dev.value) seenChange.value = now; // it was there before the page
		dev.value = state;
		devError.value = '';
	});
	if (now > before) renew().catch(() => {}); // the lists are read again soon anyway
}

/** watchDev follows what dev does, as long as somebody looks: a browser has few connections to a server. */
export function watchDev() {
	if (!isDev) return;
	let left = new AbortController();
	const look = () => {
		left.abort();
		left = new AbortController();
		if (document.visibilityState === 'visible') followDev(left.signal);
	};
	document.addEventListener('visibilitychange', look);
	locked.subscribe((is) => is || look());
}

/** @param {AbortSignal} left */
async function followDev(left) {
	for (let pause = 250; !left.aborted && !locked.value; pause = Math.min(pause * 2, 8000)) {
		try {
			for await (const { name, data } of stream('/dev/state', left)) {
				pause = 250;
				if (name === 'state') take(JSON.parse(data));
			}
		} catch (err) {
			if (left.aborted) return;
			if (err instanceof ApiError && err.status >= 400 && err.status < 500 && err.status !== 429) {
				devError.value = err.message;
				return;
			}
		}
		await new Promise((done) => setTimeout(done, pause));
	}
}

/**
 * record keeps a run as a cassette.
 * @param {string} run
 */
export async function record(run) {
	await keep(async () => ({ recording: await api('POST', `/dev/runs/${run}/recording`, {}) }));
}

/**
 * makeCase writes a case for `agenthost test` of a thread.
 * @param {string} thread
 */
export async function makeCase(thread) {
	await keep(async () => ({ made: await api('POST', `/dev/threads/${encodeURIComponent(thread)}/case`, {}) }));
}

/** @param {() => Promise<Kept>} write */
async function keep(write) {
	try {
		kept.value = await write();
	} catch (err) {
		kept.value = { error: err instanceof Error ? err.message : String(err) };
	}
}

/**
 * placeOfCall returns the address of a call: of a run, or of a golden case.
 * @param {string} run
 * @param {string} plugin
 * @param {string} choice the number of a call, or "case:" with the name of a golden case
 */
export const placeOfCall = (run, plugin, choice) => (choice.startsWith('case:')
	? `/dev/cases/${encodeURIComponent(plugin)}/${encodeURIComponent(choice.slice(5))}` : `/dev/runs/${run}/calls/${choice}`);
