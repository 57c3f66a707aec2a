package schema_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
)

func TestWithDefaults(t *testing.T) {
	t.Parallel()
	const nested = `{"type":"object","properties":{
		"n":{"type":"integer","default":3},
		"o":{"type":"object","default":{},"properties":{"n":{"type":"integer","default":4},"p":{"properties":{"q":{"default":5}}}}},
		"bare":{"type":"object","properties":{"n":{"default":6}}},
		"list":{"type":"array","items":{"properties":{"n":{"default":7}}}}}}`
	for _, test := range []struct{ name, value, want string }{
		{"fills in what is missing, whole numbers as integers", `{}`, `{"n":3,"o":{"n":4}}`},
		{"keeps what is given", `{"n":1.5,"o":{"n":2},"x":true}`, `{"n":1.5,"o":{"n":2},"x":true}`},
		{"keeps null, which is a value", `{"n":null,"o":null}`, `{"n":null,"o":null}`},
		{"fills in at depth", `{"o":{"p":{}}}`, `{"n":3,"o":{"n":4,"p":{"q":5}}}`},
		{"fills in objects that are there", `{"bare":{}}`, `{"bare":{"n":6},"n":3,"o":{"n":4}}`},
		{"leaves values of other types alone", `{"bare":"text"}`, `{"bare":"text","n":3,"o":{"n":4}}`},
		{"does not look into lists", `{"list":[{}]}`, `{"list":[{}],"n":3,"o":{"n":4}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var given wire.Map
			_, err := given.UnmarshalMsg(raw(t, test.value))
			require.NoError(t, err)
			before := given.Raw()

			filled := compile(t, nested).WithDefaults(given)

			require.Equal(t, test.want, filled.Raw().JSON())
			require.Equal(t, before, given.Raw(), "the given map stays as it was")
		})
	}
}
