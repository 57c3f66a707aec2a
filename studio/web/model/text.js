// Texts of messages, and texts that nobody can trust.

/** @typedef {import('./types.js').Message} Message */
/** @typedef {import('./types.js').Block} Block */

/**
 * blocksOf returns the content of a message as a list.
 * @param {string|Block[]|undefined} content
 * @returns {Block[]}
 */
export function blocksOf(content) {
	if (typeof content === 'string') return content ? [{ type: 'text', text: content }] : [];
	return Array.isArray(content) ? content.map((b) => (typeof b === 'string' ? { type: 'text', text: b } : b)).filter((b) => b && typeof b === 'object') : [];
}

/**
 * textOf returns the text of a content.
 * @param {string|Block[]|undefined} content
 */
export function textOf(content) {
	if (typeof content === 'string') return content;
	return blocksOf(content).map((b) => (b.type === 'text' ? b.text ?? '' : '')).join('');
}

// Characters that change how a text looks and cannot be seen themselves: controls but tab and line breaks, marks of direction, and blanks without width.
// eslint-disable-next-line no-control-regex
const unseen = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/**
 * shown makes such characters visible by their numbers.
 * @param {unknown} text
 * @returns {string}
 */
export function shown(text) {
	const s = typeof text === 'string' ? text : text === undefined || text === null ? '' : String(text);
	return s.replace(unseen, (c) => `⟨${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

/**
 * brief returns the beginning of a text in one line.
 * @param {string} text
 * @param {number} [length]
 */
export function brief(text, length = 120) {
	const line = shown(text.slice(0, length * 4)).replace(/\s+/g, ' ').trim();
	return line.length > length ? line.slice(0, length - 1) + '…' : line;
}

/**
 * webAddress returns an address that a link may lead to; '' for all others.
 * @param {string} text
 */
export function webAddress(text) {
	try {
		const url = new URL(text);
		return ['https:', 'http:', 'mailto:'].includes(url.protocol) ? url.href : '';
	} catch {
		return '';
	}
}

/**
 * size returns a number of bytes for people.
 * @param {number} n
 */
export const size = (n) => (n < 1024 ? `${n} B` : n < 1 << 20 ? `${(n / 1024).toFixed(1)} KiB` : `${(n / (1 << 20)).toFixed(1)} MiB`);
