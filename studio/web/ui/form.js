// A form for the arguments of a tool, made from their JSON Schema and from the values that are there.

import { shown } from '../model/text.js';
import { html } from './html.js';

/** @typedef {{name: string, kind: 'text'|'long'|'number'|'flag'|'choice'|'json', label: string, hint?: string, choices?: unknown[], required?: boolean, whole?: boolean}} Field */

/**
 * fieldsOf returns the fields of a form.
 * @param {any} schema
 * @param {Record<string, unknown>} values
 * @returns {Field[]}
 */
export function fieldsOf(schema, values) {
	const known = schema && typeof schema.properties === 'object' && schema.properties ? schema.properties : {};
	const required = Array.isArray(schema?.required) ? schema.required : []; // they come first
	const names = [...new Set([...required.filter((/** @type {any} */ r) => r in known), ...Object.keys(known), ...Object.keys(values)])];
	return names.map((name) => {
		const s = known[name] ?? {};
		return {
			name, kind: kindOf(s, values[name]), label: typeof s.title === 'string' ? s.title : name, hint: typeof s.description === 'string' ? s.description : undefined,
			choices: Array.isArray(s.enum) ? s.enum : undefined, required: required.includes(name), whole: [s.type].flat().includes('integer'),
		};
	});
}

/**
 * @param {any} schema
 * @param {unknown} value
 * @returns {Field['kind']}
 */
function kindOf(schema, value) {
	if (Array.isArray(schema.enum)) return 'choice';
	const types = [schema.type].flat().filter((t) => t !== 'null'), type = types.length > 1 ? 'json' : types[0] ?? (value === null ? 'json' : typeof value);
	if (type === 'string') return typeof value === 'string' && (value.length > 60 || value.includes('\n')) ? 'long' : 'text';
	if (type === 'number' || type === 'integer') return 'number';
	return type === 'boolean' ? 'flag' : 'json';
}

/**
 * textsOf returns what the inputs of a form begin with.
 * @param {Field[]} fields
 * @param {Record<string, unknown>} values
 */
export function textsOf(fields, values) {
	/** @type {Record<string, string>} */
	const out = {};
	for (const f of fields) {
		const v = values[f.name];
		out[f.name] = v === undefined ? '' : f.kind === 'json' ? JSON.stringify(v, null, 2) : f.kind === 'choice' ? JSON.stringify(v) : String(v);
	}
	return out;
}

/**
 * valuesOf reads the inputs. An input that is empty and need not be there is left out.
 * @param {Field[]} fields
 * @param {Record<string, string>} texts
 * @param {Record<string, unknown>} before
 * @returns {{values: Record<string, unknown>, errors: Record<string, string>}}
 */
export function valuesOf(fields, texts, before) {
	/** @type {Record<string, unknown>} */
	const values = {};
	/** @type {Record<string, string>} */
	const errors = {};
	for (const f of fields) {
		const text = texts[f.name];
		if (text === '' && !(f.name in before) && !f.required) continue;
		if (f.kind === 'text' || f.kind === 'long') values[f.name] = text;
		else if (f.kind === 'flag') values[f.name] = text === 'true';
		else if (f.kind === 'number') {
			if (text.trim() === '' || !Number.isFinite(Number(text))) errors[f.name] = 'This must be a number.';
			else if (f.whole && !Number.isInteger(Number(text))) errors[f.name] = 'This must be a whole number.';
			else values[f.name] = Number(text);
		} else {
			try {
				values[f.name] = JSON.parse(text);
			} catch {
				errors[f.name] = 'This must be JSON, such as ["a", "b"].';
			}
		}
	}
	const names = new Set([...Object.keys(before), ...Object.keys(values)]); // those that were there keep their order, so that a difference is only what differs
	return { values: Object.fromEntries([...names].filter((n) => Object.hasOwn(values, n)).map((n) => [n, values[n]])), errors };
}

/**
 * @param {{id: string, fields: Field[], texts: Record<string, string>, errors: Record<string, string>, onChange: (name: string, text: string) => void}} props
 */
export const Form = ({ id, fields, texts, errors, onChange }) => html`<div class="form">${fields.map((f) => {
	const at = `${id}-${f.name}`;
	const common = {
		id: at, 'aria-invalid': f.name in errors, 'aria-describedby': f.hint || errors[f.name] ? at + '-hint' : undefined,
		onInput: /** @param {any} e */ (e) => onChange(f.name, f.kind === 'flag' ? String(e.target.checked) : e.target.value),
	};
	return html`<div class=${'field' + (f.kind === 'flag' ? ' flag' : '')} key=${f.name}>
		<label for=${at}>${shown(f.label)}${f.required && html`<span class="quiet"> required</span>`}</label>
		${input(f, texts[f.name], common)}
		${(errors[f.name] || f.hint) && html`<p id=${at + '-hint'} class=${errors[f.name] ? 'bad' : 'quiet'}>${shown(errors[f.name] ?? f.hint)}</p>`}
	</div>`;
})}</div>`;

/** @param {Field} f @param {string} text @param {object} common */
function input(f, text, common) {
	switch (f.kind) {
		case 'long':
			return html`<textarea ...${common} rows=${Math.min(12, text.split('\n').length + 2)} dir="auto" value=${text} />`;
		case 'json':
			return html`<textarea ...${common} class="mono" rows=${Math.min(12, text.split('\n').length + 1)} spellcheck="false" value=${text} />`;
		case 'number':
			return html`<input ...${common} inputmode="decimal" value=${text} />`;
		case 'flag':
			return html`<input ...${common} type="checkbox" checked=${text === 'true'} />`;
		case 'choice':
			return html`<select ...${common} value=${text}>${f.choices?.map((c) => html`<option value=${JSON.stringify(c)}>${shown(typeof c === 'string' ? c : JSON.stringify(c))}</option>`)}</select>`;
		default:
			return html`<input ...${common} dir="auto" value=${text} />`;
	}
}
