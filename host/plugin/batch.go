package plugin

import (
	"context"
	"sync"

	"github.com/agenthost/agenthost/abi"
)

// waiting is an operation that waits for something outside.
type waiting struct {
	// perform may run in another goroutine; nil: the operation was refused. say gets what the user should know meanwhile; nil: that is said later.
	perform func(ctx context.Context, say func(text string))
	reply   func() (abi.Status, []byte)
}

// refusal is an operation that was refused.
func refusal(status abi.Status) waiting {
	return waiting{reply: func() (abi.Status, []byte) { return status, nil }}
}

// await performs an operation.
func (i *instance) await(w waiting) (abi.Status, []byte) {
	if w.perform != nil {
		i.waits(func() { w.perform(i.frame.ctx, i.frame.rt.Warn) })
	}
	return w.reply()
}

// batch performs several operations at once.
func (i *instance) batch(request *abi.Batch) (abi.Status, []byte) {
	if len(request.Calls) == 0 || len(request.Calls) > abi.MaxBatch {
		return abi.EINVAL, nil
	}
	all := make([]waiting, len(request.Calls))
	for n := range request.Calls {
		all[n] = i.batched(&request.Calls[n])
	}
	i.waits(func() {
		var performing sync.WaitGroup
		for n := range all {
			if all[n].perform != nil {
				performing.Go(func() { all[n].perform(i.frame.ctx, nil) })
			}
		}
		performing.Wait()
	})
	var replies abi.BatchReplies
	size := 0
	for n := range all {
		status, reply := all[n].reply()
		if i.frame.closed != 0 {
			continue // the others are finished too
		}
		if size+len(reply)+replyOverhead*len(all) > i.plugin.limits.Input {
			status, reply = abi.ETOOBIG, nil
		}
		size += len(reply)
		replies.Replies = append(replies.Replies, abi.BatchReply{Reply: reply, Status: status})
	}
	if i.frame.closed != 0 {
		return i.frame.closed, nil
	}
	return i.bounded(&replies)
}

// replyOverhead is more than what a reply of a batch takes besides its document, in bytes.
const replyOverhead = 32

// batched prepares an operation of a batch.
func (i *instance) batched(call *abi.BatchCall) waiting {
	if status := i.mayHostCall(); status != abi.StatusOK {
		return refusal(status)
	}
	switch call.Op {
	case abi.OpHTTPFetch:
		return batchedOf(i, call, (*instance).fetch)
	case abi.OpModelGenerate:
		return batchedOf(i, call, (*instance).generate)
	default:
		return refusal(abi.ENOTSUP)
	}
}

func batchedOf[D any, P interface {
	*D
	document
}](i *instance, call *abi.BatchCall, prepare func(i *instance, d *D) waiting) waiting {
	var d D
	switch {
	case !i.plugin.capabilities.allowed[call.Op]:
		return refusal(abi.EDENIED)
	case !i.decodePayload(call.Payload, P(&d)):
		return refusal(abi.EINVAL)
	case i.plugin.operations != nil:
		if status, reply, ok := i.plugin.operations(call.Op, call.Payload); ok {
			return waiting{reply: func() (abi.Status, []byte) { return status, reply }}
		}
		fallthrough
	default:
		return prepare(i, &d)
	}
}
