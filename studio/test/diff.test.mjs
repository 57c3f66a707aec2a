import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diffList, diffLines, diffText } from '../web/model/diff.js';

/** apply checks that the pieces are those of both texts. */
function check(before, after) {
	const pieces = diffText(before, after);
	assert.equal(pieces.filter((p) => p.kind !== 'new').map((p) => p.text).join(''), before);
	assert.equal(pieces.filter((p) => p.kind !== 'gone').map((p) => p.text).join(''), after);
	return pieces;
}

test('a sentence that was added is one piece', () => {
	const pieces = check('You keep notes.', 'You keep notes. Answer in French.');
	assert.deepEqual(pieces, [{ kind: 'same', text: 'You keep notes.' }, { kind: 'new', text: ' Answer in French.' }]);
});

test('a rewritten phrase is one change', () => {
	assert.deepEqual(check('say a b c now', 'say x y z now').map((p) => p.kind), ['same', 'gone', 'new', 'same']);
});

test('pieces are those of both texts, whatever they are', () => {
	let seed = 7;
	const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
	for (let i = 0; i < 400; i++) {
		const words = (n) => Array.from({ length: random(n) }, () => 'abc'[random(3)] + ' \n'[random(2)]).join('');
		check(words(30), words(30));
	}
});

test('the way is a shortest one', () => {
	let changed = 0;
	diffList([...'abcabba'], [...'cbabac'], (kind, items) => (changed += kind === 'same' ? 0 : items.length));
	assert.equal(changed, 5);
});

test('texts that have nothing in common do not take for ever', () => {
	const a = Array.from({ length: 40_000 }, (_, i) => 'a' + i).join('\n'), b = Array.from({ length: 40_000 }, (_, i) => 'b' + i).join('\n');
	const began = process.cpuUsage();
	assert.equal(diffLines(a, b).length, 80_000);
	assert.ok(process.cpuUsage(began).user < 5e6);
});
