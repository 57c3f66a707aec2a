// Uses OpenAI's client for JavaScript against a server of agents, as programs do.
import assert from "node:assert/strict";
import OpenAI from "openai";

const [url, key] = process.argv.slice(2);
const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key });
const user = (content) => [{ role: "user", content }];

const schema = {
  type: "object", properties: { city: { type: "string" }, sunny: { type: "boolean" } }, required: ["city", "sunny"], additionalProperties: false,
};

async function models() {
  const ids = [];
  for await (const model of client.models.list()) ids.push(model.id);
  assert.deepEqual(ids, ["agent", "structured"]);
  await assert.rejects(client.models.retrieve("nobody"), OpenAI.NotFoundError);
}

async function chat() {
  const c = await client.chat.completions.create({ model: "agent", messages: user("weather Bern") });
  assert.equal(c.choices[0].message.content, "I look.\n\nThe tool said: sunny in Bern");
  let said = "";
  const stream = client.chat.completions.stream({ model: "agent", messages: user("hello there"), stream_options: { include_usage: true } });
  stream.on("content", (delta) => (said += delta));
  const final = await stream.finalChatCompletion();
  assert.equal(said, "You said: hello there");
  assert.equal(final.choices[0].message.content, said);
  assert.ok(final.usage);
}

async function structured() {
  const response_format = { type: "json_schema", json_schema: { name: "report", strict: true, schema } };
  const c = await client.chat.completions.parse({ model: "structured", messages: user("report Bern"), response_format });
  assert.deepEqual(c.choices[0].message.parsed ?? JSON.parse(c.choices[0].message.content), { city: "Bern", sunny: true });
  const r = await client.responses.parse({ model: "structured", input: "report Bern", text: { format: { type: "json_schema", name: "report", strict: true, schema } } });
  assert.deepEqual(r.output_parsed, { city: "Bern", sunny: true });
  await assert.rejects(client.chat.completions.parse({ model: "agent", messages: user("x"), response_format }), OpenAI.BadRequestError);
}

async function runTools() {
  const runner = client.chat.completions.runTools({
    model: "agent", messages: user("locate Bern"),
    tools: [{ type: "function", function: {
      name: "locate", description: "Locates.", parse: JSON.parse, function: ({ city }) => `${city} is here`,
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    } }],
  });
  assert.equal(await runner.finalContent(), "The tool said: Bern is here");
}

async function responses() {
  const one = await client.responses.create({ model: "agent", input: "hello" });
  assert.equal(one.output_text, "You said: hello");
  const stream = client.responses.stream({ model: "agent", input: "more words", previous_response_id: one.id });
  let said = "";
  stream.on("response.output_text.delta", (e) => (said += e.delta));
  const final = await stream.finalResponse();
  assert.equal(said, "You said: more words");
  assert.equal(final.output_text, said);
  assert.equal(final.conversation.id, one.conversation.id);
  assert.equal((await client.responses.retrieve(final.id)).output_text, said);
  const items = await client.responses.inputItems.list(final.id);
  assert.equal(items.data[0].content[0].text, "more words");
  await client.responses.delete(final.id);
  await assert.rejects(client.responses.retrieve(final.id), OpenAI.NotFoundError);
}

async function questions() {
  const { data, response } = await client.chat.completions.create({ model: "agent", messages: user("write x") }).withResponse();
  assert.match(data.choices[0].message.content, /waits for a decision/);
  const thread = response.headers.get("x-agenthost-thread");
  const c = await client.chat.completions.create(
    { model: "agent", messages: user(""), metadata: { resume: "approve" } }, { headers: { "X-Agenthost-Thread": thread } });
  assert.match(c.choices[0].message.content, /^The tool said: wrote /);
}

async function errors() {
  const wrong = new OpenAI({ baseURL: `${url}/v1`, apiKey: "wrong-0123456789abcdef", maxRetries: 0 });
  await assert.rejects(async () => { for await (const _ of wrong.models.list()); }, OpenAI.AuthenticationError);
  await assert.rejects(client.chat.completions.create({ model: "agent", messages: [] }), (e) => e instanceof OpenAI.BadRequestError && e.param === "messages");
  await assert.rejects(client.chat.completions.create({ model: "structured", messages: user("no value") }), OpenAI.InternalServerError);
  await assert.rejects(async () => {
    for await (const _ of await client.chat.completions.create({ model: "structured", messages: user("no value"), stream: true }));
  }, OpenAI.APIError);
}

async function limitsAndAbort() {
  const headers = { "X-Agenthost-Thread": "js" };
  const stream = await client.chat.completions.create({ model: "agent", messages: user("wait"), stream: true }, { headers });
  await stream[Symbol.asyncIterator]().next();
  await assert.rejects(client.chat.completions.create({ model: "agent", messages: user("x") }, { maxRetries: 0 }), OpenAI.RateLimitError);
  const patient = client.chat.completions.create({ model: "agent", messages: user("patient") }, { maxRetries: 8 });
  stream.controller.abort();
  assert.equal((await patient).choices[0].message.content, "You said: patient");
}

for (const check of [models, chat, structured, runTools, responses, questions, errors, limitsAndAbort]) {
  await check();
  console.log(check.name, "done");
}
console.log("all done");
