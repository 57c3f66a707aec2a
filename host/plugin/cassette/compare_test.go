package cassette_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin/cassette"
)

// TestCompare compares a call with repetitions of it. The tests of package plugin do so with guests.
func TestCompare(t *testing.T) {
	t.Parallel()
	document := func(n int64) []byte { return wire.Map{{Key: "n", Value: wire.Int(n)}}.Raw() }
	recorded := func(change func(*cassette.Frame)) *cassette.Frame {
		f := &cassette.Frame{
			Returned: true, Code: 1, Result: document(1), Fuel: 10,
			Exchanges: []cassette.Exchange{{Op: "kv.get", Payload: document(2), Answered: true}},
		}
		change(f)
		return f
	}
	same := func(*cassette.Frame) {}
	broken := func(kind, message string, chance bool) func(*cassette.Frame) {
		return func(f *cassette.Frame) {
			f.Returned, f.Code, f.Result, f.Fault = false, 0, nil, &cassette.Fault{Kind: kind, Message: message, Chance: chance}
		}
	}
	used := func(fuel uint64) func(*cassette.Frame) { return func(f *cassette.Frame) { f.Fuel = fuel } }
	for name, test := range map[string]struct {
		recorded, performed func(*cassette.Frame)
		lines               []string
	}{
		"equal":  {same, same, nil},
		"fuel":   {same, used(11), []string{"fuel: 10 → 11"}},
		"result": {same, func(f *cassette.Frame) { f.Result = document(3) }, []string{"result: n: 1 → 3"}},
		"return": {same, func(f *cassette.Frame) { f.Code, f.Result = 0, nil }, []string{"returned: 1 → 0", `result: - {"n":1}`}},
		"call": {
			same, func(f *cassette.Frame) { f.Exchanges = []cassette.Exchange{{Op: "kv.get", Payload: document(3)}} },
			[]string{"call 1: kv.get: n: 2 → 3"},
		},
		"hostile name": {
			same, func(f *cassette.Frame) { f.Exchanges = []cassette.Exchange{{Op: "a\nb\x1b[2J"}} },
			[]string{`call 1: a\u000ab\u001b[2J is not recorded, where kv.get is`},
		},
		"fault":               {same, broken("trap", "oh\nno", false), []string{`fault: none → trap: oh\u000ano`}},
		"the same fault":      {broken("trap", "no", false), broken("trap", "no", false), nil},
		"another fault":       {broken("trap", "no", false), broken("exit", "code", false), []string{"fault: trap: no → exit: code"}},
		"no fault":            {broken("trap", "no", false), same, []string{"fault: trap: no → none"}},
		"a fault of chance":   {broken("deadline", "late", true), same, nil},
		"cancelled":           {func(f *cassette.Frame) { f.Returned, f.Cancelled = false, true }, same, nil},
		"cancelled now":       {same, func(f *cassette.Frame) { f.Returned, f.Cancelled = false, true }, []string{"fault: none → the run was cancelled"}},
		"what the host found": {func(f *cassette.Frame) { f.Fault = &cassette.Fault{Kind: "protocol", Message: "undeclared"} }, same, nil},
		"fuel of a trap": {
			func(f *cassette.Frame) { broken("trap", "no", false)(f) }, func(f *cassette.Frame) { broken("trap", "no", false)(f); f.Fuel = 9 }, nil,
		},
		"fuel of a fault fuel": {
			broken("fuel", "no", false), func(f *cassette.Frame) { broken("fuel", "no", false)(f); f.Fuel = 9 }, []string{"fuel: 10 → 9"},
		},
		"stopped for what it asked": {
			same, func(f *cassette.Frame) {
				broken(cassette.FaultUnrecorded, "x", false)(f)
				f.Exchanges[0].Payload = document(3)
			},
			[]string{"call 1: kv.get: n: 2 → 3"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var lines []string
			for _, d := range cassette.Compare(recorded(test.recorded), recorded(test.performed), true) {
				lines = append(lines, d.Lines()...)
			}
			require.Equal(t, test.lines, lines)
		})
	}
}
