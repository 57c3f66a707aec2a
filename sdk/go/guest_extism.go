//go:build wasip1 && extism

package sdk

import (
	"encoding/binary"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// With the build tag extism, the module is an Extism plugin. It exchanges the same documents in Extism's memory blocks.

//go:wasmimport extism:host/env input_length
func inputLength() uint64

//go:wasmimport extism:host/env input_load_u64
func inputLoad64(offset uint64) uint64

//go:wasmimport extism:host/env input_load_u8
func inputLoad8(offset uint64) uint32

//go:wasmimport extism:host/env alloc
func blockAlloc(n uint64) uint64

//go:wasmimport extism:host/env free
func blockFree(offset uint64)

//go:wasmimport extism:host/env length
func blockLength(offset uint64) uint64

//go:wasmimport extism:host/env load_u64
func blockLoad64(offset uint64) uint64

//go:wasmimport extism:host/env load_u8
func blockLoad8(offset uint64) uint32

//go:wasmimport extism:host/env store_u64
func blockStore64(offset, value uint64)

//go:wasmimport extism:host/env store_u8
func blockStore8(offset uint64, value uint32)

//go:wasmimport extism:host/env output_set
func outputSet(offset, n uint64)

//go:wasmimport extism:host/env log_debug
func logDebug(offset uint64)

//go:wasmimport extism:host/env log_info
func logInfo(offset uint64)

//go:wasmimport extism:host/env log_warn
func logWarn(offset uint64)

//go:wasmimport extism:host/env log_error
func logError(offset uint64)

//go:wasmimport extism:host/user next
func hostNext(payload uint64) uint64

//go:wasmimport extism:host/user host_call
func hostCall(op, payload uint64) uint64

// run performs an export. The result is the output of the export. The return value is always 0, because Extism takes
// any other value for an error.
func run(e export) int32 {
	result, code := new(frame).dispatch(e, readInput, imports{}, nil)
	if code == abi.ReturnResult {
		outputSet(put(result), uint64(len(result)))
	}
	return 0
}

// readInput returns the input.
func readInput() []byte {
	input := make([]byte, inputLength())
	n := 0
	for ; n+8 <= len(input); n += 8 {
		binary.LittleEndian.PutUint64(input[n:], inputLoad64(uint64(n)))
	}
	for ; n < len(input); n++ {
		input[n] = byte(inputLoad8(uint64(n)))
	}
	return input
}

// block returns a copy of a block.
func block(offset uint64) []byte {
	b := make([]byte, blockLength(offset))
	n := 0
	for ; n+8 <= len(b); n += 8 {
		binary.LittleEndian.PutUint64(b[n:], blockLoad64(offset+uint64(n)))
	}
	for ; n < len(b); n++ {
		b[n] = byte(blockLoad8(offset + uint64(n)))
	}
	return b
}

// put copies bytes into a new block. It returns 0 if there are none.
func put(b []byte) uint64 {
	offset := blockAlloc(uint64(len(b)))
	if offset == 0 {
		return 0
	}
	n := 0
	for ; n+8 <= len(b); n += 8 {
		blockStore64(offset+uint64(n), binary.LittleEndian.Uint64(b[n:]))
	}
	for ; n < len(b); n++ {
		blockStore8(offset+uint64(n), uint32(b[n]))
	}
	return offset
}

// imports is the Host that calls the imports of Extism.
type imports struct{}

func (imports) Next(payload []byte) (abi.Status, []byte) {
	at := put(payload)
	defer blockFree(at)
	return reply(hostNext(at))
}

func (imports) HostCall(op string, payload []byte) (abi.Status, []byte) {
	name, at := put([]byte(op)), put(payload)
	defer blockFree(name)
	defer blockFree(at)
	return reply(hostCall(name, at))
}

func (imports) Log(level abi.LogLevel, line string) {
	at := put([]byte(line))
	if at == 0 {
		return
	}
	switch level { // each of these frees the block
	case abi.LogDebug:
		logDebug(at)
	case abi.LogInfo:
		logInfo(at)
	case abi.LogWarn:
		logWarn(at)
	default:
		logError(at)
	}
}

// reply decodes the document {reply?, status} that next and host_call return.
func reply(at uint64) (abi.Status, []byte) {
	defer blockFree(at)
	var keys wire.Map
	if _, err := keys.UnmarshalMsg(block(at)); err != nil {
		return abi.ETOOBIG, nil // there was no room for it
	}
	status, _ := keys.Get("status").AsInt()
	return abi.Status(status), keys.Get("reply")
}

//go:wasmexport describe
func exportDescribe() int32 { return run(exportOfDescribe) }

//go:wasmexport configure
func exportConfigure() int32 {
	reserve()
	return run(exportOfConfigure)
}

//go:wasmexport call_tool
func exportCallTool() int32 { return run(exportOfCallTool) }

//go:wasmexport before_agent
func exportBeforeAgent() int32 { return run(exportOfBeforeAgent) }

//go:wasmexport before_model
func exportBeforeModel() int32 { return run(exportOfBeforeModel) }

//go:wasmexport after_model
func exportAfterModel() int32 { return run(exportOfAfterModel) }

//go:wasmexport after_agent
func exportAfterAgent() int32 { return run(exportOfAfterAgent) }

//go:wasmexport wrap_model_call
func exportWrapModelCall() int32 { return run(exportOfWrapModelCall) }

//go:wasmexport wrap_tool_call
func exportWrapToolCall() int32 { return run(exportOfWrapToolCall) }
