// Uses useStream of @langchain/react in a page: messages word by word, edits, questions, stopping, pages that are loaded again while a run goes on, and
// connections that break.
import assert from "node:assert/strict";
import { Window } from "happy-dom";

const [apiUrl, tools, fragile, cut] = process.argv.slice(2);
const page = new Window({ url: "http://localhost:3000" });
Object.assign(globalThis, { window: page, document: page.document, IS_REACT_ACT_ENVIRONMENT: false });
globalThis.navigator ??= page.navigator; // Node.js has one since 21
const { createElement } = await import("react");
const { createRoot } = await import("react-dom/client");
const { useStream, useMessageMetadata } = await import("@langchain/react");
const { Client } = await import("@langchain/langgraph-sdk");

const client = new Client({ apiUrl });
const human = (text) => ({ messages: [{ type: "human", content: text }] });
const letGo = () => fetch(`${tools}/go`, { method: "POST" });
const texts = (stream) => stream.messages.map((m) => m.text);

// open renders a page, and returns what useStream last returned there.
function open(options) {
  const opened = { renders: [] };
  const root = createRoot(page.document.body.appendChild(page.document.createElement("div")));
  function Message({ stream, message }) {
    opened.metadata = { ...opened.metadata, [message.id]: useMessageMetadata(stream, message.id) };
    return createElement("li", null, message.text);
  }
  function Chat() {
    opened.stream = useStream({ apiUrl, assistantId: "agent", ...options });
    opened.renders.push(texts(opened.stream));
    return createElement("ol", null, opened.stream.messages.map((m, i) => createElement(Message, { key: m.id ?? i, stream: opened.stream, message: m })));
  }
  root.render(createElement(Chat));
  opened.close = () => root.unmount();
  return opened;
}

async function shows(opened, what, wanted) {
  for (let i = 0; i < 1000; i++) {
    if (opened.stream && wanted(opened.stream)) {
      assert.equal(opened.stream.error, undefined);
      return opened.stream;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail(`${what}: the page shows ${JSON.stringify(opened.stream && texts(opened.stream))}, ${opened.stream?.error}, loading ${opened.stream?.isLoading}`);
}

const idle = (said) => (stream) => !stream.isLoading && texts(stream).at(-1) === said;
const shown = ["weather Oslo", "", "sunny in Oslo", "The tool said: sunny in Oslo"];

async function sends() {
  const chat = open({});
  await shows(chat, "an empty page", (s) => !s.isLoading && !s.isThreadLoading);
  await chat.stream.submit(human("weather Oslo"));
  await shows(chat, "an answer", idle("The tool said: sunny in Oslo"));
  assert.deepEqual(texts(chat.stream), shown);
  assert.equal(chat.stream.toolCalls.length, 1);
  assert.equal(chat.stream.toolCalls[0].name, "get_weather");
  assert.equal(chat.stream.toolCalls[0].status, "finished");
  assert.equal(new Set(chat.stream.messages.map((m) => m.id)).size, 4);
  await chat.stream.submit(human("thanks"));
  await shows(chat, "a second answer", idle("You said: thanks"));
  assert.deepEqual(texts(chat.stream), [...shown, "thanks", "You said: thanks"]);
  chat.close();
  return chat.stream.threadId;
}

async function edits(threadId) {
  const chat = open({ threadId });
  await shows(chat, "the thread", idle("You said: thanks"));
  await chat.stream.submit(human("bye"));
  await shows(chat, "a third answer", idle("You said: bye"));
  const states = await client.threads.getHistory(threadId, { limit: 100 });
  const { checkpoint_id: forkFrom } = states.find((s) => s.values.messages?.at(-1)?.content === "You said: thanks");
  const { parentCheckpointId } = chat.metadata[chat.stream.messages.at(-1).id]; // that of the last state, in this version for every message
  assert.ok(states.some((s) => s.checkpoint_id === parentCheckpointId), parentCheckpointId);
  await chat.stream.submit(human("hello again"), { forkFrom });
  await shows(chat, "an edited message", idle("You said: hello again"));
  const { values } = await client.threads.getState(threadId);
  assert.deepEqual(values.messages.slice(-4).map((m) => m.content), ["thanks", "You said: thanks", "hello again", "You said: hello again"]);
  chat.close();
}

async function asks() {
  const chat = open({});
  await shows(chat, "an empty page", (s) => !s.isLoading && !s.isThreadLoading);
  chat.stream.submit(human("write tea"));
  const { interrupt } = await shows(chat, "a question", (s) => !s.isLoading && s.interrupt);
  assert.equal(interrupt.value.action_requests[0].args.content, "tea");
  chat.close();
  const later = open({ threadId: chat.stream.threadId });
  await shows(later, "the question again", (s) => s.interrupt?.id === interrupt.id);
  await later.stream.respond({ decisions: [{ type: "approve" }] }, { interruptId: interrupt.id });
  await shows(later, "an answer", (s) => !s.isLoading && !s.interrupt && texts(s).at(-1)?.startsWith("The tool said: wrote"));
  later.close();
}

async function stops() {
  const chat = open({});
  await shows(chat, "an empty page", (s) => !s.isLoading && !s.isThreadLoading);
  chat.stream.submit(human("wait"));
  await shows(chat, "a call", (s) => s.toolCalls.length === 1);
  await chat.stream.stop();
  await shows(chat, "an end", (s) => !s.isLoading);
  for (let i = 0; ; i++) {
    const [run] = await client.runs.list(chat.stream.threadId);
    if (run.status === "interrupted") break;
    assert.ok(i < 500, `the run is ${run.status}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  chat.close();
}

async function reloads() {
  const chat = open({});
  await shows(chat, "an empty page", (s) => !s.isLoading && !s.isThreadLoading);
  chat.stream.submit(human("wait"));
  await shows(chat, "a call", (s) => s.toolCalls.length === 1);
  chat.close(); // the page is gone, and stops nothing
  const again = open({ threadId: chat.stream.threadId });
  await shows(again, "the run goes on", (s) => s.isLoading);
  await letGo();
  await shows(again, "its answer", idle("The tool said: waited"));
  assert.deepEqual(texts(again.stream), ["wait", "", "waited", "The tool said: waited"]);
  again.close();
}

async function survives() {
  const chat = open({ apiUrl: fragile });
  await shows(chat, "an empty page", (s) => !s.isLoading && !s.isThreadLoading);
  chat.stream.submit(human("wait"));
  await shows(chat, "a call", (s) => s.toolCalls.length === 1);
  assert.ok((await fetch(cut, { method: "POST" })).ok);
  await letGo();
  await shows(chat, "the answer after a cut", idle("The tool said: waited"));
  assert.deepEqual(texts(chat.stream), ["wait", "", "waited", "The tool said: waited"]);
  chat.close();
}

const thread = await sends();
console.log("sends");
await edits(thread);
for (const part of [asks, stops, reloads, survives]) {
  console.log(part.name, "begins");
  await part();
}
console.log("all done");
await page.happyDOM.close();
process.exit(0); // React keeps timers
