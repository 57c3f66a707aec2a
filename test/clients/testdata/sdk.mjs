// Uses every client of LangGraph's SDK for JavaScript against a server of agents, as programs do.
import assert from "node:assert/strict";
import { Client } from "@langchain/langgraph-sdk";

const [apiUrl, tools] = process.argv.slice(2);
const client = new Client({ apiUrl });

const human = (text) => ({ messages: [{ type: "human", content: text }] });
const last = (values) => values.messages.at(-1).content;
const letGo = () => fetch(`${tools}/go`, { method: "POST" }); // one call of the tool wait, once there is one

async function collect(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

async function until(read, wanted) {
  let got;
  for (let i = 0; i < 500; i++) {
    got = await read();
    if (wanted(got)) return got;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail(`it stays ${JSON.stringify(got)}`);
}

const gone = (promise) => assert.rejects(promise, (e) => e.status === 404);

async function assistants() {
  const [own] = await client.assistants.search({ graphId: "agent", metadata: { created_by: "system" } });
  assert.equal((await client.assistants.get(own.assistant_id)).graph_id, "agent");
  const graph = await client.assistants.getGraph(own.assistant_id, { xray: true });
  assert.ok(graph.nodes.some((n) => n.id === "tools"));
  assert.ok((await client.assistants.getSchemas(own.assistant_id)).input_schema.properties.messages);
  const mine = await client.assistants.create({ graphId: "agent", name: "mine", metadata: { team: "x" } });
  assert.equal((await client.assistants.update(mine.assistant_id, { name: "mine2" })).version, 2);
  assert.deepEqual((await client.assistants.getVersions(mine.assistant_id)).map((v) => v.version), [2, 1]);
  assert.equal((await client.assistants.setLatest(mine.assistant_id, 1)).name, "mine");
  assert.equal(await client.assistants.count({ metadata: { team: "x" } }), 1);
  await client.assistants.delete(mine.assistant_id);
  await gone(client.assistants.get(mine.assistant_id));
}

async function threads() {
  const { thread_id: id } = await client.threads.create({ metadata: { user: "ada" } });
  await assert.rejects(client.threads.create({ threadId: id }), (e) => e.status === 409);
  assert.equal((await client.threads.create({ threadId: id, ifExists: "do_nothing" })).thread_id, id);
  assert.equal((await client.threads.update(id, { metadata: { title: "x" } })).metadata.title, "x");
  await client.runs.wait(id, "agent", { input: human("weather Oslo") });
  const [found] = await client.threads.search({ metadata: { user: "ada" }, status: "idle", sortBy: "updated_at" });
  assert.equal(found.values.messages[0].content, "weather Oslo");
  const state = await client.threads.getState(id);
  assert.equal(last(state.values), "The tool said: sunny in Oslo");
  const history = await client.threads.getHistory(id, { limit: 20 });
  assert.deepEqual(history[0].checkpoint, state.checkpoint);
  const beforeTools = history.find((s) => s.next[0] === "tools");
  assert.deepEqual((await client.threads.getState(id, beforeTools.checkpoint)).values, beforeTools.values);
  assert.deepEqual((await client.threads.getState(id, beforeTools.checkpoint.checkpoint_id)).values, beforeTools.values);
  const values = await client.runs.wait(id, "agent", { input: null, checkpoint: beforeTools.checkpoint });
  assert.equal(last(values), "The tool said: sunny in Oslo");
  await client.threads.updateState(id, { values: human("weather Rome"), asNode: "__start__" });
  assert.equal(last(await client.runs.wait(id, "agent", { input: null })), "The tool said: sunny in Rome");
  const copy = await client.threads.copy(id);
  assert.equal(last((await client.threads.getState(copy.thread_id)).values), "The tool said: sunny in Rome");
  await client.threads.delete(id);
  await gone(client.threads.get(id));
}

async function streams() {
  const modes = {
    values: "values", updates: "updates", messages: "messages/partial", "messages-tuple": "messages",
    events: "events", tasks: "tasks", checkpoints: "checkpoints", debug: "debug", custom: "metadata",
  };
  for (const [streamMode, event] of Object.entries(modes)) {
    const { thread_id: id } = await client.threads.create();
    const created = [];
    const onRunCreated = (run) => created.push(run);
    const parts = await collect(client.runs.stream(id, "agent", { input: human("weather Oslo"), streamMode, onRunCreated }));
    const names = parts.map((p) => p.event);
    assert.equal(names[0], "metadata");
    assert.ok(names.includes(event), `${streamMode}: ${names}`);
    assert.ok(!names.includes("error"), JSON.stringify(parts));
    assert.deepEqual(created, [{ run_id: parts[0].data.run_id, thread_id: id }]);
  }
  const parts = await collect(client.runs.stream(null, "agent", { input: human("hello"), streamMode: ["values", "messages-tuple"] }));
  const said = parts.filter((p) => p.event === "messages").map((p) => p.data[0].content).join("");
  assert.equal(said, "You said: hello");
}

async function runs() {
  const { thread_id: id } = await client.threads.create();
  const run = await client.runs.create(id, "agent", { input: human("wait"), streamMode: "values", streamResumable: true });
  await until(() => client.runs.get(id, run.run_id), (r) => r.status === "running");
  const refused = client.runs.create(id, "agent", { input: human("x"), multitaskStrategy: "reject" });
  await assert.rejects(refused, (e) => e.status === 409);
  const queued = await client.runs.create(id, "agent", { input: human("next") });
  const joining = collect(client.runs.joinStream(id, run.run_id, { lastEventId: "-1" }));
  await letGo();
  assert.equal(last((await joining).at(-1).data), "The tool said: waited");
  assert.equal(last(await client.runs.join(id, queued.run_id)), "You said: next");
  assert.deepEqual((await client.runs.list(id)).map((r) => r.run_id), [queued.run_id, run.run_id]);

  const cancelled = await client.runs.create(id, "agent", { input: human("wait") });
  await until(() => client.runs.get(id, cancelled.run_id), (r) => r.status === "running");
  await client.runs.cancel(id, cancelled.run_id, true);
  assert.equal((await client.runs.get(id, cancelled.run_id)).status, "interrupted");
  await client.runs.delete(id, queued.run_id);
  await gone(client.runs.get(id, queued.run_id));
  const batch = await client.runs.createBatch(["a", "b"].map((x) => ({ assistantId: "agent", input: human(x) })));
  assert.equal(new Set(batch.map((r) => r.run_id)).size, 2);
}

async function questions() {
  const { thread_id: id } = await client.threads.create();
  const parts = await collect(client.runs.stream(id, "agent", { input: human("write tea"), streamMode: ["values", "updates"] }));
  const asked = parts.at(-1).data.__interrupt__;
  assert.equal(asked[0].value.action_requests[0].args.content, "tea");
  assert.equal((await client.threads.get(id)).status, "interrupted");
  const resume = { [asked[0].id]: { decisions: [{ type: "approve" }] } };
  assert.match(last(await client.runs.wait(id, "agent", { command: { resume } })), /^The tool said: wrote/);
  await client.runs.wait(id, "agent", { input: human("weather Oslo"), interruptBefore: ["tools"] });
  assert.deepEqual((await client.threads.getState(id)).next, ["tools"]);
  assert.equal(last(await client.runs.wait(id, "agent", { input: null })), "The tool said: sunny in Oslo");
}

async function store() {
  await client.store.putItem(["js", "ada"], "a", { likes: "tea" });
  assert.deepEqual((await client.store.getItem(["js", "ada"], "a")).value, { likes: "tea" });
  assert.equal((await client.store.searchItems(["js"], { filter: { likes: "tea" } })).items.length, 1);
  assert.deepEqual((await client.store.listNamespaces({ prefix: ["js"] })).namespaces, [["js", "ada"]]);
  await client.store.deleteItem(["js", "ada"], "a");
  assert.equal(await client.store.getItem(["js", "ada"], "a"), null);
}

async function crons() {
  const { thread_id: id } = await client.threads.create();
  const one = await client.crons.createForThread(id, "agent", { schedule: "0 0 1 1 *", input: human("hello") });
  const two = await client.crons.create("agent", { schedule: "0 0 1 1 *", input: human("hello"), timezone: "Europe/Oslo" });
  const ids = (await client.crons.search({})).map((c) => c.cron_id);
  assert.deepEqual(ids.sort(), [one.cron_id, two.cron_id].sort());
  assert.equal((await client.crons.update(one.cron_id, { enabled: false })).enabled, false);
  for (const cron of [one, two]) await client.crons.delete(cron.cron_id);
  assert.equal(await client.crons.count(), 0);
}

for (const part of [assistants, threads, streams, runs, questions, store, crons]) {
  await part();
  console.log(part.name);
}
console.log("all done");
