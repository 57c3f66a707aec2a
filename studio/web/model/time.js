// Times and numbers for people.

/**
 * moment returns a time of an event in milliseconds since 1970, with its fraction.
 * @param {string} text in the format of RFC 3339
 */
export function moment(text) {
	const whole = Date.parse(text);
	const dot = text.indexOf('.');
	if (dot < 0 || Number.isNaN(whole)) return whole || 0;
	const digits = /^\d+/.exec(text.slice(dot + 1))?.[0] ?? '';
	return Math.floor(whole / 1000) * 1000 + Number('0.' + (digits || '0')) * 1000;
}

/**
 * took returns a length of time in at most five characters or so.
 * @param {number} ms
 */
export function took(ms) {
	if (!(ms >= 0)) return '';
	if (ms < 0.001) return '0';
	if (ms < 1) return (ms * 1000).toFixed(0) + ' µs';
	if (ms < 10) return ms.toFixed(1) + ' ms';
	if (ms < 1000) return ms.toFixed(0) + ' ms';
	if (ms < 10_000) return (ms / 1000).toFixed(2) + ' s';
	if (ms < 120_000) return (ms / 1000).toFixed(1) + ' s';
	if (ms < 7_200_000) return Math.round(ms / 60_000) + ' min';
	if (ms < 172_800_000) return Math.round(ms / 3_600_000) + ' h';
	return Math.round(ms / 86_400_000) + ' d';
}

/**
 * count returns a number with thin separators.
 * @param {number} n
 */
export const count = (n) => String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, '\u2009');

/**
 * plural returns a number with its noun.
 * @param {number} n
 * @param {string} noun
 */
export const plural = (n, noun) => `${count(n)} ${noun}${n === 1 ? '' : 's'}`;

/**
 * ago says how long something is past.
 * @param {string|number} time
 * @param {number} now
 */
export function ago(time, now) {
	const ms = now - (typeof time === 'number' ? time : Date.parse(time));
	if (Number.isNaN(ms)) return '';
	return ms < 10_000 ? 'now' : took(ms);
}

/**
 * clock returns the time of day.
 * @param {number|string} time
 */
export const clock = (time) => {
	const d = new Date(time);
	return Number.isNaN(d.getTime()) ? '' : d.toLocaleTimeString(undefined, { hour12: false });
};

/**
 * ownParts returns when a span did something itself, and did not wait for those within it.
 * @param {{start: number, inside?: {start: number, end: number}[]}} span
 * @param {number} end
 * @returns {{start: number, end: number}[]}
 */
export function ownParts({ start, inside }, end) {
	const out = [];
	for (const s of [...(inside ?? [])].sort((a, b) => a.start - b.start)) {
		if (s.start > start) out.push({ start, end: Math.min(end, s.start) });
		start = Math.max(start, s.end);
	}
	if (end > start || !out.length) out.push({ start: Math.min(start, end), end });
	return out;
}
