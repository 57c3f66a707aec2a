// The questions of a run: a person approves, edits, rejects or answers tool calls.

import { useMemo, useState } from 'preact/hooks';
import { same } from '../model/diff.js';
import { shown } from '../model/text.js';
import { messageOf, start } from '../session.js';
import { Form, fieldsOf, textsOf, valuesOf } from './form.js';
import { Failure, Icon, html } from './html.js';
import { LineDiff, Value } from './text.js';

/** @typedef {import('../model/types.js').Interrupt} Interrupt */
/** @typedef {'approve'|'edit'|'reject'|'respond'|'retry'|'skip'} Kind */
/** @typedef {{name: string, args: Record<string, unknown>, description?: string, allowed: Kind[], schema: any}} Action */
/** @typedef {{kind: Kind, texts: Record<string, string>, message: string}} Draft */

const kinds = /** @type {Kind[]} */ (['approve', 'edit', 'reject', 'respond']);
/** About a call that was cut off. @type {Kind[]} */
const unfinished = ['retry', 'skip', 'respond'];
/** @type {Record<Kind, string>} */
const verbs = { approve: 'Approve', edit: 'Edit', reject: 'Reject', respond: 'Respond', retry: 'Run it again', skip: 'Skip it' };
/** @type {Record<Kind, string>} */
const buttons = { ...verbs, edit: 'Run edited call', respond: 'Send answer' };
/** What is asked besides. @type {Partial<Record<Kind, string>>} */
const says = { reject: 'Reason, for the model', skip: 'Reason, for the model', respond: 'Result in place of the tool’s' };

/** one reports whether a question is about one call, and wants one decision. @param {any} value */
const one = (value) => (value?.type === 'tool_approval' || value?.type === 'unfinished_tool_call') && typeof value.name === 'string';

/** @param {Kind[]} all @param {unknown} allowed */
const only = (all, allowed) => all.filter((k) => !Array.isArray(allowed) || allowed.includes(k));

/**
 * actionsOf returns the calls that a question is about; null if it is of another form.
 * @param {any} value
 * @returns {Action[]|null}
 */
export function actionsOf(value) {
	if (one(value)) {
		const allowed = only(value.type === 'unfinished_tool_call' ? unfinished : kinds, value.allowed_decisions);
		return allowed.length ? [{ name: value.name, args: value.args ?? {}, description: value.description, allowed, schema: null }] : null;
	}
	if (!Array.isArray(value?.action_requests)) return null;
	return value.action_requests.map(/** @param {any} a @param {number} i */ (a, i) => {
		const config = value.review_configs?.[i] ?? {};
		const allowed = only(kinds, config.allowed_decisions);
		return { name: String(a?.name ?? ''), args: a?.args ?? {}, description: a?.description, allowed, schema: config.args_schema };
	});
}

/** @param {{questions: Interrupt[]}} props */
export function Questions({ questions }) {
	const [error, setError] = useState('');
	const [busy, setBusy] = useState(false);
	const [answers, setAnswers] = useState(/** @type {Record<string, unknown>} */ ({}));

	/** @param {string} id @param {unknown} value */
	const answer = async (id, value) => {
		const all = { ...answers, [id]: value };
		setAnswers(all);
		setError('');
		if (questions.some((q) => !((q.id ?? '') in all))) return;
		setBusy(true);
		try {
			await start({ command: { resume: all } });
		} catch (err) {
			setError(messageOf(err));
			setAnswers({});
		}
		setBusy(false);
	};
	return html`<section class="questions" aria-label="The run waits for your decision">
		${questions.map((q) => html`<${Question} key=${q.id} question=${q} busy=${busy} done=${(q.id ?? '') in answers} onAnswer=${(/** @type {unknown} */ v) => answer(q.id ?? '', v)} />`)}
		${error && html`<${Failure} text=${error} />`}
	</section>`;
}

/** @param {{question: Interrupt, busy: boolean, done: boolean, onAnswer: (value: unknown) => void}} props */
function Question({ question, busy, done, onAnswer }) {
	const actions = useMemo(() => actionsOf(question.value), [question]);
	if (done) return html`<p class="quiet">Answered. ${!busy && 'The other questions wait, too.'}</p>`;
	if (!actions) return html`<${Open} question=${question} busy=${busy} onAnswer=${onAnswer} />`;
	return html`<${Review} question=${question} actions=${actions} busy=${busy} onAnswer=${onAnswer} />`;
}

/** @param {{question: Interrupt, actions: Action[], busy: boolean, onAnswer: (value: unknown) => void}} props */
function Review({ question, actions, busy, onAnswer }) {
	const fields = useMemo(() => actions.map((a) => fieldsOf(a.schema, a.args)), [actions]);
	const [drafts, setDrafts] = useState(/** @type {Draft[]} */ (actions.map((a, i) => ({ kind: a.allowed[0], texts: textsOf(fields[i], a.args), message: '' }))));
	const [tried, setTried] = useState(false);
	/** @param {number} i @param {Partial<Draft>} more */
	const change = (i, more) => setDrafts(drafts.map((d, at) => (at === i ? { ...d, ...more } : d)));
	const read = actions.map((a, i) => valuesOf(fields[i], drafts[i].texts, a.args));
	const bad = actions.some((_, i) => drafts[i].kind === 'edit' && Object.keys(read[i].errors).length);

	/** @param {Event} e */
	const submit = (e) => {
		e.preventDefault();
		setTried(true);
		if (bad) return;
		const decisions = actions.map((a, i) => {
			const { kind, message } = drafts[i];
			if (kind === 'edit') return { type: 'edit', edited_action: { name: a.name, args: read[i].values } };
			return { type: kind, ...(kind !== 'approve' && (message || kind === 'respond') && { message }) };
		});
		onAnswer(one(question.value) ? decisions[0] : { decisions });
	};
	const chosen = new Set(drafts.map((d) => d.kind));
	const verb = chosen.size === 1 ? buttons[drafts[0].kind] : 'Send decisions';
	return html`<form class="review" onSubmit=${submit} onKeyDown=${(/** @type {KeyboardEvent} */ e) => e.key === 'Enter' && (e.ctrlKey || e.metaKey) && submit(e)}>
		${actions.map((a, i) => html`<${Act} key=${i} id=${`q-${question.id}-${i}`} action=${a} fields=${fields[i]} draft=${drafts[i]} read=${read[i]} tried=${tried} onChange=${(/** @type {Partial<Draft>} */ more) => change(i, more)} />`)}
		<div class="actions"><button class=${'main ' + (verb === 'Reject' ? 'bad' : '')} disabled=${busy}>${verb}${actions.length > 1 && chosen.size === 1 ? ` all ${actions.length}` : ''}</button><kbd class="quiet">Ctrl Enter</kbd></div>
	</form>`;
}

/**
 * @param {{id: string, action: Action, fields: import('./form.js').Field[], draft: Draft, read: {values: object, errors: Record<string, string>}, tried: boolean,
 *   onChange: (more: Partial<Draft>) => void}} props
 */
function Act({ id, action, fields, draft, read, tried, onChange }) {
	const boring = !action.description || action.description.startsWith('Tool execution requires approval');
	return html`<fieldset class="act">
		<legend><${Icon} name="tool" /><span class="mono">${shown(action.name)}</span> waits for your decision</legend>
		${!boring && html`<p class="plain" dir="auto">${shown(action.description)}</p>`}
		${draft.kind !== 'edit' && html`<${Value} value=${action.args} label="arguments" />`}
		<div class="choices" role="radiogroup" aria-label=${'Decision about ' + shown(action.name)}>
			${action.allowed.map((k) => html`<label class=${draft.kind === k ? 'chosen' : ''}><input type="radio" name=${id} checked=${draft.kind === k} onChange=${() => onChange({ kind: k })} />${verbs[k]}</label>`)}
		</div>
		${draft.kind === 'edit' && html`<${Form} id=${id} fields=${fields} texts=${draft.texts} errors=${tried ? read.errors : {}}
			onChange=${(/** @type {string} */ name, /** @type {string} */ text) => onChange({ texts: { ...draft.texts, [name]: text } })} />
			${same(action.args, read.values) ? html`<p class="quiet">Nothing is changed yet.</p>` : html`<${LineDiff} before=${action.args} after=${read.values} />`}`}
		${says[draft.kind] && html`<div class="field">
			<label for=${id + '-say'}>${says[draft.kind]}</label>
			<textarea id=${id + '-say'} rows="2" dir="auto" value=${draft.message} onInput=${(/** @type {any} */ e) => onChange({ message: e.target.value })} />
		</div>`}
	</fieldset>`;
}

/** @param {{question: Interrupt, busy: boolean, onAnswer: (value: unknown) => void}} props */
function Open({ question, busy, onAnswer }) {
	const [text, setText] = useState('');
	/** @param {Event} e */
	const submit = (e) => {
		e.preventDefault();
		try {
			onAnswer(JSON.parse(text));
		} catch {
			onAnswer(text);
		}
	};
	return html`<form class="review" onSubmit=${submit}><fieldset class="act">
		<legend>${shown(question.step || 'The run')} asks</legend>
		<${Value} value=${question.value} />
		<div class="field"><label for=${'q-' + question.id}>Answer, a text or JSON</label>
		<textarea id=${'q-' + question.id} rows="2" dir="auto" required value=${text} onInput=${(/** @type {any} */ e) => setText(e.target.value)} /></div>
	</fieldset><div class="actions"><button class="main" disabled=${busy}>Answer</button></div></form>`;
}
