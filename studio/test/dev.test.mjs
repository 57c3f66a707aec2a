import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choicesOf, keeps, lastChange, placeOf } from '../web/model/dev.js';

const change = (number, time) => ({ number, time, text: 'in use', plugins: [] });
const agent = (name, last, plugins = []) => ({ name, file: name + '.yaml', plugins, change: last });
const state = (...agents) => ({ building: '', problems: [], agents });

test('a place is as editors take it', () => {
	const problem = { file: 'a.go', line: 3, column: 7, message: '', details: [] };
	assert.equal(placeOf(problem), 'a.go:3:7');
	assert.equal(placeOf({ ...problem, column: 0 }), 'a.go:3');
	assert.equal(placeOf({ ...problem, line: 0, column: 0 }), 'a.go');
});

test('the last change is that of any agent', () => {
	assert.equal(lastChange(null), null);
	assert.equal(lastChange(state(agent('a', null))), null);
	const last = lastChange(state(agent('a', change(2, '2026-01-01T00:00:02Z')), agent('b', change(3, '2026-01-01T00:00:01Z')), agent('c', null)));
	assert.equal(last.agent.name, 'b');
	assert.equal(last.change.number, 3);
});

test('a run keeps what it began with if its own agent has changed since', () => {
	const at = '2026-01-01T00:00:05.000000001Z', begin = Date.parse('2026-01-01T00:00:04Z');
	const run = (more) => ({ agent: 'a', start: begin, end: 0, ...more });
	assert.equal(keeps(run(), state(agent('a', change(1, at)))), true);
	assert.equal(keeps(run({ start: begin + 2000 }), state(agent('a', change(1, at)))), false, 'it began later');
	assert.equal(keeps(run({ end: begin + 1 }), state(agent('a', change(1, at)))), false, 'it is over');
	assert.equal(keeps(run(), state(agent('b', change(1, at)))), false, 'another agent');
	assert.equal(keeps(run(), state(agent('a', null))), false);
	assert.equal(keeps(null, null), false);
});

test('a test call begins with a call of the plugin, or with a golden case', () => {
	const calls = [{ number: 1, plugin: 'p' }, { number: 2, plugin: 'q' }];
	const plugins = [{ name: 'p', file: 'p.js', digest: '', cases: ['one'] }];
	assert.deepEqual(choicesOf(state(agent('a', null, plugins)), calls, 'p'), { calls: [calls[0]], cases: ['one'] });
	assert.deepEqual(choicesOf(null, calls, 'q'), { calls: [calls[1]], cases: [] });
});
