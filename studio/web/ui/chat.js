// The conversation: messages, tool calls as cards, what is being written, and the questions of the run.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { took } from '../model/time.js';
import { brief, shown, textOf } from '../model/text.js';
import { agentOf, assistants, cancel, failure, messageOf, model, partial, say, sent, start, state, still, thread } from '../session.js';
import { href } from '../route.js';
import { Questions } from './approval.js';
import { Badge, Empty, Failure, Icon, html } from './html.js';
import { Rows } from './rows.js';
import { Blocks, Markdown, Reasoning, Value } from './text.js';

/** @typedef {import('../model/types.js').Message} Message */
/** @typedef {import('../model/types.js').Model} Model */
/** @typedef {import('../model/types.js').Interrupt} Interrupt */
/** @typedef {{key: string, kind: 'message'|'live'|'sent'|'note', message?: Message, text?: string}} Item */

/**
 * itemsOf returns what the conversation shows. Results of tools stand in the cards of their calls.
 * @param {Model} m
 * @param {{run: string, text: string}[]} waiting
 * @returns {Item[]}
 */
export function itemsOf(m, waiting) {
	/** @type {Item[]} */
	const out = [];
	const called = new Set();
	m.now.messages.forEach((message, i) => {
		for (const c of message.tool_calls ?? []) called.add(c.id);
		if (message.role === 'tool' && called.has(message.tool_call_id)) return;
		out.push({ key: (message.id ?? '') + ':' + i, kind: 'message', message });
	});
	if (m.live) out.push({ key: 'live', kind: 'live' });
	for (const s of waiting) out.push({ key: 'sent:' + s.run, kind: 'sent', text: s.text });
	return out;
}

/** questionsOf returns what waits for an answer. */
export function questionsOf() {
	const m = model.value;
	if (still.value || (m.run && !m.run.end) || sent.value.length || thread.value?.status === 'busy') return [];
	const open = Object.values(thread.value?.interrupts ?? {}).flat();
	const told = m.run?.status === 'interrupted' ? m.run.interrupts : [];
	return open.map((q) => told.find((t) => t.id === q.id) ?? { id: q.id, step: '', value: q.value });
}

export function Chat() {
	const m = model.value;
	const items = useMemo(() => itemsOf(m, sent.value), [m, sent.value]);
	/** @type {Map<string, Message>} */
	const results = useMemo(() => new Map(m.now.messages.flatMap((r) => (r.role === 'tool' && r.tool_call_id ? [[r.tool_call_id, r]] : []))), [m.now.messages]);
	const questions = questionsOf();
	const run = m.run;
	const open = !!thread.value || still.value;
	return html`<div class="chat">
		${state.value === 'loading' && html`<p class="loading" role="status">Reading the thread…</p>`}
		${state.value === 'failed' && html`<${Failure} text=${failure.value} />`}
		${state.value === 'none' && !still.value && html`<${Welcome} />`}
		${open && state.value !== 'loading' && html`<${Rows} class="conversation" label="Conversation" role="log" sticks estimate=${72} items=${items} keyOf=${(/** @type {Item} */ i) => i.key}
			row=${(/** @type {Item} */ item) => html`<${Entry} item=${item} results=${results} version=${m} />`}
			top=${partial.value && html`<div><p class="quiet">There are no events of earlier runs: they are kept for a limited time, and not copied. The messages are those of the state.</p></div>`}
			bottom=${html`<div class="tail">
				${items.length === 0 && !run && html`<p class="aside">This thread is empty. Say something.</p>`}
				${run && run.end > 0 && run.error && run.status !== 'cancelled' && html`<${RunFailure} />`}
				${questions.length > 0 && html`<${Questions} key=${questions.map((q) => q.id).join()} questions=${questions} />`}
				${run && run.end > 0 && !questions.length && (run.status === 'interrupted' || run.status === 'cancelled') && !still.value && html`<${Stopped} next=${m.run?.span.event.next} />`}
			</div>`} />`}
		${open && html`<${Doing} />`}
		${!still.value && html`<${Composer} />`}
	</div>`;
}

/** Doing says what the run does, also to those who do not see it. */
function Doing() {
	const { run, live, calls } = model.value;
	const running = [...calls.values()].filter((c) => c.status === 'running').map((c) => c.name);
	const text = sent.value.length && (!run || run.end) ? 'Waiting for its turn' : !run || run.end ? '' : running.length ? 'Running ' + running.join(', ') : live ? 'Answering' : run.step ? 'In step ' + run.step : 'Starting';
	return html`<div class="doing" role="status" aria-live="polite">${text && html`<span class="pulse"></span>${shown(text)}`}</div>`;
}

function RunFailure() {
	const run = model.value.run;
	const [error, setError] = useState('');
	if (!run?.error) return null;
	const where = model.value.spans.findLast((s) => s.run_id === run.id && s.failed && !s.passed && s.kind !== 'run');
	return html`<div class="failure" role="alert"><${Icon} name="warn" /><div>
		<strong>The run failed</strong> ${where && html`in <a class="mono" href=${href({ view: 'timeline' })}>${shown(where.name)}</a>`} <code>${shown(run.error.type)}</code>
		<p class="plain" dir="auto">${shown(run.error.message)}</p>
		${!still.value && html`<button onClick=${() => start({ input: null }).catch((e) => setError(messageOf(e)))}>Go on from the last checkpoint</button>`}
		${error && html`<p class="bad">${error}</p>`}
	</div></div>`;
}

/** @param {{next?: string}} props */
function Stopped({ next }) {
	const [error, setError] = useState('');
	return html`<div class="aside">The run was stopped${next ? ` before ${next}` : ''}.
		<button onClick=${() => start({ input: null }).catch((e) => setError(messageOf(e)))}>Go on</button>${error && html`<p class="bad">${error}</p>`}</div>`;
}

/** @param {{item: Item, results: Map<string, Message>}} props */
function Entry({ item, results }) {
	const { live, calls } = model.value;
	if (item.kind === 'sent') return html`<article class="message human waiting" aria-label="Your message, waiting"><p class="plain" dir="auto">${shown(item.text)}</p></article>`;
	if (item.kind === 'live' && live) {
		return html`<article class="message ai live" aria-label="The answer, being written" aria-busy="true">
			${live.reasoning && html`<${Reasoning} text=${live.reasoning} open=${!live.text} />`}
			${live.text && html`<${Markdown} text=${live.text} />`}
			${live.calls.map((c) => html`<div class="card writing"><div class="head"><${Icon} name="tool" /><span class="mono">${shown(c.name)}</span><span class="pulse"></span></div><pre class="mono" tabindex="0">${shown(c.args)}</pre></div>`)}
		</article>`;
	}
	const m = item.message;
	if (!m) return null;
	if (m.role === 'human') return html`<article class="message human" aria-label="You said"><${Blocks} content=${m.content} /></article>`;
	if (m.role === 'ai') {
		return html`<article class="message ai" aria-label="The agent said">
			${m.name && m.name !== (model.value.run?.agent ?? agentOf()?.graph_id) && html`<span class="label">${shown(m.name)}</span>`}
			<${Blocks} content=${m.content} markdown />
			${m.tool_calls?.map((c) => html`<${Card} key=${c.id} call=${c} known=${calls.get(c.id)} result=${results.get(c.id)} />`)}
			${m.invalid_tool_calls?.map((c) => html`<div class="card failed"><div class="head"><${Icon} name="warn" /><span class="mono">${shown(c.name)}</span><${Badge} kind="failed">malformed</></div><pre tabindex="0">${shown(c.args)}</pre><p class="bad">${shown(c.error)}</p></div>`)}
		</article>`;
	}
	return html`<article class=${'message other ' + m.role} aria-label=${m.role === 'tool' ? 'Result of a tool' : 'System message'}>
		<span class="label">${m.role}${m.name ? ' ' + shown(m.name) : ''}</span><${Blocks} content=${m.content} /></article>`;
}

const says = { running: 'running', done: 'done', failed: 'failed', asks: 'asks' };

/** @param {{call: import('../model/types.js').ToolCall, known?: import('../model/types.js').Call, result?: Message}} props */
function Card({ call, known, result }) {
	const status = result ? (result.status === 'error' ? 'failed' : 'done') : known?.status ?? 'waiting';
	const edited = known && JSON.stringify(known.args) !== JSON.stringify(call.args);
	const args = known?.args ?? call.args;
	const said = result ? textOf(result.content) : '';
	return html`<details class=${'card ' + status}>
		<summary class="head"><${Icon} name="tool" /><span class="mono name">${shown(call.name)}</span>
			<span class="mono brief">${brief(JSON.stringify(args) ?? '', 90)}</span>
			${edited && html`<${Badge} kind="edited" />`}
			<${Badge} kind=${status}>${says[/** @type {keyof typeof says} */ (status)] ?? status}</>
			${known?.end ? html`<span class="quiet num">${took(known.end - known.start)}</span>` : status === 'running' && html`<span class="pulse"></span>`}
		</summary>
		${edited && html`<${Value} value=${call.args} label="as the model wrote it" />`}
		<${Value} value=${args} label=${edited ? 'as it ran' : 'arguments'} />
		${result && html`<div class="result"><span class="label">result</span><${Blocks} content=${result.content} /></div>`}
		${result?.artifact !== undefined && html`<${Value} value=${result.artifact} label="artifact" />`}
		${known?.error && html`<p class="bad plain" dir="auto">${shown(known.error)}</p>`}
	</details>
	${!result && known?.said && html`<p class="said" dir="auto">${shown(known.said.slice(-400))}</p>`}
	${said && html`<p class=${'said' + (status === 'failed' ? ' bad' : '')} dir="auto">${brief(said, 160)}</p>`}
	${!result && known?.error && html`<p class="said bad" dir="auto">${brief(known.error, 160)}</p>`}`;
}

function Welcome() {
	const all = assistants.value;
	return html`<${Empty} title="Talk to an agent">
		${all.length ? html`<p>${all.length === 1 ? 'This server has one agent.' : `This server has ${all.length} agents.`} Your first message begins a thread.</p>
			<ul class="agents">${all.map((a) => html`<li key=${a.assistant_id}><strong>${shown(a.name)}</strong>${a.description && html` <span class="quiet">${shown(a.description)}</span>`}</li>`)}</ul>`
			: html`<p class="loading">Looking for agents…</p>`}
	</>`;
}

function Composer() {
	const [text, setText] = useState('');
	const [error, setError] = useState('');
	const [busy, setBusy] = useState(false);
	const [agent, setAgent] = useState('');
	const area = useRef(/** @type {HTMLTextAreaElement|null} */ (null));
	const all = assistants.value;
	const chosen = agent || agentOf()?.assistant_id || '';
	const run = model.value.run;
	const running = thread.value && ((run && !run.end) || thread.value.status === 'busy');
	useEffect(() => {
		setError('');
		setAgent('');
		area.current?.focus({ preventScroll: true });
	}, [thread.value?.thread_id]);
	useEffect(() => {
		const a = area.current;
		if (!a) return;
		a.style.height = 'auto';
		a.style.height = Math.min(a.scrollHeight + 2, 240) + 'px';
	}, [text]);

	/** @param {Event} [e] */
	const submit = async (e) => {
		e?.preventDefault();
		if (!text.trim() || busy || !chosen) return;
		setBusy(true);
		setError('');
		try {
			await say(text, chosen);
			setText('');
		} catch (err) {
			setError(messageOf(err));
		}
		setBusy(false);
		area.current?.focus();
	};
	/** @param {KeyboardEvent} e */
	const keys = (e) => {
		if (e.key !== 'Enter' || e.shiftKey || e.isComposing) return;
		if (e.type === 'keydown') submit(e);
		else e.preventDefault(); // a slow browser would begin a new line in what is empty by then
	};
	return html`<form class="composer" onSubmit=${submit}>
		${error && html`<${Failure} text=${error} />`}
		<div class="box">
			<textarea ref=${area} rows="1" dir="auto" aria-label="Message" placeholder=${all.length ? 'Message ' + (all.find((a) => a.assistant_id === chosen)?.name ?? 'the agent') : 'Message'} value=${text}
				onInput=${(/** @type {any} */ e) => setText(e.target.value)} onKeyDown=${keys} onKeyPress=${keys}></textarea>
			${all.length > 1 && !thread.value && html`<select aria-label="Agent" value=${chosen} onChange=${(/** @type {any} */ e) => setAgent(e.target.value)}>
				${all.map((a) => html`<option key=${a.assistant_id} value=${a.assistant_id}>${shown(a.name)}</option>`)}</select>`}
			${running && html`<button type="button" class="square" aria-label="Stop the run" title="Stop the run" onClick=${() => cancel().catch((e) => setError(messageOf(e)))}><${Icon} name="stop" /></button>`}
			<button class="square main" aria-label="Send" title="Send (Enter)" disabled=${!text.trim() || busy || !chosen}><${Icon} name="send" /></button>
		</div>
	</form>`;
}

