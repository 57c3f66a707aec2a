//! steward looks after an agent that serves several tenants. It tells the model for whom it works, keeps conversations and
//! lists of tools short, tries failed models again, asks a person about some tools, notes what runs cost, and fetches pages.
const std = @import("std");
const abi = @import("abi.zig");
const msgpack = @import("msgpack.zig");
const Value = msgpack.Value;
const Writer = msgpack.Writer;

const name = "steward";
const calls_field = "steward/calls"; // calls of the model in this run
const costs_field = "steward/costs"; // [{tenant, tokens}] of the runs of the thread
const own_tool = "fetch_all";
const most_urls = 8;

pub fn panic(_: []const u8, _: ?*std.builtin.StackTrace, _: ?usize) noreturn {
    @trap();
}

// ---- Configuration. It stays in memory between calls, as what configure leaves does.

const Config = struct {
    ask: Value = Value.none,
    max_tokens: u64 = 0,
    max_tools: u64 = 0,
    retries: u64 = 1,
    tenant: bool = false,
};

var config = Config{};

// ---- The Description (§6), in canonical form.

fn setting(w: *Writer, key: []const u8, kind: []const u8, preset: u64, most: u64, about: []const u8) void {
    w.str(key);
    w.map(5);
    w.str("default");
    w.uint(preset);
    w.text("description", about);
    w.str("maximum");
    w.uint(most);
    w.str("minimum");
    w.uint(0);
    w.text("type", kind);
}

fn configSchema(w: *Writer) void {
    w.str("config_schema");
    w.map(3);
    w.str("additionalProperties");
    w.boolean(false);
    w.str("properties");
    w.map(5);
    w.str("ask");
    w.map(4);
    w.str("default");
    w.array(0);
    w.text("description", "Tools that run only if a person allows it.");
    w.str("items");
    w.map(1);
    w.text("type", "string");
    w.text("type", "array");
    setting(w, "max_tokens", "integer", 0, 1 << 32, "Runs end when the history has more tokens; 0: never.");
    setting(w, "max_tools", "integer", 0, 1000, "The most tools that are offered; 0: all.");
    setting(w, "retries", "integer", 1, 5, "How often a failed call of the model is tried again.");
    w.str("tenant");
    w.map(3);
    w.str("default");
    w.boolean(false);
    w.text("description", "Refuse runs whose caller names no tenant.");
    w.text("type", "boolean");
    w.text("type", "object");
}

fn capability(w: *Writer, op: []const u8, reason: []const u8) void {
    w.map(2);
    w.text("op", op);
    w.text("reason", reason);
}

fn field(w: *Writer, of: []const u8, lifetime: []const u8, reducer: []const u8) void {
    w.map(4);
    w.str("hide_input");
    w.boolean(true);
    w.text("lifetime", lifetime);
    w.text("name", of);
    w.text("reducer", reducer);
}

fn ownTool(w: *Writer) void {
    w.str("tools");
    w.array(1);
    w.map(4);
    w.text("description", "Fetch several web pages at once.");
    w.str("idempotent");
    w.boolean(true);
    w.text("name", own_tool);
    w.str("parameters");
    w.map(3);
    w.str("properties");
    w.map(1);
    w.str("urls");
    w.map(4);
    w.str("items");
    w.map(1);
    w.text("type", "string");
    w.str("maxItems");
    w.uint(most_urls);
    w.str("minItems");
    w.uint(1);
    w.text("type", "array");
    w.str("required");
    w.array(1);
    w.str("urls");
    w.text("type", "object");
}

/// Writes the Description as this configuration has it; null: that of describe.
fn description(w: *Writer, c: ?Config) void {
    const counts = if (c) |is| is.max_tokens > 0 else true;
    const asks = if (c) |is| is.ask.count() > 0 else true;
    w.map(9);
    w.str("abi");
    w.uint(1);
    w.str("capabilities");
    w.array(2);
    capability(w, "clock.sleep", "To wait before a failed model is tried again.");
    capability(w, "http.fetch", "To fetch the pages that the model asks for.");
    configSchema(w);
    w.str("context");
    w.array(1);
    w.str("tenant");
    w.str("fields");
    w.array(2);
    field(w, calls_field, "run", "add");
    field(w, costs_field, "thread", "append");
    w.str("hooks");
    w.map(3 + @as(u64, @intFromBool(counts)) + @intFromBool(asks));
    w.str("after_agent");
    w.map(0);
    w.str("before_agent");
    w.map(0);
    if (counts) {
        w.str("before_model");
        w.map(2);
        w.str("can_jump_to");
        w.array(1);
        w.str("end");
        w.text("messages", "all");
    }
    w.str("wrap_model_call");
    w.map(0);
    if (asks) {
        w.str("wrap_tool_call");
        if (c) |is| {
            w.map(1);
            w.str("tools");
            w.value(is.ask);
        } else w.map(0);
    }
    w.text("name", name);
    ownTool(w);
    w.text("version", "1.0.0");
}

// ---- Results.

fn writer() Writer {
    return Writer.init(abi.arena.allocator());
}

fn fails(w: *Writer, kind: []const u8, message: []const u8) i32 {
    w.map(1);
    w.str("error");
    w.map(2);
    w.text("message", message);
    w.text("type", kind);
    return abi.say(w.done());
}

/// Frees the memory of this call, and passes on what the export returns.
fn leave(code: i32) i32 {
    _ = abi.arena.reset(.free_all);
    return code;
}

/// The tenant that the caller named.
fn tenantOf(in: Value) []const u8 {
    const context = in.get("context") orelse return "";
    return context.getStr("tenant");
}

// ---- Exports.

export fn agenthost_abi_v1() void {}

export fn describe() i32 {
    var w = writer();
    description(&w, null);
    return leave(abi.say(w.done()));
}

export fn configure(len: u32) i32 {
    return leave(configured(abi.input(len)));
}

fn configured(in: Value) i32 {
    var w = writer();
    const ask = in.get("ask") orelse Value.none;
    if (ask.count() > 256) return fails(&w, "config", "ask has more than 256 tools");
    var each = ask.items();
    while (each.next()) |tool| {
        if (!isName(tool.str() orelse "")) return fails(&w, "config", "ask has something that is not the name of a tool");
    }
    config = .{
        .ask = .{ .bytes = std.heap.wasm_allocator.dupe(u8, ask.bytes) catch @trap() },
        .max_tokens = number(in, "max_tokens", 0),
        .max_tools = number(in, "max_tools", 0),
        .retries = number(in, "retries", 1),
        .tenant = if (in.get("tenant")) |v| v.boolean() orelse false else false,
    };
    description(&w, config);
    return abi.say(w.done());
}

fn number(in: Value, key: []const u8, preset: u64) u64 {
    const v = in.get(key) orelse return preset;
    return v.uint() orelse preset;
}

fn isName(s: []const u8) bool {
    if (s.len == 0 or s.len > 64) return false;
    for (s) |c| {
        if (!std.ascii.isAlphanumeric(c) and std.mem.indexOfScalar(u8, "_-./[]", c) == null) return false;
    }
    return true;
}

/// Refuses a run whose caller names no tenant. A host of version 1.0 shows no context, and no run passes there.
export fn before_agent(len: u32) i32 {
    const in = abi.input(len);
    if (!config.tenant or tenantOf(in).len > 0) return leave(0);
    var w = writer();
    return leave(fails(&w, "no_tenant", "the caller of this run names no tenant in its context"));
}

/// Ends a run whose history is too long.
export fn before_model(len: u32) i32 {
    return leave(limit(abi.input(len)));
}

fn limit(in: Value) i32 {
    const view = in.get("messages") orelse return 0;
    const messages = view.get("items") orelse return 0;
    const tokens = countTokens(messages) orelse return 0;
    if (config.max_tokens == 0 or tokens <= config.max_tokens) return 0;
    var w = writer();
    w.map(2);
    w.text("jump_to", "end");
    w.str("messages");
    w.array(1);
    w.map(2);
    w.text("content", "This conversation has become too long. Please begin a new one.");
    w.text("role", "ai");
    return abi.say(w.done());
}

/// The number of tokens, as the host counts them where it can; null: the frame is closed.
fn countTokens(messages: Value) ?u64 {
    const estimate = messages.bytes.len / 4;
    var w = writer();
    w.map(1);
    w.str("messages");
    w.value(messages);
    const query = Value.first(w.done()) orelse return estimate;
    if (!query.isDocument()) return estimate;
    const counted = abi.call("tokens.count", query.bytes);
    if (counted.ends()) return null;
    if (counted.status != abi.ok) return estimate; // among others, a host of version 1.0
    return number(counted.reply, "tokens", estimate);
}

/// Tells the model for whom it works, offers fewer tools, and tries again what may help.
export fn wrap_model_call(len: u32) i32 {
    return leave(wrapModel(abi.input(len)));
}

fn wrapModel(in: Value) i32 {
    const request = in.get("request") orelse return 0;
    const tenant = tenantOf(in);
    const offered = request.get("tools") orelse Value.none;
    const fewer = config.max_tools > 0 and offered.count() > config.max_tools and !isLarge();
    var change = writer();
    change.map(@as(u64, @intFromBool(tenant.len > 0)) + @intFromBool(fewer));
    if (tenant.len > 0) {
        change.str("append_system");
        const line = std.mem.concat(abi.arena.allocator(), u8, &.{ "\nYou work for the tenant ", tenant, "." }) catch @trap();
        change.str(line);
    }
    if (fewer) {
        change.str("tools");
        keep(&change, offered);
    }
    var tries: u64 = 1;
    while (true) : (tries += 1) {
        const outcome = abi.next(change.done());
        if (outcome.ends()) return 0;
        const again = outcome.status == abi.failed and if (outcome.reply.get("retryable")) |v| v.boolean() orelse false else false;
        if (!again or tries > config.retries) break;
        var w = writer();
        w.map(1);
        w.str("duration_ms");
        w.uint(@as(u64, 50) << @intCast(@min(tries, 6)));
        if (abi.call("clock.sleep", w.done()).ends()) return 0; // if it was refused, the next try is made at once
    }
    var w = writer();
    w.map(1);
    w.str("state");
    w.map(1);
    w.str(calls_field);
    w.uint(tries);
    return abi.say(w.done());
}

/// Whether the model is known to read so much that many tools do no harm.
fn isLarge() bool {
    const info = abi.call("model.info", &.{0x80});
    return info.status == abi.ok and number(info.reply, "max_input_tokens", 0) >= 500_000;
}

/// Writes the names of the tools to keep: the first ones that say what they are for, or the first ones where the host does
/// not tell.
fn keep(w: *Writer, offered: Value) void {
    const list = abi.call("tools.read", &.{});
    var specs = if (list.status == abi.ok) list.reply.get("tools") orelse Value.none else Value.none;
    var kept = writer();
    var n: u64 = 0;
    var each = offered.items();
    while (each.next()) |tool| {
        if (n == config.max_tools) break;
        var all = specs.items();
        const described = while (all.next()) |spec| {
            if (std.mem.eql(u8, spec.getStr("name"), tool.str() orelse "")) break spec.getStr("description").len > 0;
        } else specs.count() == 0;
        if (!described) continue;
        kept.value(tool);
        n += 1;
    }
    w.array(n);
    w.raw(kept.done());
}

/// Asks a person whether a tool may run.
export fn wrap_tool_call(len: u32) i32 {
    return leave(askFirst(abi.input(len)));
}

fn askFirst(in: Value) i32 {
    const call = in.get("call") orelse return 0;
    var w = writer();
    const answer = if (in.get("answers")) |all| all.get("run") else null;
    if (answer) |said| {
        if (said.boolean() orelse false) return 0;
        w.map(1);
        w.str("tool_message");
        w.map(2);
        w.text("content", "A person did not allow this call.");
        w.text("status", "error");
        return abi.say(w.done());
    }
    question(&w, call, call.get("args") orelse Value.none);
    if (!(Value.first(w.done()) orelse Value.none).isDocument()) {
        w = writer();
        question(&w, call, Value.none); // the arguments are too much for a document of this plugin
    }
    return abi.say(w.done());
}

fn question(w: *Writer, call: Value, args: Value) void {
    w.map(1);
    w.str("interrupts");
    w.array(1);
    w.map(2);
    w.text("key", "run");
    w.str("value");
    w.map(2);
    w.str("args");
    w.value(args);
    w.text("tool", call.getStr("name"));
}

/// Notes what the run has cost, and for whom.
export fn after_agent(len: u32) i32 {
    return leave(noteCosts(abi.input(len)));
}

fn noteCosts(in: Value) i32 {
    const info = abi.call("run.info", &.{});
    if (info.status != abi.ok) return 0;
    const usage = info.reply.get("usage") orelse return 0;
    var costs = writer();
    costs.map(2);
    costs.text("tenant", tenantOf(in));
    costs.str("tokens");
    costs.uint(number(usage, "total_tokens", 0));
    var event = writer();
    event.map(2);
    event.str("data");
    event.raw(costs.done());
    event.text("name", "steward.costs");
    if (abi.call("event.emit", event.done()).ends()) return 0;
    var w = writer();
    w.map(1);
    w.str("state");
    w.map(1);
    w.str(costs_field);
    w.array(1);
    w.raw(costs.done());
    return abi.say(w.done());
}

/// Fetches pages, all at once where the host can, and otherwise one after another.
export fn call_tool(len: u32) i32 {
    return leave(fetchAll(abi.input(len)));
}

fn fetchAll(in: Value) i32 {
    const call = in.get("call") orelse return 0;
    const args = call.get("args") orelse return 0;
    const urls = args.get("urls") orelse return 0;
    var batch = writer();
    batch.map(1);
    batch.str("calls");
    batch.array(urls.count());
    var each = urls.items();
    while (each.next()) |url| {
        batch.map(2);
        batch.text("op", "http.fetch");
        batch.str("payload");
        fetches(&batch, url);
    }
    var answer = std.ArrayList(u8).init(abi.arena.allocator());
    const all = abi.call("batch", batch.done());
    if (all.ends()) return unclear();
    each = urls.items();
    if (all.status == abi.ok) {
        var replies = (all.reply.get("replies") orelse Value.none).items();
        while (each.next()) |url| {
            const reply = replies.next() orelse Value.none;
            const status = if (reply.get("status")) |v| v.int32() orelse abi.failed else abi.failed;
            report(&answer, url, status, reply.get("reply") orelse Value.none);
        }
    } else while (each.next()) |url| {
        var w = writer();
        fetches(&w, url);
        const one = abi.call("http.fetch", w.done());
        if (one.ends()) return unclear();
        report(&answer, url, one.status, one.reply);
    }
    var w = writer();
    w.map(1);
    w.str("tool_message");
    w.map(1);
    w.text("content", answer.items);
    return abi.say(w.done());
}

/// What a tool says when the frame is closed, where it does not count, and when a status says nothing that this guest knows.
fn unclear() i32 {
    var w = writer();
    return fails(&w, "unclear", "the host did not say whether the pages were fetched");
}

fn fetches(w: *Writer, url: Value) void {
    w.map(1);
    w.str("url");
    w.value(url);
}

const shown_bytes = 4096; // of each page

fn report(out: *std.ArrayList(u8), url: Value, status: i32, reply: Value) void {
    const print = out.writer();
    print.print("{s}: ", .{url.str() orelse ""}) catch @trap();
    switch (status) {
        abi.ok => {
            const page = text(reply);
            print.print("{d}\n{s}\n", .{ number(reply, "status", 0), page[0..whole(page)] }) catch @trap();
        },
        abi.failed => print.print("failed: {s}\n", .{reply.getStr("message")}) catch @trap(),
        abi.etoobig => print.writeAll("the page is too large\n") catch @trap(),
        else => print.print("refused ({d})\n", .{status}) catch @trap(),
    }
}

/// The body of a response, if it is a text.
fn text(reply: Value) []const u8 {
    const body = (reply.get("body") orelse return "").bin() orelse return "";
    return if (std.unicode.utf8ValidateSlice(body)) body else "(no text)";
}

/// How many bytes to show, without cutting a letter.
fn whole(s: []const u8) usize {
    var n = @min(s.len, shown_bytes);
    while (n > 0 and n < s.len and s[n] & 0xc0 == 0x80) n -= 1;
    return n;
}
