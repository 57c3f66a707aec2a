package hostile

import (
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// sectionGuests returns guests whose sections claim more than they have, or encode numbers that wazero and the
// specification read differently.
func sectionGuests() []Guest {
	malformed := func(line int, name, says string, module []byte) Guest {
		return refused(line, name, plugin.KindMalformed, says, is(module))
	}
	types, function := section(1, vector(signature("", ""))), section(3, vector([]byte{0}))
	bomb := func(content ...byte) []byte {
		return raw(types, function, section(10, vector(wasmbin.AppendSized(nil, content))))
	}
	all := []Guest{
		malformed(3, "names that are not there", "claims", append(fine().Bytes(), custom("name", append([]byte{1, 5}, huge...)...)...)),
		malformed(3, "local names that are not there", "claims", append(fine().Bytes(), custom("name", append([]byte{2, 5}, huge...)...)...)),
		malformed(3, "local names of a function that are not there", "claims",
			append(fine().Bytes(), custom("name", append([]byte{2, 7, 1, 0}, huge...)...)...)),
		malformed(3, "module name that is not there", "claims", append(fine().Bytes(), custom("name", append([]byte{0, 5}, huge...)...)...)),
		malformed(3, "name section twice", "a second section with names", append(fine().Bytes(), append(custom("name"), custom("name")...)...)),
		malformed(3, "part of names longer than its section", "ends inside of", append(fine().Bytes(), custom("name", 1, 0x7f, 0)...)),
		malformed(3, "custom section without a name", "ends too early", append(fine().Bytes(), 0, 0)),
		malformed(3, "custom section whose name is longer than it", "claims", append(fine().Bytes(), 0, 2, 0x7f, 'x')),
		malformed(3, "custom section name of 2^32-1", "claims", append(fine().Bytes(), section(0, []byte(huge))...)),
		malformed(3, "groups of locals that are not there", "groups of local variables", bomb([]byte(huge+"\x0b")...)),
		refused(3, "four billion locals", plugin.KindLimit, "10000 are allowed", is(bomb([]byte("\x01"+huge+"\x7f\x0b")...))),
		refused(3, "locals whose sum overflows", plugin.KindLimit, "10000 are allowed",
			is(bomb(slices.Concat([]byte{4}, slices.Repeat([]byte("\x80\x80\x80\x80\x04\x7f"), 4), end)...))),
		malformed(3, "labels that are not there", "labels", attack(code{0x41, 0, 0x0e}, code(huge))),
		malformed(3, "parameters that are not there", "parameters", raw(section(1, []byte("\x01\x60"+huge)))),
		malformed(3, "results that are not there", "results", raw(section(1, []byte("\x01\x60\x00"+huge)))),
		malformed(3, "name of an import that is not there", "claims", raw(types, section(2, []byte("\x01"+huge+"abc")))),
		malformed(3, "bytes of data that are not there", "claims", raw(section(5, vector([]byte{0, 1})), section(11, []byte("\x01\x01"+huge)))),
		malformed(3, "elements that are not there", "claims", raw(types, section(4, vector([]byte{0x70, 0, 1})), section(9, []byte("\x01\x01\x00"+huge)))),
		malformed(3, "section of 2^32-1 bytes", "it ends inside of", raw([]byte("\x01"+huge))),
		malformed(3, "body of 2^32-1 bytes", "it ends inside of", raw(types, function, section(10, []byte("\x01"+huge)))),
		malformed(3, "data announced 2^32-1 times", "announced", raw(section(5, vector([]byte{0, 1})), section(12, []byte(huge)))),
		malformed(3, "number of 33 bits", "more than 32 bits", attack(code("\x10\xff\xff\xff\xff\x1f"))),
		malformed(3, "number without an end", "more than 32 bits", raw([]byte("\x01\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"))),
		malformed(3, "signed number of 33 bits", "more than 32 bits", attack(code("\x41\xff\xff\xff\xff\x4f\x1a"))),
		malformed(3, "signed number of 65 bits", "more than 64 bits", attack(code("\x42\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x1a"))),

		// wazero reads this opcode as one byte, so it would run the 16 bytes as code.
		malformed(29, "vector opcode in two bytes", "as short as possible", attack(code{0xfd, 0x8c, 0x00}, again(16, 0x01), drop)),
		malformed(29, "vector opcode that hides a loop", "as short as possible",
			attack(code{0xfd, 0x8c, 0x00}, again(8, 0x01), code{0x03, 0x40, 0x0c, 0x00, 0x0b}, again(3, 0x01), drop)),
		malformed(29, "padded number of a conversion", "as short as possible", attack(code{0x43, 0, 0, 0, 0, 0xfc, 0x80, 0x00, 0x1a})),
		malformed(29, "padded number of memory.fill", "as short as possible", attack(i32(0), i32(0), i32(0), code{0xfc, 0x8b, 0x00, 0x00})),
		malformed(29, "vector opcode in three bytes", "as short as possible", attack(code{0xfd, 0x80, 0x80, 0x00})),
		malformed(29, "index of the memory in two bytes", "the index of the memory must be 0", attack(code{0x3f, 0x80, 0x00, 0x1a})),
		malformed(29, "element that refers to no function", "does not exist", func() []byte {
			m := fine()
			m.Tables, m.Elements = [][]byte{{0x70, 0, 1}}, [][]byte{{5, 0x70, 1, 0xd2, 0xff, 0x7f, 0x0b}}
			return m.Bytes()
		}()),
	}
	for id, what := range map[byte]string{1: "types", 2: "imports", 3: "functions", 4: "tables", 5: "memories", 6: "globals", 7: "exports", 9: "elements", 10: "code", 11: "data"} {
		all = append(all, malformed(3, fmt.Sprintf("%s that claim 2^32-1", what), "claims 4294967295", raw(section(id, []byte(huge)))))
	}
	return all
}
