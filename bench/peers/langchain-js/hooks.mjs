// The suite hooks: what a beforeModel that reads the last message adds to a run.
import { HumanMessage } from "@langchain/core/messages";
import { withLangGraph } from "@langchain/langgraph/zod";
import { createAgent, createMiddleware } from "langchain";
import { z } from "zod";
import { Rounds, kilobyte, long, search, slope } from "./agents.mjs";

const calls = long + 1;

const count = createMiddleware({
  name: "Count",
  stateSchema: z.object({ chars: withLangGraph(z.number().default(0), { reducer: { fn: (a, b) => a + b } }) }),
  beforeModel: (state) => ({ chars: state.messages.at(-1).content.length }),
});

function runs(middleware) {
  const model = new Rounds(long);
  const agent = createAgent({ model, tools: [search(kilobyte, { executions: 0 })], middleware });
  return async () => {
    model.calls = 0;
    const messages = [new HumanMessage(kilobyte)];
    const start = performance.now();
    const result = await agent.invoke({ messages }, { recursionLimit: 10_000 });
    return { took: performance.now() - start, did: `calls=${model.calls} chars=${result.chars ?? 0}` };
  };
}

export async function perform(_, seconds) {
  return slope(seconds, runs([]), runs([count]), calls, calls);
}
