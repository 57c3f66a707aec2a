// Uses CopilotKit: its runtime stands before the server, as its documents show, and its core is the client, as in a page.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { CopilotKitCore } from "@copilotkit/core";
import { CopilotRuntime } from "@copilotkit/runtime/v2";
import { createCopilotNodeListener } from "@copilotkit/runtime/v2/node";

process.env.COPILOTKIT_TELEMETRY_DISABLED = "true";
globalThis.window ??= globalThis; // the core asks the runtime in a page only
// The runtime brings its own version of the client.
const inRuntime = createRequire(createRequire(import.meta.url).resolve("@copilotkit/runtime/v2"));
const { HttpAgent } = await import(pathToFileURL(inRuntime.resolve("@ag-ui/client")));

const [server] = process.argv.slice(2);
const runtime = new CopilotRuntime({ agents: { agent: new HttpAgent({ url: `${server}/agui/agent` }) } });
const listening = createServer(createCopilotNodeListener({ runtime, basePath: "/api/copilotkit" }));
await new Promise((resolve) => listening.listen(0, "127.0.0.1", resolve));
const core = new CopilotKitCore({ runtimeUrl: `http://127.0.0.1:${listening.address().port}/api/copilotkit` });

async function eventually(what, get) {
  for (let i = 0; i < 500; i++) {
    const got = await get();
    if (got) return got;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail(what);
}

const remote = await eventually("the runtime tells its agents", () => core.getAgent("agent"));
let n = 0;
const fresh = () => {
  const a = remote.clone();
  a.threadId = `copilot ${++n}`;
  a.setMessages([]);
  return a;
};
async function say(a, text, more = {}) {
  if (text) a.addMessage({ id: `user-${++n}`, role: "user", content: text });
  const custom = [];
  let finished;
  const subscription = a.subscribe({ onCustomEvent: ({ event }) => void custom.push(event), onRunFinishedEvent: (p) => void (finished = p) });
  await core.runAgent({ agent: a, ...more });
  subscription.unsubscribe();
  return { custom, finished };
}
const lines = (a) => a.messages.map((m) => `${m.role}: ${m.content ?? ""}`);

async function chat() {
  const a = fresh();
  await say(a, "hi");
  await say(a, "weather Oslo");
  assert.deepEqual(lines(a), [
    "user: hi", "assistant: You said: hi", "user: weather Oslo", "assistant: I look.", "tool: sunny in Oslo", "assistant: The tool said: sunny in Oslo",
  ]);
}

async function toolsOfThePage() {
  const performed = [];
  core.addTool({ name: "locate", description: "Locates a city.", handler: async (args) => (performed.push(args), "59.9 N") });
  const a = fresh();
  await say(a, "locate Oslo"); // the core performs the tool and runs the agent again
  await eventually("the answer", () => lines(a).at(-1) === "assistant: The tool said: 59.9 N");
  assert.deepEqual(performed, [{ city: "Oslo" }]);
}

async function questions() {
  const a = fresh();
  const { custom, finished } = await say(a, "write tea");
  assert.equal(finished.outcome, "interrupt");
  const asked = custom.find((e) => e.name === "on_interrupt");
  assert.match(asked.value, /write_file/);
  a.pendingInterrupts = []; // as its hook for LangGraph's questions does, which knows the custom event alone
  await say(a, "", { forwardedProps: { command: { resume: { approved: true } } } });
  assert.match(lines(a)[2], /wrote .*tea/);

  const b = fresh();
  const { finished: second } = await say(b, "write milk");
  await say(b, "", { resume: [{ interruptId: second.interrupts[0].id, status: "cancelled" }] });
  assert.match(lines(b)[2], /rejected/);
}

for (const one of [chat, toolsOfThePage, questions]) {
  await one();
  console.log(one.name);
}
console.log("all done");
process.exit(0);
