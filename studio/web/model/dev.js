// What `agenthost dev` tells the page: problems in files, and changes that are in use.

import { moment } from './time.js';

/** @typedef {{file: string, line: number, column: number, message: string, details: string[]}} Problem */
/** @typedef {{number: number, time: string, text: string, plugins: string[]}} Change */
/** @typedef {{name: string, file: string, digest: string, cases: string[]}} Plugin */
/** @typedef {{name: string, file: string, plugins: Plugin[], change: Change|null}} Agent */
/** @typedef {{building: string, problems: Problem[], agents: Agent[]}} State */

/** @typedef {{number: number, plugin: string, hook: string, step: string, tool?: string, fuel: number, fault?: string}} Head */
/** @typedef {{op: string, payload: string, status: string, reply: string}} Asked */
/**
 * @typedef {object} Outcome How a call of a plugin ended. Documents are texts in JSON, because they have numbers that JavaScript cannot hold.
 * @property {string} digest
 * @property {string} result
 * @property {string} error the message of the error that the result says
 * @property {Asked[]} asked
 * @property {number} fuel
 * @property {number} memory
 * @property {number} host_calls
 * @property {number} duration nanoseconds; 0: it is not known
 * @property {string[]} log
 * @property {{kind: string, message: string}|null} fault
 * @property {string[]} differences
 */
/** @typedef {Head & {digest: string, input: string, answers: string, outcome: Outcome}} Call */
/** @typedef {{file: string, calls: number, command: string}} Recording */
/** @typedef {{file: string, command: string}} TestCase */
/** @typedef {{recording?: Recording, made?: TestCase, error?: string}} Kept what was written of a run or a thread, or why it was not */

/**
 * placeOf returns where a problem is, as editors take it.
 * @param {Problem} p
 */
export const placeOf = (p) => [p.file, p.line, p.column].filter(Boolean).join(':');

/**
 * lastChange returns the last change of any agent; null: there was none.
 * @param {State|null} state
 * @returns {{agent: Agent, change: Change}|null}
 */
export function lastChange(state) {
	/** @type {{agent: Agent, change: Change}|null} */
	let last = null;
	for (const agent of state?.agents ?? []) {
		const { change } = agent;
		if (change && change.number > (last?.change.number ?? 0)) last = { agent, change };
	}
	return last;
}

/**
 * keeps reports whether a run is under way with what its agent was before its last change.
 * @param {import('./types.js').Run|null} run
 * @param {State|null} state
 */
export function keeps(run, state) {
	if (!run || run.end) return false;
	const change = state?.agents.find((a) => a.name === run.agent)?.change;
	return !!change && run.start < moment(change.time);
}

/**
 * choicesOf returns the calls of a plugin and its golden cases, from which a test call can begin.
 * @param {State|null} state
 * @param {Head[]} calls
 * @param {string} plugin
 */
export function choicesOf(state, calls, plugin) {
	const known = state?.agents.flatMap((a) => a.plugins).find((p) => p.name === plugin);
	return { calls: calls.filter((c) => c.plugin === plugin), cases: known?.cases ?? [] };
}
