package hosts_test

import (
	"bytes"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/tck/hosts"
	"github.com/agenthost/agenthost/tck/internal/emit"
)

// frameCases are about single calls: what a call returns, writes and reads, and what it must not do.
func frameCases() []*def {
	before := func(body func(m *emit.Module) emit.Code) *emit.Module {
		return hooked(abi.BeforeModel, abi.HookSpec{}, body)
	}
	code := func(pieces ...emit.Code) *emit.Module { return before(in(pieces...)) }
	fails := func(name, kind string, m *emit.Module, sentence string, options ...option) *def {
		return newCase(name, m, append(options, fault(kind, "before_model"), says(sentence))...)
	}
	tooMuch := emit.Seq(emit.Number(1<<15), emit.Grow, emit.Is(-1), emit.When(emit.Trap))
	return []*def{
		newCase("return-0", before(func(m *emit.Module) emit.Code {
			return emit.Seq(m.Write(emit.Value(object{"remove": []any{"nobody"}})))
		}), status("completed"),
			says("The hook returns **0** if it has nothing to say, whatever it has written, or **1** if the result is the "+
				"document that it wrote last.")),
		newCase("last-write", before(func(m *emit.Module) emit.Code {
			return emit.Seq(m.Write(emit.Value(object{"remove": []any{"h1"}})), m.Say(emit.Value(object{})), emit.Return)
		}), has(history, `"hi"`), says("The last write wins.")),
		fails("return-7", "protocol", code(emit.Exit(7)), "Any other value, or 1 without a write, is a protocol fault."),
		fails(
			"return-1-without-a-write", "protocol", code(emit.Exit(1)),
			"Any other value, or 1 without a write, is a protocol fault.",
		),
		fails("pointer", "protocol", code(emit.Number(-16), emit.Number(17), emit.Call(emit.ResultWrite), emit.Drop),
			"A buffer that the host has to read or write and that does not lie within the memory is a protocol fault"),
		fails("input-pointer", "protocol", code(emit.Number(-16), emit.Number(1<<20), emit.Call(emit.InputRead), emit.Drop),
			"A buffer that the host has to read or write and that does not lie within the memory is a protocol fault"),
		newCase(
			"length-0",
			before(func(m *emit.Module) emit.Code {
				return emit.Seq(emit.Number(1), emit.Number(-1), emit.Number(0), emit.Call(emit.Log), m.Place([]byte("budget")), emit.Number(-1), emit.Number(0),
					emit.Call(emit.HostCall), emit.Expect(0))
			}),
			status("completed"), says("with length 0 the pointer does not matter."),
		),
		newCase("input-read-short", code(
			emit.Number(emit.Input), emit.Number(-1), emit.Code{0x36, 2, 0}, // a mark that must not change
			emit.Number(emit.Input), emit.Number(4), emit.Call(emit.InputRead),
			emit.Get(0), emit.Code{0x47}, emit.When(emit.Trap), // the length is returned
			emit.Number(emit.Input), emit.Code{0x28, 2, 0}, emit.Number(-1), emit.Code{0x47}, emit.When(emit.Trap), // nothing was copied
			emit.Number(emit.Input), emit.Get(0), emit.Call(emit.InputRead), emit.Drop,
			emit.Number(emit.Input), emit.Code{0x28, 2, 0}, emit.Number(-1), emit.Equal, emit.When(emit.Trap), // now it was copied
		), status("completed"), says("If `cap` is at least that length the host copies the whole input to `buf`; otherwise it copies nothing.", "It MAY be called any number of times.")),
		newCase(
			"reply-read-without-a-reply",
			code(emit.Number(emit.Reply), emit.Number(16), emit.Call(emit.ReplyRead), emit.When(emit.Trap)), status("completed"),
			says("`reply_read` does the same with the reply; without a reply it returns 0."),
		),
		fails(
			"next-in-a-node-hook", "protocol", before(func(m *emit.Module) emit.Code { return emit.Seq(m.Forward(nil), emit.Drop) }),
			"In other exports `next` is a protocol fault.",
		),
		fails(
			"log-level", "protocol", before(func(m *emit.Module) emit.Code { return m.Print(4, "x") }),
			"`level` is 0 debug, 1 info, 2 warning or 3 error; any other level is a protocol fault.",
		),
		newCase(
			"log",
			before(func(m *emit.Module) emit.Code {
				return emit.Seq(m.Print(0, "debug"), m.Print(1, "in\nfo"), m.Print(2, "warn\x1b[31m"), m.Print(3, "err\xffor"))
			}),
			has(logged, `{"level":0,"text":"debug"}`, `{"level":1,"text":"in fo"}`, `{"level":2,"text":"warn [31m"}`),
			hasNot(logged, `\u001b`), volatile("/runs/0/log/1/text", "/runs/0/log/2/text", "/runs/0/log/3/text"),
			says("The line is UTF-8; the host replaces invalid bytes and control characters, and cuts the line at 8 KiB."),
		),
		newCase(
			"log-past-the-end", code(emit.Number(1), emit.Number(emit.Reply), emit.Number(-1), emit.Call(emit.Log)), status("completed"),
			volatile("/runs/0/log/0/text"), says("The host does not read bytes after that limit, and they need not lie within the memory."),
		),
		newCase(
			"log-of-output",
			before(func(m *emit.Module) emit.Code {
				return emit.Seq(m.Place([]byte("printed\n")), emit.Set(2), emit.Set(1), emit.Number(emit.Reply), emit.Get(1), emit.Code{0x36, 2, 0},
					emit.Number(emit.Reply+4), emit.Get(2), emit.Code{0x36, 2, 0},
					emit.Number(1), emit.Number(emit.Reply), emit.Number(1), emit.Number(emit.Reply+8), emit.Call(emit.FdWrite), emit.When(emit.Trap))
			}),
			has(logged, `{"level":1,"text":"printed"}`), says("| standard output and error | go to the log at level 1 |"),
		),
		fails(
			"trap", "trap", code(emit.Trap),
			"| `trap` | the code trapped: unreachable, an access outside of memory, stack overflow, … |",
		),
		fails("exit", "exit", code(emit.Number(0), emit.Call(emit.ProcExit)), "| `exit` | it called `proc_exit` |"),
		fails("fuel", "fuel", code(emit.Loop()), "| `fuel` | it used up its fuel |", limits(hosts.Limits{Fuel: 100_000})),
		fails(
			"memory", "memory", code(tooMuch), "| `memory` | it needs more memory than its limit, or than is left for all guests |",
			says("A trap or `proc_exit` later in that frame is of the kind `memory`."),
		),
		newCase(
			"memory-grow-fails", code(emit.Number(1<<15), emit.Grow, emit.Is(-1), emit.Not(), emit.When(emit.Trap)),
			status("completed"), says(
				"| memory of an instance | 64 MiB | `memory.grow` fails; fault `memory` |",
				"A `memory.grow` beyond the limit returns −1 and is not a fault, because a guest may manage without the memory.",
			),
		),
		fails(
			"result-too-large", "limit", code(emit.Number(emit.Input), emit.Number(1<<20+1), emit.Call(emit.ResultWrite), emit.Drop),
			"| document that a guest writes | 1 MiB | fault `limit` |",
		),
		fails("input-too-large", "limit", hooked(abi.BeforeModel, abi.HookSpec{Messages: abi.ViewAll()}, nil),
			"| `limit` | a document that it wrote is larger than its limit; or its input would be, and then the instance is kept |",
			limits(hosts.Limits{Input: 2000}), messages(human("h1", long(3000)))),
		fails("malformed", "protocol", before(func(m *emit.Module) emit.Code { return emit.Seq(m.Say([]byte{0xc1}), emit.Return) }),
			"a document of the guest that is not valid msgpack as in §1"),
		fails(
			"malformed-trailing", "protocol",
			before(func(m *emit.Module) emit.Code { return emit.Seq(m.Say([]byte{0x80, 0xc0}), emit.Return) }),
			"has bytes after its value",
		),
		fails("malformed-ext", "protocol", before(func(m *emit.Module) emit.Code {
			return emit.Seq(m.Say([]byte("\x81\xa1x\xd4\x01\x00")), emit.Return)
		}), "| ext | | MUST NOT occur |"),
		fails("malformed-float", "protocol", before(func(m *emit.Module) emit.Code {
			return emit.Seq(m.Say([]byte("\x81\xa1x\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00")), emit.Return)
		}), "| float 32, float 64 | `float` | finite |"),
		fails(
			"malformed-key", "protocol",
			before(func(m *emit.Module) emit.Code { return emit.Seq(m.Say([]byte("\x82\xa1x\xc0\xa1x\xc0")), emit.Return) }),
			"| map | `map`, `{T}` | keys are str, each at most once; `{T}` has values of type T |",
		),
		fails(
			"malformed-claim", "protocol",
			before(func(m *emit.Module) emit.Code { return emit.Seq(m.Say([]byte("\xdd\xff\xff\xff\xff")), emit.Return) }),
			"or claims more elements than it has bytes.",
		),
		fails("malformed-depth", "protocol", before(func(m *emit.Module) emit.Code {
			return emit.Seq(m.Say(append([]byte("\x81\xa1x"), append(bytes.Repeat([]byte{0x91}, 64), 0xc0)...)), emit.Return)
		}), "nests deeper than 64 arrays and maps"),
		newCase(
			"depth-64", before(func(m *emit.Module) emit.Code {
				return emit.Seq(m.Say(append([]byte("\x81\xa1x"), append(bytes.Repeat([]byte{0x91}, 63), 0xc0)...)), emit.Return)
			}), status("completed"), says("The outermost value counts as one value and as one level."),
		),
		newCase(
			"any-form",
			before(func(m *emit.Module) emit.Code { // {"state": …, "patch": …} with long forms, in another order
				return emit.Seq(m.Say([]byte("\xdf\x00\x00\x00\x02\xd9\x05patch\xdd\x00\x00\x00\x01\x82\xda\x00\x02id\xa2h1\xa7content\xdb\x00\x00\x00\x01x\xa7jump_to\xa0")), emit.Return)
			}),
			has(history, `{"content":"x","id":"h1"`), says("A guest MAY write keys in any order and use any length of an encoding."),
		),
		newCase(
			"open", code(emit.Trap), open, status("completed"), has(history, `"hello"`),
			says("*Open*: the run goes on as if the hook had returned 0"),
		),
		newCase(
			"isolation-call",
			hooked(abi.BeforeModel, abi.HookSpec{}, in(emit.LoadGlobal(), emit.When(emit.Trap), emit.Number(1), emit.StoreGlobal())),
			looping(2), func(d *def) { d.Plugins[0].Isolation = "call" }, frames(3), status("completed"),
			says(
				"With the isolation `call` the host restores memory and globals to what they were after `configure` before every call",
			),
		),
		newCase(
			"not-listed", hooked(abi.BeforeModel, abi.HookSpec{}, nil).On("after_model", emit.Trap), frames(1), status("completed"),
			says("one that is exported but not listed is never called."),
		),
		newCase(
			"n-counts", hooked(abi.BeforeModel, abi.HookSpec{}, nil), looping(2), has(given(0), `"n":1`),
			has(given(2), `"n":3`, `"step":"guest.before_model"`),
			says(
				"counts the calls of this hook since the agent was built, from 1, including failed and interrupted ones",
				"`NAME.HOOK` of a hook, `tools` in `call_tool`",
			),
		),
	}
}
