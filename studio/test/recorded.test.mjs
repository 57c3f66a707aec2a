// Runs of agenthost that test/studio has recorded (`make recordings`): each file has the events of a thread as a server told them, and the states that the
// server had at the checkpoints.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { layersOf } from '../web/model/request.js';
import { read, write } from '../web/model/recording.js';
import { emptyModel, reduce } from '../web/model/reduce.js';
import { stateAt, writersOf } from '../web/model/state.js';
import { textOf } from '../web/model/text.js';
import { partingOf, tipsOf } from '../web/model/tree.js';

const at = (name) => new URL(`../testdata/${name}`, import.meta.url);
const recorded = (name) => JSON.parse(readFileSync(at(name)));

/** replay returns the model of a recording, and what it was when a condition became true. */
function replay(name, ...conditions) {
	let m = emptyModel();
	const seen = conditions.map(() => null);
	for (const row of recorded(name + '.json').events) {
		m = reduce(m, [row]);
		conditions.forEach((c, i) => (seen[i] ||= c(m) && structuredClone({ live: m.live, calls: m.calls, run: m.run, now: m.now })));
	}
	return [m, ...seen];
}

const said = (m) => m.now.messages.map((x) => `${x.role}: ${textOf(x.content)}`);
const spans = (m, kind) => m.spans.filter((s) => s.kind === kind);
const runs = (m) => [...m.runs.values()].map((r) => r.status);

for (const name of readdirSync(at('.')).filter((n) => n.endsWith('.json'))) {
	test('states at all checkpoints are those of the server: ' + name, () => {
		const { events, states } = recorded(name);
		const m = reduce(emptyModel(), events);
		assert.ok(states.length > 1);
		for (const s of states) {
			const at = stateAt(m, s.checkpoint);
			assert.ok(at, `checkpoint ${s.checkpoint}`);
			assert.deepEqual(at.messages.map((x) => [x.id, x.role]), s.messages, `checkpoint ${s.checkpoint}`);
			for (const [field, value] of Object.entries(s.fields)) { // events do not tell the first values of fields
				if (!(field in at.fields)) assert.match(JSON.stringify(value), /^(0|""|\[\]|\{\}|null|false)$/, field);
				else assert.deepEqual(at.fields[field], value, `${field} at checkpoint ${s.checkpoint}`);
			}
		}
		assert.equal(m.head, Math.max(...states.map((s) => s.checkpoint)));
		assert.equal(m.live, null);
		for (const span of m.spans) assert.ok(span.own >= 0 && span.start > 0 && span.end >= span.start, span.name);
		const again = reduce(emptyModel(), read(write(m)));
		assert.deepEqual(again.now, m.now, 'an export has the same');
		assert.deepEqual(again.spans.map((s) => s.name), m.spans.map((s) => s.name));
	});
}

test('a question, and an answer with other arguments', () => {
	const [m, asked] = replay('approval', (m) => m.run?.status === 'interrupted');
	const [q] = asked.run.interrupts;
	assert.equal(q.value.action_requests[0].name, 'write_file');
	assert.deepEqual(q.value.review_configs[0].args_schema.required, ['path', 'content']);
	assert.deepEqual(runs(m), ['completed', 'interrupted', 'completed']);
	assert.equal(spans(m, 'wait').length, 1);
	const proposed = m.now.messages.flatMap((x) => x.tool_calls ?? []).find((c) => c.name === 'write_file');
	const ran = m.calls.get(proposed.id);
	assert.deepEqual([ran.status, ran.args.content, ran.args.append], ['done', 'buy oat milk', true]);
	assert.match(said(m).at(-2), /wrote "buy oat milk" to notes.md$/);
	assert.ok(writersOf(m, 0, m.head, { field: 'hitl_edited_tool_calls' }).includes('human_in_the_loop.after_model'));
});

test('what a middleware changed in a request', () => {
	const [m] = replay('approval');
	const layers = layersOf(m.requests[0]);
	assert.deepEqual(layers.map((l) => l.step), ['agent', 'french.wrap_model_call']);
	assert.equal(layers[0].after.system, 'You keep notes and know the weather.');
	assert.equal(layers[1].after.system, layers[0].after.system + ' Answer in French when you are asked in French.');
	assert.deepEqual(layers[1].after.settings, { temperature: 0.2 });
	assert.ok(layers[0].after.tools.has('write_file'));
});

test('a branch, and who wrote what on it', () => {
	const [m] = replay('fork');
	const tips = tipsOf(m.checkpoints);
	assert.equal(tips.length, 2);
	assert.equal(tips[0], m.head);
	assert.equal(partingOf(m.checkpoints, ...tips), 2);
	const [fresh] = stateAt(m, tips[0]).messages.filter((x) => !stateAt(m, 2).messages.some((y) => y.id === x.id));
	assert.deepEqual(writersOf(m, tips[1], tips[0], { message: fresh.id }), ['model']);
	assert.deepEqual(writersOf(m, tips[1], tips[0], { message: stateAt(m, 2).messages[0].id }), []);
	const redacted = stateAt(m, tips[1]).messages.find((x) => textOf(x.content).includes('[REDACTED_EMAIL]'));
	assert.ok(writersOf(m, 2, tips[1], { message: redacted.id }).includes('redact.before_model'));
	assert.deepEqual(writersOf(m, 2, tips[1], { field: 'redactions' }), ['redact.before_model']);
});

test('a tool that fails ends the run, and the thread goes on', () => {
	const [m] = replay('failure');
	assert.deepEqual(runs(m), ['failed', 'completed']);
	const [failed] = m.runs.values();
	assert.match(failed.error.message, /the disk is full/);
	const [tool] = spans(m, 'tool');
	assert.ok(tool.failed);
	assert.ok(spans(m, 'hook').filter((s) => s.failed).every((s) => s.passed), 'hooks that pass an error on are not to blame');
	assert.ok([...m.parts.values()].every((p) => p.faults.length === 0));
});

test('an agent that runs as a tool', () => {
	const [m, talking] = replay('agent', (m) => [...m.calls.values()].some((c) => c.status === 'running' && c.said?.includes('sunny')));
	assert.ok(talking, 'what it says is known before it ends');
	const outer = spans(m, 'tool').find((s) => s.name === 'research');
	const inner = m.spans.filter((s) => s.agent === 'scout');
	assert.deepEqual(inner.map((s) => [s.kind, s.name]), [['model', 'rules'], ['tool', 'get_weather'], ['model', 'rules']]);
	for (const s of inner) assert.ok(s.depth > outer.depth && s.start >= outer.start && s.end <= outer.end, s.name);
	const time = inner.reduce((sum, s) => sum + s.end - s.start, 0);
	const hook = m.spans.find((s) => s.inside?.some((x) => x.agent));
	assert.ok(Math.abs(hook.own + time - (hook.end - hook.start)) < 0.01, 'the time of the agent is not that of the hook around it');
	assert.equal(m.requests.length, 2, 'requests of the other agent are its own');
});

test('a plugin that faults, until its breaker opens', () => {
	const [m] = replay('fault');
	assert.deepEqual(runs(m), ['failed', 'failed', 'completed']);
	const bomb = m.parts.get('bomb');
	assert.deepEqual(bomb.faults.map((f) => [f.step, f.error.type]), Array(2).fill(['bomb.before_model', 'plugin_protocol']));
	assert.ok(bomb.fuel.every((n) => n > 0) && bomb.memory > 0 && bomb.digest.startsWith('sha256:'));
	assert.deepEqual([...m.parts.values()].filter((p) => p.faults.length).map((p) => p.name), ['bomb']);
	assert.deepEqual(m.notices.map((r) => /is bypassed/.test(r.event.text)), [true, true]);
});

test('a model that fails in the middle of its answer is asked again', () => {
	const [m, lost, next] = replay('retry', (m) => m.live?.text === 'This is lost. ', (m) => m.live?.index === 2 && m.live.text);
	assert.ok(lost);
	assert.ok(!next.live.text.includes('lost'), 'the pieces before are void');
	assert.deepEqual(said(m), ['human: flaky', 'ai: You said: flaky']);
	const [first, second] = spans(m, 'model');
	assert.deepEqual([!!first.failed, !!second.failed], [true, false]);
	const retry = spans(m, 'hook').find((s) => s.name === 'model_retry.wrap_model_call');
	assert.ok(!retry.failed && retry.start <= first.start && retry.end >= second.end);
});

test('reasoning comes before the text', () => {
	const [m, thinking, writing] = replay('stream', (m) => m.live?.reasoning.endsWith('twelve.'), (m) => m.live?.text);
	assert.deepEqual([thinking.live.reasoning, thinking.live.text], ['The clock strikes twelve.', '']);
	assert.deepEqual([writing.live.reasoning, writing.live.text], ['The clock strikes twelve.', 'You said: ']);
	assert.deepEqual(m.now.messages.at(-1).content.map((b) => b.type), ['reasoning', 'text']);
	assert.ok(spans(m, 'model')[0].event.first_token > 0);
});

test('a run that was cut, and went on with another server', () => {
	const { events } = recorded('cut.json');
	assert.deepEqual([...new Set(events.map((r) => r.attempt))], [1, 2]);
	const [m, first] = replay('cut', (m) => [...m.calls.values()].some((c) => c.status === 'running'));
	assert.equal(first.run.attempt, 1);
	assert.deepEqual([m.runs.size, m.run.attempt, m.run.status, m.run.span.attempt], [1, 2, 'completed', 2]);
	assert.deepEqual(said(m).filter((x) => !x.startsWith('ai: The')), ['human: wait', 'ai: ', 'tool: it is done']);
	assert.deepEqual(spans(m, 'tool').map((s) => [s.name, !!s.failed]), [['wait', true], ['wait', false]], 'the call that was cut, and that of the second attempt');
	assert.equal([...m.calls.values()].length, 1);
	assert.equal(m.rows.filter((r) => r.attempt === 1).at(-1).event.type, 'checkpoint', 'what an attempt did not save is void');
});
