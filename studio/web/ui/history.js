// The tree of checkpoints: go on from any of them, edit the state there, compare branches.

import { useEffect, useMemo, useState } from 'preact/hooks';
import { checkpointName } from '../model/langgraph.js';
import { stateAt } from '../model/state.js';
import { clock, plural } from '../model/time.js';
import { lanes, tipsOf } from '../model/tree.js';
import { pretty } from '../model/diff.js';
import { shown, textOf } from '../model/text.js';
import { go, href, route } from '../route.js';
import { completeHistory, edit, messageOf, model, start, still } from '../session.js';
import { Badge, Empty, Failure, html } from './html.js';
import { Rows } from './rows.js';
import { labelOf, summary } from './state.js';

/** @typedef {import('../model/types.js').Checkpoint} Checkpoint */
/** @typedef {import('../model/types.js').State} State */

const lane = 16, height = 36;

export function History() {
	const m = model.value;
	useEffect(() => void completeHistory(), [m.checkpoints.size]);
	const all = useMemo(() => [...m.checkpoints.values()].sort((a, b) => b.id - a.id), [m]);
	const tree = useMemo(() => lanes(all), [all]);
	if (!all.length) return html`<${Empty} title="No checkpoints"><p>An agent that keeps its threads saves one after each step.</p></>`;
	const chosen = m.checkpoints.get(Number(route.value.at)) ?? null;
	const at = chosen ? all.indexOf(chosen) : -1;
	return html`<div class="split history">
		<div class="pane">
			<${Rows} label="Checkpoints, the newest first" items=${all} uniform estimate=${height} selected=${at} onSelect=${(/** @type {number} */ i) => go({ view: 'history', at: String(all[i].id) })} idOf=${(/** @type {number} */ i) => 'cp-' + all[i].id}
				keyOf=${(/** @type {Checkpoint} */ c) => String(c.id)} row=${(/** @type {Checkpoint} */ c, /** @type {number} */ i) => html`<div id=${'cp-' + c.id} role="option" aria-selected=${i === at} aria-posinset=${i + 1} aria-setsize=${all.length} class="cp" onClick=${() => go({ view: 'history', at: String(c.id) })}>
					<${Lane} line=${tree.lines[i]} width=${tree.width} head=${c.id === m.head} />
					<span class="num quiet id">${c.id}</span><span class="mono step">${shown(c.step || c.source)}</span>
					${c.id === m.head && html`<${Badge} kind="busy">newest</>`}${c.step && (c.source === 'fork' || c.source === 'update') && html`<${Badge} kind="edited">${c.source}</>`}
					<span class="quiet what">${whatOf(c)}</span><span class="quiet num when">${clock(c.time)}</span></div>`} />
		</div>
		${chosen ? html`<${Place} key=${chosen.id} c=${chosen} />` : html`<p class="aside details">Choose a checkpoint to go on from it, or to change it. The arrow keys move in the list.</p>`}
	</div>`;
}

/** whatOf says how much a checkpoint changed. @param {Checkpoint} c */
function whatOf(c) {
	let messages = 0;
	const fields = new Set();
	for (const e of c.changes) {
		messages += (e.messages?.length ?? 0) + (e.patch?.length ?? 0) + (e.remove?.length ?? 0);
		for (const name of [...Object.keys(e.state ?? {}), ...(e.unset ?? [])]) fields.add(name);
	}
	return [messages && plural(messages, 'message'), fields.size && plural(fields.size, 'field')].filter(Boolean).join(', ');
}

/** @param {{line: import('../model/tree.js').Line, width: number, head: boolean}} props */
function Lane({ line, width, head }) {
	const x = /** @param {number} n */ (n) => n * lane + lane / 2, mid = height / 2;
	return html`<svg class="lanes" width=${Math.min(width, 8) * lane} height=${height} aria-hidden="true">
		${line.passing.map((n) => html`<path d=${`M${x(n)} 0V${height}`} />`)}
		${line.joining.map((n) => html`<path d=${`M${x(n)} 0C${x(n)} ${mid} ${x(line.lane)} ${mid / 2} ${x(line.lane)} ${mid}`} />`)}
		${!line.tip && html`<path d=${`M${x(line.lane)} 0V${mid}`} />`}
		${!line.root && html`<path d=${`M${x(line.lane)} ${mid}V${height}`} />`}
		<circle cx=${x(line.lane)} cy=${mid} r="4" class=${head ? 'head' : ''} />
	</svg>`;
}

/** @param {{c: Checkpoint}} props */
function Place({ c }) {
	const m = model.value;
	const [error, setError] = useState('');
	const [editing, setEditing] = useState(false);
	const state = useMemo(() => stateAt(m, c.id), [m, c]);
	const busy = !!m.run && !m.run.end;
	/** @param {() => Promise<unknown>} does */
	const act = (does) => async () => {
		setError('');
		try {
			await does();
			go({ view: 'chat' });
		} catch (err) {
			setError(messageOf(err));
		}
	};
	return html`<aside class="details" aria-label=${'Checkpoint ' + c.id}>
		<h2>Checkpoint ${c.id}</h2>
		<dl class="facts"><dt>after</dt><dd class="mono">${shown(c.step || c.source)}</dd><dt>next</dt><dd class="mono">${shown(c.next) || 'the end'}</dd><dt>made by</dt><dd>${c.source}</dd><dt>follows</dt><dd class="num">${c.parent || 'nothing'}</dd></dl>
		<div class="actions">
			${!still.value && c.next && html`<button class="main" disabled=${busy} onClick=${act(() => start({ input: null, checkpoint_id: checkpointName(c.id) }))}>Go on from here</button>`}
			${!still.value && state && html`<button disabled=${busy} aria-expanded=${editing} onClick=${() => setEditing(!editing)}>Edit the state</button>`}
			<a class="button" href=${href({ view: 'state', at: `${c.parent}..${c.id}` })}>What changed</a>
			${c.id !== m.head && html`<a class="button" href=${href({ view: 'state', at: `${c.id}..${m.head}` })}>Compare with the newest</a>`}
			${tipsOf(m.checkpoints).filter((t) => t !== c.id && t !== m.head).slice(0, 4).map((t) => html`<a class="button" href=${href({ view: 'state', at: `${c.id}..${t}` })}>Compare with ${t}</a>`)}
		</div>
		${busy && html`<p class="quiet">A run is under way. Stop it to branch off.</p>`}
		${error && html`<${Failure} text=${error} />`}
		${editing && state && html`<${Editor} c=${c} state=${state} onDone=${() => setEditing(false)} />`}
		${state ? html`<h3>Messages</h3>${state.messages.slice(-30).map((x) => html`<div class="flat"><span class="role">${x.role}</span><span class="brief" dir="auto">${summary(x)}</span></div>`)}` : html`<p class="aside">The state at this checkpoint is not known.</p>`}
	</aside>`;
}

/** @param {{c: Checkpoint, state: State, onDone: () => void}} props */
function Editor({ c, state, onDone }) {
	const targets = useMemo(() => [
		...state.messages.flatMap((x, i) => (x.id && x.role !== 'tool' ? [{ key: 'm' + i, label: `${x.role}: ${summary(x).slice(0, 60)}`, text: textOf(x.content), message: x, field: '' }] : [])).reverse(),
		...Object.entries(state.fields).map(([name, value]) => ({ key: 'f' + name, label: 'field ' + name, text: pretty(value), message: null, field: name })),
	], [state]);
	const [key, setKey] = useState(targets[0]?.key ?? '');
	const target = targets.find((t) => t.key === key);
	const [text, setText] = useState(target?.text ?? '');
	const [error, setError] = useState('');
	/** @param {string} k */
	const choose = (k) => {
		setKey(k);
		setText(targets.find((t) => t.key === k)?.text ?? '');
	};
	/** @param {Event} e */
	const submit = async (e) => {
		e.preventDefault();
		if (!target) return;
		setError('');
		try {
			/** @type {any} */
			let values;
			if (target.message) {
				const { role, id, tool_calls } = target.message;
				values = { messages: [{ type: role, id, content: text, ...(tool_calls && { tool_calls }) }] };
			} else {
				try {
					values = { [target.field]: JSON.parse(text) };
				} catch {
					if (typeof state.fields[target.field] !== 'string') throw new Error('The value of the field must be JSON.');
					values = { [target.field]: text };
				}
			}
			await edit(c.id, values, c.step && !c.step.includes('input') ? c.step : undefined);
			onDone();
			go({ view: 'history', at: String(model.value.head) });
		} catch (err) {
			setError(messageOf(err));
		}
	};
	if (!targets.length) return html`<p class="aside">There is nothing to edit at ${labelOf(c)}.</p>`;
	return html`<form class="review" onSubmit=${submit}>
		<div class="field"><label for="edit-what">What to change</label><select id="edit-what" value=${key} onChange=${(/** @type {any} */ e) => choose(e.target.value)}>${targets.map((t) => html`<option key=${t.key} value=${t.key}>${t.label}</option>`)}</select></div>
		<div class="field"><label for="edit-text">New ${target?.message ? 'text' : 'value'}</label><textarea id="edit-text" rows="5" dir="auto" value=${text} onInput=${(/** @type {any} */ e) => setText(e.target.value)} /></div>
		<p class="quiet">The change becomes a new checkpoint that follows ${c.id}. Nothing is overwritten.</p>
		${error && html`<${Failure} text=${error} />`}
		<div class="actions"><button class="main">Save as a new checkpoint</button></div>
	</form>`;
}
