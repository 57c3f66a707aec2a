// A page that performs a tool: "ask" lets the agent call it, and prints the conversation; "answer" goes on with a conversation, with the tool's result.
import assert from "node:assert/strict";
import { HttpAgent } from "@ag-ui/client";

const [server, phase, kept] = process.argv.slice(2);
const tools = [{ name: "locate", description: "Locates a city.", parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } }];
const agent = new HttpAgent({ url: `${server}/agui/agent`, threadId: "a page", initialMessages: kept ? JSON.parse(kept) : [] });

async function run() {
  let finished;
  await agent.runAgent({ tools }, { onRunFinishedEvent: (p) => void (finished = p) });
  return finished;
}

if (phase === "ask") {
  agent.addMessage({ id: "user-1", role: "user", content: "locate Oslo" });
  const { pendingToolCallIds } = await run();
  assert.deepEqual(pendingToolCallIds, [agent.messages.at(-1).toolCalls[0].id]);
  console.log(JSON.stringify(agent.messages));
} else {
  agent.addMessage({ id: "from-the-page", role: "tool", toolCallId: agent.messages.at(-1).toolCalls[0].id, content: "59.9 N" });
  assert.deepEqual((await run()).pendingToolCallIds, []);
  const lines = agent.messages.slice(2).map((m) => `${m.role}: ${m.content}`);
  assert.deepEqual(lines, ["tool: 59.9 N", "assistant: The tool said: 59.9 N"]);
}
console.log("all done");
