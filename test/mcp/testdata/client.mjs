// Uses MCP's SDK for TypeScript against a server of agents.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { ClientCredentialsProvider } from "@modelcontextprotocol/sdk/client/auth-extensions.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const [server, , issuer] = process.argv.slice(2);
const url = new URL(server + "/mcp");
const text = (result) => result.content[0].text;

async function connect(key, ask, authProvider) {
  const capabilities = ask ? { elicitation: { form: {} } } : {};
  const client = new Client({ name: "test", version: "1" }, { capabilities });
  if (ask) client.setRequestHandler(ElicitRequestSchema, ask);
  const headers = key ? { Authorization: "Bearer " + key } : {};
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers }, authProvider }));
  return client;
}

const { ANNS_KEY, BOBS_KEY } = process.env;

async function agentsAreTools() {
  const client = await connect(ANNS_KEY);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((t) => t.name).sort(), ["answer_questions", "clerk"]);
  const result = await client.callTool({ name: "clerk", arguments: { prompt: "hello" } });
  assert.equal(text(result), "You said: hello");
  await client.transport.terminateSession();
  await assert.rejects(client.listTools());
  await client.close();
}

async function threadsAreResources() {
  const client = await connect(ANNS_KEY);
  const call = { name: "clerk", arguments: { prompt: "first", thread: "typescript" } };
  const result = await client.callTool(call);
  const uri = "agenthost://threads/" + result._meta["agenthost/thread"];
  const { resources } = await client.listResources();
  assert.ok(resources.some((r) => r.uri === uri));
  const { contents } = await client.readResource({ uri });
  assert.deepEqual(JSON.parse(contents[0].text).messages.map((m) => m.content), ["first", "You said: first"]);
  const told = new Promise((resolve) => client.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => resolve(n.params.uri)));
  await client.subscribeResource({ uri });
  await client.callTool(call);
  assert.equal(await told, uri);
  await client.close();
  const bob = await connect(BOBS_KEY);
  assert.ok(!(await bob.listResources()).resources.some((r) => r.uri === uri));
  await assert.rejects(bob.readResource({ uri }));
  await bob.close();
}

async function theUserDecides() {
  const client = await connect(ANNS_KEY, async ({ params }) => {
    assert.match(params.message, /write_file/);
    return { action: "accept", content: { decision: "respond", message: "done by hand" } };
  });
  const result = await client.callTool({ name: "clerk", arguments: { prompt: "write it" } });
  assert.equal(text(result), "The tool said: done by hand");
  await client.close();
}

async function answersByATool() {
  const client = await connect(ANNS_KEY);
  const result = await client.callTool({ name: "clerk", arguments: { prompt: "write it" } });
  assert.ok(result.isError);
  const id = text(result).match(/"id": "([^"]+)"/)[1];
  const thread = result._meta["agenthost/thread"];
  const answered = await client.callTool({ name: "answer_questions", arguments: { thread, answers: [{ id, decision: "approve" }] } });
  assert.equal(text(answered), "The tool said: wrote it");
  await client.close();
}

async function progressAndCancelling() {
  const client = await connect(ANNS_KEY);
  const stop = new AbortController();
  const call = client.callTool({ name: "clerk", arguments: { prompt: "wait", thread: "waits" } }, undefined, {
    signal: stop.signal,
    onprogress: ({ message }) => message === "calls the tool wait" && stop.abort(),
  });
  await assert.rejects(call);
  for (let i = 0; ; i++) {
    const busy = await fetch(server + "/threads/search", {
      method: "POST", headers: { "x-api-key": ANNS_KEY, "content-type": "application/json" }, body: '{"status": "busy"}',
    }).then((r) => r.json());
    if (busy.length === 0) break;
    assert.ok(i < 1000, "the run goes on");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await client.close();
}

async function login() {
  const scope = "agents:runs agents:threads"; // without it, this provider asks for no scopes
  const provider = new ClientCredentialsProvider({ clientId: "carol", clientSecret: "secret", scope, expectedIssuer: issuer });
  const client = await connect(undefined, undefined, provider);
  assert.equal(text(await client.callTool({ name: "clerk", arguments: { prompt: "hello" } })), "You said: hello");
  await client.close();
}

await agentsAreTools();
await threadsAreResources();
await theUserDecides();
await answersByATool();
await progressAndCancelling();
await login();
console.log("all done");
process.exit(0);
