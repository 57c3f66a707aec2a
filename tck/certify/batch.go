package certify

import (
	"context"

	"github.com/agenthost/agenthost/abi"
)

// checkBatch checks the calls of a batch as if each were alone.
func (s *scene) checkBatch(f *Frame, batch *abi.Batch) {
	n := len(batch.Calls)
	f.checkf("op.batch", n > 0 && n <= abi.MaxBatch, "batch: it has %d calls", n)
	for i := range batch.Calls {
		call := &batch.Calls[i]
		can := batchable(call.Op)
		f.checkf("op.batch", can, "batch: it calls %s, which no batch can", printable(call.Op))
		if can {
			s.checkOperation(f, &Exchange{Op: call.Op, Payload: call.Payload})
		}
	}
}

// batchable reports whether a batch can have an operation.
func batchable(op string) bool { return op == abi.OpHTTPFetch || op == abi.OpModelGenerate }

// batch performs the calls of a batch, one after another.
func (a *answers) batch(f *Frame, batch *abi.Batch) (abi.Status, encodable) {
	if n := len(batch.Calls); n == 0 || n > abi.MaxBatch {
		return abi.EINVAL, nil
	}
	var out abi.BatchReplies
	for i := range batch.Calls {
		f.hostCalls++
		reply := abi.BatchReply{Status: abi.ENOTSUP}
		switch call := &batch.Calls[i]; {
		case f.hostCalls > mostCalls:
			reply.Status = abi.ELIMIT
		case batchable(call.Op):
			reply.Status, reply.Reply = a.operation(f, call.Op, call.Payload)
		}
		out.Replies = append(out.Replies, reply)
	}
	return abi.StatusOK, &out
}

// playBatch replays a scene with every possible outcome of the calls of a batch.
func (c *certifier) playBatch(ctx context.Context, base *scene) {
	with := func(check string, reply func(n int) abi.BatchReply) {
		s := *base
		s.operation = func(op string, payload []byte) (abi.Status, []byte, bool) {
			var batch abi.Batch
			if op != abi.OpBatch || decode(payload, &batch) != nil || len(batch.Calls) == 0 || len(batch.Calls) > abi.MaxBatch {
				return 0, nil, false
			}
			replies := abi.BatchReplies{}
			for n := range batch.Calls {
				replies.Replies = append(replies.Replies, reply(n))
			}
			return abi.StatusOK, document(&replies), true
		}
		c.operate(ctx, check, abi.OpBatch, &s)
	}
	for _, status := range append(errnos(), unknownErrno, unknownErrno2) {
		with("op.batch-statuses", func(int) abi.BatchReply { return abi.BatchReply{Status: status} })
	}
	with("op.batch-statuses", func(int) abi.BatchReply { return abi.BatchReply{Status: abi.StatusFailed, Reply: fullError(true)} })
	with("op.batch-statuses", func(n int) abi.BatchReply {
		if n%2 == 0 {
			return abi.BatchReply{Status: abi.StatusFailed, Reply: document(&abi.Error{})}
		}
		return abi.BatchReply{Status: abi.ETOOBIG}
	})
}
