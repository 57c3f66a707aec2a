// What the agents of the suites have in common: the model, the tool, and the slope.
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { tool } from "langchain";
import { z } from "zod";

export const long = 51; // rounds of a long run
export const kilobyte = "0123456789abcdef".repeat(64);

// Rounds asks for the tool search, `width` times at once, in each of n rounds, and then says "done".
export class Rounds extends BaseChatModel {
  calls = 0;

  constructor(n, width = 1) {
    super({});
    this.n = n;
    this.width = width;
  }

  _llmType() {
    return "rounds";
  }

  bindTools() {
    return this;
  }

  async _generate() {
    this.calls++;
    const message =
      this.calls > this.n
        ? new AIMessage("done")
        : new AIMessage({
            content: "",
            tool_calls: Array.from({ length: this.width }, (_, i) => ({
              name: "search",
              args: { q: "x" },
              id: `${this.calls}-${i}`,
              type: "tool_call",
            })),
          });
    return { generations: [{ message, text: message.content }] };
  }
}

// search returns the tool of that name, which answers each time the same, and counts how often in `counter.executions`.
export function search(answer, counter) {
  return tool(
    async () => {
      counter.executions++;
      return answer;
    },
    { name: "search", description: "Searches.", schema: z.object({ q: z.string() }) },
  );
}

// slope performs a short and a long run in turns for about so many seconds, after at least a second, and three of each, to make the JIT warm. A
// run returns its milliseconds and what it did. The result is what the long one takes more, by units.
export async function slope(seconds, short, longer, units, longUnits) {
  const checks = [];
  async function phase(seconds, least) {
    const totals = [0, 0];
    let n = 0;
    for (const begun = performance.now(); n < least || performance.now() - begun < seconds * 1e3; n++) {
      for (const [i, run] of [short, longer].entries()) {
        const { took, did } = await run();
        totals[i] += took;
        if (checks[i] !== undefined && checks[i] !== did) {
          throw new Error(`a run did "${did}", and the one before "${checks[i]}"`);
        }
        checks[i] = did;
      }
    }
    return { totals, n };
  }
  await phase(Math.max(1, seconds), 3);
  const { totals, n } = await phase(seconds, 1);
  return {
    ns: ((totals[1] - totals[0]) * 1e6) / (units * n),
    check: checks[1],
    extra: { run_ns: (totals[1] * 1e6) / (longUnits * n) },
  };
}
