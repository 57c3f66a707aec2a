package plugin

import (
	"log/slog"

	"github.com/tetratelabs/wazero/api"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// hostFunction is one import of the ABI.
type hostFunction struct {
	name    string
	params  []api.ValueType
	results []api.ValueType
	names   []string
	call    func(i *instance, stack []uint64)
}

const (
	i32 = api.ValueTypeI32
	i64 = api.ValueTypeI64
)

// hostFunctions returns the imports of ABI 1.
func hostFunctions() []hostFunction {
	return []hostFunction{
		{abi.ImportInputRead, []api.ValueType{i32, i32}, []api.ValueType{i32}, []string{"buf", "cap"}, inputRead},
		{abi.ImportResultWrite, []api.ValueType{i32, i32}, []api.ValueType{i32}, []string{"ptr", "len"}, resultWrite},
		{abi.ImportNext, []api.ValueType{i32, i32}, []api.ValueType{i64}, []string{"ptr", "len"}, callNext},
		{abi.ImportHostCall, []api.ValueType{i32, i32, i32, i32}, []api.ValueType{i64}, []string{"op", "oplen", "ptr", "len"}, hostCall},
		{abi.ImportReplyRead, []api.ValueType{i32, i32}, []api.ValueType{i32}, []string{"buf", "cap"}, replyRead},
		{abi.ImportLog, []api.ValueType{i32, i32, i32}, nil, []string{"level", "ptr", "len"}, logLine},
	}
}

func importByName(name string) *hostFunction {
	for _, f := range hostFunctions() {
		if f.name == name {
			return &f
		}
	}
	return nil
}

func importNames() []string {
	functions := hostFunctions()
	names := make([]string, len(functions))
	for i := range functions {
		names[i] = functions[i].name
	}
	return names
}

// inputRead implements input_read(buf, cap) -> length of the input.
func inputRead(i *instance, s []uint64) {
	s[0] = uint64(i.deliver("input_read", i.frame.input, uint32(s[0]), uint32(s[1])))
}

// resultWrite implements result_write(ptr, len) -> 0.
func resultWrite(i *instance, s []uint64) {
	length := uint32(s[1])
	if int64(length) > int64(i.plugin.limits.Result) {
		i.stop(KindLimit, "the result has "+itoa(int(length))+" bytes, the limit is "+itoa(i.plugin.limits.Result))
	}
	i.frame.result = append(i.frame.result[:0], i.read("result_write: the result", uint32(s[0]), length)...)
	i.frame.wrote = true
	s[0] = 0
}

// callNext implements next(ptr, len) -> status<<32 | reply length.
func callNext(i *instance, s []uint64) {
	if status := i.mayNext(); status != abi.StatusOK {
		s[0] = i.frame.setReply(status, nil)
		return
	}
	status, reply := i.next(i.payload("next", uint32(s[0]), uint32(s[1])))
	s[0] = i.frame.setReply(status, reply)
}

// mayNext counts a call of next and returns whether it is allowed.
func (i *instance) mayNext() abi.Status {
	f := &i.frame
	if i.call.owner == nil {
		i.stop(KindProtocol, errNoNext.Error())
	}
	if f.closed != 0 {
		return f.closed
	}
	f.nexts++
	if f.nexts > i.plugin.limits.Next {
		return abi.ELIMIT
	}
	return abi.StatusOK
}

// next calls the inner layers for a guest that is allowed to.
func (i *instance) next(payload []byte) (abi.Status, []byte) {
	f := &i.frame
	f.recording.asked("", payload)
	left := i.leave()
	status, reply, err := i.call.owner.callNext(i, payload)
	i.resume(left)
	if err != nil {
		i.stopWith(err)
	}
	if status == abi.StatusInterrupted || status == abi.StatusCancelled {
		f.closed = status
	}
	f.recording.answered(status, reply)
	return status, reply
}

// hostCall implements host_call(op, oplen, ptr, len) -> status<<32 | reply length.
func hostCall(i *instance, s []uint64) {
	const maxName = 64
	if length := uint32(s[1]); length > maxName {
		i.stop(KindProtocol, "host_call: the name of an operation has at most 64 bytes")
	}
	op := string(i.read("host_call: the operation", uint32(s[0]), uint32(s[1])))
	if status := i.mayHostCall(); status != abi.StatusOK {
		s[0] = i.frame.setReply(status, nil)
		return
	}
	status, reply := i.hostCall(op, i.payload("host_call", uint32(s[2]), uint32(s[3])))
	s[0] = i.frame.setReply(status, reply)
}

// mayHostCall counts a call of host_call and returns whether it is allowed.
func (i *instance) mayHostCall() abi.Status {
	f := &i.frame
	if f.rt == nil && f.script == nil {
		i.stop(KindProtocol, "host_call is not available in "+f.export)
	}
	if f.closed != 0 {
		return f.closed
	}
	f.hostCalls++
	if limit := i.plugin.limits.HostCalls; f.hostCalls > limit || f.rt != nil && !f.rt.CountOperation(limit) {
		i.limited("host calls", "host_calls")
		return abi.ELIMIT
	}
	return abi.StatusOK
}

// limited notes, once in a call, which limit the guest has used up: it sees only the status.
func (i *instance) limited(what, key string) {
	if f := &i.frame; !f.limited {
		f.limited = true
		i.refused("the " + what + " of this call are used up; raise limits." + key + " if it needs more")
	}
}

// hostCall performs an operation for a guest that is allowed to call one.
func (i *instance) hostCall(op string, payload []byte) (abi.Status, []byte) {
	f := &i.frame
	i.worked(hostCallWork + payloadWork*len(payload))
	if op == "" { // no operation has this name, and a recording would take it for next
		return abi.ENOENT, nil
	}
	f.recording.asked(op, payload)
	status, reply := i.perform(op, payload)
	i.worked(len(reply))
	if len(reply) > i.plugin.limits.Input {
		status, reply = abi.ETOOBIG, nil
	}
	f.recording.answered(status, reply)
	return status, reply
}

// perform performs an operation, or has a recording or the operator's own operations answer.
func (i *instance) perform(op string, payload []byte) (abi.Status, []byte) {
	p := i.plugin
	switch {
	case i.frame.script != nil:
		return i.frame.script.operation(i, op, payload)
	case p.operations == nil || !p.capabilities.allowed[op]:
		return i.operate(op, payload)
	}
	var document wire.Raw
	if len(payload) > 0 {
		i.decodePayload(payload, &document)
	}
	if status, reply, ok := p.operations(op, document); ok {
		return status, reply
	}
	return i.operate(op, payload)
}

// What an operation costs in addition to moving its reply, in bytes moved: per call, and per byte of its document.
const (
	hostCallWork = 4 << 10
	payloadWork  = 16
)

// replyRead implements reply_read(buf, cap) -> length of the reply.
func replyRead(i *instance, s []uint64) {
	s[0] = uint64(i.deliver("reply_read", i.frame.reply, uint32(s[0]), uint32(s[1])))
}

// maxLine is the length at which a line of a guest's log or output is cut, in bytes.
const maxLine = 8 << 10

// logLine implements log(level, ptr, len).
func logLine(i *instance, s []uint64) {
	level, length := abi.LogLevel(int32(s[0])), uint32(s[2])
	if level < abi.LogDebug || level > abi.LogError {
		i.stop(KindProtocol, "log: the level is 0, 1, 2 or 3")
	}
	i.log(level, i.read("log: the line", uint32(s[1]), min(length, maxLine)))
}

// log forwards a line of the guest.
func (i *instance) log(level abi.LogLevel, line []byte) { i.writeLog("hook", level, line) }

// refused logs why the host has refused what the guest asked for: the guest sees only the status. The line is not one of the
// guest's, and has another attribute.
func (i *instance) refused(why string) { i.writeLog("call", abi.LogWarn, []byte("refused: "+why)) }

// writeLog logs a line, with the name of the function that runs, until the call's log budget is used up.
func (i *instance) writeLog(attribute string, level abi.LogLevel, line []byte) {
	f := &i.frame
	if f.logged > i.plugin.limits.Log {
		return
	}
	f.logged += len(line) + 1
	text := clean(string(line), len(line))
	if f.logged > i.plugin.limits.Log {
		level, text = abi.LogWarn, "the plugin's log is cut here: "+itoa(i.plugin.limits.Log)+" bytes a call"
	}
	if level == abi.LogError {
		f.lastError = clean(text, 300)
	}
	levels := [...]slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}
	left := i.leave()
	i.plugin.logger.Log(f.ctx, levels[level], text, attribute, f.export)
	i.resume(left)
}

// payload copies a document that the guest passes, because the guest may change its memory while the host works.
func (i *instance) payload(what string, ptr, length uint32) []byte {
	if int64(length) > int64(i.plugin.limits.Result) {
		i.stop(KindLimit, what+": the document has "+itoa(int(length))+" bytes, the limit is "+itoa(i.plugin.limits.Result))
	}
	return append([]byte(nil), i.read(what+": the document", ptr, length)...)
}

// stopWith ends the guest with a fault found outside this file.
func (i *instance) stopWith(err error) {
	fault, ok := err.(*Error) //nolint:errorlint // made by this package, never wrapped
	if !ok {
		fault = i.plugin.fault(i.frame.export, KindProtocol, err.Error(), err)
	}
	i.frame.fault = fault
	panic(fault)
}
