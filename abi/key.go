package abi

import "unsafe"

// keyText is a map's key as a string, without a copy: for the switches of the generated code. msgp's own function copies where
// the build tag purego is set, which TinyGo does: half of the allocations of a hook.
func keyText(key []byte) string { return unsafe.String(unsafe.SliceData(key), len(key)) }
