// Uses the official SDK of the Agent Client Protocol as an editor does: it starts the agent's command, and offers files and terminals.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const [dir, everything, ...command] = process.argv.slice(2);
const project = realpathSync(mkdtempSync(path.join(tmpdir(), "project-")));
const { agent, client } = acp.methods;

// An editor, whose user answers each request for permission with the next of `answers`.
class Editor {
  updates = [];
  asked = [];
  answers = [];
  unsaved = {};
  terminals = {};
  waiting = [];

  constructor(capabilities = { fs: { readTextFile: true, writeTextFile: true }, terminal: true }, more = []) {
    this.capabilities = capabilities;
    this.process = spawn(command[0], [...command.slice(1), ...more], { cwd: dir, stdio: ["pipe", "pipe", "pipe"] });
    this.log = "";
    this.process.stderr.on("data", (chunk) => (this.log += chunk));
    this.exited = new Promise((resolve) => this.process.on("exit", (code, signal) => resolve(code ?? signal)));
    const app = acp.client({ name: "test" })
      .onNotification(client.session.update, ({ params }) => this.update(params))
      .onRequest(client.session.requestPermission, ({ params }) => this.permission(params))
      .onRequest(client.fs.readTextFile, ({ params }) => this.read(params))
      .onRequest(client.fs.writeTextFile, ({ params }) => { writeFileSync(params.path, params.content); return {}; })
      .onRequest(client.terminal.create, ({ params }) => this.create(params))
      .onRequest(client.terminal.waitForExit, async ({ params }) => ({ exitCode: await this.terminals[params.terminalId].exit }))
      .onRequest(client.terminal.output, ({ params }) => ({ output: this.terminals[params.terminalId].output, truncated: false }))
      .onRequest(client.terminal.release, ({ params }) => { this.terminals[params.terminalId].process.kill(); return {}; });
    this.connection = app.connect(acp.ndJsonStream(Writable.toWeb(this.process.stdin), Readable.toWeb(this.process.stdout)));
    this.agent = this.connection.agent;
  }

  request(method, params) { return this.agent.request(method, params); }

  async start() {
    this.about = await this.request(agent.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: this.capabilities });
    return this.about;
  }

  async open(mcpServers = []) {
    const opened = await this.request(agent.session.new, { cwd: project, mcpServers });
    this.id = opened.sessionId;
    return opened;
  }

  async say(text, more = []) {
    this.updates = [];
    const { stopReason } = await this.request(agent.session.prompt, { sessionId: this.id, prompt: [{ type: "text", text }, ...more] });
    return stopReason;
  }

  // The text that the agent said.
  said() { return this.chunks("agent_message_chunk"); }
  chunks(kind) { return this.of(kind).map((u) => u.content.text).join(""); }
  of(kind) { return this.updates.filter((u) => u.sessionUpdate === kind); }

  update({ sessionId, update }) {
    this.updates.push({ sessionId, ...update });
    this.waiting = this.waiting.filter((w) => !w(update));
  }

  // Waits for an update.
  until(wanted) {
    const past = this.updates.find(wanted);
    if (past) return past;
    return new Promise((resolve) => this.waiting.push((u) => wanted(u) && (resolve(u), true)));
  }

  permission(params) {
    this.asked.push(params);
    const answer = this.answers.shift();
    assert.ok(answer, `nobody expects the question about ${params.toolCall.title}`);
    if (typeof answer === "function") return answer(params);
    return { outcome: { outcome: "selected", optionId: answer } };
  }

  read({ path: file, line, limit }) {
    if (!(file in this.unsaved) && !existsSync(file)) throw acp.RequestError.resourceNotFound(file);
    let content = this.unsaved[file] ?? readFileSync(file, "utf8");
    if (line) content = content.split("\n").slice(line - 1, limit ? line - 1 + limit : undefined).join("\n");
    return { content };
  }

  create({ command, args, cwd }) {
    const id = `t${Object.keys(this.terminals).length + 1}`;
    const process = spawn(command, args, { cwd });
    const terminal = { process, output: "", command, cwd };
    process.stdout.on("data", (chunk) => (terminal.output += chunk));
    terminal.exit = new Promise((resolve) => process.on("exit", (code) => resolve(code)));
    this.terminals[id] = terminal;
    return { terminalId: id };
  }

  // Leaves as an editor does: it ends the command's standard input.
  async leave() {
    this.connection.close();
    this.process.stdin.end();
    assert.equal(await this.exited, 0, this.log);
  }
}

async function conversation() {
  const e = new Editor();
  const about = await e.start();
  assert.equal(about.protocolVersion, 1);
  assert.deepEqual(about.authMethods, []);
  assert.equal(about.agentInfo.name, "coder");
  assert.ok(about.agentCapabilities.loadSession);
  assert.ok(about.agentCapabilities.sessionCapabilities.list);
  await assert.rejects(e.request(agent.authenticate, { methodId: "x" }), /there is no login/);
  await assert.rejects(e.request("session/nothing", {}), (error) => error.code === -32601);
  await assert.rejects(e.request(agent.session.prompt, { sessionId: "none", prompt: [] }), /the session is not open/);
  await assert.rejects(e.request(agent.session.new, { cwd: "relative", mcpServers: [] }), /not an absolute path/);

  const opened = await e.open();
  assert.deepEqual(opened.modes.availableModes.map((m) => m.id), ["ask", "read_only"]);
  assert.deepEqual(opened.configOptions.map((o) => o.id), ["mode", "model"]);

  assert.equal(await e.say("hello"), "end_turn");
  assert.equal(e.said(), "Hello, this is the answer.");
  assert.ok(e.of("agent_message_chunk").length > 1, "the answer comes in pieces");
  assert.equal(new Set(e.of("agent_message_chunk").map((u) => u.messageId)).size, 1);
  assert.equal((await e.until((u) => u.sessionUpdate === "session_info_update")).title, "hello");

  assert.equal(await e.say("notes"), "end_turn");
  const [begun] = e.of("tool_call");
  assert.equal(begun.title, "list_files");
  assert.equal(begun.kind, "search");
  const states = e.of("tool_call_update").filter((u) => u.toolCallId === begun.toolCallId).map((u) => u.status);
  assert.deepEqual(states, ["in_progress", "completed"]);
  assert.match(e.said(), /hello\.md/);

  assert.equal(await e.say("plan"), "end_turn");
  assert.deepEqual(e.of("plan")[0].entries, [
    { content: "think", priority: "medium", status: "completed" }, { content: "act", priority: "medium", status: "in_progress" },
  ]);

  assert.equal(await e.say("look", [{ type: "resource", resource: { uri: "file:///a.txt", text: "A" } }]), "end_turn");
  assert.equal(e.said(), "I see the file.");
  await assert.rejects(e.say("", []), /it is empty/);
  await assert.rejects(e.say("x", [{ type: "image", mimeType: "image/png", data: "AAAA" }]), /is neither an image/);

  const set = await e.request(agent.session.setConfigOption, { sessionId: e.id, configId: "model", value: "models.parrot" });
  assert.equal(set.configOptions[1].currentValue, "models.parrot");
  assert.equal(await e.say("polly"), "end_turn");
  assert.match(e.said(), /polly$/);
  await assert.rejects(e.request(agent.session.setConfigOption, { sessionId: e.id, configId: "model", value: "x" }), /no choice/);
  await e.leave();
  return e.id;
}

async function permissions() {
  const e = new Editor();
  await e.start();
  await e.open();
  e.answers = ["reject"];
  assert.equal(await e.say("note a: one"), "end_turn");
  assert.equal(e.said(), "I did not write it.");
  assert.deepEqual(e.asked[0].options.map((o) => [o.optionId, o.kind]), [
    ["approve", "allow_once"], ["always_same", "allow_always"], ["always", "allow_always"], ["reject", "reject_once"],
  ]);
  assert.equal(e.asked[0].toolCall.toolCallId, e.of("tool_call")[0].toolCallId);
  assert.deepEqual(e.asked[0].toolCall.rawInput, { path: "a.md", content: "one" });
  assert.ok(!existsSync(path.join(dir, "notes", "a.md")));
  assert.equal(e.of("tool_call_update").at(-1).status, "failed");

  e.answers = ["approve"];
  await e.say("note a: one");
  assert.equal(readFileSync(path.join(dir, "notes", "a.md"), "utf8"), "one");
  e.answers = ["always"];
  await e.say("note b: two");
  await e.say("note c: three"); // nobody is asked
  assert.equal(readFileSync(path.join(dir, "notes", "c.md"), "utf8"), "three");

  e.id = (await e.open()).sessionId; // the approval is that of the other session
  e.answers = [() => ({ outcome: { outcome: "selected", optionId: "made up" } })];
  await assert.rejects(e.say("note d: four"), /was not offered/);
  e.answers = ["reject"]; // it is asked again before the next message
  assert.equal(await e.say("hello"), "end_turn");
  assert.match(e.said(), /I did not write it\..*Hello/s);
  assert.ok(!existsSync(path.join(dir, "notes", "d.md")));

  // The user stops the agent while it asks: the call is given up.
  const id = e.id;
  e.answers = [async () => {
    await e.agent.notify(agent.session.cancel, { sessionId: id });
    return { outcome: { outcome: "cancelled" } };
  }];
  assert.equal(await e.say("note d: four"), "cancelled");
  assert.equal(await e.say("hello"), "end_turn");
  assert.equal(e.said(), "Hello, this is the answer.");
  assert.ok(!existsSync(path.join(dir, "notes", "d.md")));

  // A question that waits is asked again by the next process.
  e.answers = [() => new Promise(() => {})];
  const asked = e.asked.length;
  e.say("note e: five").catch(() => {});
  while (e.asked.length === asked) await new Promise((resolve) => setTimeout(resolve, 5));
  await e.leave();
  const next = new Editor();
  await next.start();
  await next.request(agent.session.load, { sessionId: id, cwd: project, mcpServers: [] });
  next.id = id;
  next.answers = ["approve"];
  assert.equal(await next.say("hello"), "end_turn");
  assert.equal(readFileSync(path.join(dir, "notes", "e.md"), "utf8"), "five");
  await next.leave();
}

async function files() {
  const e = new Editor();
  await e.start();
  await e.open();
  const file = path.join(project, "a.txt");
  e.unsaved[file] = "not saved\nsecond";
  await e.say("read a.txt");
  assert.match(e.said(), /not saved/);
  assert.deepEqual(e.of("tool_call")[0].locations, [{ path: file }]);
  assert.equal(e.of("tool_call")[0].kind, "read");
  for (const outside of ["/etc/passwd", "../x"]) {
    await e.say(`read ${outside}`);
    assert.match(e.said(), /is not in a directory of the editor's project/);
  }
  symlinkSync("/etc", path.join(project, "link"));
  await e.say("read link/passwd");
  assert.match(e.said(), /is not in a directory/);

  delete e.unsaved[file];
  e.answers = ["approve"];
  await e.say("write a.txt one");
  assert.equal(readFileSync(file, "utf8"), "one");
  assert.deepEqual(e.asked[0].toolCall.content.at(-1), { type: "diff", path: file, newText: "one" });
  e.answers = ["approve"];
  await e.say("edit a.txt one two");
  assert.equal(readFileSync(file, "utf8"), "two");
  const diff = { type: "diff", path: file, oldText: "one", newText: "two" };
  assert.deepEqual(e.asked[1].toolCall.content.at(-1), diff);
  assert.deepEqual(e.of("tool_call_update").find((u) => u.content).content, [diff]);
  e.answers = ["reject"];
  await e.say("write a.txt three");
  assert.equal(readFileSync(file, "utf8"), "two");

  e.answers = ["approve"];
  await e.say("run console.log(6*7)");
  assert.match(e.said(), /42/);
  assert.ok(e.of("tool_call_update").some((u) => u.content?.[0].type === "terminal"));
  assert.equal(e.terminals.t1.cwd, project);
  e.answers = ["approve"];
  await e.say("run process.exit(3)");
  assert.match(e.said(), /exit code 3/);
  e.answers = ["approve"];
  const stopped = e.say("run setInterval(()=>{},1000)");
  await e.until((u) => u.content?.[0]?.type === "terminal");
  await e.agent.notify(agent.session.cancel, { sessionId: e.id });
  assert.equal(await stopped, "cancelled");
  await e.terminals.t3.exit; // the terminal was released

  await e.request(agent.session.setMode, { sessionId: e.id, modeId: "read_only" });
  e.answers = ["approve"];
  await e.say("write a.txt four");
  assert.match(e.said(), /mode that only reads/);
  assert.equal(readFileSync(file, "utf8"), "two");
  await e.leave();

  // An editor without files and terminals, and a user who does not want the tools.
  for (const none of [new Editor({}), new Editor(undefined, ["--editor-tools", "none"])]) {
    await none.start();
    const opened = await none.open();
    assert.equal(opened.modes, undefined);
    await none.say("read a.txt");
    assert.match(none.said(), /editor_read_file is not a valid tool/);
    await none.leave();
  }
}

async function servers() {
  const e = new Editor();
  await e.start();
  await e.open([
    { name: "every", command: "node", args: [everything, "stdio"], env: [] }, { name: "broken", command: "/nowhere", args: [], env: [] },
  ]);
  const { availableCommands } = await e.until((u) => u.sessionUpdate === "available_commands_update");
  assert.ok(availableCommands.some((c) => c.name === "every:args-prompt" && c.input.hint.startsWith("city=…")));
  e.answers = ["reject"];
  await e.say("echo hi");
  assert.equal(e.asked.length, 1);
  assert.match(e.said(), /rejected/i);
  e.answers = ["always"];
  await e.say("echo hi");
  assert.match(e.said(), /Echo: hi/);
  await e.say("echo ho"); // nobody is asked
  assert.match(e.said(), /Echo: ho/);
  await assert.rejects(e.say("/every:args-prompt"), /the argument city is missing/);
  assert.equal(await e.say("/every:args-prompt city=Oslo"), "end_turn");
  assert.match(e.log, /an MCP server of the editor is left out/);
  await e.leave();
}

async function sessions(first) {
  const e = new Editor();
  await e.start();
  let { sessions, nextCursor } = await e.request(agent.session.list, { cwd: project });
  assert.equal(nextCursor, undefined);
  const listed = sessions.find((s) => s.sessionId === first);
  assert.equal(listed.title, "hello");
  assert.equal(listed.cwd, project);
  ({ sessions } = await e.request(agent.session.list, { cwd: "/elsewhere" }));
  assert.deepEqual(sessions, []);

  await e.request(agent.session.load, { sessionId: first, cwd: project, mcpServers: [] });
  assert.match(e.chunks("user_message_chunk"), /^hellonotesplan/);
  assert.match(e.said(), /^Hello, this is the answer\./);
  assert.equal(e.of("tool_call_update")[0].status, "completed");
  assert.equal(e.of("plan").at(-1).entries.length, 2);
  e.updates = [];
  await e.request(agent.session.resume, { sessionId: first, cwd: project, mcpServers: [] });
  assert.equal(e.of("user_message_chunk").length, 0);
  e.id = first;
  assert.equal(await e.say("hello"), "end_turn");

  const copy = await e.request("session/fork", { sessionId: first, cwd: project, mcpServers: [] });
  assert.notEqual(copy.sessionId, first);
  await e.request(agent.session.close, { sessionId: copy.sessionId });
  await e.request(agent.session.close, { sessionId: copy.sessionId }); // the SDK is content with an error that says so
  await e.request(agent.session.delete, { sessionId: copy.sessionId });
  await e.request(agent.session.delete, { sessionId: copy.sessionId }); // it is gone already
  await assert.rejects(
    e.request(agent.session.load, { sessionId: copy.sessionId, cwd: project, mcpServers: [] }), (error) => error.code === -32002,
  );
  e.process.kill("SIGTERM");
  assert.equal(await e.exited, 130, e.log);
}

const first = await conversation();
await permissions();
await files();
await servers();
await sessions(first);
console.log("all done");
process.exit(0);
