package hostile

import "math"

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
