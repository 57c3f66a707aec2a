// Uses client.threads.stream of LangGraph's SDK for JavaScript, over server-sent events and over WebSockets: values, messages, calls of tools, questions, forks,
// cancelled runs, and connections that break.
import assert from "node:assert/strict";
import { Client } from "@langchain/langgraph-sdk";
import { WebSocket } from "ws";

globalThis.WebSocket ??= WebSocket; // Node.js has one since 22

const [apiUrl, tools, fragile, cut] = process.argv.slice(2);
const client = new Client({ apiUrl });
const human = (text) => ({ messages: [{ type: "human", content: text }] });
const letGo = () => fetch(`${tools}/go`, { method: "POST" });
const texts = (values) => values.messages.map((m) => m.text);
const every = ["values", "updates", "messages", "tools", "lifecycle", "input", "checkpoints", "tasks", "custom"];

async function all(iterable) {
  const out = [];
  for await (const item of iterable) out.push(item);
  return out;
}

async function eventually(what, get) {
  for (let i = 0; i < 500; i++) {
    const got = await get();
    if (got) return got;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail(what);
}

async function runs(transport) {
  const thread = client.threads.stream({ assistantId: "agent", transport });
  // It subscribes before there is a thread: the SDK may end a subscription that begins when the run is over without its events.
  const reading = Promise.all([all(thread.messages), all(thread.toolCalls), all(thread.values)]);
  const { run_id: run } = await thread.run.start({ input: human("weather Oslo") });
  assert.ok(run);
  const [messages, calls, values] = await reading;
  assert.deepEqual(texts(values.at(-1)), ["weather Oslo", "", "sunny in Oslo", "The tool said: sunny in Oslo"]);
  assert.deepEqual(texts(await thread.output), texts(values.at(-1)));
  const answers = messages.filter((m) => m.namespace.length === 0);
  assert.deepEqual(await Promise.all(answers.map((m) => m.text)), ["", "The tool said: sunny in Oslo"]);
  assert.deepEqual(new Set(calls.map((c) => c.name)), new Set(["get_weather"])); // the SDK tells the beginning and the end
  assert.equal(await calls[0].output, "sunny in Oslo");
  const { values: now } = await thread.state.get({ namespace: [] });
  assert.equal(now.messages.length, 4);
  const { checkpoints } = await thread.state.listCheckpoints({});
  assert.ok(checkpoints.length > 3);
  assert.equal((await thread.agent.getTree()).tree.status, "completed");
  const { run_id: forked } = await thread.state.fork({ checkpoint_id: checkpoints.at(-1).id, input: human("again") });
  await client.runs.join(thread.threadId, forked);
  assert.deepEqual((await client.threads.getState(thread.threadId)).values.messages.map((m) => m.content).slice(-1), ["You said: again"]);
  await thread.close();
}

async function refuses(transport) {
  const thread = client.threads.stream({ assistantId: "nobody", transport });
  await assert.rejects(thread.run.start({ input: human("hi") }), (e) => e.code === "invalid_argument" && /registered graphs: agent/.test(e.message));
  await assert.rejects(thread.input.inject({ namespace: [], message: { role: "user", content: "x" } }), (e) => e.code === "not_supported");
  await thread.close();
}

async function asks(transport) {
  const thread = client.threads.stream({ assistantId: "agent", transport });
  await thread.run.start({ input: human("write tea") });
  const [question] = await eventually("a question", () => thread.interrupted && thread.interrupts.length && thread.interrupts);
  assert.equal(question.payload.action_requests[0].args.content, "tea");
  await assert.rejects(thread.input.respond({ namespace: [], interrupt_id: "ask-1-1", response: {} }), (e) => e.code === "no_such_interrupt");
  const answered = thread.subscribe(["input", "lifecycle"]);
  await thread.input.respond({ namespace: [], interrupt_id: question.interruptId, response: { decisions: [{ type: "approve" }] } });
  for await (const event of await answered) if (event.method === "lifecycle" && event.params.data.event === "completed") break;
  const { values } = await client.threads.getState(thread.threadId);
  assert.match(values.messages.at(-1).content, /^The tool said: wrote/);
  await thread.close();
}

async function cancels(transport) {
  const thread = client.threads.stream({ assistantId: "agent", transport });
  const { run_id: run } = await thread.run.start({ input: human("wait") });
  const phases = [];
  for await (const event of await thread.subscribe(["lifecycle", "tools"])) {
    phases.push(event.params.data.event);
    if (phases.at(-1) === "tool-started") await client.runs.cancel(thread.threadId, run);
    if (phases.at(-1) === "interrupted") break;
  }
  assert.deepEqual(phases, ["running", "tool-started", "tool-error", "interrupted"]);
  await thread.close();
}

async function survives(transport) {
  const thread = new Client({ apiUrl: fragile }).threads.stream({ assistantId: "agent", transport, reconnectDelayMs: () => 50 });
  await thread.run.start({ input: human("wait") });
  const seen = new Set(), methods = [];
  for await (const event of await thread.subscribe(every)) {
    assert.ok(!seen.has(event.event_id), event.event_id);
    seen.add(event.event_id);
    methods.push(event.method);
    const { data } = event.params;
    if (data.event === "tool-started") {
      assert.ok((await fetch(cut, { method: "POST" })).ok);
      await letGo();
    }
    if (event.method === "lifecycle" && data.event === "completed") break;
  }
  for (const method of ["values", "messages", "tools", "checkpoints", "tasks", "updates"]) assert.ok(methods.includes(method), method);
  await thread.close();
}

for (const transport of ["sse", "websocket"]) {
  for (const part of [runs, refuses, asks, cancels, survives]) {
    console.log(part.name, transport);
    await part(transport);
  }
}
console.log("all done");
process.exit(0);
