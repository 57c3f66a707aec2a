// A client that performs a tool: "ask" lets the agent call it, and prints the response; "answer" goes on after that response, with the tool's result.
import assert from "node:assert/strict";
import OpenAI from "openai";

const [server, apiKey, phase, kept] = process.argv.slice(2);
const client = new OpenAI({ baseURL: `${server}/v1`, apiKey, maxRetries: 0 });
const tools = [{ type: "function", name: "locate", strict: false, parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } }];

if (phase === "ask") {
  const { id, output } = await client.responses.create({ model: "agent", input: "locate Oslo", tools });
  const call = output.find((item) => item.type === "function_call");
  assert.equal(call.arguments, '{"city":"Oslo"}');
  console.log(JSON.stringify({ id, call: call.call_id }));
} else {
  const { id, call } = JSON.parse(kept);
  const answer = await client.responses.create({
    model: "agent", previous_response_id: id, tools, input: [{ type: "function_call_output", call_id: call, output: "59.9 N" }],
  });
  assert.equal(answer.output_text, "The tool said: 59.9 N");
}
console.log("all done");
