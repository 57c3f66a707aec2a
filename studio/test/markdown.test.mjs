import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inline, markdown } from '../web/model/markdown.js';
import { brief, shown, webAddress } from '../web/model/text.js';

const kinds = (text) => markdown(text).map((p) => p.kind);

/** flat returns all text of a tree. */
function flat(v) {
	if (Array.isArray(v)) return v.map(flat).join('');
	if (!v || typeof v !== 'object') return '';
	return (v.text ?? '') + flat(v.inline) + flat(v.parts) + flat(v.items) + flat(v.rows);
}

test('blocks', () => {
	assert.deepEqual(kinds('# Title\n\nA text\nof two lines.\n\n- one\n- two\n\n> said\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nlet x = 1;\n```'),
		['heading', 'paragraph', 'list', 'quote', 'rule', 'table', 'code']);
	const [code] = markdown('```js\nlet x = "<b>";\n```');
	assert.equal(code.text, 'let x = "<b>";');
	assert.equal(code.language, 'js');
	assert.equal(markdown('1. a\n2. b\n   - c')[0].items?.[1][1].kind, 'list');
});

test('lines', () => {
	assert.deepEqual(inline('a **b** `c` *d* ~~e~~').map((p) => p.kind), ['text', 'bold', 'text', 'code', 'text', 'italic', 'text', 'strike']);
	assert.deepEqual(inline('snake_case_name'), [{ kind: 'text', text: 'snake_case_name' }]);
	assert.deepEqual(inline('[x](https://a.example)')[0].href, 'https://a.example');
	assert.deepEqual(inline('a[0] [x](https://a.example)').map((p) => p.text ?? p.href), ['a[0] ', 'https://a.example']);
	assert.equal(inline('see https://a.example/b, and')[1].href, 'https://a.example/b');
});

test('HTML is text', () => {
	const hostile = '<img src=x onerror=alert(1)><script>alert(2)</script>';
	assert.deepEqual(markdown(hostile), [{ kind: 'paragraph', inline: [{ kind: 'text', text: hostile }] }]);
});

test('only addresses of the web are links', () => {
	assert.equal(webAddress('javascript:alert(1)'), '');
	assert.equal(webAddress('data:text/html,x'), '');
	assert.equal(webAddress(' JaVaScRiPt:alert(1)'), '');
	assert.equal(webAddress('/relative'), '');
	assert.equal(webAddress('https://a.example/'), 'https://a.example/');
});

test('what cannot be seen is made visible', () => {
	assert.equal(shown('a\u202eb\u0000c\u200bd'), 'a⟨202E⟩b⟨0000⟩c⟨200B⟩d');
	assert.equal(shown('tab\tand\nline'), 'tab\tand\nline');
	assert.equal(brief('x'.repeat(500), 10), 'xxxxxxxxx…');
});

test('nothing of a text is lost, and nothing takes long', () => {
	for (const piece of ['*', '**', '_', '`', '[', '](', '> ', '- ', '|', '~~', '# ', '```', '[a](', 'https://', '\\', '1. ']) {
		for (const text of [piece.repeat(20_000), (piece + 'a').repeat(20_000), (piece + '\n').repeat(5_000), (piece + 'a ' + piece + '\n').repeat(3_000)]) {
			const began = process.cpuUsage();
			const tree = markdown(text);
			const { user } = process.cpuUsage(began); // others may use the machine, too
			assert.ok(user < 2e6, `${JSON.stringify(piece)}: ${user} µs`);
			if (piece === '[' || piece === '|') continue;
			assert.ok(flat(tree).length <= text.length);
		}
	}
});
