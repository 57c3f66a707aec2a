package hostile

import (
	"encoding/binary"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
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
				m.Memory = guestkit.Pages(largePages)
				return m.On("wrap_model_call", once(forever(pieces(m))), nothing).Bytes()
			},
		}
		g.Limits.HostCalls = 1 << 40
		all = append(all, g)
	}
	simple := func(name string, pieces ...code) { storm(42, name, func(*module) code { return seq(pieces...) }) }
	simple("log", i32(0), i32(0), i32(8), call(guestkit.Log))
	simple("log beyond its end", i32(3), i32(0), i32(8<<10), call(guestkit.Log))
	simple("input_read", i32(buffer), i32(buffer), call(guestkit.InputRead), drop)
	simple("reply_read", i32(buffer), i32(buffer), call(guestkit.ReplyRead), drop)
	simple("result_write of 1 MiB", i32(buffer), i32(1<<20), call(guestkit.ResultWrite), drop)
	simple("host_call without a name", again(4, 0x41, 0), call(guestkit.HostCall), drop)
	storm(42, "budget", func(m *module) code { return m.HostCall(abi.OpBudget, nil, abi.StatusOK) })
	storm(42, "unknown operations", func(m *module) code { return m.HostCall("no.such", nil, abi.ENOENT) })
	storm(42, "state.read of everything", func(m *module) code {
		return seq(m.Operate(abi.OpStateRead, document(&abi.StateQuery{Count: 1 << 20})), drop)
	})
	storm(42, "state.read with 1 MiB", func(m *module) code {
		return seq(
			m.Place([]byte(abi.OpStateRead)), largeDocument(m), call(guestkit.HostCall), drop)
	})
	storm(42, "event.emit with 1 MiB", func(m *module) code {
		return seq(m.Place([]byte(abi.OpEventEmit)), largeDocument(m), call(guestkit.HostCall), drop)
	})
	simple("sched_yield", call(guestkit.SchedYield), drop)
	simple("clock_time_get", i32(0), i64(0), i32(0), call(guestkit.ClockTimeGet), drop)
	simple("random_get of everything", i32(0), i32(largePages<<16), call(guestkit.RandomGet), drop)
	simple("random_get of a page", i32(0), i32(1<<16), call(guestkit.RandomGet), drop)
	simple("fd_write of everything", poke(0, 0), poke(4, largePages<<16), i32(1), i32(0), i32(1), i32(8), call(guestkit.FdWrite), drop)
	simple("fd_write of lines", i32(buffer), i32('\n'), i32(1<<20), fill,
		poke(0, buffer), poke(4, 1<<20), i32(1), i32(0), i32(1), i32(8), call(guestkit.FdWrite), drop)
	simple("fd_write of a million overlapping pieces", seq(vectors(), i32(1), i32(buffer), i32(1<<20), i32(8), call(guestkit.FdWrite), drop))
	simple("fd_write of a million empty pieces", i32(1), i32(buffer), i32(1<<20), i32(8), call(guestkit.FdWrite), drop)
	simple("fd_pwrite of a million pieces", vectors(), i32(1), i32(buffer), i32(1<<20), i64(0), i32(8), call(guestkit.FdPwrite), drop)
	simple("fd_read into a million pieces", i32(0), i32(buffer), i32(1<<20), i32(8), call(guestkit.FdRead), drop)
	simple("poll_oneoff of 300000 clocks", i32(0), i32(buffer), i32(300_000), i32(8), call(guestkit.PollOneoff), drop)
	simple("poll_oneoff of 300000 inputs", i32(buffer), i32(1), i32(300_000*48), fill, i32(buffer), i32(buffer), i32(300_000), i32(8), call(guestkit.PollOneoff), drop)
	simple("path_open with a path of 8 MiB", i32(3), i32(0), i32(buffer), i32(8<<20), i32(0), i64(0), i64(0), i32(0), i32(8), call(guestkit.PathOpen), drop)
	simple("path_readlink with a path of 8 MiB", i32(3), i32(buffer), i32(8<<20), i32(0), i32(8), i32(16), call(guestkit.PathReadlink), drop)
	simple("path_rename with paths of 8 MiB", i32(3), i32(buffer), i32(8<<20), i32(3), i32(buffer), i32(8<<20), call(guestkit.PathRename), drop)
	simple("sock_send of a million pieces", i32(3), i32(buffer), i32(1<<20), i32(0), i32(8), call(guestkit.SockSend), drop)
	return all
}

// largePages is 16 MiB of memory.
const largePages = 256

// vectors fills a million pieces, each of which covers the whole memory.
func vectors() code {
	return seq(i32(0), set(1), loop(
		get(1), i32(buffer), add, i32(0), store32, get(1), i32(buffer+4), add, i32(1<<20), store32,
		get(1), i32(8), add, guestkit.Tee(1), i32(8<<20), code{0x49, 0x0d, 0})) // lt_u, br_if
}

// largeDocument places a document of almost 1 MiB in its own segment.
func largeDocument(m *module) code {
	const at, size = 1 << 20, 1<<20 - 64
	doc := append([]byte("\x82\xa4name\xa1x\xa4data\xc6"), binary.BigEndian.AppendUint32(nil, size)...)
	doc = append(doc, make([]byte, size)...)
	m.Data = append(m.Data, slices.Concat([]byte{0}, i32(at), end, name(string(doc))))
	return seq(i32(at), i32(len(doc)))
}
