// Differences between texts, lists and values.

/**
 * @typedef {{kind: 'same'|'gone'|'new', text: string}} Piece
 */

/** The largest number of changes that are looked for; beyond it, two texts have nothing in common. */
const patience = 1500;

/**
 * diffList finds the shortest way from one list to another (Myers). It calls out for each part: of both lists, of the first, or of the second.
 * @template T
 * @param {T[]} a
 * @param {T[]} b
 * @param {(kind: Piece['kind'], items: T[]) => void} out
 */
export function diffList(a, b, out) {
	let start = 0;
	while (start < a.length && start < b.length && a[start] === b[start]) start++;
	let end = 0;
	while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
	if (start) out('same', a.slice(0, start));
	middle(a.slice(start, a.length - end), b.slice(start, b.length - end), out);
	if (end) out('same', a.slice(a.length - end));
}

/**
 * @template T
 * @param {T[]} a
 * @param {T[]} b
 * @param {(kind: Piece['kind'], items: T[]) => void} out
 */
function middle(a, b, out) {
	const trace = a.length && b.length ? search(a, b) : null;
	if (!trace) {
		if (a.length) out('gone', a);
		if (b.length) out('new', b);
		return;
	}
	/** @type {{kind: Piece['kind'], items: T[]}[]} */
	const parts = [];
	/** @param {Piece['kind']} kind @param {T} item */
	const put = (kind, item) => {
		const last = parts.at(-1);
		if (last?.kind === kind) last.items.push(item);
		else parts.push({ kind, items: [item] });
	};
	let x = a.length, y = b.length;
	for (let d = trace.length - 1; d >= 0; d--) {
		const v = trace[d], k = x - y;
		const down = k === -d || (k !== d && (v.get(k - 1) ?? -1) < (v.get(k + 1) ?? -1));
		const from = down ? k + 1 : k - 1;
		const fx = d === 0 ? 0 : v.get(from) ?? 0, fy = d === 0 ? 0 : fx - from;
		while (x > fx && y > fy && x > 0 && y > 0) put('same', a[--x]), y--;
		if (d === 0) break;
		if (down) put('new', b[--y]);
		else put('gone', a[--x]);
	}
	for (const p of parts.reverse()) out(p.kind, p.items.reverse());
}

/**
 * search returns how far each diagonal came before each number of changes; null if there are too many.
 * @template T
 * @param {T[]} a
 * @param {T[]} b
 */
function search(a, b) {
	/** @type {Map<number, number>[]} */
	const trace = [];
	/** @type {Map<number, number>} */
	let v = new Map([[1, 0]]);
	for (let d = 0; d <= Math.min(a.length + b.length, patience); d++) {
		trace.push(v);
		const next = new Map(v);
		for (let k = -d; k <= d; k += 2) {
			let x = k === -d || (k !== d && (v.get(k - 1) ?? -1) < (v.get(k + 1) ?? -1)) ? v.get(k + 1) ?? 0 : (v.get(k - 1) ?? 0) + 1;
			while (x < a.length && x - k < b.length && x - k >= 0 && a[x] === b[x - k]) x++;
			next.set(k, x);
			if (x >= a.length && x - k >= b.length) return trace;
		}
		v = next;
	}
	return null;
}

/**
 * diffText returns the pieces of two texts: words of short texts, lines of long ones.
 * @param {string} before
 * @param {string} after
 * @returns {Piece[]}
 */
export function diffText(before, after) {
	const long = before.length + after.length > 20_000;
	const split = /** @param {string} s */ (s) => s.match(long ? /[^\n]*\n|[^\n]+$/g : /\s+|[^\s]+/g) ?? [];
	/** @type {Piece[]} */
	const out = [];
	diffList(split(before), split(after), (kind, items) => out.push({ kind, text: items.join('') }));
	return tidy(out);
}

/**
 * tidy joins changes that only blanks separate, so that a rewritten sentence reads as one.
 * @param {Piece[]} pieces
 */
function tidy(pieces) {
	/** @type {Piece[]} */
	const out = [];
	let gone = '', fresh = '';
	const flush = () => {
		if (gone) out.push({ kind: 'gone', text: gone });
		if (fresh) out.push({ kind: 'new', text: fresh });
		gone = fresh = '';
	};
	for (const [i, p] of pieces.entries()) {
		const blank = p.kind === 'same' && /^\s+$/.test(p.text) && i > 0 && i < pieces.length - 1 && !p.text.includes('\n');
		if (p.kind === 'gone') gone += p.text;
		else if (p.kind === 'new') fresh += p.text;
		else if (blank && gone && fresh) (gone += p.text), (fresh += p.text);
		else flush(), out.push(p);
	}
	flush();
	return out;
}

/**
 * diffLines returns the lines of two texts, with their kinds.
 * @param {string} before
 * @param {string} after
 * @returns {Piece[]}
 */
export function diffLines(before, after) {
	/** @type {Piece[]} */
	const out = [];
	const split = /** @param {string} s */ (s) => (s === '' ? [] : s.split('\n'));
	diffList(split(before), split(after), (kind, lines) => {
		for (const text of lines) out.push({ kind, text });
	});
	return out;
}

/**
 * pretty returns a value as people read it. Undefined is nothing.
 * @param {unknown} value
 */
export function pretty(value) {
	if (value === undefined) return '';
	return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/**
 * same reports whether two values are the same in JSON.
 * @param {unknown} a
 * @param {unknown} b
 */
export const same = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);
