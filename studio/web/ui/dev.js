// What `agenthost dev` has to say, above every view: problems in files, what is in use now, and where a run was kept.

import { useState } from 'preact/hooks';
import { dev, devError, isDev, kept, seenChange } from '../dev.js';
import { keeps, lastChange, placeOf } from '../model/dev.js';
import { shown } from '../model/text.js';
import { clock, plural } from '../model/time.js';
import { model } from '../session.js';
import { Failure, Icon, html } from './html.js';

export function Dev() {
	if (!isDev) return null;
	const state = dev.value, last = lastChange(state);
	return html`
		${devError.value && html`<p class="banner" role="alert"><${Icon} name="warn" />${devError.value}</p>`}
		${state?.problems.length ? html`<${Problems} key=${JSON.stringify(state.problems)} problems=${state.problems} />` : null}
		<div role="status">
			${state?.building && html`<p class="notice"><span class="pulse"></span><span>Building <code>${shown(state.building)}</code></span></p>`}
			${last && last.change.number > seenChange.value && html`<${Changed} ...${last} />`}
			${keeps(model.value.run, state) && html`<p class="notice"><span>This run began before the last change, and keeps what it began with.</span></p>`}
		</div>
		${kept.value && html`<${Kept} ...${kept.value} />`}`;
}

/** @param {{problems: import('../model/dev.js').Problem[]}} props */
function Problems({ problems }) {
	const [open, setOpen] = useState(true);
	return html`<section class="problems" role="alert" aria-label="Problems in files">
		<div class="headline"><h2><${Icon} name="warn" />${plural(problems.length, 'problem')} in your files</h2>
			<button class="quiet" aria-expanded=${open} onClick=${() => setOpen(!open)}>${open ? 'Hide' : 'Show'}</button></div>
		${open && html`<ul tabindex="0" aria-label="Problems">${problems.map((p) => html`<li><code>${shown(placeOf(p))}</code> <span dir="auto">${shown(p.message)}</span>
			${p.details.length > 0 && html`<pre dir="auto">${shown(p.details.join('\n'))}</pre>`}</li>`)}</ul>
		<p class="quiet">The last good version goes on serving.</p>`}
	</section>`;
}

/** @param {{agent: import('../model/dev.js').Agent, change: import('../model/dev.js').Change}} props */
function Changed({ agent, change }) {
	const renewed = agent.plugins.filter((p) => change.plugins.includes(p.name));
	return html`<div class="notice good"><${Icon} name="check" /><span><strong>${shown(agent.name)}</strong>: ${shown(change.text)} since ${clock(change.time)}.
			${renewed.map((p) => html` <span><code>${shown(p.name)}</code> is now <code>${shown(p.digest)}</code>.</span>`)}</span>
		<button class="quiet square" aria-label="Dismiss" onClick=${() => (seenChange.value = change.number)}><${Icon} name="cross" /></button></div>`;
}

/** @param {import('../model/dev.js').Kept} props */
function Kept({ recording, made, error }) {
	const close = html`<button class="quiet square" aria-label="Dismiss" onClick=${() => (kept.value = null)}><${Icon} name="cross" /></button>`;
	if (made) return html`<div class="notice good" role="status"><${Icon} name="check" /><span>A test case in <code>${shown(made.file)}</code>. Run it: <code class="command">${shown(made.command)}</code></span>${close}</div>`;
	if (!recording) return html`<div class="notice"><${Failure} text=${error ?? ''} />${close}</div>`;
	return html`<div class="notice good" role="status"><${Icon} name="check" /><span>${plural(recording.calls, 'call')} of plugins in <code>${shown(recording.file)}</code>. Repeat them: <code class="command">${shown(recording.command)}</code></span>${close}</div>`;
}
