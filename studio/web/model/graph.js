// The program of an agent as a drawing: its steps from top to bottom, the ways that do not lead to the next one at both sides.

/** @typedef {{id: string, wraps: string[]}} Node */
/** @typedef {{from: string, to: string, label: string}} Way */
/** @typedef {{nodes: Node[], ways: Way[], middleware: Middleware[]}} Program */
/** @typedef {{op: string, reason: string, required: boolean, granted: boolean, detail?: string}} Capability */
/** @typedef {{fuel: number, memory: number, host_calls: number}} Limits */
/** @typedef {{faults: number, window: number, recent?: number, open_for?: number}} Breaker times in nanoseconds */
/** @typedef {{limits: Limits, signed_by?: string, breaker?: Breaker}} Sandbox */
/** @typedef {{name: string, version?: string, digest?: string, capabilities?: Capability[], sandbox?: Sandbox}} Middleware */

/**
 * programOf reads the graph of the API.
 * @param {any} doc
 * @returns {Program}
 */
export function programOf(doc) {
	const nodes = (doc?.nodes ?? []).map((/** @type {any} */ n) => ({ id: String(n.id), wraps: n.metadata?.wraps ?? [] }));
	const ways = (doc?.edges ?? []).map((/** @type {any} */ e) => ({ from: String(e.source), to: String(e.target), label: String(e.data ?? '') }));
	return { nodes, ways, middleware: doc?.nodes?.[0]?.metadata?.middleware ?? [] };
}

/**
 * seenProgram returns the steps that a thread went through, where nobody knows the whole program.
 * @param {import('./types.js').Model} m
 * @returns {Program}
 */
export function seenProgram(m) {
	/** @type {Map<string, Way>} */
	const ways = new Map();
	let last = '__start__';
	for (const { event: e } of m.rows) {
		if (e.type === 'run') last = '__start__';
		const to = e.type === 'step' ? e.step ?? '' : e.type === 'end' && e.status === 'completed' ? '__end__' : '';
		if (!to) continue;
		ways.set(last + '>' + to, { from: last, to, label: '' });
		last = to;
	}
	const nodes = ['__start__', ...m.visits.keys(), '__end__'].map((id) => ({ id, wraps: [] }));
	return { nodes, ways: [...ways.values()], middleware: [] };
}

/**
 * @typedef {object} Drawing
 * @property {{node: Node, x: number, y: number, width: number, height: number}[]} boxes
 * @property {{way: Way, path: string, x: number, y: number, side: -1|0|1}[]} lines
 * @property {number} width
 * @property {number} height
 */

const gap = 34, step = 22, letter = 7.3;

/**
 * draw lays out a program.
 * @param {Program} p
 * @returns {Drawing}
 */
export function draw(p) {
	const place = new Map(p.nodes.map((n, i) => [n.id, i]));
	const sides = [-1, 1].map((side) => p.ways.filter((w) => sideOf(w, place) === side).sort((a, b) => span(a, place) - span(b, place)));
	const left = Math.max(1, sides[0].length) * step + 70, right = Math.max(1, sides[1].length) * step + 110;
	const box = Math.max(250, ...p.nodes.map((n) => Math.min(40, n.id.length) * letter + 64), ...p.nodes.flatMap((n) => n.wraps.map((w, i) => Math.min(40, w.length) * letter + 60 + i * 6)));
	let y = 8;
	const boxes = p.nodes.map((node) => {
		const height = 30 + node.wraps.length * 18;
		const b = { node, x: left, y, width: box, height };
		y += height + gap;
		return b;
	});
	/** @type {(way: Way) => Drawing['lines']} */
	const line = (way) => {
		const a = boxes[place.get(way.from) ?? -1], b = boxes[place.get(way.to) ?? -1];
		if (!a || !b) return [];
		const side = sideOf(way, place);
		if (side === 0) {
			const x = left + box / 2;
			return [{ way, side, path: `M${x} ${a.y + a.height}V${b.y - 4}`, x: x + 6, y: (a.y + a.height + b.y) / 2 + 3 }];
		}
		const n = sides[side < 0 ? 0 : 1].indexOf(way) + 1;
		const edge = side < 0 ? left : left + box, out = edge + side * (n * step + 6);
		const y1 = a.y + a.height / 2 + 4, y2 = b.y + b.height / 2 - 4;
		const r = 8, up = y2 < y1 ? -1 : 1;
		return [{
			way, side, x: out + side * 4, y: (y1 + y2) / 2,
			path: `M${edge} ${y1}H${out - side * r}Q${out} ${y1} ${out} ${y1 + up * r}V${y2 - up * r}Q${out} ${y2} ${out - side * r} ${y2}H${edge + side * 4}`,
		}];
	};
	const lines = p.ways.flatMap(line);
	return { boxes, lines, width: left + box + right, height: y - gap + 8 };
}

/** @param {Way} w @param {Map<string, number>} place */
const span = (w, place) => Math.abs((place.get(w.to) ?? 0) - (place.get(w.from) ?? 0));

/**
 * sideOf returns where a way is drawn: between two neighbours, back at the left, forward at the right.
 * @param {Way} w
 * @param {Map<string, number>} place
 * @returns {-1|0|1}
 */
function sideOf(w, place) {
	const d = (place.get(w.to) ?? 0) - (place.get(w.from) ?? 0);
	return d === 1 ? 0 : d <= 0 ? -1 : 1;
}
