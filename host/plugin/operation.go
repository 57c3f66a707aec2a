package plugin

import (
	"slices"
	"strconv"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// operation performs a host_call and returns its reply.
func (i *instance) operation(op string, payload []byte) (abi.Status, []byte) {
	switch op {
	case abi.OpStateRead:
		return i.stateRead(payload)
	case abi.OpEventEmit:
		return i.eventEmit(payload)
	case abi.OpBudget:
		budget := abi.Budget{
			HostCalls: uint64(i.plugin.limits.HostCalls - i.frame.hostCalls),
			Next:      uint64(max(0, i.plugin.limits.Next-i.frame.nexts)),
		}
		reply, _ := budget.MarshalMsg(nil)
		return abi.StatusOK, reply
	default:
		return i.capability(op, payload)
	}
}

// stateRead answers with messages of the history, or with fields that the hook may read.
func (i *instance) stateRead(payload []byte) (abi.Status, []byte) {
	var query abi.StateQuery
	if !i.decodePayload(payload, &query) {
		return abi.EINVAL, nil
	}
	state, reads := i.frame.rt.State(), &i.call.reads
	if len(query.Fields) > 0 {
		for _, name := range query.Fields {
			if !slices.Contains(reads.fields, name) {
				return abi.EDENIED, nil
			}
		}
		return i.bounded(&abi.StateReply{State: state.Fields(query.Fields)})
	}
	if !reads.messages {
		return abi.EDENIED, nil
	}
	list := state.Messages()
	from := min(query.From, uint64(list.Len()))
	to := from + min(query.Count, uint64(list.Len())-from)
	items := list.Slice(int(from), int(to))
	size := 0
	for n := range items.Len() {
		if size += len(items.Entry(n).Encoded()); size > i.plugin.limits.Input {
			return abi.ETOOBIG, nil
		}
	}
	if items.Len() == 0 {
		return abi.StatusOK, wire.AppendMapHeader(nil, 0)
	}
	return abi.StatusOK, appendMessages(wire.AppendString(wire.AppendMapHeader(nil, 1), "items"), items)
}

// bounded encodes a reply.
func (i *instance) bounded(reply encodable) (abi.Status, []byte) {
	b, err := reply.MarshalMsg(nil)
	b = wire.Canonicalized(b)
	if err != nil || len(b) > i.plugin.limits.Input {
		return abi.ETOOBIG, nil
	}
	return abi.StatusOK, b
}

// encodable is a document of ABI 1.
type encodable interface {
	MarshalMsg(b []byte) ([]byte, error)
}

func (i *instance) eventEmit(payload []byte) (abi.Status, []byte) {
	var event abi.EventEmit
	if !i.decodePayload(payload, &event) || !isName(event.Name) {
		return abi.EINVAL, nil
	}
	i.aside(func() { i.frame.rt.Emit(event.Name, event.Data) }) // who listens takes the time that they like
	return abi.StatusOK, nil
}

// decodePayload decodes what a guest passed to an operation; false if it is not what the operation takes. What is
// malformed stops the guest.
func (i *instance) decodePayload(payload []byte, into document) bool {
	if len(payload) == 0 {
		return false
	}
	canonical, err := wire.Canonical(payload, i.plugin.faultLimit)
	if err != nil {
		i.stop(KindProtocol, "host_call: the document is malformed: "+clean(err.Error(), 200))
	}
	_, err = into.UnmarshalMsg(canonical)
	return err == nil
}

func itoa(n int) string { return strconv.Itoa(n) }
