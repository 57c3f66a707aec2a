// Texts in the page: markdown, values, differences. All of them are hostile.

import { useState } from 'preact/hooks';
import { diffLines, diffText, pretty } from '../model/diff.js';
import { markdown } from '../model/markdown.js';
import { blocksOf, brief, shown, size, webAddress } from '../model/text.js';
import { Icon, html } from './html.js';

/** @typedef {import('../model/markdown.js').Part} Part */
/** @typedef {import('../model/markdown.js').Inline} Inline */
/** @typedef {import('../model/types.js').Block} Block */

/** @param {{text: string}} props */
export const Markdown = ({ text }) => html`<div class="markdown" dir="auto">${markdown(text).map(part)}</div>`;

/** @param {Part} p @returns {any} */
function part(p) {
	switch (p.kind) {
		case 'heading':
			return html`<p class=${'heading h' + p.level}>${p.inline?.map(inline)}</p>`;
		case 'code':
			return html`<${Code} text=${p.text} label=${p.language} />`;
		case 'rule':
			return html`<hr />`;
		case 'quote':
			return html`<blockquote>${p.parts?.map(part)}</blockquote>`;
		case 'list': {
			const items = p.items?.map((item) => html`<li>${item.map(part)}</li>`);
			return p.ordered ? html`<ol start=${p.first}>${items}</ol>` : html`<ul>${items}</ul>`;
		}
		case 'table': {
			const [head = [], ...rows] = p.rows ?? [];
			return html`<div class="table"><table>
				<thead><tr>${head.map((c) => html`<th>${c.map(inline)}</th>`)}</tr></thead>
				<tbody>${rows.map((r) => html`<tr>${r.map((c) => html`<td>${c.map(inline)}</td>`)}</tr>`)}</tbody>
			</table></div>`;
		}
		default:
			return html`<p>${p.inline?.map(inline)}</p>`;
	}
}

/** @param {Inline} p @returns {any} */
function inline(p) {
	switch (p.kind) {
		case 'code':
			return html`<code>${shown(p.text)}</code>`;
		case 'bold':
			return html`<strong>${p.parts?.map(inline)}</strong>`;
		case 'italic':
			return html`<em>${p.parts?.map(inline)}</em>`;
		case 'strike':
			return html`<s>${p.parts?.map(inline)}</s>`;
		case 'break':
			return html`<br />`;
		case 'link': {
			const to = webAddress(p.href ?? '');
			const text = p.parts?.map(inline);
			return to ? html`<a href=${to} target="_blank" rel="noopener noreferrer nofollow" title=${to}>${text}</a>` : html`<span>${text}</span>`;
		}
		default:
			return shown(p.text);
	}
}

/**
 * Code shows a text as it is. Of a long one it shows the beginning first.
 * @param {{text?: string, label?: string, most?: number}} props
 */
export function Code({ text = '', label, most = 6000 }) {
	const [whole, setWhole] = useState(false);
	const cut = !whole && text.length > most;
	return html`<div class="code">
		${label && html`<span class="label">${shown(label)}</span>`}
		<pre tabindex="0" dir="auto">${shown(cut ? text.slice(0, most) : text)}</pre>
		${cut && html`<button class="quiet" onClick=${() => setWhole(true)}>Show all ${size(text.length)}</button>`}
	</div>`;
}

/** @param {{value: unknown, label?: string}} props */
export const Value = ({ value, label }) => html`<${Code} text=${pretty(value)} label=${label} />`;

/**
 * Blocks shows the content of a message.
 * @param {{content?: string|Block[], markdown?: boolean}} props
 */
export const Blocks = ({ content, markdown: rich }) => blocksOf(content).map((b) => block(b, rich));

/** Images that a browser shows without running anything. */
const pictures = /^image\/(png|jpeg|gif|webp|avif)$/;

/** @param {Block} b @param {boolean} [rich] @returns {any} */
function block(b, rich) {
	const data = b.data ?? /** @type {any} */ (b).base64, mime = b.mime_type ?? 'application/octet-stream';
	if (b.type === 'text') return rich ? html`<${Markdown} text=${b.text ?? ''} />` : html`<p class="plain" dir="auto">${shown(b.text)}</p>`;
	if (b.type === 'reasoning') return html`<${Reasoning} text=${b.reasoning ?? b.text ?? ''} />`;
	if (b.type === 'refusal') return html`<p class="plain refusal" dir="auto">${shown(b.refusal)}</p>`;
	if (typeof data === 'string') {
		const address = `data:${mime.replace(/[^\w./+-]/g, '')};base64,${data}`;
		const name = shown(b.name ?? b.type);
		if (pictures.test(mime)) return html`<figure><img src=${address} alt=${name} /><figcaption>${name}</figcaption></figure>`;
		return html`<a class="file" href=${address} download=${b.name ?? 'file'}><${Icon} name="file" />${name} <small>${shown(mime)}, ${size(Math.round(data.length * 0.75))}</small></a>`;
	}
	if (b.url) {
		const to = webAddress(b.url);
		return html`<p class="file"><${Icon} name="file" />${to ? html`<a href=${to} target="_blank" rel="noopener noreferrer nofollow">${brief(to, 80)}</a>` : brief(b.url, 80)}</p>`;
	}
	return html`<${Value} value=${b} label=${b.type} />`;
}

/** @param {{text: string, open?: boolean}} props */
export const Reasoning = ({ text, open }) => html`<details class="reasoning" open=${open}>
	<summary>Reasoning</summary><p class="plain" dir="auto">${shown(text)}</p>
</details>`;

/**
 * Diff shows two texts in one, word by word.
 * @param {{before: string, after: string}} props
 */
export const Diff = ({ before, after }) => html`<pre class="diff words" tabindex="0" dir="auto">${diffText(before, after).map(piece)}</pre>`;

/** @param {import('../model/diff.js').Piece} p */
function piece(p) {
	if (p.kind === 'gone') return html`<del>${shown(p.text)}</del>`;
	if (p.kind === 'new') return html`<ins>${shown(p.text)}</ins>`;
	return html`<span>${shown(p.text)}</span>`;
}

/**
 * LineDiff shows two values in JSON, line by line, with some lines around each change.
 * @param {{before: unknown, after: unknown, around?: number}} props
 */
export function LineDiff({ before, after, around = 3 }) {
	const lines = diffLines(pretty(before), pretty(after));
	const near = new Set(lines.flatMap((l, i) => (l.kind === 'same' ? [] : Array.from({ length: 2 * around + 1 }, (_, n) => i + n - around))));
	/** @type {any[]} */
	const out = [];
	lines.forEach((l, i) => {
		if (near.has(i)) out.push(line(l));
		else if (i === 0 || near.has(i - 1)) out.push(html`<span class="cut">⋯</span>`);
	});
	return html`<pre class="diff" tabindex="0">${out}</pre>`;
}

/** @param {import('../model/diff.js').Piece} l */
function line(l) {
	const text = shown(l.text);
	if (l.kind === 'gone') return html`<del>- ${text}</del>`;
	if (l.kind === 'new') return html`<ins>+ ${text}</ins>`;
	return html`<span>  ${text}</span>`;
}
