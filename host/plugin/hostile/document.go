package hostile

import (
	"math"

	"github.com/agenthost/agenthost/abi/wire"
)

// mapOf encodes a document that abi's types cannot express.
func mapOf(values map[string]any) []byte {
	b, err := wire.Of(values)
	if err != nil {
		panic(err)
	}
	return b
}

// deepSchema returns a schema nested inside depth others.
func deepSchema(depth int) []byte {
	schema := map[string]any{"type": "string"}
	for range depth {
		schema = map[string]any{"items": schema}
	}
	return mapOf(schema)
}

// letters returns a name that is different for each number.
func letters(n int) string {
	var out []byte
	for ; n > 0 || len(out) == 0; n /= 26 {
		out = append(out, byte('a'+n%26))
	}
	return string(out)
}

func negativeZero() float64 { return math.Copysign(0, -1) }
