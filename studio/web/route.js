// What the address of the page names: a thread, a view of it, and what is chosen there.

import { signal } from '@preact/signals';

export const views = /** @type {const} */ (['chat', 'timeline', 'state', 'history', 'requests', 'graph', 'plugins']);

/** @typedef {typeof views[number]} View */
/** @typedef {{thread: string, view: View, at: string}} Route */

/** @returns {Route} */
function read() {
	const [thread = '', view = '', at = ''] = location.hash.replace(/^#\/?/, '').split('/').map(decode);
	return { thread, view: views.find((v) => v === view) ?? 'chat', at };
}

/** @param {string} text */
function decode(text) {
	try {
		return decodeURIComponent(text);
	} catch {
		return '';
	}
}

export const route = signal(read());
addEventListener('hashchange', () => (route.value = read()));

/**
 * href returns the address of a place in the page.
 * @param {Partial<Route>} to
 */
export function href(to) {
	const { thread, view, at } = { ...route.peek(), at: '', ...to };
	return '#/' + [thread, thread && view, at].filter(Boolean).map(encodeURIComponent).join('/');
}

/** @param {Partial<Route>} to */
export function go(to) {
	location.hash = href(to);
}
