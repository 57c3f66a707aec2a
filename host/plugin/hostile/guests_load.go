package hostile

import (
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin"
)

// refused returns a guest that the preflight refuses.
func refused(line int, name string, kind plugin.Kind, says string, module func() []byte) Guest {
	return Guest{Line: line, Name: name, Module: module, Stage: "preflight", Kinds: []plugin.Kind{kind}, Says: says}
}

// linked returns a guest whose imports or exports break the ABI.
func linked(line int, name, says string, module []byte) Guest {
	return Guest{Line: line, Name: name, Module: is(module), Stage: "link", Kinds: []plugin.Kind{plugin.KindLink}, Says: says}
}

// is returns a function that returns this module.
func is(module []byte) func() []byte { return func() []byte { return module } }

// loadGuests returns files that are not modules, or modules that are much too large.
func loadGuests() []Guest {
	malformed := func(line int, name, says, module string) Guest {
		return refused(line, name, plugin.KindMalformed, says, is([]byte(module)))
	}
	all := []Guest{
		malformed(1, "empty file", "it ends inside of 4 bytes", ""),
		malformed(1, "one zero byte", "it ends inside of 4 bytes", "\x00"),
		malformed(1, "magic alone", "ends inside of 4 bytes", "\x00asm"),
		malformed(1, "shell script", "does not begin as a Wasm module", "#!/bin/sh\nexec rm -rf /\n"),
		malformed(1, "ELF program", "does not begin as a Wasm module", "\x7fELF\x02\x01\x01"),
		malformed(1, "component", "components are not supported", "\x00asm\x0d\x00\x01\x00"),
		malformed(1, "version of tomorrow", "core module of version 1", "\x00asm\x02\x00\x00\x00"),
		malformed(1, "unknown section", "the section 99 is unknown", "\x00asm\x01\x00\x00\x00\x63\x00"),
		malformed(1, "sections in disorder", "is in the wrong place", "\x00asm\x01\x00\x00\x00\x05\x01\x00\x01\x01\x00"),
		malformed(1, "section twice", "is in the wrong place", "\x00asm\x01\x00\x00\x00\x01\x01\x00\x01\x01\x00"),
		linked(1, "module without anything", "not an agenthost plugin", raw()),
		refused(4, "file of 33 MiB", plugin.KindLimit, "33554432 are allowed", func() []byte {
			return append(raw(), make([]byte, 33<<20)...)
		}),
		refused(4, "custom section of 33 MiB", plugin.KindLimit, "33554432 are allowed", func() []byte {
			return append(fine().Bytes(), custom("padding", make([]byte, 33<<20)...)...)
		}),
		refused(5, "body of 300 KiB", plugin.KindLimit, "262144 are allowed", is(attack(again(300<<10, nop...)))),
		refused(6, "40000 nested blocks", plugin.KindLimit, "blocks inside each other", is(attack(again(40_000, 0x02, 0x40), again(40_000, 0x0b)))),
		refused(7, "br_table of 200000 labels", plugin.KindLimit, "labels in a br_table", is(attack(i32(0), code{0x0e}, leb(200_000), again(200_001, 0)))),
		refused(8, "300000 functions", plugin.KindLimit, "100000 are allowed", func() []byte {
			return raw(section(1, vector(signature("", ""))), section(3, leb(300_000), again(300_000, 0)), section(10, leb(300_000), again(300_000, 2, 0, 0x0b)))
		}),
		refused(9, "100000 exports", plugin.KindLimit, "10000 are allowed", func() []byte {
			m := fine()
			for i := range 100_000 {
				m.Exports = append(m.Exports, append(name(fmt.Sprint("e", i)), 2, 0))
			}
			return m.Bytes()
		}),
		refused(9, "export name of 1 MiB", plugin.KindMalformed, "4096 are allowed", func() []byte {
			m := fine()
			m.Exports = append(m.Exports, append(name(strings.Repeat("x", 1<<20)), 2, 0))
			return m.Bytes()
		}),
		refused(10, "export name that is not UTF-8", plugin.KindMalformed, "is not UTF-8", func() []byte {
			m := fine()
			m.Exports = append(m.Exports, append(name("\xff\xfe"), 2, 0))
			return m.Bytes()
		}),
		refused(10, "two exports of one name", plugin.KindMalformed, "two exports have the name", func() []byte {
			m := fine()
			m.Exports = append(m.Exports, append(name("\x1b[31m\u202e"), 2, 0), append(name("\x1b[31m\u202e"), 2, 0))
			return m.Bytes()
		}),
		{
			Line: 10, Name: "export name with NUL and escapes", Benign: true, Module: func() []byte {
				m := fine()
				m.Exports = append(m.Exports, append(name("a\x00b\x1b[2J\u202e\n"), 2, 0))
				return m.Bytes()
			},
		},
	}
	return append(all, truncations()...)
}

// truncations returns a module that is cut off after each of its sections, and inside each.
func truncations() []Guest {
	m := hooked(abi.BeforeModel)
	m.Tables = [][]byte{{0x70, 1, 1, 2}}
	m.Globals = [][]byte{{0x7f, 1, 0x41, 7, 0x0b}}
	m.Start = m.Next()
	m.Add(function{})
	m.Elements = [][]byte{{0, 0x41, 0, 0x0b, 1, 0}}
	m.DataCount = true
	whole := m.On("before_model", nothing).Bytes()
	var all []Guest
	for at := 8; at < len(whole); {
		id, size, header := whole[at], 0, 1
		for shift := 0; ; shift += 7 {
			b := whole[at+header]
			size |= int(b&0x7f) << shift
			header++
			if b < 0x80 {
				break
			}
		}
		stops := map[string]int{"before": at, "in the head of": at + 1, "at the begin of": at + header, "in the middle of": at + header + size/2}
		for where, stop := range stops {
			title := fmt.Sprintf("cut %s section %d", where, id)
			if where == "before" && id <= 3 { // the rest is a valid module
				all = append(all, linked(2, title, "not an agenthost plugin", whole[:stop]))
				continue
			}
			all = append(all, refused(2, title, plugin.KindMalformed, "", is(whole[:stop])))
		}
		at += header + size
	}
	return all
}
