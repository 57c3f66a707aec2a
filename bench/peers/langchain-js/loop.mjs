// The suite loop: a model→tool round.
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent, createMiddleware } from "langchain";
import { Rounds, long, search, slope } from "./agents.mjs";

const shapes = {
  plain: {},
  five: { middlewares: 5 },
  memory: { memory: true },
  "five-memory": { middlewares: 5, memory: true },
  parallel8: { width: 8 },
  "plain-2000": { history: 2000 },
  "five-memory-2000": { middlewares: 5, memory: true, history: 2000 },
};

// history is a conversation of n messages.
function history(n) {
  return Array.from({ length: n }, (_, i) => (i % 2 ? new AIMessage(`message ${i}`) : new HumanMessage(`message ${i}`)));
}

// runs returns a function that performs one run of n rounds, of an agent that is made once.
function runs({ middlewares = 0, memory = false, width = 1, history: before = 0 }, n) {
  const model = new Rounds(n, width);
  const counter = { executions: 0 };
  const checkpointer = memory ? new MemorySaver() : undefined;
  const agent = createAgent({
    model,
    tools: [search("result", counter)],
    middleware: Array.from({ length: middlewares }, (_, i) => createMiddleware({ name: `NoOp${i}`, beforeModel: () => {} })),
    checkpointer,
  });
  let threads = 0;
  return async () => {
    const thread = `thread-${++threads}`;
    const config = { recursionLimit: 10_000, configurable: { thread_id: thread } };
    let messages = [new HumanMessage("hi")];
    if (before && memory) {
      await agent.graph.updateState(config, { messages: history(before) }, "model_request");
    } else if (before) {
      messages = [...history(before), ...messages];
    }
    model.calls = counter.executions = 0;
    const start = performance.now();
    const result = await agent.invoke({ messages }, config);
    const took = performance.now() - start;
    let kept = result.messages;
    if (memory) {
      kept = (await agent.graph.getState(config)).values.messages;
      await checkpointer.deleteThread(thread);
    }
    const last = kept.at(-1).content;
    return {
      took,
      did: `rounds=${n} calls=${model.calls} tools=${counter.executions} messages=${kept.length} last=${last}`,
    };
  };
}

export async function perform(name, seconds) {
  const shape = shapes[name];
  if (!shape) {
    console.error(`it has no case ${name}`);
    process.exit(2);
  }
  return slope(seconds, runs(shape, 1), runs(shape, long), long - 1, long);
}
