package sdk

import (
	"errors"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// Host is the set of calls that a plugin can make to its host. In a module, the imports of the ABI implement it. A
// native test may pass its own Host to [Invoke].
type Host interface {
	Next(payload []byte) (abi.Status, []byte)
	HostCall(op string, payload []byte) (abi.Status, []byte)
	Log(level abi.LogLevel, line string)
}

// frame is what one call needs beside its documents.
type frame struct {
	node   Call
	model  ModelCall
	tool   ToolCall
	result abi.Result
}

// dispatch performs an export in a frame that no other call uses: it calls the plugin's method, which may read the input, and appends the
// encoded result to dst. The code is the return value of the export.
func (f *frame) dispatch(e export, read func() []byte, h Host, dst []byte) (result []byte, code int32) {
	switch e {
	case exportOfDescribe:
		return written(description.MarshalMsg(dst))
	case exportOfConfigure:
		return configure(read(), dst)
	default:
	}
	switch e {
	case exportOfWrapModelCall:
		c := &f.model
		c.begin(read, h)
		change, update, err := wrapModelCall.WrapModelCall(c)
		if change != nil || update != nil || err != nil {
			f.result.Response = change
			result, code = f.finish(update, err, c.failure, dst)
		}
		c.end()
	case exportOfWrapToolCall, exportOfCallTool:
		c := &f.tool
		c.begin(read, h)
		var patch *Patch
		var update *Update
		var err error
		if e == exportOfCallTool {
			patch, update, err = toolRunner.CallTool(c)
		} else {
			patch, update, err = wrapToolCall.WrapToolCall(c)
		}
		if patch != nil || update != nil || err != nil {
			f.result.ToolMessage = patch
			result, code = f.finish(update, err, c.failure, dst)
		}
		c.end()
	default:
		c := f.node.begin(read, h)
		update, err := node(e, c)
		if update != nil || err != nil {
			result, code = f.finish(update, err, nil, dst)
		}
		*c = Call{}
	}
	return result, code
}

// finish encodes the result of a hook.
func (f *frame) finish(u *Update, err, failure error, dst []byte) ([]byte, int32) {
	r := &f.result
	if u != nil {
		r.JumpTo, r.Messages, r.Overwrite, r.Patch, r.Remove, r.State = string(u.JumpTo), u.Messages, u.Overwrite, u.Patch, u.Remove, u.State
	}
	result, code := finish(r, err, failure, dst)
	*r = abi.Result{}
	return result, code
}

func node(e export, c *Call) (*Update, error) {
	switch e {
	case exportOfBeforeAgent:
		return beforeAgent.BeforeAgent(c)
	case exportOfBeforeModel:
		return beforeModel.BeforeModel(c)
	case exportOfAfterModel:
		return afterModel.AfterModel(c)
	default:
		return afterAgent.AfterAgent(c)
	}
}

// finish encodes the result. It does not write an error that came from Next and is returned unchanged, because the
// host passes on its own copy.
func finish(r *abi.Result, err, failure error, dst []byte) ([]byte, int32) {
	if err == nil {
		if isEmpty(r) {
			return dst, abi.ReturnNothing
		}
		return checked(r, dst)
	}
	for cause := err; cause != nil; cause = errors.Unwrap(cause) {
		if cause == ErrClosed { //nolint:errorlint // unwrapped here
			return dst, abi.ReturnNothing
		}
		switch e := cause.(type) { //nolint:errorlint // unwrapped here: errors.As needs reflection
		case *InterruptError:
			return checked(&abi.Result{Interrupts: e.Interrupts}, dst)
		case *Error:
			if err == failure { //nolint:errorlint // the same error value, not an equal one
				return dst, abi.ReturnNothing
			}
			return failed(e, dst)
		}
	}
	return failed(&Error{Type: "error", Message: err.Error()}, dst)
}

func failed(e *Error, dst []byte) ([]byte, int32) { return checked(&abi.Result{Error: e}, dst) }

// checked encodes a result, or the error that it nests too deeply: the host would take that as a fault.
func checked(r *abi.Result, dst []byte) ([]byte, int32) {
	result, code := written(r.MarshalMsg(dst))
	if tooDeep(result[len(dst):]) {
		r := abi.Result{Error: ErrTooDeep.(*Error)} //nolint:forcetypeassert,errorlint // it is one
		return written(r.MarshalMsg(dst))
	}
	return result, code
}

// tooDeep reports whether a document nests more deeply than a guest's may.
func tooDeep(document []byte) bool { return wire.DeeperThan(document, wire.DefaultLimits.MaxDepth) }

func isEmpty(r *abi.Result) bool {
	u := r.Update()
	return u.IsZero() && r.Response == nil && r.ToolMessage == nil
}

func configure(input, dst []byte) ([]byte, int32) {
	if configurer == nil {
		return dst, abi.ReturnNothing
	}
	var config Map
	_, err := config.UnmarshalMsg(input)
	var narrowed *Description
	if err == nil {
		narrowed, err = configurer.Configure(config)
	}
	switch {
	case err != nil:
		return finish(&abi.Result{}, err, nil, dst)
	case narrowed == nil:
		return dst, abi.ReturnNothing
	}
	narrowed.ABI = abi.Major
	return written(narrowed.MarshalMsg(dst))
}

// written returns the result and code of an export that wrote a result.
func written(result []byte, err error) ([]byte, int32) {
	if err != nil {
		panic("sdk: " + err.Error())
	}
	return result, abi.ReturnResult
}
