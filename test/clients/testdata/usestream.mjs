// Uses useStream of LangGraph's SDK for JavaScript in a page of React, as agent-chat-ui and other pages do: messages, edits, questions, stopping,
// pages that are loaded again while a run goes on, and connections that break.
import assert from "node:assert/strict";
import { Window } from "happy-dom";

const [apiUrl, tools, fragile, cut] = process.argv.slice(2);
const page = new Window({ url: "http://localhost:3000" });
Object.assign(globalThis, { window: page, document: page.document, IS_REACT_ACT_ENVIRONMENT: false });
globalThis.navigator ??= page.navigator; // Node.js has one since 21
const { createElement } = await import("react");
const { createRoot } = await import("react-dom/client");
const { useStream } = await import("@langchain/langgraph-sdk/react");
const { Client } = await import("@langchain/langgraph-sdk");

const client = new Client({ apiUrl });
const human = (text) => ({ messages: [{ type: "human", content: text }] });
const letGo = () => fetch(`${tools}/go`, { method: "POST" });

// open renders a page, and returns what useStream last returned there.
function open(options) {
  const opened = { errors: [] };
  const root = createRoot(page.document.body.appendChild(page.document.createElement("div")));
  function Chat() {
    opened.stream = useStream({
      apiUrl, assistantId: "agent", messagesKey: "messages", fetchStateHistory: true, onError: (e) => opened.errors.push(e),
      onThreadId: (id) => { opened.thread = id; }, ...options,
    });
    opened.renders = [...(opened.renders ?? []), texts(opened.stream)];
    return createElement("ol", null, opened.stream.messages.map((m, i) => createElement("li", { key: m.id ?? i }, String(m.content))));
  }
  root.render(createElement(Chat));
  opened.close = () => root.unmount();
  return opened;
}

const texts = (stream) => stream.messages.map((m) => m.content);

async function shows(opened, what, wanted) {
  for (let i = 0; i < 500; i++) {
    if (opened.stream && wanted(opened.stream)) {
      assert.deepEqual(opened.errors, []);
      return opened.stream;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail(`${what}: the page shows ${JSON.stringify(opened.stream && texts(opened.stream))}, ${opened.errors}`);
}

const idle = (said) => (stream) => !stream.isLoading && texts(stream).at(-1) === said;

async function sends() {
  const chat = open({});
  await shows(chat, "an empty page", (s) => !s.isLoading);
  chat.stream.submit(human("weather Oslo"), { optimisticValues: () => human("weather Oslo") });
  await shows(chat, "an answer", idle("The tool said: sunny in Oslo"));
  assert.deepEqual(texts(chat.stream), ["weather Oslo", "", "sunny in Oslo", "The tool said: sunny in Oslo"]);
  assert.ok(chat.renders.some((r) => r.at(-1) === "The tool "), "the answer came word by word");
  const [call] = chat.stream.toolCalls;
  assert.equal(call.call.name, "get_weather");
  assert.equal(call.result.content, "sunny in Oslo");
  chat.stream.submit(human("thanks"));
  await shows(chat, "a second answer", idle("You said: thanks"));
  chat.close();
  return chat.thread;
}

async function edits(threadId) {
  const short = open({ threadId }); // it reads the last ten states, as pages do by default: not all of both branches
  await shows(short, "the thread", idle("You said: thanks"));
  const first = short.stream.messages[0];
  const { firstSeenState } = short.stream.getMessagesMetadata(first, 0);
  short.stream.submit(human("weather Rome"), { checkpoint: firstSeenState.parent_checkpoint });
  await shows(short, "an edited message", idle("The tool said: sunny in Rome"));
  assert.equal(short.stream.messages[0].content, "weather Rome");
  short.close();
  const chat = open({ threadId, fetchStateHistory: { limit: 100 } });
  const branches = await shows(chat, "two branches", (s) => s.messages.length && s.getMessagesMetadata(s.messages[0], 0)?.branchOptions?.length === 2);
  chat.stream.setBranch(branches.getMessagesMetadata(branches.messages[0], 0).branchOptions[0]);
  await shows(chat, "the other branch", idle("You said: thanks"));
  const answer = chat.stream.messages.at(-1);
  const { firstSeenState: seen } = chat.stream.getMessagesMetadata(answer, chat.stream.messages.length - 1);
  chat.stream.submit(undefined, { checkpoint: seen.parent_checkpoint });
  await shows(chat, "an answer again", (s) => idle("You said: thanks")(s) && s.messages.at(-1).id !== answer.id);
  chat.close();
}

async function asks() {
  const chat = open({});
  await shows(chat, "an empty page", (s) => !s.isLoading);
  chat.stream.submit(human("write tea"));
  const { interrupt } = await shows(chat, "a question", (s) => !s.isLoading && s.interrupt);
  assert.equal(interrupt.value.action_requests[0].args.content, "tea");
  chat.close();
  const later = open({ threadId: chat.thread });
  await shows(later, "the question again", (s) => s.interrupt?.id === interrupt.id);
  later.stream.submit(undefined, { command: { resume: { decisions: [{ type: "approve" }] } } });
  await shows(later, "an answer", (s) => !s.isLoading && texts(s).at(-1).startsWith("The tool said: wrote"));
  assert.equal(later.stream.interrupt, undefined);
  later.close();
}

async function stops() {
  const chat = open({});
  await shows(chat, "an empty page", (s) => !s.isLoading);
  chat.stream.submit(human("wait"));
  await shows(chat, "a call", (s) => s.toolCalls.length === 1);
  await chat.stream.stop();
  await shows(chat, "an end", (s) => !s.isLoading);
  for (let i = 0; ; i++) {
    const [run] = await client.runs.list(chat.thread);
    if (run.status === "interrupted") break;
    assert.ok(i < 500, `the run is ${run.status}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  chat.close();
}

async function reloads() {
  const storage = page.sessionStorage;
  const chat = open({ reconnectOnMount: () => storage });
  await shows(chat, "an empty page", (s) => !s.isLoading);
  chat.stream.submit(human("wait"), { streamResumable: true, onDisconnect: "continue" });
  await shows(chat, "a call", (s) => s.toolCalls.length === 1);
  const key = `lg:stream:${chat.thread}`;
  const run = storage.getItem(key);
  assert.ok(run, "the page remembers the run");
  chat.close(); // the page is gone, and stops nothing
  storage.setItem(key, run);
  const again = open({ threadId: chat.thread, reconnectOnMount: () => storage });
  await shows(again, "the run goes on", (s) => s.isLoading);
  await letGo();
  await shows(again, "its answer", idle("The tool said: waited"));
  again.close();
}

async function survives() {
  const chat = open({ apiUrl: fragile });
  await shows(chat, "an empty page", (s) => !s.isLoading);
  chat.stream.submit(human("wait"), { streamResumable: true, onDisconnect: "continue" });
  await shows(chat, "a call", (s) => s.toolCalls.length === 1);
  assert.ok((await fetch(cut, { method: "POST" })).ok);
  await letGo();
  await shows(chat, "the answer after a cut", idle("The tool said: waited"));
  assert.deepEqual(texts(chat.stream), ["wait", "", "waited", "The tool said: waited"]);
  chat.close();
}

async function joins() {
  const { thread_id: threadId } = await client.threads.create();
  const run = await client.runs.create(threadId, "agent", { input: human("wait"), streamMode: ["values", "messages-tuple"], streamResumable: true });
  const chat = open({ threadId });
  await shows(chat, "the thread", (s) => !s.isThreadLoading);
  chat.stream.joinStream(run.run_id, "-1");
  await shows(chat, "a call", (s) => s.toolCalls.length === 1);
  await letGo();
  await shows(chat, "the answer of a run that a program started", idle("The tool said: waited"));
  chat.close();
}

const thread = await sends();
console.log("sends");
await edits(thread);
for (const part of [asks, stops, reloads, survives, joins]) {
  console.log(part.name, "begins");
  await part();
}
console.log("all done");
await page.happyDOM.close();
process.exit(0); // React keeps timers
