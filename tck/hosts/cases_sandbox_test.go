package hosts_test

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/tck/hosts"
	"github.com/agenthost/agenthost/tck/internal/emit"
)

// sandboxCases are about WASI.
func sandboxCases() []*def {
	const at = emit.Reply
	load := func(offset int) emit.Code { return emit.Seq(emit.Number(at+offset), emit.Code{0x29, 3, 0}) } // i64.load
	read := func(offset, clock int) emit.Code {
		return emit.Seq(emit.Number(clock), emit.Long(1), emit.Number(at+offset), emit.Call(emit.ClockTimeGet), emit.When(emit.Trap))
	}
	difference := func(want int64) emit.Code { // of the two times; it must have this value
		return emit.Seq(load(8), load(0), emit.Code{0x7d}, emit.Long(want), emit.Code{0x52}, emit.When(emit.Trap))
	}
	store := func(address, value int) emit.Code {
		return emit.Seq(emit.Number(address), emit.Number(value), emit.Code{0x36, 2, 0})
	}
	hour := int64(3_600_000_000_000)
	sleep := emit.Seq( // a subscription to a clock, one hour ahead
		emit.Number(at+64+24), emit.Long(hour), emit.Code{0x37, 3, 0},
		emit.Number(at+64), emit.Number(at+256), emit.Number(1), emit.Number(at+512), emit.Call(emit.PollOneoff), emit.When(emit.Trap),
	)
	zeroes := func(call int) emit.Code { // two numbers that must be 0
		return emit.Seq(store(at, 7), store(at+4, 7), emit.Number(at), emit.Number(at+4), emit.Call(call), emit.When(emit.Trap), load(0), emit.Code{0x50, 0x45}, emit.When(emit.Trap))
	}
	before := func(pieces ...emit.Code) *emit.Module { return hooked(abi.BeforeModel, abi.HookSpec{}, in(pieces...)) }
	const closed = "| arguments, environment, files, preopened directories, sockets | there are none; standard input is empty |"
	const clocks = "| clocks | virtual: every clock starts at `now` of the input, and moves by 1 µs when it is read and by the time slept when the guest sleeps; sleeping takes no time |"
	random := emit.Seq(emit.Number(at), emit.Number(16), emit.Call(emit.RandomGet), emit.When(emit.Trap), load(0), emit.Code{0x50}, emit.When(emit.Trap))
	const seeded = "In `_initialize`, `describe` and `configure` both `now` and `seed` are 0."
	initialize := func(pieces ...emit.Code) *emit.Module {
		return before().Add(emit.Function{Name: abi.Initialize, Body: emit.Seq(pieces...)})
	}
	return []*def{
		newCase("wasi-arguments", before(zeroes(emit.ArgsSizesGet)), status("completed"), says(closed)),
		newCase("wasi-environment", before(zeroes(emit.EnvironSizesGet)), status("completed"), says(closed)),
		newCase(
			"wasi-directories",
			before(emit.Number(3), emit.Number(at), emit.Call(emit.FdPrestatGet), emit.Not(), emit.When(emit.Trap)),
			status("completed"), says(closed),
		),
		newCase(
			"wasi-standard-input",
			before(
				store(at, at+64), store(at+4, 16), store(at+8, 7), emit.Number(0), emit.Number(at), emit.Number(1),
				emit.Number(at+8), emit.Call(emit.FdRead), emit.When(emit.Trap), emit.Number(at+8), emit.Code{0x28, 2, 0},
				emit.When(emit.Trap),
			),
			status("completed"), says(closed),
		),
		newCase("wasi-descriptors", descriptors(at), status("completed"), says(
			"| functions | all of them are there |",
			"| descriptors | 0, 1 and 2: closing them or setting their flags changes nothing; seeking and telling "+
				"fail with errno 52 (`nosys`). Any other descriptor, every path and every socket fails with errno 8 "+
				"(`badf`) |",
			"52: `proc_raise` |",
		)),
		newCase(
			"wasi-errnos",
			before(
				emit.Number(7), emit.Number(at), emit.Number(0), emit.Number(at), emit.Call(emit.FdRead), gives(8),
				emit.Number(1), emit.Number(-8), emit.Number(1), emit.Number(at), emit.Call(emit.FdWrite), gives(21),
				emit.Number(1), emit.Number(at), emit.Number(1025), emit.Number(at), emit.Call(emit.FdWrite), gives(28),
				emit.Number(2), emit.Long(1), emit.Number(at), emit.Call(emit.ClockTimeGet), gives(28),
				emit.Number(at), emit.Number(at), emit.Number(1025), emit.Number(at), emit.Call(emit.PollOneoff), gives(28),
				store(at+40, 1), emit.Number(at), emit.Number(at+256), emit.Number(1), emit.Number(at+512), emit.Call(emit.PollOneoff), gives(58),
			),
			status("completed"),
			says(
				"| other errnos | 21 (`fault`): a pointer outside the memory, which is not a protocol fault here. 28 "+
					"(`inval`): a clock other than 0 and 1; more than 1,024 pieces or subscriptions at once. 58 (`notsup`): "+
					"an absolute time in `poll_oneoff`.",
			),
		),
		newCase("wasi-clock-moves", before(read(0, 0), read(8, 0), difference(1000)), status("completed"), says(clocks)),
		newCase("wasi-clocks-are-one", before(read(0, 0), read(8, 1), difference(1000)), status("completed"), says(clocks)),
		newCase("wasi-sleep", before(read(0, 0), sleep, read(8, 0), difference(hour+1000)), status("completed"), says(clocks)),
		newCase(
			"wasi-clock-does-not-sleep", sleeping(read(0, 0), read(8, 0), difference(1000)), grant(hosts.Grant{ClockSleep: true}), status("completed"),
			says("The virtual clock does not move."),
		),
		newCase(
			"wasi-clock-of-initialize", initialize(read(0, 0), load(0), emit.Code{0x50, 0x45}, emit.When(emit.Trap)),
			status("completed"), says(seeded),
		),
		newCase(
			"wasi-random", before(random), status("completed"),
			says(
				"| `random_get` | a sequence that follows from `seed` of the input alone, the same for as long as the host serves this major version |",
			),
		),
		newCase(
			"wasi-exit-in-describe",
			emit.Hooked(
				abi.BeforeModel,
				abi.HookSpec{}).Without(abi.ExportDescribe).Add(emit.Function{Name: abi.ExportDescribe, Results: emit.I32, Body: emit.Seq(emit.Number(0), emit.Call(emit.ProcExit), emit.Number(0))}).On("before_model",
				emit.Number(0),
			),
			refused, says("| `proc_exit` | is a fault, with any code |"),
		),
	}
}

// gives takes an errno from the stack, and traps unless it is this one.
func gives(errno int) emit.Code { return emit.Seq(emit.Is(errno), emit.Not(), emit.When(emit.Trap)) }

// descriptors returns a guest that imports rarely used WASI functions, and traps if one returns an unexpected errno.
func descriptors(at int) *emit.Module {
	const standardOutput, other = 1, 3
	m := emit.Hooked(abi.BeforeModel, abi.HookSpec{})
	var body emit.Code
	call := func(slot int, name, params string, errno int, args ...emit.Code) {
		m.Imports[slot].Name, m.Imports[slot].Params = name, params
		body = append(body, emit.Seq(emit.Seq(args...), emit.Call(slot), gives(errno))...)
	}
	number := emit.Number
	for _, fd := range []int{standardOutput, other} {
		unless := func(errno int) int { // for an existing descriptor
			if fd == other {
				return 8
			}
			return errno
		}
		call(emit.ArgsSizesGet, "fd_close", emit.I32, unless(0), number(fd))
		call(emit.EnvironSizesGet, "fd_fdstat_set_flags", emit.I32+emit.I32, unless(0), number(fd), number(0))
		call(emit.PollOneoff, "fd_seek", emit.I32+emit.I64+emit.I32+emit.I32, unless(52), number(fd), emit.Long(0), number(0), number(at))
		call(emit.FdPrestatGet, "fd_tell", emit.I32+emit.I32, unless(52), number(fd), number(at))
		call(emit.FdRead, "path_unlink_file", emit.I32+emit.I32+emit.I32, 8, number(fd), number(at), number(1))
		call(emit.ClockTimeGet, "sock_shutdown", emit.I32+emit.I32, 8, number(fd), number(0))
	}
	call(emit.RandomGet, "proc_raise", emit.I32, 52, number(1))
	body = append(body, emit.Seq(number(standardOutput), number(at), number(0), number(at), emit.Call(emit.FdWrite), gives(0))...)
	return m.On("before_model", body, number(0))
}

// sleeping returns a guest that reads its clock, sleeps by clock.sleep, and then does something else.
func sleeping(before emit.Code, after ...emit.Code) *emit.Module {
	d := emit.Describing(abi.BeforeModel, abi.HookSpec{})
	d.Capabilities = asking(abi.OpClockSleep)
	m := emit.New(d)
	nap := operates(operation{abi.OpClockSleep, object{"duration_ms": 5}, 0})(m)
	return m.On("before_model", before, nap, emit.Seq(after...), emit.Number(0))
}
