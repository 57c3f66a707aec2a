package hostile

import (
	"encoding/binary"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin"
)

// stormGuests returns guests that keep the host busy: each call of the host costs the guest little and the host much.
// The host also checks the guest's time during such calls.
func stormGuests() []Guest {
	var all []Guest
	// A storm stops when its fuel or its time is used up, whichever comes first.
	storm := func(line int, name string, pieces func(m *module) code) {
		g := Guest{
			Line: line, Name: "storm of " + name, Stage: "wrap_model_call", Kinds: []plugin.Kind{plugin.KindDeadline}, Says: "of time",
			Once: true, Limits: littleTime,
			Module: func() []byte {
				m := specified(abi.WrapModelCall, abi.HookSpec{Messages: abi.ViewAll()})
				m.Memory = append([]byte{0}, leb(largePages)...)
				return m.on("wrap_model_call", once(forever(pieces(m))), nothing).bytes()
			},
		}
		g.Limits.HostCalls = 1 << 40
		all = append(all, g)
	}
	simple := func(name string, pieces ...code) { storm(42, name, func(*module) code { return seq(pieces...) }) }
	simple("log", i32(0), i32(0), i32(8), call(callLog))
	simple("log beyond its end", i32(3), i32(0), i32(8<<10), call(callLog))
	simple("input_read", i32(buffer), i32(buffer), call(callInputRead), drop)
	simple("reply_read", i32(buffer), i32(buffer), call(callReplyRead), drop)
	simple("result_write of 1 MiB", i32(buffer), i32(1<<20), call(callResultWrite), drop)
	simple("host_call without a name", again(4, 0x41, 0), call(callHostCall), drop)
	storm(42, "budget", func(m *module) code { return m.hostCall(abi.OpBudget, nil, abi.StatusOK) })
	storm(42, "unknown operations", func(m *module) code { return m.hostCall("no.such", nil, abi.ENOENT) })
	storm(42, "state.read of everything", func(m *module) code {
		return seq(m.place([]byte(abi.OpStateRead)), m.place(document(&abi.StateQuery{Count: 1 << 20})), call(callHostCall), drop)
	})
	storm(42, "state.read with 1 MiB", func(m *module) code {
		return seq(
			m.place([]byte(abi.OpStateRead)), m.largeDocument(), call(callHostCall), drop)
	})
	storm(42, "event.emit with 1 MiB", func(m *module) code {
		return seq(m.place([]byte(abi.OpEventEmit)), m.largeDocument(), call(callHostCall), drop)
	})
	simple("sched_yield", call(callSchedYield), drop)
	simple("clock_time_get", i32(0), i64(0), i32(0), call(callClockTimeGet), drop)
	simple("random_get of everything", i32(0), i32(largePages<<16), call(callRandomGet), drop)
	simple("random_get of a page", i32(0), i32(1<<16), call(callRandomGet), drop)
	simple("fd_write of everything", poke(0, 0), poke(4, largePages<<16), i32(1), i32(0), i32(1), i32(8), call(callFdWrite), drop)
	simple("fd_write of lines", i32(buffer), i32('\n'), i32(1<<20), fill,
		poke(0, buffer), poke(4, 1<<20), i32(1), i32(0), i32(1), i32(8), call(callFdWrite), drop)
	simple("fd_write of a million overlapping pieces", seq(vectors(), i32(1), i32(buffer), i32(1<<20), i32(8), call(callFdWrite), drop))
	simple("fd_write of a million empty pieces", i32(1), i32(buffer), i32(1<<20), i32(8), call(callFdWrite), drop)
	simple("fd_pwrite of a million pieces", vectors(), i32(1), i32(buffer), i32(1<<20), i64(0), i32(8), call(callFdPwrite), drop)
	simple("fd_read into a million pieces", i32(0), i32(buffer), i32(1<<20), i32(8), call(callFdRead), drop)
	simple("poll_oneoff of 300000 clocks", i32(0), i32(buffer), i32(300_000), i32(8), call(callPollOneoff), drop)
	simple("poll_oneoff of 300000 inputs", i32(buffer), i32(1), i32(300_000*48), fill, i32(buffer), i32(buffer), i32(300_000), i32(8), call(callPollOneoff), drop)
	simple("path_open with a path of 8 MiB", i32(3), i32(0), i32(buffer), i32(8<<20), i32(0), i64(0), i64(0), i32(0), i32(8), call(callPathOpen), drop)
	simple("path_readlink with a path of 8 MiB", i32(3), i32(buffer), i32(8<<20), i32(0), i32(8), i32(16), call(callPathReadlink), drop)
	simple("path_rename with paths of 8 MiB", i32(3), i32(buffer), i32(8<<20), i32(3), i32(buffer), i32(8<<20), call(callPathRename), drop)
	simple("sock_send of a million pieces", i32(3), i32(buffer), i32(1<<20), i32(0), i32(8), call(callSockSend), drop)
	return all
}

// largePages is 16 MiB of memory.
const largePages = 256

// vectors fills a million pieces, each of which covers the whole memory.
func vectors() code {
	return seq(i32(0), set(1), loop(
		get(1), i32(buffer), add, i32(0), store32, get(1), i32(buffer+4), add, i32(1<<20), store32,
		get(1), i32(8), add, code{0x22, 1}, i32(8<<20), code{0x49, 0x0d, 0})) // tee, lt_u, br_if
}

// largeDocument places a document of almost 1 MiB in its own segment.
func (m *module) largeDocument() code {
	const at, size = 1 << 20, 1<<20 - 64
	doc := append([]byte("\x82\xa4name\xa1x\xa4data\xc6"), binary.BigEndian.AppendUint32(nil, size)...)
	doc = append(doc, make([]byte, size)...)
	m.Data = append(m.Data, slices.Concat([]byte{0}, i32(at), end, name(string(doc))))
	return seq(i32(at), i32(len(doc)))
}
