package hostile

import (
	"math"

	"github.com/agenthost/agenthost/abi/wire"
)

// mapOf encodes a document that abi's types cannot say.
func mapOf(values map[string]any) []byte {
	b, err := wire.Of(values)
	if err != nil {
		panic(err)
	}
	return b
}

// deepSchema is a schema inside of so many others.
func deepSchema(depth int) []byte {
	schema := map[string]any{"type": "string"}
	for range depth {
		schema = map[string]any{"items": schema}
	}
	return mapOf(schema)
}

// letters is a name that differs from that of any other number.
func letters(n int) string {
	var out []byte
	for ; n > 0 || len(out) == 0; n /= 26 {
		out = append(out, byte('a'+n%26))
	}
	return string(out)
}

func negativeZero() float64 { return math.Copysign(0, -1) }
