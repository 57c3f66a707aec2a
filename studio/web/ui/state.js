// The difference between any two checkpoints: messages, fields, and who wrote them.

import { useEffect, useMemo } from 'preact/hooks';
import { diffStates, emptyState, isFirst, stateAt, writersOf } from '../model/state.js';
import { partingOf } from '../model/tree.js';
import { clock, plural } from '../model/time.js';
import { brief, shown, textOf } from '../model/text.js';
import { go, href, route } from '../route.js';
import { completeHistory, model } from '../session.js';
import { Badge, Empty, html } from './html.js';
import { Blocks, Diff, LineDiff, Value } from './text.js';

/** @typedef {import('../model/types.js').Checkpoint} Checkpoint */
/** @typedef {import('../model/types.js').Message} Message */

/** @param {Checkpoint} c */
export const labelOf = (c) => `${c.id} · ${c.step || c.source}${c.source === 'update' || c.source === 'fork' ? ` (${c.source})` : ''}`;

/**
 * beginningOf returns the checkpoint at which the run began that made another one.
 * @param {import('../model/types.js').Model} m
 * @param {number} id
 */
function beginningOf(m, id) {
	let c = m.checkpoints.get(id);
	const run = c?.run_id;
	while (c && c.run_id === run) c = m.checkpoints.get(c.parent);
	return c?.id ?? 0;
}

/**
 * pair reads which checkpoints are compared. Without a choice, these are the beginning and the end of the last run.
 * @param {string} at
 * @param {import('../model/types.js').Model} m
 */
function pair(at, m) {
	const [a, b] = at.includes('..') ? at.split('..').map(Number) : [NaN, Number(at || m.head)];
	const to = m.checkpoints.has(b) ? b : m.head;
	return { from: a >= 0 ? a : beginningOf(m, to), to };
}

export function StateView() {
	const m = model.value;
	useEffect(() => void completeHistory(), [m.checkpoints.size]);
	const { from, to } = pair(route.value.at, m);
	const all = useMemo(() => [...m.checkpoints.values()].sort((a, b) => b.id - a.id), [m]);
	const states = useMemo(() => [from ? stateAt(m, from) : emptyState(), stateAt(m, to)], [m, from, to]);
	if (!m.checkpoints.size) {
		return html`<div class="page"><${Empty} title="No checkpoints"><p>${m.now.messages.length ? 'The agent has saved nothing yet. This is the state as the events tell it.' : 'The thread is empty.'}</p></>
			${m.now.messages.length > 0 && html`<${Content} state=${m.now} />`}</div>`;
	}
	/** @param {number} a @param {number} b */
	const choose = (a, b) => go({ view: 'state', at: `${a}..${b}` });
	return html`<div class="page">
		<div class="bar">
			<${Choice} label="From" value=${from} all=${all} onChange=${(/** @type {number} */ v) => choose(v, to)} />
			<${Choice} label="to" value=${to} all=${all} onChange=${(/** @type {number} */ v) => choose(from, v)} />
			<button onClick=${() => choose(m.checkpoints.get(to)?.parent ?? 0, to)}>The last step</button>
			<button onClick=${() => choose(beginningOf(m, to), to)}>The run</button>
			<button onClick=${() => choose(0, to)}>From the beginning</button>
		</div>
		${states[0] && states[1] ? html`<${Differences} from=${from} to=${to} a=${states[0]} b=${states[1]} />` : html`<p class="aside">What led to one of these checkpoints is no longer known.</p>`}
	</div>`;
}

/** @param {{label: string, value: number, all: Checkpoint[], onChange: (id: number) => void}} props */
const Choice = ({ label, value, all, onChange }) => html`<label class="choice">${label}
	<select value=${value} onChange=${(/** @type {any} */ e) => onChange(Number(e.target.value))}>
		${all.filter((c, i) => i < 300 || c.id === value).map((c) => html`<option key=${c.id} value=${c.id}>${labelOf(c)} · ${clock(c.time)}</option>`)}
		<option value=${0}>0 · the empty thread</option>
	</select></label>`;

/** @param {{from: number, to: number, a: import('../model/types.js').State, b: import('../model/types.js').State}} props */
function Differences({ from, to, a, b }) {
	const m = model.value, base = partingOf(m.checkpoints, from, to);
	const by = /** @param {{field?: string, message?: string}} what */ (what) => writersOf(m, from, to, what);
	const d = useMemo(() => {
		const d = diffStates(a, b);
		d.fields = d.fields.filter((f) => !isFirst(f) || by({ field: f.name }).length);
		return d;
	}, [a, b]);
	const nothing = !d.added.length && !d.removed.length && !d.replaced.length && !d.fields.length;
	return html`
		${base !== from && base !== to && html`<p class="aside">These are the ends of two branches. ${base ? html`They part at <a href=${href({ view: 'history', at: String(base) })}>checkpoint ${base}</a>.` : 'They have nothing in common.'}</p>`}
		${nothing && html`<p class="aside">These two states are the same.</p>`}
		${d.added.length + d.removed.length + d.replaced.length > 0 && html`<section class="block"><h2>Messages</h2>
			${d.removed.map((x) => html`<${Line} kind="gone" message=${x} by=${by({ message: x.id })} />`)}
			${d.replaced.map((x) => html`<${Replaced} before=${x.before} after=${x.after} by=${by({ message: x.after.id })} />`)}
			${d.added.map((x) => html`<${Line} kind="new" message=${x} by=${by({ message: x.id })} />`)}
			<p class="quiet">${plural(d.kept, 'message')} unchanged</p></section>`}
		${d.fields.map((f) => html`<section class="block" key=${f.name}><h2><span class="mono">${shown(f.name)}</span> <${Badge} kind=${f.before === undefined ? 'done' : f.after === undefined ? 'failed' : 'edited'}>${f.before === undefined ? 'new' : f.after === undefined ? 'removed' : 'changed'}</> <${By} names=${by({ field: f.name })} /></h2>
			<${LineDiff} before=${f.before} after=${f.after} /></section>`)}
		<details class="block whole"><summary>The whole state at ${to}</summary><${Content} state=${b} /></details>`;
}

/** @param {{names: string[]}} props */
const By = ({ names }) => (names.length ? html`<span class="by">by ${names.map((n, i) => html`${i > 0 && ', '}<span class="mono">${shown(n)}</span>`)}</span>` : null);

/** @param {{kind: 'new'|'gone', message: Message, by: string[]}} props */
const Line = ({ kind, message: m, by }) => html`<details class=${'mline ' + kind}><summary><span class="sign">${kind === 'new' ? '+' : '−'}</span><span class="role">${m.role}</span><span class="brief" dir="auto">${summary(m)}</span><${By} names=${by} /></summary><${Value} value=${m} /></details>`;

/** @param {{before: Message, after: Message, by: string[]}} props */
function Replaced({ before, after, by }) {
	const texts = textOf(before.content) !== textOf(after.content);
	return html`<details class="mline edited" open><summary><span class="sign">~</span><span class="role">${after.role}</span><span class="brief" dir="auto">${summary(after)}</span><${By} names=${by} /></summary>
		${texts ? html`<${Diff} before=${textOf(before.content)} after=${textOf(after.content)} />` : html`<${LineDiff} before=${before} after=${after} />`}</details>`;
}

/** @param {Message} m */
export function summary(m) {
	const calls = (m.tool_calls ?? []).map((c) => c.name + '()').join(', ');
	return brief(textOf(m.content), 140) || calls || (Array.isArray(m.content) ? plural(m.content.length, 'block') : '(empty)');
}

/** @param {{state: import('../model/types.js').State}} props */
const Content = ({ state }) => html`${Object.entries(state.fields).map(([name, value]) => html`<section class="block"><h3 class="mono">${shown(name)}</h3><${Value} value=${value} /></section>`)}
	${state.messages.slice(-200).map((m) => html`<div class="flat"><span class="role">${m.role}</span><div><${Blocks} content=${m.content} />${m.tool_calls && html`<${Value} value=${m.tool_calls} label="tool calls" />`}</div></div>`)}`;
