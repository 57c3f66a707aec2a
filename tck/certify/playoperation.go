package certify

import (
	"context"
	"slices"

	"github.com/agenthost/agenthost/abi"
)

// playOperations replays the scenes in which hooks call operations, with every possible outcome of the operations.
func (c *certifier) playOperations(ctx context.Context) {
	for _, a := range slices.Clone(c.asked) {
		_, known := operationDocument(a.op)
		answered := func(check string, status abi.Status, reply []byte) {
			s := *a.scene
			s.operation = func(op string, _ []byte) (abi.Status, []byte, bool) { return status, reply, op == a.op }
			c.operate(ctx, check, a.op, &s)
		}
		for _, status := range possibleErrnos(a.op) {
			answered("op.errno", status, nil)
		}
		answered("op.unknown-errno", unknownErrno, nil)
		answered("op.unknown-errno", unknownErrno2, nil)
		for _, status := range unknownStatuses() {
			answered("op.unknown-status", status, nil)
		}
		tomorrow := *a.scene
		tomorrow.unknown = true
		c.operate(ctx, "op.unknown-keys", a.op, &tomorrow)
		if isLater(a.op) {
			answered("op.missing", abi.ENOENT, nil)
		}
		if least := leastReply(a.op); least != nil {
			answered("op.least", abi.StatusOK, document(least))
		}
		if a.op == abi.OpBatch {
			answered("closed.returns", abi.StatusCancelled, nil)
			c.playBatch(ctx, a.scene)
		}
		if !known || isFree(a.op) {
			continue
		}
		answered("op.failed", abi.StatusFailed, fullError(true))
		answered("op.failed", abi.StatusFailed, document(&abi.Error{}))
		if a.op != abi.OpClockNow && a.op != abi.OpRandomBytes {
			answered("closed.returns", abi.StatusCancelled, nil)
		}
		if a.op == abi.OpToolCall {
			answered("closed.returns", abi.StatusInterrupted, nil)
		}
		denied := *a.scene
		denied.granted = func(op string) bool {
			return slices.ContainsFunc(c.plugin.Capabilities, func(asks abi.Capability) bool { return asks.Op == op && asks.Required })
		}
		if !denied.granted(a.op) {
			c.operate(ctx, "op.denied", a.op, &denied)
		}
	}
}

// possibleErrnos returns the errnos that an operation can return.
func possibleErrnos(op string) []abi.Status {
	switch op {
	case abi.OpStateRead:
		return []abi.Status{abi.EINVAL, abi.ETOOBIG, abi.EDENIED, abi.ELIMIT}
	case abi.OpEventEmit:
		return []abi.Status{abi.EINVAL, abi.ELIMIT}
	case abi.OpBudget:
		return []abi.Status{abi.ELIMIT}
	case abi.OpRunInfo:
		return []abi.Status{abi.ETOOBIG, abi.ELIMIT}
	case abi.OpModelInfo, abi.OpTokensCount:
		return []abi.Status{abi.EINVAL, abi.ENOENT, abi.ETOOBIG, abi.ELIMIT}
	case abi.OpToolsRead:
		return []abi.Status{abi.ETOOBIG, abi.ENOTSUP, abi.ELIMIT}
	case abi.OpBatch:
		return []abi.Status{abi.EINVAL, abi.ETOOBIG, abi.ELIMIT}
	default:
		return errnos()
	}
}

// operate plays a scene in which an operation behaves specially. The check applies if the guest calls the operation.
func (c *certifier) operate(ctx context.Context, check, op string, s *scene) {
	f := c.frame(ctx, s)
	if f == nil || check == "closed.returns" || !slices.ContainsFunc(f.Exchanges, func(e Exchange) bool { return e.Op == op }) {
		return
	}
	broke := f.Fault != nil && f.Fault.Kind != faultProtocol && f.closed == 0
	c.checkf(check, !broke, "%s: %s: %v", s.export, op, f.Fault)
}
