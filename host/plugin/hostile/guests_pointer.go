package hostile

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
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
		wrong(p.line, "result "+p.name, plugin.KindProtocol, "result_write: the result is outside", at, call(guestkit.ResultWrite), drop)
		wrong(p.line, "operation "+p.name, plugin.KindProtocol, "host_call: the operation is outside", at, i32(0), i32(0), call(guestkit.HostCall), drop)
		wrong(p.line, "document "+p.name, plugin.KindProtocol, "host_call: the document is outside", i32(0), i32(0), at, call(guestkit.HostCall), drop)
		wrong(p.line, "log line "+p.name, plugin.KindProtocol, "log: the line is outside", i32(1), at, call(guestkit.Log))
		wrong(p.line, "buffer "+p.name, plugin.KindProtocol, "input_read: the buffer is outside", i32(p.ptr), i32(1<<20), call(guestkit.InputRead), drop)
	}
	wrong(45, "result of 4 GiB", plugin.KindLimit, "the limit is", i32(0), i32(-1), call(guestkit.ResultWrite), drop)
	wrong(45, "operation of 4 GiB", plugin.KindProtocol, "at most 64 bytes", i32(0), i32(-1), i32(0), i32(0), call(guestkit.HostCall), drop)
	wrong(45, "document of 4 GiB", plugin.KindLimit, "the limit is", i32(0), i32(0), i32(0), i32(-1), call(guestkit.HostCall), drop)
	wrong(46, "result at 0 that is too long", plugin.KindProtocol, "is outside", i32(0), i32(memoryEnd+1), call(guestkit.ResultWrite), drop)
	wrong(48, "buffer that begins at the end", plugin.KindProtocol, "the buffer is outside", i32(memoryEnd-8), i32(-1), call(guestkit.InputRead), drop)
	return append(all, bufferGuests()...)
}

// bufferGuests returns guests that use pointers in odd ways that are allowed, because they affect only themselves.
func bufferGuests() []Guest {
	odd := func(line int, name string, pieces ...code) Guest {
		return Guest{Line: line, Name: name, Module: is(attack(pieces...)), Benign: true}
	}
	read := seq(call(guestkit.InputRead), drop)
	return []Guest{
		odd(45, "log line of 4 GiB", i32(1), i32(0), i32(-1), call(guestkit.Log)), // the line is cut
		odd(47, "nothing at a wild pointer",
			i32(-1), i32(0), call(guestkit.ResultWrite), drop, i32(-1), i32(0), read, i32(-1), i32(0), call(guestkit.ReplyRead), drop,
			i32(1), i32(-1), i32(0), call(guestkit.Log), i32(-1), i32(0), i32(-1), i32(0), call(guestkit.HostCall), expect(abi.ENOENT)),
		odd(48, "buffer larger than the memory", i32(8), i32(-1), read), // the input fits into the memory that exists
		odd(48, "wild buffer that is too small", i32(-1), i32(3), read),
		odd(48, "wild buffer that is one byte too small", i32(0), i32(0), call(guestkit.InputRead), set(1), i32(-1), get(1), i32(-1), add, read),
		odd(50, "input over the data", i32(dataStart), i32(buffer), read),
		odd(50, "input over everything", i32(0), i32(memoryEnd), read),
		odd(51, "memory that grows between reads", again(5, seq(i32(1), grow, drop, i32(buffer), i32(buffer), read)...)),
		odd(55, "pointer kept from the call before", i32(0), load32, i32(8), call(guestkit.ResultWrite), drop, poke(0, buffer)),
		{Line: 49, Name: "reply over its own request", Benign: true, Module: func() []byte {
			m := hooked(abi.BeforeModel)
			at := m.Put(nil)
			return m.On("before_model", once(m.HostCall(abi.OpBudget, nil, abi.StatusOK), i32(at), i32(64), call(guestkit.ReplyRead), drop), nothing).Bytes()
		}},
		{Line: 53, Name: "result that changes behind it", Benign: true, Module: func() []byte {
			m := hooked(abi.BeforeModel, abi.FieldSpec{Name: "f", Lifetime: "run"})
			doc := mapOf(map[string]any{"state": map[string]any{"f": "kept"}})
			m.DataCount, m.Data = true, [][]byte{slices.Concat([]byte{1}, name(string(doc)))}
			return m.On("before_model", i32(buffer), i32(0), i32(len(doc)), code{0xfc, 8, 1, 0}, i32(buffer), i32(len(doc)), call(guestkit.ResultWrite), drop,
				i32(0), i32(0xff), i32(memoryEnd), fill, i32(1)).Bytes()
		}},
		{Line: 54, Name: "allocator that traps", Benign: true, Module: func() []byte {
			m := fine()
			for _, export := range []string{"malloc", "alloc", "allocate", "cabi_realloc", "__alloc", "free"} {
				m.Add(function{Name: export, Params: tI32, Results: tI32, Body: trap})
			}
			return m.Bytes()
		}},
	}
}
