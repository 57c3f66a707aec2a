//! The imports of agenthost_v1 (SPEC.md §2 and §4), without log, which this guest does not need.
const std = @import("std");
const msgpack = @import("msgpack.zig");
const Value = msgpack.Value;

const host = struct {
    extern "agenthost_v1" fn input_read(buf: [*]u8, cap: u32) u32;
    extern "agenthost_v1" fn result_write(ptr: [*]const u8, len: u32) i32;
    extern "agenthost_v1" fn next(ptr: [*]const u8, len: u32) i64;
    extern "agenthost_v1" fn host_call(op: [*]const u8, oplen: u32, ptr: [*]const u8, len: u32) i64;
    extern "agenthost_v1" fn reply_read(buf: [*]u8, cap: u32) u32;
};

pub const ok = 0;
pub const enoent = -2;
pub const etoobig = -3;
pub const failed = -20;

/// How next or host_call ended, with the reply.
pub const Outcome = struct {
    status: i32,
    reply: Value = Value.none,

    fn of(packed_status: i64, a: std.mem.Allocator) Outcome {
        const status: i32 = @truncate(packed_status >> 32);
        const length: u32 = @truncate(@as(u64, @bitCast(packed_status)));
        if (length == 0) return .{ .status = status };
        const b = a.alloc(u8, length) catch @trap();
        _ = host.reply_read(b.ptr, length);
        return .{ .status = status, .reply = Value.first(b) orelse Value.none };
    }

    /// Whether the frame is closed, or the status is one that means that something happened which this guest cannot know.
    /// Then it has nothing more to say.
    pub fn ends(o: Outcome) bool {
        return o.status > 0 or o.status < failed;
    }
};

/// Memory of the present call. Every export gives it back.
pub var arena = std.heap.ArenaAllocator.init(std.heap.wasm_allocator);

pub fn input(len: u32) Value {
    const b = arena.allocator().alloc(u8, len) catch @trap();
    _ = host.input_read(b.ptr, len);
    return Value.first(b) orelse Value.none;
}

pub fn next(change: []const u8) Outcome {
    return Outcome.of(host.next(change.ptr, @intCast(change.len)), arena.allocator());
}

pub fn call(op: []const u8, document: []const u8) Outcome {
    return Outcome.of(host.host_call(op.ptr, @intCast(op.len), document.ptr, @intCast(document.len)), arena.allocator());
}

/// Writes the result, and returns what the export returns.
pub fn say(document: []const u8) i32 {
    _ = host.result_write(document.ptr, @intCast(document.len));
    return 1;
}
