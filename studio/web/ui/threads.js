// The list of threads at the side of the page.

import { useMemo, useState } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { locked } from '../client.js';
import { ago } from '../model/time.js';
import { filter, listError, refresh, statusOf, threadTotal, threads, titleOf } from '../session.js';
import { href, route } from '../route.js';
import { Failure, Icon, html } from './html.js';
import { Rows } from './rows.js';

/** @typedef {import('../session.js').Thread} Thread */

/** @type {Record<string, string>} */
const statuses = { '': 'All', busy: 'Running', interrupted: 'Waiting', error: 'Failed', idle: 'Idle' };

/** How many threads are read to search them. */
const most = 1000;

export function Threads() {
	const search = useSignal('');
	const all = threads.value;
	const wanted = search.value.trim().toLowerCase();
	const shown = useMemo(() => (all ?? []).filter((t) => !wanted || titleOf(t).toLowerCase().includes(wanted) || t.thread_id.includes(wanted) || String(t.metadata?.graph_id ?? '').includes(wanted)), [all, wanted]);
	/** @param {Partial<typeof filter.value>} more */
	const limit = (more) => {
		filter.value = { ...filter.value, ...more };
		refresh();
	};
	/** @param {string} text */
	const find = (text) => {
		search.value = text;
		if (text && all && all.length < threadTotal.value && filter.value.limit < most) limit({ limit: most });
	};
	return html`<nav class="threads" aria-label="Threads">
		<div class="find">
			<label class="search"><${Icon} name="search" /><input id="search" type="search" placeholder="Search threads" aria-label="Search threads" value=${search.value} onInput=${(/** @type {any} */ e) => find(e.target.value)} /></label>
			<select aria-label="Status" value=${filter.value.status} onChange=${(/** @type {any} */ e) => limit({ status: e.target.value, limit: 50 })}>
				${Object.entries(statuses).map(([value, text]) => html`<option value=${value}>${text}</option>`)}
			</select>
		</div>
		${listError.value && !locked.value && html`<${Failure} text=${listError.value} retry=${refresh} />`}
		${!all && !listError.value && html`<p class="loading" role="status">Reading threads…</p>`}
		${all && !shown.length && html`<p class="aside">${wanted || filter.value.status ? (all.length < threadTotal.value ? `None of the ${all.length} newest threads matches.` : 'No thread matches.') : 'There are no threads yet.'}</p>`}
		${shown.length > 0 && html`<${Rows} items=${shown} label="Threads" role="list" uniform estimate=${52} keyOf=${(/** @type {Thread} */ t) => t.thread_id} row=${(/** @type {Thread} */ t) => html`<${Line} t=${t} />`}
			bottom=${all && all.length < threadTotal.value && html`<button class="quiet wide" onClick=${() => limit({ limit: filter.value.limit + 100 })}>Show more of ${threadTotal.value}</button>`} />`}
	</nav>`;
}

/** @param {{t: Thread}} props */
function Line({ t }) {
	const [now] = useState(Date.now);
	const here = route.value.thread === t.thread_id;
	return html`<a class=${'thread ' + t.status} href=${href({ thread: t.thread_id })} aria-current=${here ? 'true' : undefined}>
		<span class="title" dir="auto">${titleOf(t)}</span>
		<span class="meta"><span class=${'dot ' + t.status}></span>${statusOf(t)}<span class="when">${ago(t.updated_at, Math.max(now, Date.now()))}</span></span>
	</a>`;
}
