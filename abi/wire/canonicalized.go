//go:build !wasm

package wire

// Canonicalized returns a document of the host in canonical form, whose nesting and number of values are not limited; b itself
// if it is canonical already, or malformed.
func Canonicalized(b []byte) []byte {
	canonical, err := Canonical(b, Limits{MaxBytes: len(b), MaxDepth: 1000, MaxNodes: len(b) + 1})
	if err != nil {
		return b
	}
	return canonical
}
