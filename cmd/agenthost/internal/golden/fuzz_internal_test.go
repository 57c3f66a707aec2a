package golden

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
)

// FuzzParse parses any input as a case, and writes an outcome into it.
func FuzzParse(f *testing.F) {
	f.Add("hook: after_model\nmessages: [{role: ai, content: stop}]\nexpect:\n  result: {jump_to: end}\n# end\n", []byte(`{"a":[1,{"b":"x"}]}`))
	f.Add("expect: {fuel: 1}\nhook: wrap_tool_call\ncall: {name: x}\nnext: [{error: {message: no}}]\nhost_calls: {kv.get: [{refused: EBUSY}]}\n", []byte(`{}`))
	f.Fuzz(func(t *testing.T, text string, result []byte) {
		c, err := parse("case.yaml", []byte(text))
		if err != nil {
			return
		}
		c.Compare(&Outcome{})
		raw, err := wire.FromJSON(result, wire.DefaultLimits)
		if err != nil || !raw.IsMap() || raw.Len() == 0 {
			return
		}
		o := &Outcome{keys: wire.Map{{Key: "result", Value: raw}}}
		again, err := parse("case.yaml", []byte("hook: after_model\n"))
		require.NoError(t, err)
		again, err = parse("case.yaml", again.rewritten(o))
		require.NoError(t, err, "what is written can be read")
		require.Empty(t, again.Compare(o))
		_ = c.rewritten(o)
	})
}
