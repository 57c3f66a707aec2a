//! Reader and writer of documents (SPEC.md §1). The reader works on slices, never recurses, and compares each length with
//! the bytes there are.
const std = @import("std");

/// What a document of the guest may have.
pub const max_depth = 64;
pub const max_values = 131_072;
pub const max_bytes = 1 << 20;

const Kind = enum { nil, boolean, int, float, str, bin, array, map, ext };

/// The first bytes of a value: what it is, how many bytes they are, and how long it is or what it counts.
const Head = struct {
    kind: Kind,
    size: usize,
    len: u64 = 0,

    fn of(b: []const u8) ?Head {
        if (b.len == 0) return null;
        return switch (b[0]) {
            0x00...0x7f, 0xe0...0xff => .{ .kind = .int, .size = 1 },
            0x80...0x8f => .{ .kind = .map, .size = 1, .len = b[0] & 0x0f },
            0x90...0x9f => .{ .kind = .array, .size = 1, .len = b[0] & 0x0f },
            0xa0...0xbf => .{ .kind = .str, .size = 1, .len = b[0] & 0x1f },
            0xc0 => .{ .kind = .nil, .size = 1 },
            0xc1 => null,
            0xc2, 0xc3 => .{ .kind = .boolean, .size = 1 },
            0xc4...0xc6 => sized(b, .bin, @as(usize, 1) << @intCast(b[0] - 0xc4)),
            0xc7...0xc9 => sized(b, .ext, @as(usize, 1) << @intCast(b[0] - 0xc7)),
            0xca => .{ .kind = .float, .size = 5 },
            0xcb => .{ .kind = .float, .size = 9 },
            0xcc...0xcf => .{ .kind = .int, .size = 1 + (@as(usize, 1) << @intCast(b[0] - 0xcc)) },
            0xd0...0xd3 => .{ .kind = .int, .size = 1 + (@as(usize, 1) << @intCast(b[0] - 0xd0)) },
            0xd4...0xd8 => .{ .kind = .ext, .size = 1, .len = 1 + (@as(u64, 1) << @intCast(b[0] - 0xd4)) },
            0xd9...0xdb => sized(b, .str, @as(usize, 1) << @intCast(b[0] - 0xd9)),
            0xdc, 0xdd => sized(b, .array, @as(usize, 2) << @intCast(b[0] - 0xdc)),
            0xde, 0xdf => sized(b, .map, @as(usize, 2) << @intCast(b[0] - 0xde)),
        };
    }

    fn sized(b: []const u8, kind: Kind, width: usize) ?Head {
        return .{ .kind = kind, .size = 1 + width, .len = number(b, width) orelse return null };
    }

    /// How many bytes the value has that are not values of its own.
    fn bytes(h: Head) u64 {
        return switch (h.kind) {
            .array, .map => h.size,
            else => h.size + h.len,
        };
    }

    /// How many values it consists of.
    fn inner(h: Head) u64 {
        return switch (h.kind) {
            .array => h.len,
            .map => 2 * h.len,
            else => 0,
        };
    }
};

/// The big-endian number after the first byte.
fn number(b: []const u8, width: usize) ?u64 {
    if (b.len < 1 + width) return null;
    var n: u64 = 0;
    for (b[1 .. 1 + width]) |c| n = n << 8 | c;
    return n;
}

/// One value, encoded.
pub const Value = struct {
    bytes: []const u8,

    pub const none = Value{ .bytes = &.{0xc0} };

    /// The value at the beginning of some bytes.
    pub fn first(b: []const u8) ?Value {
        var at: usize = 0;
        var left: u64 = 1;
        while (left > 0) : (left -= 1) {
            const h = Head.of(b[at..]) orelse return null;
            if (h.bytes() > b.len - at) return null;
            at += @intCast(h.bytes());
            left += h.inner();
        }
        return .{ .bytes = b[0..at] };
    }

    fn head(v: Value) Head {
        return Head.of(v.bytes).?; // there is a whole value
    }

    pub fn str(v: Value) ?[]const u8 {
        const h = v.head();
        return if (h.kind == .str) v.bytes[h.size..] else null;
    }

    pub fn bin(v: Value) ?[]const u8 {
        const h = v.head();
        return if (h.kind == .bin) v.bytes[h.size..] else null;
    }

    pub fn boolean(v: Value) ?bool {
        return if (v.head().kind == .boolean) v.bytes[0] == 0xc3 else null;
    }

    /// A number that is not negative. A float without a fraction is one too (§3).
    pub fn uint(v: Value) ?u64 {
        const h = v.head();
        switch (h.kind) {
            .int => switch (v.bytes[0]) {
                0x00...0x7f => return v.bytes[0],
                0xcc...0xcf => return number(v.bytes, h.size - 1),
                0xd0...0xd3 => {
                    const n = number(v.bytes, h.size - 1).?;
                    const sign = @as(u64, 1) << @intCast(8 * (h.size - 1) - 1);
                    return if (n & sign == 0) n else null;
                },
                else => return null,
            },
            .float => {
                const bits = number(v.bytes, h.size - 1).?;
                const f: f64 = if (h.size == 5) @as(f32, @bitCast(@as(u32, @intCast(bits)))) else @bitCast(bits);
                const least: f64 = 0;
                const most: f64 = 1 << 53;
                return if (f >= least and f <= most and @floor(f) == f) @intFromFloat(f) else null;
            },
            else => return null,
        }
    }

    /// A small signed number, such as a status.
    pub fn int32(v: Value) ?i32 {
        if (v.uint()) |n| return if (n <= std.math.maxInt(i32)) @intCast(n) else null;
        const h = v.head();
        if (h.kind != .int) return null;
        if (v.bytes[0] >= 0xe0) return @as(i8, @bitCast(v.bytes[0]));
        const width = h.size - 1;
        const n = number(v.bytes, width).?;
        const shift: u6 = @intCast(64 - 8 * width);
        const signed = @as(i64, @bitCast(n << shift)) >> shift;
        return if (signed >= std.math.minInt(i32) and signed <= std.math.maxInt(i32)) @intCast(signed) else null;
    }

    /// The items of an array; none if it is something else.
    pub fn items(v: Value) Each {
        const h = v.head();
        return if (h.kind == .array) .{ .rest = v.bytes[h.size..], .left = h.len } else .{};
    }

    /// The keys and values of a map, in turns; none if it is something else.
    fn pairs(v: Value) Each {
        const h = v.head();
        return if (h.kind == .map) .{ .rest = v.bytes[h.size..], .left = 2 * h.len } else .{};
    }

    pub fn count(v: Value) u64 {
        return v.items().left;
    }

    pub fn isMap(v: Value) bool {
        return v.head().kind == .map;
    }

    /// The value under a key of a map.
    pub fn get(v: Value, key: []const u8) ?Value {
        var each = v.pairs();
        while (each.next()) |k| {
            const value = each.next() orelse return null;
            if (k.str()) |name| if (std.mem.eql(u8, name, key)) return value;
        }
        return null;
    }

    pub fn getStr(v: Value, key: []const u8) []const u8 {
        const value = v.get(key) orelse return "";
        return value.str() orelse "";
    }

    /// Whether the value is a document that a guest may write: neither too deep, too large, nor of too many values.
    pub fn isDocument(v: Value) bool {
        if (v.bytes.len > max_bytes) return false;
        var open: [max_depth + 1]u64 = undefined; // values that are still to come, at each level
        open[0] = 1;
        var depth: usize = 0;
        var values: usize = 0;
        var at: usize = 0;
        while (true) {
            while (open[depth] == 0) {
                if (depth == 0) return true;
                depth -= 1;
            }
            const h = Head.of(v.bytes[at..]) orelse return false;
            if (h.bytes() > v.bytes.len - at) return false;
            at += @intCast(h.bytes());
            open[depth] -= 1;
            values += 1; // keys count too, so this is stricter than it must be
            if (values > max_values) return false;
            if (h.kind == .array or h.kind == .map) {
                if (depth == max_depth) return false;
                depth += 1;
                open[depth] = h.inner();
            }
        }
    }
};

pub const Each = struct {
    rest: []const u8 = &.{},
    left: u64 = 0,

    pub fn next(e: *Each) ?Value {
        if (e.left == 0) return null;
        const v = Value.first(e.rest) orelse return null;
        e.rest = e.rest[v.bytes.len..];
        e.left -= 1;
        return v;
    }
};

/// Writes a document. A lack of memory is a trap: then there is nothing to say.
pub const Writer = struct {
    list: std.ArrayList(u8),

    pub fn init(a: std.mem.Allocator) Writer {
        return .{ .list = std.ArrayList(u8).init(a) };
    }

    pub fn raw(w: *Writer, b: []const u8) void {
        w.list.appendSlice(b) catch @trap();
    }

    pub fn value(w: *Writer, v: Value) void {
        w.raw(v.bytes);
    }

    fn big(w: *Writer, comptime T: type, code: u8, n: u64) void {
        w.raw(&.{code});
        var b: [@sizeOf(T)]u8 = undefined;
        std.mem.writeInt(T, &b, @intCast(n), .big);
        w.raw(&b);
    }

    pub fn map(w: *Writer, n: u64) void {
        if (n < 16) w.raw(&.{0x80 | @as(u8, @intCast(n))}) else w.big(u32, 0xdf, n);
    }

    pub fn array(w: *Writer, n: u64) void {
        if (n < 16) w.raw(&.{0x90 | @as(u8, @intCast(n))}) else w.big(u32, 0xdd, n);
    }

    pub fn str(w: *Writer, s: []const u8) void {
        if (s.len < 32) w.raw(&.{0xa0 | @as(u8, @intCast(s.len))}) else w.big(u32, 0xdb, s.len);
        w.raw(s);
    }

    pub fn uint(w: *Writer, n: u64) void {
        if (n < 128) w.raw(&.{@intCast(n)}) else w.big(u64, 0xcf, n);
    }

    pub fn boolean(w: *Writer, b: bool) void {
        w.raw(&.{if (b) 0xc3 else 0xc2});
    }

    /// A key and its text.
    pub fn text(w: *Writer, key: []const u8, s: []const u8) void {
        w.str(key);
        w.str(s);
    }

    pub fn done(w: *const Writer) []const u8 {
        return w.list.items;
    }
};
