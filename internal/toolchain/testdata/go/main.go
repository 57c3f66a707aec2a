// Command hand is a plugin that follows the ABI by hand: it needs no SDK, and so nothing but a compiler.
package main

import "unsafe"

//go:wasmimport agenthost_v1 result_write
func resultWrite(pointer unsafe.Pointer, length uint32) int32

//go:wasmexport agenthost_abi_v1
func marker() {}

// description is {abi: 1, hooks: {before_model: {}}, name: "hand", version: "1.0.0"}.
const description = "\x84\xa3abi\x01\xa5hooks\x81\xacbefore_model\x80\xa4name\xa4hand\xa7version\xa51.0.0"

//go:wasmexport describe
func describe() int32 {
	written := []byte(description)
	resultWrite(unsafe.Pointer(&written[0]), uint32(len(written)))
	return 1
}

//go:wasmexport before_model
func beforeModel(uint32) int32 { return 0 }

func main() {}
