// The program of the agent, with the live step lit and the layers around the model and the tools in their order.

import { useEffect, useMemo } from 'preact/hooks';
import { draw, seenProgram } from '../model/graph.js';
import { count } from '../model/time.js';
import { brief, shown } from '../model/text.js';
import { agentOf, model, program, readProgram, still } from '../session.js';
import { Empty, html } from './html.js';

export function Graph() {
	const m = model.value, agent = agentOf();
	useEffect(() => void readProgram(), [agent?.assistant_id]);
	const p = program.value ?? (still.value ? seenProgram(m) : null);
	const d = useMemo(() => p && draw(p), [p]);
	if (!p || !d) return html`<p class="loading" role="status">Reading the program…</p>`;
	if (d.boxes.length < 3) return html`<${Empty} title="No steps"><p>Nothing is known of the agent’s program.</p></>`;
	const live = m.run && !m.run.end ? m.run.step : '';
	return html`<div class="page graph" tabindex="0" role="region" aria-label="Program">
		<p class="aside">${still.value ? 'The steps that this thread went through.' : html`The program of ${shown(agent?.name)}: steps from top to bottom. Middleware that wraps a step stands in it, the outermost first.`} ${live && html`Now in <code>${shown(live)}</code>.`}</p>
		<svg viewBox=${`0 0 ${d.width} ${d.height}`} width=${d.width} height=${d.height} role="img" aria-labelledby="graph-title">
			<title id="graph-title">${p.nodes.map((n) => nameOf(n.id)).join(', then ')}</title>
			<defs><marker id="tip" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" /></marker></defs>
			<g class="way">${d.lines.map((l) => html`<path d=${l.path} marker-end="url(#tip)" />`)}
				${d.lines.map((l) => l.way.label && html`<text x=${l.x} y=${l.y} text-anchor=${l.side < 0 ? 'end' : 'start'}>${brief(l.way.label, 24)}</text>`)}</g>
			${d.boxes.map(({ node, x, y, width, height }) => html`<g class=${`node ${kindOf(node.id)}${node.id === live ? ' live' : ''}`}>
				<rect x=${x} y=${y} width=${width} height=${height} rx=${node.id.startsWith('__') ? 15 : 7} />
				<text x=${x + 12} y=${y + 20}>${brief(nameOf(node.id), 40)}</text>
				${m.visits.get(node.id) && html`<text class="visits" x=${x + width - 10} y=${y + 20} text-anchor="end">${count(m.visits.get(node.id) ?? 0)}×</text>`}
				${node.wraps.map((w, i) => html`<text class="wrap" x=${x + 24 + i * 6} y=${y + 38 + i * 18}>↳ ${brief(w, 40)}</text>`)}
			</g>`)}
		</svg>
	</div>`;
}

/** @param {string} id */
const nameOf = (id) => (id === '__start__' ? 'start' : id === '__end__' ? 'end' : id);

/** @param {string} id */
const kindOf = (id) => (id.startsWith('__') ? 'edge' : id === 'model' ? 'model' : id === 'tools' ? 'tool' : 'hook');
