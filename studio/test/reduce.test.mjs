import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layersOf } from '../web/model/request.js';
import { emptyModel, reduce, seed, without } from '../web/model/reduce.js';
import { ownParts } from '../web/model/time.js';
import { diffStates, stateAt, writersOf } from '../web/model/state.js';

const begin = Date.parse('2026-01-02T03:04:05Z');

/** history makes rows of short events: one each 10 ms. */
function history(run, attempt, ...events) {
	return events.map((event, i) => ({
		id: `1.${i}`, run_id: run, attempt, event: { seq: i + 1, run: 'run-1', agent: 'a', time: new Date(begin + i * 10).toISOString(), ...event },
	}));
}

const human = (text) => ({ role: 'human', content: text, id: 'm-' + text });
const ai = (text, more) => ({ role: 'ai', content: text, id: 'm-' + text, ...more });
const texts = (s) => s.messages.map((m) => m.content);

const simple = (run = 'r1') => history(run, 1,
	{ type: 'run', messages: [human('hi')] },
	{ type: 'state', step: 'input', messages: [human('hi')] },
	{ type: 'checkpoint', checkpoint: 1, source: 'input', next: 'model' },
	{ type: 'step', step: 'model', index: 1 },
	{ type: 'token', step: 'model', index: 1, message: 'm-hello', text: 'hel' },
	{ type: 'token', step: 'model', index: 1, message: 'm-hello', text: 'lo' },
	{ type: 'model', step: 'model', model: 'big', messages: [ai('hello')], duration: 15e6 },
	{ type: 'hook', step: 'x.wrap_model_call', messages: [ai('hello')], duration: 25e6, fuel: 70, digest: 'sha256:1', instance: 3, update: { state: { n: 1 } } },
	{ type: 'state', step: 'model', messages: [ai('hello')], state: { n: 1 } },
	{ type: 'checkpoint', checkpoint: 2, parent: 1, source: 'loop', step: 'model' },
	{ type: 'end', status: 'completed', duration: 1e6 },
);

test('tokens are shown until the message is there', () => {
	const rows = simple();
	let m = reduce(emptyModel(), rows.slice(0, 6));
	assert.equal(m.live.text, 'hello');
	assert.deepEqual(texts(m.now), ['hi']);
	m = reduce(m, rows.slice(6, 9));
	assert.equal(m.live, null);
	assert.deepEqual(texts(m.now), ['hi', 'hello']);
});

test('a new index voids earlier pieces', () => {
	const m = reduce(emptyModel(), history('r1', 1, { type: 'run' }, { type: 'step', step: 'model', index: 1 },
		{ type: 'token', step: 'model', index: 1, message: 'a', text: 'wrong' }, { type: 'token', step: 'model', index: 2, message: 'a', text: 'right' }));
	assert.equal(m.live.text, 'right');
});

test('pieces of calls are put together', () => {
	const m = reduce(emptyModel(), history('r1', 1, { type: 'run' },
		{ type: 'token', step: 'model', index: 1, message: 'a', call_piece: { index: 0, id: 'c', name: 'f', args: '{"a"' } },
		{ type: 'token', step: 'model', index: 1, message: 'a', call_piece: { index: 0, args: ':1}' } }));
	assert.deepEqual(m.live.calls, [{ id: 'c', name: 'f', args: '{"a":1}' }]);
});

test('in pieces or at once, the model is the same', () => {
	const rows = simple();
	const whole = reduce(emptyModel(), rows);
	let m = emptyModel();
	for (const row of rows) m = reduce(m, [row]);
	assert.deepEqual(m, whole);
});

test('a wrap hook contains the model call, and its own time is what remains', () => {
	const m = reduce(emptyModel(), simple());
	const hook = m.spans.find((s) => s.kind === 'hook'), call = m.spans.find((s) => s.kind === 'model');
	assert.equal(hook.depth, 2);
	assert.equal(call.depth, 3);
	assert.ok(m.spans.indexOf(hook) < m.spans.indexOf(call));
	assert.ok(Math.abs(hook.own - 10) < 0.01, String(hook.own));
	assert.deepEqual(ownParts(hook, hook.end).map((p) => [Math.round(p.start - hook.start), Math.round(p.end - hook.start)]), [[0, 0], [15, 25]].filter(([a, b]) => b > a), 'before and after the model call');
	const part = m.parts.get('x');
	assert.deepEqual([part.calls, part.fuel, part.digest, [...part.instances]], [1, [70], 'sha256:1', [3]]);
});

test('hooks around a tool call contain each other, whatever their times', () => {
	const call = { id: 'c', name: 'f', args: {} };
	const m = reduce(emptyModel(), history('r1', 1, { type: 'run' }, { type: 'step', step: 'tools', index: 1 }, { type: 'tool', step: 'tools', call },
		{ type: 'hook', step: 'inner.wrap_tool_call', call, duration: 20e6, messages: [] },
		{ type: 'hook', step: 'other.wrap_tool_call', call: { ...call, id: 'd' }, duration: 20e6, messages: [] },
		{ type: 'hook', step: 'outer.wrap_tool_call', call, duration: 21e6, messages: [] },
		{ type: 'tool', step: 'tools', call, duration: 22e6, messages: [] }, { type: 'end', status: 'completed' }));
	assert.deepEqual(m.spans.filter((s) => s.event.call?.id === 'c').map((s) => [s.name, s.depth, Math.round(s.own)]),
		[['f', 2, 1], ['outer.wrap_tool_call', 3, 1], ['inner.wrap_tool_call', 4, 20]]);
});

test('states at checkpoints, and who wrote what', () => {
	const m = reduce(emptyModel(), simple());
	assert.deepEqual(texts(stateAt(m, 1)), ['hi']);
	assert.deepEqual(stateAt(m, 2).fields, { n: 1 });
	assert.deepEqual(writersOf(m, 1, 2, { field: 'n' }), ['x.wrap_model_call']);
	assert.deepEqual(writersOf(m, 1, 2, { message: 'm-hello' }), ['model']);
	assert.deepEqual(writersOf(m, 1, 2, { message: 'm-hi' }), [], 'it was there before');
	const d = diffStates(stateAt(m, 1), stateAt(m, 2));
	assert.deepEqual([d.added.length, d.kept, d.fields], [1, 1, [{ name: 'n', before: undefined, after: 1 }]]);
	assert.equal(stateAt(m, 9), null);
});

test('a run that begins at an older checkpoint makes a branch', () => {
	const fork = history('r2', 1, { type: 'run' }, { type: 'checkpoint', checkpoint: 3, parent: 1, source: 'fork', next: 'model' },
		{ type: 'step', step: 'model', index: 1 }, { type: 'state', step: 'model', messages: [ai('bonjour')] },
		{ type: 'checkpoint', checkpoint: 4, parent: 3, source: 'loop', step: 'model' }, { type: 'end', status: 'completed' });
	const m = reduce(emptyModel(), [...simple(), ...fork]);
	assert.deepEqual(texts(m.now), ['hi', 'bonjour']);
	assert.deepEqual(texts(stateAt(m, 2)), ['hi', 'hello']);
	assert.deepEqual(texts(stateAt(m, 4)), ['hi', 'bonjour']);
	assert.deepEqual(['m-hi', 'm-hello', 'm-bonjour'].map((message) => writersOf(m, 2, 4, { message })), [[], ['model'], ['model']], 'what both have is the work of neither');
	assert.deepEqual(writersOf(m, 2, 4, { field: 'n' }), ['x.wrap_model_call']);
});

test('a change of the state has a writer, too', () => {
	let m = reduce(emptyModel(), simple());
	m = seed(m, { id: 3, parent: 2, source: 'update', step: '', next: '', time: '', run_id: '', changes: [], writers: [], state: { messages: [human('hi'), { ...ai('hello'), content: 'bye' }], fields: { n: 1, extra: 2 } } });
	assert.deepEqual([writersOf(m, 2, 3, { message: 'm-hello' }), writersOf(m, 2, 3, { field: 'extra' }), writersOf(m, 2, 3, { field: 'n' })], [['update'], ['update'], []]);
});

test('what an attempt told and did not save is void', () => {
	const rows = simple();
	const again = history('r1', 2, { type: 'run' }, { type: 'step', step: 'model', index: 1 }, { type: 'state', step: 'model', messages: [ai('second')] },
		{ type: 'checkpoint', checkpoint: 2, parent: 1, source: 'loop', step: 'model' }, { type: 'end', status: 'completed' });
	const m = reduce(emptyModel(), [...rows.slice(0, 9), ...again]);
	assert.deepEqual(texts(m.now), ['hi', 'second']);
	assert.equal(m.parts.size, 0);
});

test('a run that was rolled back is gone', () => {
	const m = without(reduce(emptyModel(), [...simple('r1'), ...history('r2', 1, { type: 'run' }, { type: 'state', step: 'input', messages: [human('more')] })]), 'r2');
	assert.deepEqual(texts(m.now), ['hi', 'hello']);
	assert.equal(m.runs.size, 1);
});

test('states that come from elsewhere fill the gaps', () => {
	let m = reduce(emptyModel(), history('r2', 1, { type: 'run' }, { type: 'state', step: 'input', messages: [human('more')] },
		{ type: 'checkpoint', checkpoint: 8, parent: 7, source: 'input' }));
	assert.deepEqual(texts(stateAt(m, 8)), ['more']);
	m = seed(m, { id: 7, parent: 6, source: 'loop', step: '', next: '', time: '', run_id: 'r1', changes: [], writers: [], state: { messages: [human('old')], fields: {} } });
	assert.deepEqual(texts(stateAt(m, 7)), ['old']);
	assert.deepEqual(texts(stateAt(m, 8)), ['old', 'more'], 'no longer only what the events tell');
});

test('messages are replaced and removed', () => {
	const m = reduce(emptyModel(), history('r1', 1, { type: 'run' }, { type: 'state', messages: [human('a'), human('b'), human('c')], state: { x: 1, y: 2 } },
		{ type: 'state', patch: [{ ...human('a'), content: 'A' }], remove: ['m-b'], unset: ['x'] }));
	assert.deepEqual(texts(m.now), ['A', 'c']);
	assert.deepEqual(m.now.fields, { y: 2 });
	assert.deepEqual(texts(reduce(m, history('r1', 1, { type: 'state', reset: true, messages: [human('z')] })).now), ['z']);
});

test('a request is read hook by hook', () => {
	const rows = simple();
	rows.splice(4, 0, ...history('r1', 1,
		{ type: 'request', step: 'model', request: { model: 'big', system: 'Be kind.', tools: [{ name: 'f' }, { name: 'g' }], tool_names: ['f', 'g'] } },
		{ type: 'request', step: 'x.wrap_model_call', request: { system: 'Be kind. Be brief.', tool_names: ['g'] } },
		{ type: 'request', step: 'y.wrap_model_call', request: { messages: [{ message: human('first') }, { from: 0, to: 1 }] } }));
	const m = reduce(emptyModel(), rows);
	const layers = layersOf(m.requests[0]);
	assert.deepEqual(layers.map((l) => l.step), ['agent', 'x.wrap_model_call', 'y.wrap_model_call']);
	assert.equal(layers[1].after.system, 'Be kind. Be brief.');
	assert.deepEqual([...layers[2].after.tools.keys()], ['g']);
	assert.deepEqual(layers[2].after.messages.map((x) => x.content), ['first', 'hi']);
});

test('ten thousand events take little time', () => {
	const rows = [];
	for (let i = 0; i < 1000; i++) rows.push(...simple('r' + i).map((r) => ({ ...r, event: { ...r.event, checkpoint: r.event.checkpoint && r.event.checkpoint + 2 * i, parent: r.event.checkpoint && r.event.checkpoint + 2 * i - 1 } })));
	assert.ok(rows.length > 10_000);
	const began = process.cpuUsage();
	const m = reduce(emptyModel(), rows);
	const { user } = process.cpuUsage(began); // others may use the machine, too
	assert.ok(user < 1e6, `${user} µs`);
	assert.equal(m.now.messages.length, 2000);
});
