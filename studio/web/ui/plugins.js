// What each middleware may do, and what it did: capabilities, fuel, own time, faults.

import { useEffect, useMemo } from 'preact/hooks';
import { clock, count, plural, took } from '../model/time.js';
import { shown, size } from '../model/text.js';
import { agentOf, model, program, readProgram } from '../session.js';
import { isDev } from '../dev.js';
import { Badge, Empty, Icon, html } from './html.js';
import { TestCall } from './testcall.js';

/** @typedef {import('../model/types.js').Part} Part */
/** @typedef {import('../model/graph.js').Middleware} Middleware */

export function Plugins() {
	const m = model.value, p = program.value, agent = agentOf();
	const faults = [...m.parts.values()].reduce((n, x) => n + x.faults.length, 0);
	useEffect(() => void readProgram(true), [agent?.assistant_id, faults, m.run?.end]); // a breaker may have opened
	const names = useMemo(() => [...new Set([...(p?.middleware ?? []).map((x) => x.name), ...m.parts.keys()])], [m, p]);
	if (!names.length) return html`<${Empty} title="No middleware"><p>This agent has none, or none of it has run in this thread.</p></>`;
	return html`<div class="page plugins" tabindex="0" role="region" aria-label="Middleware of the agent">
		${names.map((name) => html`<${One} key=${name} name=${name} known=${p?.middleware.find((x) => x.name === name)} part=${m.parts.get(name)} />`)}
	</div>`;
}

/** @param {{name: string, known?: Middleware, part?: Part}} props */
function One({ name, known, part }) {
	const digest = !part?.digest || known?.digest?.startsWith(part.digest) ? known?.digest ?? '' : part.digest; // events have its beginning
	const held = known?.sandbox, limits = held?.limits, breaker = held?.breaker;
	const faults = part?.faults.filter((f) => f.error.type.startsWith('plugin_')).length ?? 0, errors = (part?.faults.length ?? 0) - faults;
	const most = part?.fuel.length ? Math.max(...part.fuel.slice(-5000)) : 0;
	return html`<section class="block part"><h2><span class="mono">${shown(name)}</span>
			<${Badge} kind=${digest ? 'plugin' : ''}>${digest ? 'plugin, sandboxed' : 'built in'}</>
			${faults ? html`<${Badge} kind="failed">${plural(faults, 'fault')}</>` : null}${errors ? html`<${Badge} kind="failed">${plural(errors, 'error')}</>` : null}
			${breaker?.open_for ? html`<${Badge} kind="failed">bypassed for ${took(breaker.open_for / 1e6)}</>` : null}
			${known?.version && html`<span class="quiet">${shown(known.version)}</span>`}</h2>
		<dl class="facts">
			${digest && html`<dt>digest</dt><dd class="mono">${shown(digest)}</dd>`}
			${digest && known?.digest && !known.digest.startsWith(digest) && html`<dt>in use now</dt><dd class="mono">${shown(known.digest.slice(0, digest.length))}</dd>`}
			${held && html`<dt>signature</dt><dd>${held.signed_by ? html`checked, by the key <code>${shown(held.signed_by)}</code>` : html`<span class="quiet">none is asked for</span>`}</dd>
				<dt>breaker</dt><dd>${breaker ? html`${plural(breaker.faults, 'fault')} within ${took(breaker.window / 1e6)} bypass it for as long; ${breaker.open_for ? 'it is open' : `it is closed, with ${plural(breaker.recent ?? 0, 'recent fault')}`}` : html`<span class="quiet">none</span>`}</dd>`}
			<dt>calls here</dt><dd class="num">${count(part?.calls ?? 0)}</dd>
			${part && html`<dt>own time</dt><dd class="num">${took(part.own)}</dd>`}
			${part && part.fuel.length > 0 && html`<dt>fuel in all</dt><dd class="num">${count(part.fuel.reduce((a, b) => a + b, 0))}</dd><dt>instances</dt><dd class="num">${part.instances.size}</dd>`}
		</dl>
		${digest && html`<div class="meters">
			<${Meter} label="fuel of a call" most=${most} limit=${limits?.fuel} text=${count} />
			<${Meter} label="memory" most=${part?.memory ?? 0} limit=${limits?.memory} text=${size} />
			<${Meter} label="host calls of a call" most=${part?.hostCalls ?? 0} limit=${limits?.host_calls} text=${count} />
		</div>`}
		${part && part.fuel.length > 1 && html`<${Histogram} values=${part.fuel} />`}
		${part && part.hooks.size > 0 && html`<div class="table"><table><thead><tr><th>hook</th><th>calls</th><th>own time</th><th>a call</th>${digest && html`<th>fuel</th>`}</tr></thead>
			<tbody>${[...part.hooks].map(([hook, h]) => html`<tr key=${hook}><td class="mono">${shown(hook)}</td><td class="num">${count(h.calls)}</td><td class="num">${took(h.own)}</td><td class="num">${took(h.own / h.calls)}</td>${digest && html`<td class="num">${count(h.fuel)}</td>`}</tr>`)}</tbody></table></div>`}
		${known?.capabilities?.length ? html`<h3>What it may do</h3><ul class="caps">${known.capabilities.map((c) => html`<li key=${c.op}><${Badge} kind=${c.granted ? 'granted' : 'failed'}>${c.granted ? 'granted' : 'refused'}</> <code>${shown(c.op)}</code>${c.required && html` <span class="quiet">required</span>`} <span dir="auto">${shown(c.reason)}</span>${c.detail && html` <span class="quiet">${shown(c.detail)}</span>`}</li>`)}</ul>`
			: digest && known ? html`<p class="quiet">It asks for nothing beyond its hooks.</p>` : null}
		${part?.faults.slice(-5).map((f) => html`<div class="failure"><${Icon} name="warn" /><div><code>${shown(f.error.type)}</code> <span class="mono">${shown(f.step)}</span> ${clock(f.time)}<p class="plain" dir="auto">${shown(f.error.message)}</p></div></div>`)}
		${isDev && digest && html`<${TestCall} plugin=${name} />`}
	</section>`;
}

/**
 * Meter shows how near to a limit a plugin came.
 * @param {{label: string, most: number, limit?: number, text: (n: number) => string}} props
 */
const Meter = ({ label, most, limit, text }) => html`<div class="limit"><span class="label">${label}, at most</span>
	<span class="num">${text(most)}${limit ? html`<span class="quiet"> of ${text(limit)}</span>` : ''}</span>
	${limit ? html`<span class="track"><span class=${'fill' + (most > limit * 0.8 ? ' near' : '')} style=${{ width: Math.min(100, (most / limit) * 100) + '%' }}></span></span>` : null}
</div>`;

/** Histogram shows how many calls used how much fuel. @param {{values: number[]}} props */
function Histogram({ values }) {
	const bins = useMemo(() => {
		const recent = values.slice(-5000), low = Math.min(...recent), high = Math.max(...recent), n = 24;
		const out = new Array(n).fill(0);
		for (const v of recent) out[Math.min(n - 1, Math.floor(((v - low) / (high - low || 1)) * n))]++;
		return { out, low, high, most: Math.max(...out) };
	}, [values, values.length]);
	return html`<figure class="histogram"><svg viewBox="0 0 240 40" preserveAspectRatio="none" role="img" aria-label=${`Fuel of each call, from ${count(bins.low)} to ${count(bins.high)}`}>
		${bins.out.map((n, i) => n > 0 && html`<rect x=${i * 10 + 1} y=${40 - Math.max(2, (n / bins.most) * 40)} width="8" height=${Math.max(2, (n / bins.most) * 40)} />`)}
	</svg><figcaption><span class="num">${count(bins.low)}</span><span>fuel of a call</span><span class="num">${count(bins.high)}</span></figcaption></figure>`;
}
