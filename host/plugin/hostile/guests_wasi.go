package hostile

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// The errnos with which the sandbox's WASI answers.
const (
	wasiOK    = 0
	badf      = 8
	fault     = 21
	invalid   = 28
	nosys     = 52
	notdir    = 54
	notsup    = 58
	tooLong   = 37
	notPermit = 63
)

// errno takes the return value of a WASI function, and traps unless it is one of these.
func errno(wanted ...int) code {
	out := set(0)
	for _, want := range wanted {
		out = seq(out, get(0), i32(want), equal)
	}
	return seq(out, again(len(wanted)-1, 0x72), code{0x45}, when(trap)) // or, eqz
}

// wasiGuests returns guests that look for a way out through WASI. They trap if they find one.
func wasiGuests() []Guest {
	closed := func(line int, name string, pieces ...code) Guest {
		return Guest{Line: line, Name: name, Module: is(attack(pieces...)), Benign: true}
	}
	at := i32(buffer)
	word := func(address, want int) code { return seq(i32(address), load32, i32(want), differ, when(trap)) }
	open := func(fd int) code {
		return seq(poke(buffer, 0x7478652e), i32(fd), i32(0), at, i32(4), i32(1), i64(-1), i64(-1), i32(0), i32(8), call(guestkit.PathOpen),
			errno(badf, notdir))
	}
	var descriptors code
	for fd := range 8 {
		descriptors = seq(descriptors, open(fd))
	}
	fields := abi.FieldSpec{Name: "seen", Lifetime: "run"}
	sleeper := func() []byte {
		m := hooked(abi.BeforeModel, fields)
		// A subscription to a clock, an hour from now; then the clock must have moved by an hour.
		hour := int64(3600_000_000_000)
		m.On("before_model",
			i32(0), i64(0), i32(buffer+256), call(guestkit.ClockTimeGet), errno(wasiOK),
			i32(buffer+24), i64(hour), code{0x37, 3, 0}, at, i32(buffer+128), i32(1), i32(buffer+192), call(guestkit.PollOneoff), errno(wasiOK),
			i32(0), i64(0), i32(buffer+264), call(guestkit.ClockTimeGet), errno(wasiOK),
			i32(buffer+264), code{0x29, 3, 0}, i32(buffer+256), code{0x29, 3, 0}, code{0x7d}, i64(hour), code{0x54}, when(trap), nothing)
		return m.Bytes()
	}
	return []Guest{
		closed(84, "arguments", poke(buffer, 7), at, i32(buffer+4), call(guestkit.ArgsSizesGet), errno(wasiOK), word(buffer, 0), word(buffer+4, 0)),
		closed(84, "environment", poke(buffer, 7), at, i32(buffer+4), call(guestkit.EnvironSizesGet), errno(wasiOK), word(buffer, 0), word(buffer+4, 0)),
		closed(84, "arguments that are not there", at, at, call(guestkit.ArgsGet), errno(wasiOK)),
		closed(84, "environment that is not there", at, at, call(guestkit.EnvironGet), errno(wasiOK)),
		closed(28, "files", descriptors),
		closed(28, "directories", i32(3), at, call(guestkit.FdPrestatGet), errno(badf)),
		closed(28, "name of a directory", i32(3), at, i32(8), call(guestkit.FdPrestatDirName), errno(badf)),
		closed(28, "list of a directory", i32(3), at, i32(64), i64(0), i32(8), call(guestkit.FdReaddir), errno(badf)),
		closed(28, "sockets", i32(3), i32(0), at, call(guestkit.SockAccept), errno(badf)),
		closed(28, "standard input as a socket", poke(buffer, 0), poke(buffer+4, 8), i32(0), at, i32(1), i32(0), i32(8), i32(12), call(guestkit.SockRecv), errno(badf)),
		closed(28, "descriptor -1", i32(-1), at, call(guestkit.FdFdstatGet), errno(badf)),
		closed(28, "descriptor moved to 2^31-1", i32(1), i32(0x7fffffff), call(guestkit.FdRenumber), errno(badf, notsup)),
		closed(28, "standard output closed and used", i32(1), call(guestkit.FdClose), errno(wasiOK, badf), poke(buffer, 0), poke(buffer+4, 8),
			i32(1), at, i32(1), i32(8), call(guestkit.FdWrite), errno(wasiOK, badf), i32(1), i32(0x7fffffff), call(guestkit.FdRenumber), errno(badf, notsup)),
		{Line: 85, Name: "sleep of an hour", Module: sleeper, Benign: true},
		closed(85, "subscription to nothing", at, at, i32(0), i32(8), call(guestkit.PollOneoff), errno(invalid)),
		closed(85, "subscription beyond the memory", at, at, i32(1<<20), i32(8), call(guestkit.PollOneoff), errno(fault, invalid)),
		closed(85, "subscriptions whose size overflows", at, at, i32(0x10000000), i32(8), call(guestkit.PollOneoff), errno(fault, invalid)),
		closed(85, "subscriptions whose size overflows to a page", at, at, i32(0x05555556), i32(8), call(guestkit.PollOneoff), errno(fault, invalid)),
		closed(86, "standard input", poke(buffer, 0), poke(buffer+4, 64), poke(buffer+8, 7), i32(0), at, i32(1), i32(buffer+8), call(guestkit.FdRead), errno(wasiOK), word(buffer+8, 0)),
		closed(86, "standard input beyond the memory", poke(buffer, -16), poke(buffer+4, 64), i32(0), at, i32(1), i32(8), call(guestkit.FdRead), errno(fault)),
		closed(87, "output beyond the memory", poke(buffer, -16), poke(buffer+4, 64), i32(1), at, i32(1), i32(8), call(guestkit.FdWrite), errno(fault)),
		closed(87, "output of 2^29 pieces", i32(1), at, i32(0x20000000), i32(8), call(guestkit.FdWrite), errno(wasiOK, fault, invalid)),
		closed(84, "random numbers beyond the memory", at, i32(-1), call(guestkit.RandomGet), errno(fault)),
		closed(91, "resolution of the clock", i32(0), at, call(guestkit.ClockResGet), errno(wasiOK)),
		closed(91, "clock of the processor", i32(2), at, call(guestkit.ClockResGet), errno(invalid)),
		{
			Line: 91, Name: "clock of the host", Benign: true, Module: func() []byte { // it moves by 1 µs between two readings, whatever happens
				return attack(i32(1), i64(0), at, call(guestkit.ClockTimeGet), errno(wasiOK), turns(100_000, 1), i32(1), i64(0), i32(buffer+8), call(guestkit.ClockTimeGet),
					errno(wasiOK), i32(buffer+8), code{0x29, 3, 0}, at, code{0x29, 3, 0}, code{0x7d}, i64(1000), code{0x52}, when(trap))
			},
		},
		hookFault(83, "exit with 0", plugin.KindExit, "the code 0", plugin.Limits{}, i32(0), call(guestkit.ProcExit)),
		hookFault(83, "exit with 7", plugin.KindExit, "the code 7", plugin.Limits{}, i32(7), call(guestkit.ProcExit)),
		hookFault(83, "exit as if cancelled", plugin.KindExit, "the code 4294967295", plugin.Limits{}, i32(-1), call(guestkit.ProcExit)),
		hookFault(83, "exit as if late", plugin.KindExit, "the code 4026531839", plugin.Limits{}, i32(0xefffffff), call(guestkit.ProcExit)),
	}
}
