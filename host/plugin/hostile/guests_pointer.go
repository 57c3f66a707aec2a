package hostile

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin"
)

// memoryEnd is the end of a module's memory.
const memoryEnd = pages << 16

// pointerGuests returns guests that pass invalid pointers.
func pointerGuests() []Guest {
	var all []Guest
	wrong := func(line int, name string, kind plugin.Kind, says string, pieces ...code) {
		all = append(all, hookFault(line, name, kind, says, plugin.Limits{}, pieces...))
	}
	for _, p := range []struct {
		line        int
		name        string
		ptr, length int
	}{
		{43, "past the end", memoryEnd - 4, 5},
		{43, "behind the end", memoryEnd, 1},
		{44, "that overflows", -8, 16},
		{44, "that overflows to 0", -1, 1},
	} {
		at := seq(i32(p.ptr), i32(p.length))
		wrong(p.line, "result "+p.name, plugin.KindProtocol, "result_write: the result is outside", at, call(callResultWrite), drop)
		wrong(p.line, "operation "+p.name, plugin.KindProtocol, "host_call: the operation is outside", at, i32(0), i32(0), call(callHostCall), drop)
		wrong(p.line, "document "+p.name, plugin.KindProtocol, "host_call: the document is outside", i32(0), i32(0), at, call(callHostCall), drop)
		wrong(p.line, "log line "+p.name, plugin.KindProtocol, "log: the line is outside", i32(1), at, call(callLog))
		wrong(p.line, "buffer "+p.name, plugin.KindProtocol, "input_read: the buffer is outside", i32(p.ptr), i32(1<<20), call(callInputRead), drop)
	}
	wrong(45, "result of 4 GiB", plugin.KindLimit, "the limit is", i32(0), i32(-1), call(callResultWrite), drop)
	wrong(45, "operation of 4 GiB", plugin.KindProtocol, "at most 64 bytes", i32(0), i32(-1), i32(0), i32(0), call(callHostCall), drop)
	wrong(45, "document of 4 GiB", plugin.KindLimit, "the limit is", i32(0), i32(0), i32(0), i32(-1), call(callHostCall), drop)
	wrong(46, "result at 0 that is too long", plugin.KindProtocol, "is outside", i32(0), i32(memoryEnd+1), call(callResultWrite), drop)
	wrong(48, "buffer that begins at the end", plugin.KindProtocol, "the buffer is outside", i32(memoryEnd-8), i32(-1), call(callInputRead), drop)
	return append(all, bufferGuests()...)
}

// bufferGuests returns guests that use pointers in odd ways that are allowed, because they affect only themselves.
func bufferGuests() []Guest {
	odd := func(line int, name string, pieces ...code) Guest {
		return Guest{Line: line, Name: name, Module: is(attack(pieces...)), Benign: true}
	}
	read := seq(call(callInputRead), drop)
	return []Guest{
		odd(45, "log line of 4 GiB", i32(1), i32(0), i32(-1), call(callLog)), // the line is cut
		odd(47, "nothing at a wild pointer",
			i32(-1), i32(0), call(callResultWrite), drop, i32(-1), i32(0), read, i32(-1), i32(0), call(callReplyRead), drop,
			i32(1), i32(-1), i32(0), call(callLog), i32(-1), i32(0), i32(-1), i32(0), call(callHostCall), expect(abi.ENOENT)),
		odd(48, "buffer larger than the memory", i32(8), i32(-1), read), // the input fits into the memory that exists
		odd(48, "wild buffer that is too small", i32(-1), i32(3), read),
		odd(48, "wild buffer that is one byte too small", i32(0), i32(0), call(callInputRead), set(1), i32(-1), get(1), i32(-1), add, read),
		odd(50, "input over the data", i32(dataStart), i32(buffer), read),
		odd(50, "input over everything", i32(0), i32(memoryEnd), read),
		odd(51, "memory that grows between reads", again(5, seq(i32(1), grow, drop, i32(buffer), i32(buffer), read)...)),
		odd(55, "pointer kept from the call before", i32(0), load32, i32(8), call(callResultWrite), drop, poke(0, buffer)),
		{Line: 49, Name: "reply over its own request", Benign: true, Module: func() []byte {
			m := hooked(abi.BeforeModel)
			at := dataStart + len(m.data)
			return m.on("before_model", once(m.hostCall(abi.OpBudget, nil, abi.StatusOK), i32(at), i32(64), call(callReplyRead), drop), nothing).bytes()
		}},
		{Line: 53, Name: "result that changes behind it", Benign: true, Module: func() []byte {
			m := hooked(abi.BeforeModel, abi.FieldSpec{Name: "f", Lifetime: "run"})
			doc := mapOf(map[string]any{"state": map[string]any{"f": "kept"}})
			m.DataCount, m.Data = true, [][]byte{slices.Concat([]byte{1}, name(string(doc)))}
			return m.on("before_model", i32(buffer), i32(0), i32(len(doc)), code{0xfc, 8, 1, 0}, i32(buffer), i32(len(doc)), call(callResultWrite), drop,
				i32(0), i32(0xff), i32(memoryEnd), fill, i32(1)).bytes()
		}},
		{Line: 54, Name: "allocator that traps", Benign: true, Module: func() []byte {
			m := fine()
			for _, export := range []string{"malloc", "alloc", "allocate", "cabi_realloc", "__alloc", "free"} {
				m.add(export, tI32, tI32, trap)
			}
			return m.bytes()
		}},
	}
}
