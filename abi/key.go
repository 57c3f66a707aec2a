package abi

import "unsafe"

// keyText returns a map key as a string without a copy, for the switches in the generated code. TinyGo sets the build tag
// purego, under which msgp's own function copies the key. Those copies were half of the allocations of a hook.
func keyText(key []byte) string { return unsafe.String(unsafe.SliceData(key), len(key)) }
