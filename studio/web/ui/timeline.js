// What happened, on one time axis for each run: steps, hooks, model, tools; own time beside the whole; for plugins fuel, instance and faults.

import { useMemo, useState } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { clock, count, moment, ownParts, plural, took } from '../model/time.js';
import { brief, shown, size } from '../model/text.js';
import { model } from '../session.js';
import { Badge, Empty, Icon, html } from './html.js';
import { Rows } from './rows.js';
import { Value } from './text.js';

/** @typedef {import('../model/types.js').Span} Span */

/** @type {Record<string, {label: string, kinds: Span['kind'][]}>} */
const groups = {
	hook: { label: 'Hooks', kinds: ['hook'] }, model: { label: 'Model', kinds: ['model'] }, tool: { label: 'Tools', kinds: ['tool'] },
	step: { label: 'Steps', kinds: ['step'] }, save: { label: 'Checkpoints', kinds: ['save'] }, note: { label: 'Notes', kinds: ['note'] },
};

export function Timeline() {
	const m = model.value;
	const off = useSignal(/** @type {Set<string>} */ (new Set(['save'])));
	const search = useSignal('');
	const [at, setAt] = useState(-1);
	const wanted = search.value.trim().toLowerCase();
	const spans = useMemo(() => {
		const hidden = new Set([...off.value].flatMap((g) => groups[g].kinds));
		return m.spans.filter((s) => !hidden.has(s.kind) && (!wanted || s.kind === 'run' || s.name.toLowerCase().includes(wanted) || s.detail?.toLowerCase().includes(wanted)));
	}, [m, off.value, wanted]);
	const latest = m.rows.length ? moment(m.rows[m.rows.length - 1].event.time) : 0;
	const lengths = useMemo(() => new Map([...m.runs.values()].map((r) => [r.id, { start: r.start, length: Math.max(0.001, (r.end || latest) - r.start) }])), [m]);
	if (!m.spans.length) return html`<${Empty} title="Nothing has happened yet"><p>Runs show their steps here, as they happen. Events are kept for a day after a run.</p></>`;
	/** @param {string} g */
	const toggle = (g) => {
		const next = new Set(off.value);
		if (!next.delete(g)) next.add(g);
		off.value = next;
		setAt(-1);
	};
	const chosen = spans[at];
	return html`<div class="timeline">
		<div class="bar" role="group" aria-label="What is shown">
			${Object.entries(groups).map(([g, { label }]) => html`<button key=${g} class=${'chip ' + g} aria-pressed=${!off.value.has(g)} onClick=${() => toggle(g)}><span class="key"></span>${label}</button>`)}
			<label class="search"><${Icon} name="search" /><input type="search" aria-label="Search the timeline" placeholder="Search" value=${search.value} onInput=${(/** @type {any} */ e) => ((search.value = e.target.value), setAt(-1))} /></label>
			<span class="quiet num" role="status">${plural(spans.length, 'row')}</span>
		</div>
		<div class="split">
			<div class="pane">
				<div class="spanrow headrow" aria-hidden="true"><span>Name</span><span>solid: own, pale: waiting</span><span class="num">own</span><span class="num">whole</span></div>
				<${Rows} label="Timeline" items=${spans} estimate=${28} uniform sticks=${at < 0} selected=${at} onSelect=${setAt} idOf=${(/** @type {number} */ i) => 'span-' + i} keyOf=${(/** @type {Span} */ _, /** @type {number} */ i) => String(i)}
					row=${(/** @type {Span} */ s, /** @type {number} */ i) => html`<${Row} s=${s} i=${i} total=${spans.length} chosen=${i === at} axis=${lengths.get(s.run_id)} latest=${latest} onClick=${() => setAt(i === at ? -1 : i)} />`} />
			</div>
			${chosen && html`<${Details} s=${chosen} onClose=${() => setAt(-1)} />`}
		</div>
	</div>`;
}

/** @param {{s: Span, i: number, total: number, chosen: boolean, axis?: {start: number, length: number}, latest: number, onClick: () => void}} props */
function Row({ s, i, total, chosen, axis, latest, onClick }) {
	const common = { id: 'span-' + i, role: 'option', 'aria-selected': chosen, 'aria-posinset': i + 1, 'aria-setsize': total, onClick };
	const whole = (s.end || latest) - s.start;
	if (s.kind === 'run') {
		return html`<div ...${common} class=${'spanrow run' + (s.failed ? ' failed' : '')}><span class="name"><strong>${shown(s.name)}</strong> <span class="quiet">${clock(s.start)}</span> <${Badge} kind=${s.end ? s.detail ?? '' : 'running'}>${s.end ? s.detail : 'running'}</>${s.attempt && html` <span class="quiet">attempt ${s.attempt}</span>`}</span><span></span><span></span><span class="num">${took(whole)}</span></div>`;
	}
	if (s.kind === 'wait') return html`<div ...${common} class="spanrow wait"><span class="name">${s.name}</span><span></span><span></span><span class="num">${took(whole)}</span></div>`;
	const instant = s.kind === 'save' || s.kind === 'note', end = s.end || latest;
	/** @param {{start: number, end: number}} part @param {string} kind */
	const bar = (part, kind) => {
		const left = axis ? ((part.start - axis.start) / axis.length) * 100 : 0, width = axis ? ((part.end - part.start) / axis.length) * 100 : 0;
		return html`<span class=${kind} style=${{ left: Math.min(99.5, Math.max(0, left)) + '%', width: instant ? '2px' : `max(2px, ${Math.min(100 - left, width)}%)` }}></span>`;
	};
	return html`<div ...${common} class=${`spanrow ${s.kind}${s.depth < 2 ? ' lead' : ''}${s.failed ? ' failed' : ''}`}>
		<span class="name" style=${{ paddingLeft: s.depth * 0.75 + 'rem' }}>${s.failed && html`<${Icon} name="warn" label="failed" />`}<span class="text">${brief(s.name, 100)}</span>${s.detail && html` <span class="quiet">${brief(s.detail, 40)}</span>`}</span>
		<span class="track">${s.inside?.length ? [bar({ start: s.start, end }, 'fill waits'), ...ownParts(s, end).map((part) => bar(part, 'fill'))] : bar({ start: s.start, end }, 'fill')}</span>
		<span class="num own">${instant ? '' : took(s.end ? s.own : whole)}</span><span class="num">${instant ? '' : took(whole)}</span>
	</div>`;
}

/** @param {{s: Span, onClose: () => void}} props */
function Details({ s, onClose }) {
	const e = s.event;
	/** @type {[string, any][]} */
	const facts = [
		['began', clock(s.start)], ['whole time', s.end ? took(s.end - s.start) : 'under way'], ['own time', s.end ? took(s.own) : ''],
		['waiting', s.end && s.end - s.start - s.own > 0.001 && s.kind === 'hook' ? took(s.end - s.start - s.own) : ''],
		['first token', e.first_token ? took(e.first_token / 1e6) : ''], ['fuel', e.fuel ? count(e.fuel) : ''], ['memory', e.memory ? size(e.memory) : ''], ['host calls', e.host_calls ? count(e.host_calls) : ''], ['instance', e.instance], ['plugin', e.digest],
		['model', e.model], ['tokens', tokens(e)],
	];
	return html`<aside class="details" aria-label="Details">
		<div class="headline"><h2 class="mono">${shown(s.name)}</h2><button class="square" aria-label="Close the details" onClick=${onClose}><${Icon} name="cross" /></button></div>
		<dl class="facts">${facts.filter(([, v]) => v).map(([k, v]) => html`<dt>${k}</dt><dd class="num">${shown(v)}</dd>`)}</dl>
		${e.error && html`<div class="failure"><${Icon} name="warn" /><div><code>${shown(e.error.type)}</code><p class="plain" dir="auto">${shown(e.error.message)}</p></div></div>`}
		${e.update && html`<h3>What it changed</h3><${Value} value=${e.update} />`}
		${e.call && html`<h3>The call</h3><${Value} value=${e.call} />`}
		${e.messages && html`<h3>Messages</h3><${Value} value=${e.messages} />`}
		${e.data !== undefined && html`<h3>Data</h3><${Value} value=${e.data} />`}
		<details class="raw"><summary>The event</summary><${Value} value=${e} /></details>
	</aside>`;
}

/** @param {import('../model/types.js').Event} e */
function tokens(e) {
	const u = e.messages?.find((m) => m.usage)?.usage;
	return u ? `${count(u.input_tokens)} in, ${count(u.output_tokens)} out` : '';
}
