// The frame of the page: threads at the side, the open thread with its views, and what stands before everything: a key, a lost connection.

import { useEffect, useRef, useState } from 'preact/hooks';
import { locked, offline, useKey } from '../client.js';
import { assistants, completeHistory, copy, fileName, messageOf, model, open, refresh, remove, rename, state, statusOf, still, thread, titleOf } from '../session.js';
import { href, route, views } from '../route.js';
import { write } from '../model/recording.js';
import { shown } from '../model/text.js';
import { clock } from '../model/time.js';
import { isDev, makeCase, record } from '../dev.js';
import { Chat } from './chat.js';
import { Dev } from './dev.js';
import { Graph } from './graph.js';
import { History } from './history.js';
import { Badge, Failure, Icon, html } from './html.js';
import { Plugins } from './plugins.js';
import { Requests } from './requests.js';
import { StateView } from './state.js';
import { Threads } from './threads.js';
import { Timeline } from './timeline.js';

/** @type {Record<typeof views[number], {title: string, view: any}>} */
const present = {
	chat: { title: 'Chat', view: Chat }, timeline: { title: 'Timeline', view: Timeline }, state: { title: 'State', view: StateView },
	history: { title: 'History', view: History }, requests: { title: 'Requests', view: Requests }, graph: { title: 'Graph', view: Graph },
	plugins: { title: 'Plugins', view: Plugins },
};

export function App() {
	const { thread: id, view } = route.value;
	const [menu, setMenu] = useState(false);
	useEffect(() => {
		open(id);
		setMenu(false);
	}, [id]);
	useEffect(() => {
		const name = thread.value ? titleOf(thread.value) : fileName.value;
		document.title = (name && name + ' · ') + 'agenthost studio';
	}, [thread.value]);
	useEffect(() => {
		/** @param {KeyboardEvent} e */
		const keys = (e) => {
			const at = /** @type {HTMLElement} */ (e.target);
			if (e.key === '/' && !/^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName) && !e.ctrlKey && !e.metaKey) {
				e.preventDefault();
				setMenu(true);
				document.getElementById('search')?.focus();
			} else if (e.key === 'Escape') setMenu(false);
		};
		addEventListener('keydown', keys);
		return () => removeEventListener('keydown', keys);
	}, []);
	const { title, view: View } = present[id || still.value ? view : 'chat'];
	const opened = !!id || still.value;
	return html`<div class=${'app' + (menu ? ' menu' : '') + (still.value ? ' still' : '')}>
		<a class="skip" href="#main" onClick=${(/** @type {Event} */ e) => (e.preventDefault(), document.getElementById('main')?.focus())}>Skip to the thread</a>
		${!still.value && html`<div class="side">
			<header class="brand"><a href="#/">agenthost</a>
				<a class="button" href="#/" onClick=${() => setMenu(false)}><${Icon} name="plus" />New thread</a></header>
			<${Threads} />
		</div><button class="veil" aria-label="Close the list of threads" tabindex="-1" onClick=${() => setMenu(false)}></button>`}
		<main id="main" tabindex="-1">
			${offline.value && html`<p class="banner" role="alert"><${Icon} name="warn" />The server does not answer. What you see may be old.</p>`}
			${state.value === 'lost' && !offline.value && html`<p class="banner" role="status">The connection was lost. Trying again…</p>`}
			<${Dev} />
			<header class="top">
				${!still.value && html`<button class="square narrow" aria-label="Threads" aria-expanded=${menu} onClick=${() => setMenu(!menu)}><${Icon} name="menu" /></button>`}
				${opened ? html`<${Title} />` : html`<h1>New thread</h1>`}
			</header>
			${opened && html`<nav class="tabs" aria-label="Views of the thread">
				${views.map((v) => html`<a key=${v} href=${href({ view: v })} aria-current=${v === view ? 'page' : undefined}><${Icon} name=${v} />${present[v].title}</a>`)}
			</nav>`}
			<section class="view" aria-label=${title}><${View} /></section>
		</main>
		${locked.value && html`<${Key} />`}
	</div>`;
}

function Title() {
	const t = thread.value;
	const [editing, setEditing] = useState(false);
	const [error, setError] = useState('');
	const menu = useRef(/** @type {HTMLDetailsElement|null} */ (null));
	useEffect(() => {
		setEditing(false);
		setError('');
	}, [t?.thread_id]);
	if (still.value) return html`<h1>${shown(fileName.value)}</h1><${Badge} kind="edited">recording</><span class="quiet">${clock(model.value.run?.start ?? 0)}</span>`;
	if (!t) return html`<h1>${state.value === 'loading' ? '…' : 'Thread'}</h1>`;
	/** @param {() => unknown} does */
	const act = (does) => async () => {
		if (menu.current) menu.current.open = false;
		setError('');
		try {
			await does();
		} catch (err) {
			setError(messageOf(err));
		}
	};
	const agent = assistants.value.find((a) => a.assistant_id === t.metadata?.assistant_id || a.graph_id === t.metadata?.graph_id);
	return html`
		${editing ? html`<form class="rename" onSubmit=${(/** @type {any} */ e) => {
				e.preventDefault();
				const title = new FormData(e.target).get('title');
				act(() => rename(t.thread_id, String(title)))();
				setEditing(false);
			}}><input name="title" aria-label="Title of the thread" value=${titleOf(t)} ref=${(/** @type {any} */ i) => i?.focus()} onKeyDown=${(/** @type {KeyboardEvent} */ e) => e.key === 'Escape' && setEditing(false)} /><button class="main">Save</button></form>`
			: html`<h1 dir="auto">${titleOf(t)}</h1>`}
		${agent && html`<span class="quiet agent">${shown(agent.name)}</span>`}
		<${Badge} kind=${t.status}>${statusOf(t)}</>
		<details class="drop" ref=${menu}><summary class="button square" aria-label="More"><${Icon} name="more" /></summary><div class="items">
			<button onClick=${act(() => setEditing(true))}>Rename</button>
			<button onClick=${act(() => copy(t.thread_id))}>Fork into a new thread</button>
			<button onClick=${act(() => download(t.thread_id))}>Export</button>
			${isDev && model.value.run?.end ? html`<button onClick=${act(() => record(model.value.run?.id ?? ''))}>Record the last run</button>
				<button onClick=${act(() => makeCase(t.thread_id))}>Make a test case</button>` : null}
			<button class="bad" onClick=${act(() => confirm(`Delete “${titleOf(t)}” with all its runs and checkpoints?`) && remove(t.thread_id))}>Delete</button>
		</div></details>
		${error && html`<${Failure} text=${error} />`}`;
}

/**
 * download saves the thread as a file that `agenthost studio` shows.
 * @param {string} id
 */
async function download(id) {
	await completeHistory();
	const url = URL.createObjectURL(new Blob([write(model.value)], { type: 'application/jsonl' }));
	const a = document.createElement('a');
	a.href = url;
	a.download = `thread-${id.slice(0, 8)}.jsonl`;
	a.click();
	setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Key asks for the key of the server. */
function Key() {
	const box = useRef(/** @type {HTMLDialogElement|null} */ (null));
	const [tried, setTried] = useState(false);
	useEffect(() => box.current?.showModal(), []);
	/** @param {any} e */
	const submit = async (e) => {
		e.preventDefault();
		useKey(String(new FormData(e.target).get('key')));
		setTried(true);
		await refresh();
		if (!locked.value && route.value.thread) {
			const id = route.value.thread;
			await open('');
			open(id);
		}
	};
	return html`<dialog ref=${box} class="key" aria-labelledby="key-title" onCancel=${(/** @type {Event} */ e) => e.preventDefault()}>
		<form onSubmit=${submit}>
			<h2 id="key-title">This server wants a key</h2>
			<p>Your operator has given you one. It stays in this tab, and is forgotten when you close it.</p>
			<div class="field"><label for="key">Key</label><input id="key" name="key" type="password" autocomplete="off" required autofocus /></div>
			${tried && html`<p class="bad" role="alert">The server does not accept this key.</p>`}
			<div class="actions"><button class="main">Use the key</button></div>
		</form>
	</dialog>`;
}

