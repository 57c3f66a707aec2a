// A test call of a plugin: what a hook got in a run, or gets in a golden case, is edited and given to the plugin again. Only `agenthost dev` offers it.

import { useEffect, useState } from 'preact/hooks';
import { api } from '../client.js';
import { dev, placeOfCall, record } from '../dev.js';
import { choicesOf } from '../model/dev.js';
import { shown, size } from '../model/text.js';
import { clock, count, plural, took } from '../model/time.js';
import { messageOf, model } from '../session.js';
import { Badge, Failure, Icon, html } from './html.js';
import { Code, LineDiff } from './text.js';

/** @typedef {import('../model/dev.js').Head} Head */
/** @typedef {import('../model/dev.js').Call} Call */
/** @typedef {import('../model/dev.js').Outcome} Outcome */

/** @param {{plugin: string}} props */
export function TestCall({ plugin }) {
	const [open, setOpen] = useState(false);
	return html`<details class="testcall" onToggle=${(/** @type {any} */ e) => setOpen(e.target.open)}><summary>Test call</summary>
		${open && html`<${Choice} plugin=${plugin} />`}</details>`;
}

/** Choice chooses the call with which a test call begins. @param {{plugin: string}} props */
function Choice({ plugin }) {
	const m = model.value;
	const [chosen, setRun] = useState('');
	const [calls, setCalls] = useState(/** @type {Head[]|null} */ (null));
	const [choice, setChoice] = useState('');
	const [call, setCall] = useState(/** @type {Call|null} */ (null));
	const [error, setError] = useState('');
	const run = m.runs.get(chosen) ?? m.run;
	useEffect(() => {
		const left = new AbortController();
		setCalls(null);
		setError('');
		if (run) {
			api('GET', `/dev/runs/${run.id}/calls`, undefined, left.signal).then(setCalls, (err) => left.signal.aborted || (setError(messageOf(err)), setCalls([])));
		} else setCalls([]);
		return () => left.abort();
	}, [run?.id, !run?.end]);
	useEffect(() => {
		const left = new AbortController();
		setCall(null);
		if (choice) {
			setError('');
			api('GET', placeOfCall(run?.id ?? '', plugin, choice), undefined, left.signal).then(setCall, (err) => left.signal.aborted || setError(messageOf(err)));
		}
		return () => left.abort();
	}, [choice, run?.id]);
	const from = choicesOf(dev.value, calls ?? [], plugin);
	return html`
		<p class="quiet">Calls the module that is in the file now, in its sandbox and with its limits. The recording answers what it asks the host, and nothing is written to the thread.</p>
		<div class="bar">
			${m.runs.size > 1 && html`<label class="choice">Run <select value=${run?.id} onChange=${(/** @type {any} */ e) => (setChoice(''), setRun(e.target.value))}>
				${[...m.runs.values()].map((r, i) => html`<option key=${r.id} value=${r.id}>${i + 1}, ${clock(r.start)}</option>`)}</select></label>`}
			<label class="choice">Begin with <select value=${choice} onChange=${(/** @type {any} */ e) => setChoice(e.target.value)}>
				<option value="">${calls ? 'choose a call' : 'reading…'}</option>
				${from.calls.length > 0 && html`<optgroup label="Calls in this run">${from.calls.map((c) => html`<option key=${c.number} value=${String(c.number)}>${shown(c.hook)}${c.tool ? ' ' + shown(c.tool) : ''}, call ${c.number}${c.fault ? ', fault ' + shown(c.fault) : ''}</option>`)}</optgroup>`}
				${from.cases.length > 0 && html`<optgroup label="Golden cases">${from.cases.map((name) => html`<option key=${name} value=${'case:' + name}>${shown(name)}</option>`)}</optgroup>`}
			</select></label>
			${run?.end ? html`<button onClick=${() => record(run.id)}>Record this run</button>` : null}
		</div>
		${calls && !from.calls.length && !from.cases.length && !error && html`<p class="quiet">This plugin was not called in this run, and has no golden cases.</p>`}
		${error && html`<${Failure} text=${error} />`}
		${call && html`<${Editor} key=${choice + run?.id} call=${call} place=${placeOfCall(run?.id ?? '', plugin, choice)} />`}`;
}

/** @param {{call: Call, place: string}} props */
function Editor({ call, place }) {
	const [input, setInput] = useState(call.input);
	const [answers, setAnswers] = useState(call.answers);
	const [outcome, setOutcome] = useState(/** @type {Outcome|null} */ (null));
	const [error, setError] = useState('');
	const [busy, setBusy] = useState(false);
	const edited = input !== call.input || answers !== call.answers;
	/** @param {Event} [e] */
	const submit = async (e) => {
		e?.preventDefault();
		if (busy) return;
		setBusy(true);
		setError('');
		try {
			setOutcome(await api('POST', place, { input, answers }));
		} catch (err) {
			setOutcome(null);
			setError(messageOf(err));
		}
		setBusy(false);
	};
	/** @param {KeyboardEvent} e */
	const keys = (e) => {
		if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) submit(e);
	};
	const asks = call.outcome.asked.length;
	return html`<form onSubmit=${submit} onKeyDown=${keys}>
		<label class="area">Input of ${shown(call.hook)}<textarea class="mono" rows="14" dir="ltr" spellcheck=${false} value=${input} onInput=${(/** @type {any} */ e) => setInput(e.target.value)}></textarea></label>
		<details><summary>What the host answers (${asks})</summary>
			<label class="area">Answers to next and to operations, in their order<textarea class="mono" rows="8" dir="ltr" spellcheck=${false} value=${answers} onInput=${(/** @type {any} */ e) => setAnswers(e.target.value)}></textarea></label></details>
		<div class="actions"><button class="main" disabled=${busy}>Call the plugin</button>
			${edited && html`<button type="button" onClick=${() => (setInput(call.input), setAnswers(call.answers))}>Undo my changes</button>`}
			<span class="quiet">${busy ? 'Calling…' : edited ? 'edited' : 'as it was'}</span></div>
	</form>
	${error && html`<${Failure} text=${error} />`}
	<div role="status">${outcome && html`<${Result} outcome=${outcome} call=${call} />`}</div>`;
}

/** @param {{outcome: Outcome, call: Call}} props */
function Result({ outcome: o, call }) {
	const was = call.outcome;
	return html`<section class="outcome" aria-label="Outcome of the test call">
		<h3><${Badge} kind=${o.fault || o.error ? 'failed' : 'done'}>${o.fault ? 'fault ' + shown(o.fault.kind) : o.error ? 'returned an error' : o.result ? 'returned a document' : 'returned nothing'}</> ${o.digest !== call.digest && html`<${Badge} kind="edited">another module than then</>`}</h3>
		${(o.fault || o.error) && html`<div class="failure"><${Icon} name="warn" /><p class="plain" dir="auto">${shown(o.fault?.message ?? o.error)}</p></div>`}
		<dl class="facts">
			<dt>fuel</dt><dd class="num">${count(o.fuel)}${o.fuel !== was.fuel && html` <span class="quiet">(${count(was.fuel)} then)</span>`}</dd>
			<dt>memory</dt><dd class="num">${size(o.memory)}</dd>
			<dt>host calls</dt><dd class="num">${count(o.host_calls)}${o.host_calls !== was.host_calls && html` <span class="quiet">(${count(was.host_calls)} then)</span>`}</dd>
			<dt>time</dt><dd class="num">${took(o.duration / 1e6)}</dd>
			<dt>module</dt><dd class="mono">${shown(o.digest)}</dd>
		</dl>
		${o.result && html`<h4>Returned</h4><${Code} text=${o.result} />`}
		${o.result !== was.result && html`<h4>Then and now</h4><${LineDiff} before=${was.result} after=${o.result} />`}
		<h4>Differences</h4>${o.differences.length ? html`<pre class="plain" tabindex="0" dir="auto">${shown(o.differences.join('\n'))}</pre>` : html`<p class="quiet">None: it did what it did then.</p>`}
		${o.asked.length > 0 && html`<details><summary>It asked the host ${plural(o.asked.length, 'time')}</summary>${o.asked.map((a) => html`<div class="asked"><code>${shown(a.op)}</code> <span class="quiet">${shown(a.status) || 'not answered'}</span>
			${a.payload && html`<${Code} text=${a.payload} label="asked" />`}${a.reply && html`<${Code} text=${a.reply} label="answer" />`}</div>`)}</details>`}
		${o.log.length > 0 && html`<h4>Log</h4><pre class="plain" tabindex="0" dir="auto">${shown(o.log.join('\n'))}</pre>`}
	</section>`;
}
