// Uses @ag-ui/client as an application does: HttpAgent checks every event and the order of events.
import assert from "node:assert/strict";
import { HttpAgent } from "@ag-ui/client";

const [server, tools] = process.argv.slice(2);
const complain = console.warn;
console.warn = (...args) => assert.fail(`the client complains: ${args.join(" ")}`);
console.error = (...args) => args[0] === "Agent execution failed:" || complain(...args);

let threads = 0;
const agent = (name = "agent", more = {}) => new HttpAgent({ url: `${server}/agui/${name}`, threadId: `thread ${++threads}`, ...more });

// say runs the agent with a message of the user, and returns the events and the parameters of onRunFinishedEvent.
let n = 0;
async function say(a, text, parameters) {
  a.addMessage({ id: `user-${++n}`, role: "user", content: text });
  return run(a, parameters);
}

async function run(a, parameters) {
  const events = [];
  let finished;
  await a.runAgent(parameters, { onEvent: ({ event }) => void events.push(event), onRunFinishedEvent: (p) => void (finished = p) });
  return { events, finished, of: (type) => events.filter((e) => e.type === type) };
}

const lines = (a) => a.messages.map((m) => `${m.role}: ${m.content}`);
const unique = (a) => assert.equal(new Set(a.messages.map((m) => m.id)).size, a.messages.length, "a message is there twice");

async function text() {
  const a = agent();
  const first = await say(a, "hi");
  assert.equal(first.finished.outcome, "success");
  assert.deepEqual(first.finished.pendingToolCallIds, []);
  assert.equal(first.of("RUN_STARTED")[0].protocolVersion, "1.0");
  assert.equal(first.of("TEXT_MESSAGE_START")[0].messageId, a.messages[1].id);
  await say(a, "again");
  assert.deepEqual(lines(a), ["user: hi", "assistant: You said: hi", "user: again", "assistant: You said: again"]);
  unique(a);
}

async function toolsOfTheAgent() {
  const a = agent();
  const { of, finished } = await say(a, "weather Oslo");
  assert.deepEqual(finished.pendingToolCallIds, []);
  assert.equal(of("TOOL_CALL_RESULT")[0].messageId, a.messages[2].id);
  assert.deepEqual(lines(a), ["user: weather Oslo", "assistant: I look.", "tool: sunny in Oslo", "assistant: The tool said: sunny in Oslo"]);
  assert.deepEqual(JSON.parse(a.messages[1].toolCalls[0].function.arguments), { city: "Oslo" });
  assert.ok(of("STEP_STARTED").some((e) => e.stepName === "tools"));
  unique(a);
}

async function reasoning() {
  const a = agent("thinker");
  const { of, finished } = await say(a, "think");
  assert.deepEqual(lines(a), ["user: think", "reasoning: first, then", "assistant: The answer is 42"]);
  assert.equal(of("REASONING_MESSAGE_CONTENT").length, 2);
  assert.equal(finished.event.usage[0].totalTokens, 7);
  await say(a, "think");
  assert.equal(a.messages.length, 6);
  unique(a);
}

async function state() {
  const a = agent();
  const patched = [];
  a.subscribe({ onStateChanged: ({ state }) => void patched.push(structuredClone(state)) });
  const { of } = await say(a, "plan tea");
  assert.ok(of("STATE_DELTA").length > 0);
  assert.deepEqual(a.state.todos, [{ content: "tea", status: "pending" }]);
  assert.deepEqual(patched.at(-2), patched.at(-1), "the patches lead to the snapshot");
  await say(a, "hi");
  assert.deepEqual(a.state.todos, [{ content: "tea", status: "pending" }]);
}

async function questions() {
  for (const [status, payload, want] of [
    ["resolved", { approved: true }, "wrote .*tea"], ["cancelled", undefined, "rejected"], ["resolved", { decisions: [{ type: "approve" }] }, "wrote .*tea"],
  ]) {
    const a = agent();
    const { finished, of } = await say(a, "write tea");
    assert.equal(finished.outcome, "interrupt");
    const [asked] = a.pendingInterrupts;
    assert.equal(asked.toolCallId, of("TOOL_CALL_START")[0].toolCallId);
    assert.ok(asked.responseSchema);
    await assert.rejects(run(a), /not addressed by resume/);
    const answered = await run(a, { resume: [{ interruptId: asked.id, status, ...(payload && { payload }) }] });
    assert.equal(answered.finished.outcome, "success");
    assert.match(a.messages[2].content, new RegExp(want));
    unique(a);
  }
}

const locate = { name: "locate", description: "Locates a city.", parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } };

async function toolsOfThePage() {
  const a = agent();
  const { finished } = await say(a, "locate Oslo", { tools: [locate] });
  assert.equal(finished.outcome, "success");
  const [id] = finished.pendingToolCallIds;
  assert.equal(a.messages.at(-1).toolCalls[0].id, id);
  a.addMessage({ id: "from-the-page", role: "tool", toolCallId: id, content: "59.9 N" });
  const next = await run(a, { tools: [locate] });
  assert.deepEqual(next.finished.pendingToolCallIds, []);
  assert.deepEqual(lines(a).slice(2), ["tool: 59.9 N", "assistant: The tool said: 59.9 N"]);
  assert.equal(a.messages[2].id, "from-the-page");
  unique(a);

  const b = agent();
  await say(b, "locate and write tea", { tools: [locate] });
  const { finished: after } = await run(b, { tools: [locate], resume: [{ interruptId: b.pendingInterrupts[0].id, status: "resolved", payload: { approved: true } }] });
  assert.equal(after.pendingToolCallIds.length, 1, "the approved one is performed, and the page performs the other");
  b.addMessage({ id: "page-2", role: "tool", toolCallId: after.pendingToolCallIds[0], content: "here" });
  assert.deepEqual((await run(b, { tools: [locate] })).finished.pendingToolCallIds, []);
  unique(b);
}

async function agentsInside() {
  const a = agent();
  const { of, events, finished } = await say(a, "delegate weather Oslo");
  const [started] = of("SUBAGENT_STARTED");
  assert.equal(started.name, "reporter");
  assert.equal(started.parentToolCallId, of("TOOL_CALL_START")[0].toolCallId);
  assert.ok(events.some((e) => e.type === "TOOL_CALL_RESULT" && e.subagentRunId === started.subagentRunId && e.content === "sunny in Oslo"));
  assert.deepEqual(finished.pendingToolCallIds, []);
  assert.equal(a.messages.length, 4);
  unique(a);
}

async function errors() {
  const a = agent("thinker");
  a.addMessage({ id: "u", role: "user", content: "fail" });
  let failed;
  await a.runAgent({}, { onRunErrorEvent: ({ event }) => void (failed = event) });
  assert.match(failed.message, /the provider refuses it/);
  assert.equal(failed.code, "model_error");
  await say(a, "hi");
  assert.equal(lines(a).at(-1), "assistant: The answer is 42");
  await assert.rejects(run(agent("nobody")), (e) => e.status === 404);
  await assert.rejects(run(agent("agent"), { tools: [{ ...locate, name: "write_file" }] }), (e) => e.status === 422 && /has a tool of this name/.test(e.payload.detail));
  await assert.rejects(run(agent("agent"), { resume: [{ interruptId: "ask-1-1", status: "cancelled" }] }), (e) => e.status === 422);
}

async function again() {
  const a = agent();
  await say(a, "hi");
  const before = a.messages[1].id;
  a.setMessages(a.messages.slice(0, 1));
  await run(a);
  assert.deepEqual(lines(a), ["user: hi", "assistant: You said: hi"]);
  assert.notEqual(a.messages[1].id, before);
}

async function abort() {
  const a = agent();
  a.addMessage({ id: "u", role: "user", content: "wait" });
  await a.runAgent({}, { onToolCallEndEvent: () => void setImmediate(() => a.abortRun()) });
  await say(a, "hi");
  assert.equal(lines(a).at(-1), "assistant: You said: hi", "the thread goes on");
}

async function comesBack() {
  const a = agent();
  a.addMessage({ id: "u", role: "user", content: "wait" });
  const other = a.clone();
  let going;
  await new Promise((resolve) => {
    going = a.runAgent({ runId: "the same" }, { onToolCallEndEvent: () => void resolve() });
  });
  const joined = other.runAgent({ runId: "the same" });
  await fetch(`${tools}/go`, { method: "POST" });
  await Promise.all([going, joined]);
  assert.deepEqual(other.messages, a.messages);
  assert.equal(lines(a).at(-1), "assistant: The tool said: waited");
}

for (const one of [text, toolsOfTheAgent, reasoning, state, questions, toolsOfThePage, agentsInside, errors, again, abort, comesBack]) {
  const begin = performance.now();
  await one();
  console.log(one.name, Math.round(performance.now() - begin), "ms");
}
console.log("all done");
