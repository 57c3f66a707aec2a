// Requests to the server of this page. Nothing is sent to anywhere else.

import { signal } from '@preact/signals';

/** @typedef {import('./model/types.js').Row} Row */

const stored = 'agenthost.key';

/** storage returns where the key is kept; a page in a file may have none. */
function storage() {
	try {
		return sessionStorage;
	} catch {
		return null;
	}
}

/** The key of the server, kept until the tab is closed. */
export const key = signal(storage()?.getItem(stored) ?? '');
/** Whether the server wants a key that it has not got. */
export const locked = signal(false);
/** Whether the server does not answer. */
export const offline = signal(false);

/** @param {string} value */
export function useKey(value) {
	key.value = value;
	if (value) storage()?.setItem(stored, value);
	else storage()?.removeItem(stored);
}

/** An answer that is an error. */
export class ApiError extends Error {
	/**
	 * @param {number} status 0: the server does not answer
	 * @param {string} message
	 */
	constructor(status, message) {
		super(message);
		this.status = status;
	}
}

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {RequestInit} [more]
 */
async function send(method, path, body, more) {
	const headers = credential();
	if (body !== undefined) headers['content-type'] = 'application/json';
	let response;
	try {
		response = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), credentials: 'same-origin', ...more });
	} catch (err) {
		if (/** @type {Error} */ (err).name !== 'AbortError') offline.value = true;
		throw err instanceof DOMException ? err : new ApiError(0, 'The server does not answer.');
	}
	offline.value = false;
	if (response.ok) {
		locked.value = false;
		return response;
	}
	if (response.status === 401) locked.value = true;
	throw new ApiError(response.status, await reason(response));
}

/** @param {Response} response */
async function reason(response) {
	const text = await response.text().catch(() => '');
	try {
		return String(JSON.parse(text).detail ?? text);
	} catch {
		return text || `The server answers ${response.status}.`;
	}
}

/**
 * api sends a request and returns the document that answers it.
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function api(method, path, body, signal) {
	const response = await send(method, path, body, { signal });
	return response.status === 204 ? null : response.json();
}

/**
 * events yields the events of a thread that are there, page by page.
 * @param {string} thread
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<{events: Row[], next: string, more: boolean}>}
 */
export async function* events(thread, signal) {
	for (let since = '', more = true; more; ) {
		const page = await api('GET', `/threads/${thread}/events?limit=5000&since=${since}`, undefined, signal);
		({ next: since, more } = page);
		yield page;
	}
}

/**
 * stream yields the server-sent events of an address, after one with the name "open" that says that the server answers, until the signal aborts it or the
 * connection breaks.
 * @param {string} path
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<{name: string, id: string, data: string}>}
 */
export async function* stream(path, signal) {
	const response = await send('GET', path, undefined, { signal, headers: { accept: 'text/event-stream', ...credential() } });
	const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
	yield { name: 'open', id: '', data: '' };
	const decoder = new TextDecoder();
	let rest = '';
	for (;;) {
		const { done, value } = await reader.read();
		if (done) return;
		const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
		rest = blocks.pop() ?? '';
		for (const block of blocks) {
			let name = '', id = '', data = '';
			for (const line of block.split('\n')) {
				if (line.startsWith('event: ')) name = line.slice(7);
				else if (line.startsWith('id: ')) id = line.slice(4);
				else if (line.startsWith('data: ')) data += line.slice(6);
			}
			if (name) yield { name, id, data };
		}
	}
}

/** @typedef {{name: 'open'}|{name: 'event', row: Row}|{name: 'over', run_id: string, status: string}} Frame */

/**
 * follow yields the events of a thread as they come, after a frame that says that the server answers, until the signal aborts it or the connection breaks.
 * @param {string} thread
 * @param {string} since
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<{id: string, frame: Frame}>}
 */
export async function* follow(thread, since, signal) {
	for await (const { name, id, data } of stream(`/threads/${thread}/events?follow=true&since=${since}`, signal)) {
		if (name === 'open') yield { id, frame: { name } };
		else if (name === 'event') yield { id, frame: { name, row: JSON.parse(data) } };
		else if (name === 'over') yield { id, frame: { name, ...JSON.parse(data) } };
	}
}

/**
 * credential returns the headers that say who asks: a key, or a token of an OpenID Connect provider.
 * @returns {Record<string, string>}
 */
const credential = () => (key.value ? { authorization: 'Bearer ' + key.value } : {});
