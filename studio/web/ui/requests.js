// What the model was sent, hook by hook: who added which sentence, tool and setting.

import { useMemo } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { same } from '../model/diff.js';
import { layersOf } from '../model/request.js';
import { diffStates } from '../model/state.js';
import { clock, count, plural, took } from '../model/time.js';
import { brief, shown } from '../model/text.js';
import { go, route } from '../route.js';
import { model } from '../session.js';
import { Badge, Empty, Failure, html } from './html.js';
import { Rows } from './rows.js';
import { summary } from './state.js';
import { Code, Diff, LineDiff, Value } from './text.js';

/** @typedef {import('../model/types.js').Request} Request */
/** @typedef {import('../model/request.js').Layer} Layer */

export function Requests() {
	const { requests: all } = model.value;
	if (!all.length) return html`<${Empty} title="No model was called"><p>Each call of a model shows here what it was sent, and which middleware changed it.</p></>`;
	const n = Number(route.value.at || all.length);
	const at = Math.min(all.length, Math.max(1, n || all.length)) - 1;
	/** @param {number} i */
	const choose = (i) => go({ view: 'requests', at: String(i + 1) });
	return html`<div class="split requests">
		<div class="pane"><${Rows} label="Calls of models" items=${all} uniform estimate=${52} selected=${at} onSelect=${choose} idOf=${(/** @type {number} */ i) => 'rq-' + i} keyOf=${(/** @type {Request} */ _, /** @type {number} */ i) => String(i)}
			row=${(/** @type {Request} */ r, /** @type {number} */ i) => html`<div id=${'rq-' + i} role="option" class="rq" aria-selected=${i === at} aria-posinset=${i + 1} aria-setsize=${all.length} onClick=${() => choose(i)}>
				<span class="mono">${brief(r.model, 40)}</span> ${r.answer?.error && html`<${Badge} kind="failed" />`}${r.layers.length > 1 && html`<${Badge} kind="edited">${plural(r.layers.length - 1, 'change')}</>`}
				<span class="quiet meta num">#${i + 1} ${clock(r.time)} ${r.answer?.duration ? took(r.answer.duration / 1e6) : ''}</span></div>`} /></div>
		<${Detail} key=${at} r=${all[at]} />
	</div>`;
}

/** @param {{r: Request}} props */
function Detail({ r }) {
	const layers = useMemo(() => layersOf(r), [r]);
	const whole = useSignal(false);
	const last = layers[layers.length - 1];
	const usage = r.answer?.messages?.find((m) => m.usage)?.usage;
	return html`<div class="page" tabindex="0" role="region" aria-label="The request">
		<div class="bar"><h2 class="mono">${brief(r.model, 60)}</h2>${usage && html`<span class="quiet num">${count(usage.input_tokens)} tokens in, ${count(usage.output_tokens)} out</span>`}
			${r.answer?.first_token ? html`<span class="quiet num">first token after ${took(r.answer.first_token / 1e6)}</span>` : null}
			${layers.length > 0 && html`<button aria-pressed=${whole.value} onClick=${() => (whole.value = !whole.value)}>Show what was sent as a whole</button>`}</div>
		${!layers.length && html`<p class="aside">The system prompt and the tools are only shown to those who operate the server, with the scope <code>admin</code>, and for runs of this version.</p>`}
		${whole.value && last ? html`<${Whole} s=${last.after} />` : layers.map((l, i) => (i === 0 ? html`<${First} layer=${l} />` : html`<${Change} key=${l.step} layer=${l} />`))}
		<section class="block"><h2>Answer</h2>
			${r.answer?.error ? html`<${Failure} text=${`${r.answer.error.type}: ${shown(r.answer.error.message)}`} />` : html`<${Value} value=${r.answer?.messages} />`}</section>
		<details class="block"><summary>${plural(r.before.length, 'message')} of the state</summary>${r.before.slice(-100).map((m) => html`<div class="flat"><span class="role">${m.role}</span><span class="brief" dir="auto">${summary(m)}</span></div>`)}</details>
	</div>`;
}

/** @param {{s: import('../model/request.js').Sent}} props */
const Whole = ({ s }) => html`<section class="block"><h2>System prompt</h2>${s.system ? html`<${Code} text=${s.system} />` : html`<p class="quiet">none</p>`}</section>
	<section class="block"><h2>${plural(s.tools.size, 'tool')}</h2>${[...s.tools.values()].map((t) => html`<details class="mline"><summary><span class="mono">${shown(t.name)}</span> <span class="brief">${brief(t.description ?? '', 120)}</span></summary><${Value} value=${t} /></details>`)}</section>
	<section class="block"><h2>${plural(s.messages.length, 'message')}</h2>${s.messages.slice(-100).map((m) => html`<details class="mline"><summary><span class="role">${m.role}</span><span class="brief" dir="auto">${summary(m)}</span></summary><${Value} value=${m} /></details>`)}</section>
	${(Object.keys(s.settings).length > 0 || s.choice) && html`<section class="block"><h2>Settings</h2><${Settings} s=${s} /></section>`}`;

/** @param {{s: import('../model/request.js').Sent}} props */
const Settings = ({ s }) => html`${s.choice && html`<p>tool choice: <code>${shown(s.choice)}</code></p>`}${Object.keys(s.settings).length > 0 && html`<${Value} value=${s.settings} />`}`;

/** @param {{layer: Layer}} props */
const First = ({ layer: { after: s } }) => html`<section class="block layer"><h2>The agent asks</h2>
	<p class="label">system prompt</p>${s.system ? html`<${Code} text=${s.system} most=${1200} />` : html`<p class="quiet">none</p>`}
	<p class="label">${plural(s.tools.size, 'tool')}</p><p class="chips">${[...s.tools.keys()].map((t) => html`<code>${shown(t)}</code> `)}</p>
	${(Object.keys(s.settings).length > 0 || s.choice) && html`<p class="label">settings</p><${Settings} s=${s} />`}</section>`;

/** @param {{layer: Layer}} props */
function Change({ layer: { step, before: a, after: b } }) {
	const d = useMemo(() => diffStates({ messages: a.messages, fields: {} }, { messages: b.messages, fields: {} }), [a, b]);
	const dot = step.lastIndexOf('.');
	const more = [...b.tools.keys()].filter((t) => !a.tools.has(t)), less = [...a.tools.keys()].filter((t) => !b.tools.has(t));
	const other = [...b.tools.values()].filter((t) => a.tools.has(t.name) && !same(a.tools.get(t.name), t));
	return html`<section class="block layer changed"><h2><span class="mono">${shown(step.slice(0, dot))}</span> <span class="quiet">${shown(step.slice(dot + 1))}</span></h2>
		${a.model !== b.model && b.model && html`<p class="label">model</p><${Diff} before=${a.model} after=${b.model} />`}
		${a.system !== b.system && html`<p class="label">system prompt</p><${Diff} before=${a.system} after=${b.system} />`}
		${more.length + less.length > 0 && html`<p class="label">tools</p><p class="chips">${more.map((t) => html`<code class="new">+ ${shown(t)}</code> `)}${less.map((t) => html`<code class="gone">− ${shown(t)}</code> `)}</p>`}
		${other.map((t) => html`<p class="label">tool ${shown(t.name)}</p><${LineDiff} before=${a.tools.get(t.name)} after=${t} />`)}
		${a.choice !== b.choice && html`<p class="label">tool choice</p><${Diff} before=${a.choice} after=${b.choice} />`}
		${!same(a.settings, b.settings) && html`<p class="label">settings</p><${LineDiff} before=${a.settings} after=${b.settings} />`}
		${d.added.length + d.removed.length + d.replaced.length > 0 && html`<p class="label">messages</p>
			${d.removed.map((m) => html`<div class="mline gone"><span class="sign">−</span><span class="role">${m.role}</span><span class="brief" dir="auto">${summary(m)}</span></div>`)}
			${d.replaced.map((m) => html`<details class="mline edited"><summary><span class="sign">~</span><span class="role">${m.after.role}</span><span class="brief" dir="auto">${summary(m.after)}</span></summary><${LineDiff} before=${m.before} after=${m.after} /></details>`)}
			${d.added.map((m) => html`<details class="mline new"><summary><span class="sign">+</span><span class="role">${m.role}</span><span class="brief" dir="auto">${summary(m)}</span></summary><${Value} value=${m} /></details>`)}`}
	</section>`;
}
