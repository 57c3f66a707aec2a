// The templates of the views. They make nodes, never HTML of a text.

import { h } from 'preact';
import htm from 'htm';

export const html = htm.bind(h);

const paths = {
	chat: 'M3 4h14v9H9l-4 3v-3H3z',
	timeline: 'M3 5h8M6 10h10M4 15h6',
	state: 'M4 4h12v4H4zM4 12h12v4H4z',
	history: 'M6 3v14M6 12c6 0 8-2 8-7M14 5l-2 2M14 5l2 2',
	requests: 'M3 6h10l-3-3M17 14H7l3 3',
	graph: 'M4 4h4v4H4zM12 12h4v4h-4zM8 6h6v6',
	plugins: 'M7 3v4M13 3v4M5 7h10v4a5 5 0 0 1-10 0zM10 16v2',
	plus: 'M10 4v12M4 10h12',
	search: 'M9 4a5 5 0 1 0 0 10A5 5 0 0 0 9 4zM13 13l4 4',
	tool: 'M12 4a4 4 0 0 0-4 5l-5 5 3 3 5-5a4 4 0 0 0 5-5l-2 2-2-2z',
	check: 'M4 10l4 4 8-8',
	cross: 'M5 5l10 10M15 5L5 15',
	more: 'M5 10h.01M10 10h.01M15 10h.01',
	right: 'M8 5l5 5-5 5',
	stop: 'M6 6h8v8H6z',
	send: 'M10 16V4M5 9l5-5 5 5',
	warn: 'M10 3l8 14H2zM10 8v4M10 14.5v.01',
	branch: 'M6 3v14M6 10c5 0 8-1 8-6',
	menu: 'M3 5h14M3 10h14M3 15h14',
	file: 'M5 3h7l3 3v11H5zM12 3v3h3',
	edit: 'M4 16l1-4 8-8 3 3-8 8z',
};

/** @param {{name: keyof typeof paths, label?: string}} props */
export function Icon({ name, label }) {
	return html`<svg class="icon" viewBox="0 0 20 20" aria-hidden=${label ? undefined : 'true'} role=${label ? 'img' : undefined} aria-label=${label}>
		<path d=${paths[name]} />
	</svg>`;
}

/** @param {{kind: string, children?: any}} props */
export const Badge = ({ kind, children }) => html`<span class=${'badge ' + kind}>${children ?? kind}</span>`;

/** @param {{title: string, children?: any}} props */
export const Empty = ({ title, children }) => html`<div class="empty"><h2>${title}</h2>${children}</div>`;

/** @param {{text: string, retry?: () => void}} props */
export const Failure = ({ text, retry }) => html`<div class="failure" role="alert">
	<${Icon} name="warn" /><span>${text}</span>${retry && html`<button onClick=${retry}>Try again</button>`}
</div>`;
