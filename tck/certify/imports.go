package certify

import (
	"slices"

	"github.com/tetratelabs/wazero/api" //nolint:depguard // the kit is a host of its own

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// hostImport is one import of the ABI.
type hostImport struct {
	name            string
	params, results []api.ValueType
	call            func(f *Frame, stack []uint64)
}

// importedFunctions are the six imports.
func importedFunctions() []hostImport {
	i32 := func(n int) []api.ValueType { return slices.Repeat([]api.ValueType{api.ValueTypeI32}, n) }
	i64 := []api.ValueType{api.ValueTypeI64}
	return []hostImport{
		{abi.ImportInputRead, i32(2), i32(1), inputRead},
		{abi.ImportResultWrite, i32(2), i32(1), resultWrite},
		{abi.ImportNext, i32(2), i64, next},
		{abi.ImportHostCall, i32(4), i64, hostCall},
		{abi.ImportReplyRead, i32(2), i32(1), replyRead},
		{abi.ImportLog, i32(3), nil, logLine},
	}
}

// deliver copies a document into the guest's buffer, if the buffer is large enough.
func (f *Frame) deliver(what string, doc []byte, ptr, capacity uint32) uint64 {
	if uint64(capacity) >= uint64(len(doc)) {
		b, ok := f.instance.memory.part(ptr, uint32(len(doc)))
		f.insistf("frame.pointer", ok, "%s: a buffer at %#x for %d bytes is outside the memory", what, ptr, len(doc))
		copy(b, doc)
	}
	return uint64(len(doc))
}

// take copies the bytes that the guest passes.
func (f *Frame) take(what string, ptr, length uint32) []byte {
	f.insistf("frame.size", int(length) <= f.limit(), "%s: the document has %d bytes; %d are allowed", what, length, f.limit())
	b, ok := f.instance.memory.part(ptr, length)
	f.insistf("frame.pointer", ok, "%s: %d bytes at %#x are outside the memory", what, length, ptr)
	return slices.Clone(b)
}

// document is take for a document, which must be well-formed.
func (f *Frame) document(what string, ptr, length uint32) []byte {
	b := f.take(what, ptr, length)
	err := wire.Validate(b, wire.Limits{MaxBytes: f.limit()})
	f.insistf("frame.msgpack", err == nil, "%s: the document is malformed: %v", what, err)
	return b
}

// input_read(buf, cap) -> length.
func inputRead(f *Frame, s []uint64) {
	s[0] = f.deliver(abi.ImportInputRead, f.Input, uint32(s[0]), uint32(s[1]))
}

// reply_read(buf, cap) -> length.
func replyRead(f *Frame, s []uint64) {
	s[0] = f.deliver(abi.ImportReplyRead, f.reply, uint32(s[0]), uint32(s[1]))
}

// result_write(ptr, len) -> 0.
func resultWrite(f *Frame, s []uint64) {
	f.Result, f.Wrote = f.document(abi.ImportResultWrite, uint32(s[0]), uint32(s[1])), true
	s[0] = 0
}

// next(ptr, len) -> status and length.
func next(f *Frame, s []uint64) {
	f.insistf("frame.load", !f.loading(), "it calls next in %s", f.Export)
	wrap := f.Export == string(abi.WrapModelCall) || f.Export == string(abi.WrapToolCall)
	f.insistf("frame.next", wrap, "it calls next in %s", f.Export)
	e := Exchange{Import: abi.ImportNext}
	if f.closed != 0 {
		e.Status = f.closed
		s[0] = f.setReply(e)
		return
	}
	if length := uint32(s[1]); length > 0 {
		e.Payload = f.document(abi.ImportNext, uint32(s[0]), length)
		f.answers.scene.checkChange(f, e.Payload)
	}
	f.nexts++
	if f.nexts > f.answers.nexts {
		e.Status = abi.ELIMIT
	} else {
		e.Status, e.Reply = f.answers.next(f.nexts)
	}
	s[0] = f.setReply(e)
}

// host_call(op, oplen, ptr, len) -> status and length.
func hostCall(f *Frame, s []uint64) {
	const longestName = 64
	f.insistf("frame.load", !f.loading(), "it calls host_call in %s", f.Export)
	length := uint32(s[1])
	f.insistf("op.name", length <= longestName, "the name of an operation has %d bytes", length)
	name := f.take("host_call: the operation", uint32(s[0]), length)
	e := Exchange{Import: abi.ImportHostCall, Op: string(name)}
	if f.closed != 0 {
		e.Status = f.closed
		s[0] = f.setReply(e)
		return
	}
	if take := f.document; uint32(s[3]) > 0 {
		if !f.answers.scene.reads(e.Op) {
			take = f.take
		}
		e.Payload = take(abi.ImportHostCall, uint32(s[2]), uint32(s[3]))
	}
	f.answers.scene.checkOperation(f, &e)
	f.hostCalls++
	if f.hostCalls > mostCalls {
		e.Status = abi.ELIMIT
	} else {
		e.Status, e.Reply = f.answers.operation(f, e.Op, e.Payload)
	}
	s[0] = f.setReply(e)
}

// log(level, ptr, len).
func logLine(f *Frame, s []uint64) {
	level := abi.LogLevel(int32(s[0]))
	f.insistf("frame.log", level >= abi.LogDebug && level <= abi.LogError, "log: the level is %d", level)
	const longest = 8 << 10 // the rest is not read
	f.line(level, f.take(abi.ImportLog, uint32(s[1]), min(uint32(s[2]), longest)))
}
