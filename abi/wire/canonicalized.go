//go:build !wasm

package wire

// Canonicalized returns a document of the host in canonical form. It does not limit the nesting or the number of values. It
// returns b itself if b is already canonical, or malformed.
func Canonicalized(b []byte) []byte {
	canonical, err := Canonical(b, Limits{MaxBytes: len(b), MaxDepth: 1000, MaxNodes: len(b) + 1})
	if err != nil {
		return b
	}
	return canonical
}
