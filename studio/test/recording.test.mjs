import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read, write } from '../web/model/recording.js';
import { emptyModel, reduce, seed } from '../web/model/reduce.js';
import { stateAt } from '../web/model/state.js';

const time = '2026-01-02T03:04:05.123456789Z';

test('lines of events are runs, also those that go on', () => {
	const lines = [
		{ version: 1, type: 'run', seq: 1, time, run: 'run-1' }, { type: 'state', seq: 2, time, run: 'run-1', messages: [{ role: 'human', content: 'hi', id: 'a' }] },
		{ type: 'end', seq: 3, time, run: 'run-1', status: 'interrupted', interrupts: [{ step: 'x', value: 1 }] },
		{ type: 'run', seq: 1, time, run: 'run-1' }, { type: 'end', seq: 2, time, run: 'run-1', status: 'completed' },
	];
	const m = reduce(emptyModel(), read(lines.map((l) => JSON.stringify(l)).join('\n') + '\n'));
	assert.equal(m.runs.size, 2);
	assert.equal(m.now.messages[0].content, 'hi');
	assert.ok(m.spans.some((s) => s.kind === 'wait'));
});

test('what the page exports can be read again', () => {
	const rows = [{ id: '7.1', run_id: 'r', attempt: 2, event: { type: 'run', seq: 1, time, run: 'run-1' } }];
	assert.deepEqual(read(rows.map((r) => JSON.stringify(r)).join('\n')), rows);
});

test('an exported thread has the states of its checkpoints, with branches', () => {
	const message = (id) => ({ role: 'human', content: id, id });
	const m = reduce(emptyModel(), read(JSON.stringify({
		format: 'agenthost.thread/1', thread: 'ada', interrupts: [{ id: 'ask-1', step: 'x', value: { q: 1 } }],
		checkpoints: [
			{ checkpoint: 1, time, source: 'input', run: 'run-1', messages: 1, added: [message('a')], set: { n: 1 } },
			{ checkpoint: 2, parent: 1, time, source: 'loop', run: 'run-1', step: 'model', messages: 2, added: [message('b')] },
			{ checkpoint: 3, parent: 1, branches: true, time, source: 'fork', run: 'run-1', messages: 1 },
			{ checkpoint: 4, parent: 3, time, source: 'loop', run: 'run-1', step: 'model', messages: 1, rewritten: true, added: [message('c')], set: { o: 2 } },
		],
	})));
	const ids = (id) => stateAt(m, id).messages.map((x) => x.id);
	assert.deepEqual([ids(1), ids(2), ids(4)], [['a'], ['a', 'b'], ['c']]);
	assert.deepEqual(stateAt(m, 4).fields, { o: 2 });
	assert.equal(m.run.status, 'interrupted');
	assert.equal(m.visits.get('model'), 2);
});

test('what has no events is exported as states', () => {
	const message = (id, content = id) => ({ role: 'ai', content, id });
	const known = (id, parent, messages, fields) => ({ id, parent, source: 'loop', step: 'model', next: '', time, run_id: 'old', changes: [], writers: [], state: { messages, fields } });
	let m = reduce(emptyModel(), [{ type: 'run' }, { type: 'state', step: 'model', messages: [message('c')] }, { type: 'checkpoint', checkpoint: 6, parent: 5 }, { type: 'end', status: 'completed' }]
		.map((event, i) => ({ id: `1.${i}`, run_id: 'r', attempt: 1, event: { seq: i + 1, run: 'r', time, ...event } })));
	m = seed(m, known(4, 3, [message('a')], { n: 1, gone: 2 })); // what led to 3 is not known
	m = seed(m, known(5, 4, [message('a', 'A'), message('b')], { n: 1 }));
	m = seed(m, known(7, 5, [message('b')], { n: 3 }));
	const again = reduce(emptyModel(), read(write(m)));
	assert.deepEqual([...again.checkpoints.keys()].sort(), [4, 5, 6, 7]);
	for (const id of [4, 5, 6, 7]) assert.deepEqual(stateAt(again, id), stateAt(m, id), `checkpoint ${id}`);
	assert.ok([...again.runs.values()].every((r) => r.end));
});

test('other files are refused', () => {
	assert.throws(() => read('hello'), /Line 1 is not an event/);
	assert.throws(() => read('{"a": 1}'), /Line 1 is not an event/);
	assert.throws(() => read('\n'), /no events/);
	assert.throws(() => read('{"format": "agenthost.thread/9"}'), /agenthost.thread\/9/);
});
