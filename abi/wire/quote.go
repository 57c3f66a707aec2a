//go:build !wasm

package wire

import "strconv"

// quote shows a key in an error, cut to a length that a terminal line can hold.
func quote(key []byte) string {
	const most = 64
	if len(key) > most {
		return strconv.Quote(string(key[:most])) + "…"
	}
	return strconv.Quote(string(key))
}
