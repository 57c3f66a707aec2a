// The tree of a thread's checkpoints, drawn in lanes: the newest first, each branch in a lane of its own.

/** @typedef {{id: number, parent: number}} Node */

/**
 * @typedef {object} Line
 * @property {number} id
 * @property {number} lane
 * @property {number[]} passing lanes of other branches that pass by
 * @property {number[]} joining lanes of the branches that begin here
 * @property {boolean} root nothing is below it
 * @property {boolean} tip nothing is above it
 */

/**
 * lanes lays out checkpoints, the newest first.
 * @param {Node[]} nodes
 * @returns {{lines: Line[], width: number}}
 */
export function lanes(nodes) {
	/** @type {(number|null)[]} */
	const waits = []; // the checkpoint that each lane leads to
	/** @type {Line[]} */
	const lines = [];
	const known = new Set(nodes.map((n) => n.id));
	let width = 1;
	for (const n of nodes) {
		let lane = waits.indexOf(n.id);
		const tip = lane < 0;
		if (lane < 0) {
			lane = waits.indexOf(null);
			if (lane < 0) lane = waits.length;
		}
		const joining = waits.flatMap((id, i) => (id === n.id && i !== lane ? [i] : []));
		for (const i of joining) waits[i] = null;
		const root = !known.has(n.parent);
		waits[lane] = root ? null : n.parent;
		lines.push({ id: n.id, lane, joining, root, tip, passing: waits.flatMap((id, i) => (id !== null && i !== lane ? [i] : [])) });
		width = Math.max(width, waits.length);
	}
	return { lines, width };
}

/**
 * wayTo returns the checkpoints from the beginning to one, the first first.
 * @param {Map<number, Node>} nodes
 * @param {number} id
 */
export function wayTo(nodes, id) {
	/** @type {number[]} */
	const out = [];
	for (let n = nodes.get(id); n; n = nodes.get(n.parent)) out.push(n.id);
	return out.reverse();
}

/**
 * partingOf returns the newest checkpoint that leads to both; 0: there is none.
 * @param {Map<number, Node>} nodes
 * @param {number} a
 * @param {number} b
 */
export function partingOf(nodes, a, b) {
	const way = new Set(wayTo(nodes, a));
	return wayTo(nodes, b).findLast((id) => way.has(id)) ?? 0;
}

/**
 * tipsOf returns the checkpoints that nothing follows, the newest first.
 * @param {Map<number, Node>} nodes
 */
export function tipsOf(nodes) {
	const followed = new Set([...nodes.values()].map((n) => n.parent));
	return [...nodes.keys()].filter((id) => !followed.has(id)).sort((a, b) => b - a);
}
