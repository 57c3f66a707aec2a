// Markdown to a tree of parts. There is no HTML in it: what looks like HTML is text. Each function takes time in proportion to its text.

/**
 * @typedef {{kind: 'text'|'code'|'bold'|'italic'|'strike'|'link'|'break', text?: string, href?: string, parts?: Inline[]}} Inline
 * @typedef {object} Part
 * @property {'paragraph'|'heading'|'code'|'list'|'quote'|'rule'|'table'} kind
 * @property {number} [level] of a heading
 * @property {string} [text] of code
 * @property {string} [language]
 * @property {Inline[]} [inline]
 * @property {boolean} [ordered]
 * @property {number} [first]
 * @property {Part[][]} [items]
 * @property {Part[]} [parts]
 * @property {Inline[][][]} [rows]
 */

const deepest = 6;

/**
 * markdown returns the parts of a text.
 * @param {string} text
 * @param {number} [depth]
 * @returns {Part[]}
 */
export function markdown(text, depth = 0) {
	const lines = text.replace(/\r\n?/g, '\n').split('\n');
	/** @type {Part[]} */
	const out = [];
	/** @type {string[]} */
	let paragraph = [];
	const flush = () => {
		if (paragraph.length) out.push({ kind: 'paragraph', inline: inline(paragraph.join('\n')) });
		paragraph = [];
	};
	for (let i = 0; i < lines.length; ) {
		const line = lines[i];
		const fence = /^ {0,3}(```+|~~~+)\s*([\w+#.-]*)/.exec(line);
		const heading = /^ {0,3}(#{1,6})\s+(.+)$/.exec(line);
		if (fence) {
			flush();
			const code = [];
			const close = fence[1];
			for (i++; i < lines.length && !lines[i].trimStart().startsWith(close); i++) code.push(lines[i]);
			i++;
			out.push({ kind: 'code', text: code.join('\n'), language: fence[2] });
		} else if (line.trim() === '') {
			flush();
			i++;
		} else if (heading) {
			flush();
			out.push({ kind: 'heading', level: heading[1].length, inline: inline(heading[2]) });
			i++;
		} else if (/^ {0,3}([-*_])( *\1){2,} *$/.test(line)) {
			flush();
			out.push({ kind: 'rule' });
			i++;
		} else if (depth < deepest && /^ {0,3}>/.test(line)) {
			flush();
			const quoted = [];
			for (; i < lines.length && /^ {0,3}>/.test(lines[i]); i++) quoted.push(lines[i].replace(/^ {0,3}> ?/, ''));
			out.push({ kind: 'quote', parts: markdown(quoted.join('\n'), depth + 1) });
		} else if (depth < deepest && bullet(line)) {
			flush();
			i = list(lines, i, out, depth);
		} else if (!paragraph.length && line.includes('|') && /^[\s|:-]*-[\s|:-]*$/.test(lines[i + 1] ?? '') && (lines[i + 1] ?? '').includes('|')) {
			const rows = [cells(line)];
			for (i += 2; i < lines.length && lines[i].includes('|'); i++) rows.push(cells(lines[i]));
			out.push({ kind: 'table', rows });
		} else {
			paragraph.push(line);
			i++;
		}
	}
	flush();
	return out;
}

/** @param {string} line */
const cells = (line) => line.trim().replace(/^\||\|$/g, '').split('|').map((cell) => inline(cell.trim()));

/** @param {string} line */
function bullet(line) {
	const m = /^( *)([-*+]|\d{1,9}[.)]) +(?=\S)/.exec(line);
	return m ? { indent: m[1].length, width: m[0].length, ordered: m[2].length > 1, first: parseInt(m[2], 10) } : null;
}

/**
 * @param {string[]} lines
 * @param {number} i
 * @param {Part[]} out
 * @param {number} depth
 */
function list(lines, i, out, depth) {
	const first = bullet(lines[i]);
	if (!first) return i + 1;
	/** @type {Part[][]} */
	const items = [];
	while (i < lines.length) {
		const b = bullet(lines[i]);
		if (!b || b.ordered !== first.ordered || b.indent > first.indent + 1) break;
		const item = [lines[i].slice(b.width)];
		for (i++; i < lines.length; i++) {
			const inner = /^ */.exec(lines[i])?.[0].length ?? 0;
			if (lines[i].trim() === '') {
				if (!/^ {2,}\S/.test(lines[i + 1] ?? '')) break;
				item.push('');
			} else if (inner > first.indent) item.push(lines[i].slice(Math.min(inner, b.width)));
			else break;
		}
		items.push(markdown(item.join('\n'), depth + 1));
		if (lines[i]?.trim() === '' && bullet(lines[i + 1] ?? '')) i++;
	}
	out.push({ kind: 'list', ordered: first.ordered, first: first.first, items });
	return i;
}

// What may begin something within a line.
const begins = /`+|\*\*|__|\*|_|~~|\[|https?:\/\/|\n|\\/g;

/**
 * inline returns the parts of a line.
 * @param {string} text
 * @param {number} [depth]
 * @returns {Inline[]}
 */
export function inline(text, depth = 0) {
	/** @type {Inline[]} */
	const out = [];
	let from = 0;
	/** @param {number} to */
	const plain = (to) => {
		if (to > from) out.push({ kind: 'text', text: text.slice(from, to) });
	};
	const missing = new Set(); // what has no end in this text
	begins.lastIndex = 0;
	for (let m = begins.exec(text); m; m = begins.exec(text)) {
		const at = m.index, mark = m[0];
		const found = missing.has(mark) ? null : part(text, at, mark, depth);
		if (!found) {
			if (mark === '[' ? lost(text, at) : mark[0] !== 'h' && mark !== '\n' && mark !== '\\') missing.add(mark);
			continue;
		}
		plain(at);
		out.push(found.part);
		from = begins.lastIndex = found.end;
	}
	const last = begins.lastIndex;
	plain(text.length);
	begins.lastIndex = last;
	return out;
}

/**
 * @param {string} text
 * @param {number} at
 * @param {string} mark
 * @param {number} depth
 * @returns {{part: Inline, end: number}|null}
 */
function part(text, at, mark, depth) {
	const after = at + mark.length;
	if (mark === '\n') return { part: { kind: 'break' }, end: after };
	if (mark === '\\') return /[\\`*_~[\]()#+.!|>-]/.test(text[after] ?? '') ? { part: { kind: 'text', text: text[after] }, end: after + 1 } : null;
	if (mark[0] === '`') {
		const end = text.indexOf(mark, after);
		return end < 0 ? null : { part: { kind: 'code', text: text.slice(after, end).trim() || ' ' }, end: end + mark.length };
	}
	if (mark[0] === 'h') {
		const href = /^https?:\/\/[^\s<>"'`\\^{}|]+/.exec(text.slice(at, at + 2000))?.[0].replace(/[.,;:!?)\]*_]+$/, '') ?? '';
		return href.length > 9 ? { part: { kind: 'link', href, parts: [{ kind: 'text', text: href }] }, end: at + href.length } : null;
	}
	if (mark === '[') return link(text, at, depth);
	if (depth >= deepest || !/\S/.test(text[after] ?? '')) return null;
	if (mark[0] === '_' && /\w/.test(text[at - 1] ?? '')) return null;
	const end = text.indexOf(mark, after + 1);
	if (end < 0 || /\s/.test(text[end - 1])) return null;
	/** @type {Inline['kind']} */
	const kind = mark === '~~' ? 'strike' : mark.length === 2 ? 'bold' : 'italic';
	return { part: { kind, parts: nested(text.slice(after, end), depth) }, end: end + mark.length };
}

/**
 * lost reports whether no link can follow.
 * @param {string} text
 * @param {number} at
 */
function lost(text, at) {
	const close = text.indexOf('](', at);
	return close < 0 || text.indexOf(')', close) < 0;
}

/**
 * @param {string} text
 * @param {number} at
 * @param {number} depth
 * @returns {{part: Inline, end: number}|null}
 */
function link(text, at, depth) {
	const close = text.indexOf('](', at);
	const inner = text.indexOf('[', at + 1);
	if (close < 0 || (inner >= 0 && inner < close)) return null;
	const end = text.indexOf(')', close);
	if (end < 0 || close - at > 1000 || end - close > 2000 || depth >= deepest) return null;
	return { part: { kind: 'link', href: text.slice(close + 2, end).trim().split(/\s/)[0], parts: nested(text.slice(at + 1, close), depth) }, end: end + 1 };
}

/**
 * @param {string} text
 * @param {number} depth
 */
function nested(text, depth) {
	const last = begins.lastIndex;
	const out = inline(text, depth + 1);
	begins.lastIndex = last;
	return out;
}
