//go:build wasip1 && !extism

package sdk

import (
	"unsafe"

	"github.com/agenthost/agenthost/abi"
)

//go:wasmimport agenthost_v1 input_read
func inputRead(buf unsafe.Pointer, capacity uint32) uint32

//go:wasmimport agenthost_v1 result_write
func resultWrite(ptr unsafe.Pointer, length uint32) uint32

//go:wasmimport agenthost_v1 next
func hostNext(ptr unsafe.Pointer, length uint32) uint64

//go:wasmimport agenthost_v1 host_call
func hostCall(op unsafe.Pointer, opLength uint32, ptr unsafe.Pointer, length uint32) uint64

//go:wasmimport agenthost_v1 reply_read
func replyRead(buf unsafe.Pointer, capacity uint32) uint32

//go:wasmimport agenthost_v1 log
func hostLog(level int32, ptr unsafe.Pointer, length uint32)

// Buffers that are reused from call to call, because an instance serves one call at a time. Documents are decoded into
// copies.
var (
	inputBuffer  = make([]byte, 8<<10)
	resultBuffer = make([]byte, 0, 4<<10)
	present      running
)

// running is the call that the instance serves.
type running struct {
	frame

	length int32 // of the input
}

// run performs an export whose input has this length.
func run(e export, length int32) int32 {
	present.length = length
	result, code := present.dispatch(e, readInput, imports{}, resultBuffer[:0])
	if code == abi.ReturnResult {
		resultWrite(pointer(result), uint32(len(result)))
		resultBuffer = result
	}
	return code
}

// readInput reads the input of the present call.
func readInput() []byte {
	length := int(present.length)
	if length > len(inputBuffer) {
		inputBuffer = make([]byte, length+length/2)
	}
	if length > 0 {
		inputRead(pointer(inputBuffer), uint32(len(inputBuffer)))
	}
	return inputBuffer[:length]
}

// imports is the Host that calls the imports of the ABI.
type imports struct{}

func (imports) Next(payload []byte) (abi.Status, []byte) {
	return reply(hostNext(pointer(payload), uint32(len(payload))))
}

func (imports) nextLater(payload []byte) (abi.Status, int) {
	return abi.Unpack(hostNext(pointer(payload), uint32(len(payload))))
}

func (imports) readReply(length int) []byte {
	if length == 0 {
		return nil
	}
	doc := make([]byte, length)
	replyRead(pointer(doc), uint32(length))
	return doc
}

func (imports) HostCall(op string, payload []byte) (abi.Status, []byte) {
	return reply(hostCall(unsafe.Pointer(unsafe.StringData(op)), uint32(len(op)), pointer(payload), uint32(len(payload))))
}

func (imports) Log(level abi.LogLevel, line string) {
	hostLog(int32(level), unsafe.Pointer(unsafe.StringData(line)), uint32(len(line)))
}

func reply(packed uint64) (abi.Status, []byte) {
	status, length := abi.Unpack(packed)
	return status, imports{}.readReply(length)
}

func pointer(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

//go:wasmexport agenthost_abi_v1
func marker() {}

//go:wasmexport describe
func exportDescribe() int32 { return run(exportOfDescribe, 0) }

//go:wasmexport configure
func exportConfigure(length int32) int32 {
	reserve()
	return run(exportOfConfigure, length)
}

//go:wasmexport call_tool
func exportCallTool(length int32) int32 { return run(exportOfCallTool, length) }

//go:wasmexport before_agent
func exportBeforeAgent(length int32) int32 { return run(exportOfBeforeAgent, length) }

//go:wasmexport before_model
func exportBeforeModel(length int32) int32 { return run(exportOfBeforeModel, length) }

//go:wasmexport after_model
func exportAfterModel(length int32) int32 { return run(exportOfAfterModel, length) }

//go:wasmexport after_agent
func exportAfterAgent(length int32) int32 { return run(exportOfAfterAgent, length) }

//go:wasmexport wrap_model_call
func exportWrapModelCall(length int32) int32 { return run(exportOfWrapModelCall, length) }

//go:wasmexport wrap_tool_call
func exportWrapToolCall(length int32) int32 { return run(exportOfWrapToolCall, length) }
