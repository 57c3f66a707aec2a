import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draw, programOf } from '../web/model/graph.js';
import { lanes, partingOf, tipsOf, wayTo } from '../web/model/tree.js';

test('a thread without branches has one lane', () => {
	const { lines, width } = lanes([3, 2, 1].map((id) => ({ id, parent: id - 1 })));
	assert.equal(width, 1);
	assert.deepEqual(lines.map((l) => l.lane), [0, 0, 0]);
	assert.deepEqual(lines.map((l) => l.root), [false, false, true]);
});

test('a branch has a lane of its own until it joins', () => {
	// 1 - 2 - 3 and, from 2 on, 4 - 5
	const { lines, width } = lanes([{ id: 5, parent: 4 }, { id: 4, parent: 2 }, { id: 3, parent: 2 }, { id: 2, parent: 1 }, { id: 1, parent: 0 }]);
	assert.equal(width, 2);
	assert.deepEqual(lines.map((l) => l.lane), [0, 0, 1, 0, 0]);
	assert.deepEqual(lines.map((l) => l.tip), [true, false, true, false, false]);
	assert.deepEqual(lines[2].passing, [0]);
	assert.deepEqual(lines[3].joining, [1]);
});

test('the way to a checkpoint', () => {
	const nodes = new Map([[1, { id: 1, parent: 0 }], [2, { id: 2, parent: 1 }], [3, { id: 3, parent: 2 }], [4, { id: 4, parent: 2 }]]);
	assert.deepEqual(wayTo(nodes, 4), [1, 2, 4]);
	assert.deepEqual([partingOf(nodes, 3, 4), partingOf(nodes, 1, 4), partingOf(nodes, 4, 4), partingOf(nodes, 0, 4)], [2, 1, 4, 0]);
	assert.deepEqual(tipsOf(nodes), [4, 3]);
});

test('a program is drawn from top to bottom, and its loops at the sides', () => {
	const p = programOf({
		nodes: [{ id: '__start__' }, { id: 'model', metadata: { wraps: ['retry'] } }, { id: 'tools' }, { id: '__end__' }],
		edges: [{ source: '__start__', target: 'model' }, { source: 'model', target: 'tools', data: 'tool calls' }, { source: 'model', target: '__end__' }, { source: 'tools', target: 'model' }],
	});
	const d = draw(p);
	assert.deepEqual(d.lines.map((l) => l.side), [0, 0, 1, -1]);
	for (let i = 1; i < d.boxes.length; i++) assert.ok(d.boxes[i].y >= d.boxes[i - 1].y + d.boxes[i - 1].height);
});
