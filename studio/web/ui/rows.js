// A list of any length, of which only what can be seen is in the page.

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { html } from './html.js';

const spare = 600; // pixels beyond both edges
const stride = 200; // how many pixels a list scrolls before other rows are put into the page

/**
 * Rows shows a list whose rows have any heights: they are measured when they are seen. If all rows are of the same height, only one is measured.
 * @template T
 * @param {{items: T[], keyOf: (item: T, i: number) => string, row: (item: T, i: number) => any, estimate: number, uniform?: boolean, sticks?: boolean, label: string,
 *   role?: string, selected?: number, onSelect?: (i: number) => void, top?: any, bottom?: any, idOf?: (i: number) => string, class?: string}} props
 */
export function Rows({ items, keyOf, row, estimate, uniform, sticks, label, role, selected, onSelect, top, bottom, idOf, class: kind }) {
	const box = useRef(/** @type {HTMLDivElement|null} */ (null));
	const list = useRef(/** @type {HTMLDivElement|null} */ (null));
	const heights = useRef(/** @type {Map<string, number>} */ (new Map()));
	const atEnd = useRef(true);
	const [view, setView] = useState({ top: 0, height: 800 });
	const [measured, again] = useState(0);
	const one = useRef(estimate);

	// Where each row begins.
	const starts = useMemo(() => {
		const out = new Float64Array(items.length + 1);
		if (uniform) for (let i = 0; i < items.length; i++) out[i + 1] = (i + 1) * one.current;
		else for (let i = 0; i < items.length; i++) out[i + 1] = out[i] + (heights.current.get(keyOf(items[i], i)) ?? estimate);
		return out;
	}, [items, measured]);
	const offset = list.current?.offsetTop ?? 0;
	const first = find(starts, view.top - offset - spare);
	const last = Math.min(items.length, find(starts, view.top - offset + view.height + spare) + 1);

	const look = useCallback(() => {
		const b = box.current;
		if (!b) return;
		atEnd.current = b.scrollHeight - b.scrollTop - b.clientHeight < 40;
		setView((v) => (Math.abs(v.top - b.scrollTop) < stride && v.height === b.clientHeight ? v : { top: b.scrollTop, height: b.clientHeight }));
	}, []);

	useEffect(() => {
		const b = box.current;
		if (!b) return;
		const seen = new ResizeObserver(look);
		seen.observe(b);
		return () => seen.disconnect();
	}, []);

	useLayoutEffect(() => {
		let changed = false;
		const sample = uniform && list.current?.firstElementChild?.getBoundingClientRect().height;
		if (sample && Math.abs(sample - one.current) > 0.01) {
			one.current = sample;
			changed = true;
		}
		if (!uniform) for (const node of list.current?.children ?? []) {
			const id = /** @type {HTMLElement} */ (node).dataset.key;
			if (!id) continue;
			const height = node.getBoundingClientRect().height;
			if (Math.abs((heights.current.get(id) ?? -1) - height) > 0.5) {
				heights.current.set(id, height);
				changed = true;
			}
		}
		const b = box.current;
		if (sticks && atEnd.current && b) b.scrollTop = b.scrollHeight;
		if (changed) again((n) => n + 1);
	});

	// The chosen row stays in sight when the keyboard moves it.
	const was = useRef(selected);
	useLayoutEffect(() => {
		const b = box.current;
		if (selected === undefined || selected < 0 || selected === was.current || !b) return;
		was.current = selected;
		const from = starts[selected] + offset, to = starts[selected + 1] + offset;
		if (from < b.scrollTop) b.scrollTop = from;
		else if (to > b.scrollTop + b.clientHeight) b.scrollTop = to - b.clientHeight;
	});

	/** @param {KeyboardEvent} e */
	const keys = (e) => {
		if (!onSelect || e.target !== box.current) return;
		const page = Math.max(1, Math.floor(view.height / estimate) - 1), at = selected ?? -1;
		/** @type {Record<string, number>} */
		const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: items.length - 1 };
		if (!(e.key in to) || !items.length) return;
		e.preventDefault();
		onSelect(Math.max(0, Math.min(items.length - 1, to[e.key])));
	};

	return html`<div class=${'rows ' + (kind ?? '')} ref=${box} onScroll=${look} tabindex="0" onKeyDown=${keys} role=${onSelect ? 'listbox' : role ?? 'region'} aria-label=${label}
		aria-activedescendant=${onSelect && selected !== undefined && selected >= first && selected < last ? idOf?.(selected) : undefined}>
		${top}
		<div ref=${list} role=${onSelect || role === 'list' ? 'presentation' : undefined} style=${{ paddingTop: starts[first] + 'px', paddingBottom: starts[items.length] - starts[last] + 'px' }}>
			${items.slice(first, last).map((item, i) => html`<div key=${keyOf(item, first + i)} data-key=${keyOf(item, first + i)} role=${onSelect ? 'presentation' : role === 'list' ? 'listitem' : undefined}>${row(item, first + i)}</div>`)}
		</div>
		${bottom}
	</div>`;
}

/**
 * find returns the row at a height.
 * @param {Float64Array} starts
 * @param {number} y
 */
function find(starts, y) {
	let low = 0, high = starts.length - 1;
	while (low < high) {
		const mid = (low + high) >> 1;
		if (starts[mid + 1] > y) high = mid;
		else low = mid + 1;
	}
	return low;
}
