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
	case abi.OpKVGet, abi.OpKVPut, abi.OpKVDelete, abi.OpKVList, abi.OpHTTPFetch, abi.OpModelGenerate, abi.OpToolCall,
		abi.OpClockNow, abi.OpRandomBytes:
		return abi.EDENIED, nil
	default:
		return abi.ENOENT, nil
	}
}

// stateRead answers with messages of the history, or with fields that the hook may read.
func (i *instance) stateRead(payload []byte) (abi.Status, []byte) {
	var query abi.StateQuery
	i.decodePayload(payload, &query)
	state := i.frame.rt.State()
	if len(query.Fields) > 0 {
		for _, name := range query.Fields {
			if !slices.Contains(i.frame.fields, name) {
				return abi.EDENIED, nil
			}
		}
		return i.bounded(abi.StateReply{State: state.Fields(query.Fields)})
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

func (i *instance) bounded(reply abi.StateReply) (abi.Status, []byte) {
	b, err := reply.MarshalMsg(nil)
	if err != nil || len(b) > i.plugin.limits.Input {
		return abi.ETOOBIG, nil
	}
	return abi.StatusOK, b
}

func (i *instance) eventEmit(payload []byte) (abi.Status, []byte) {
	var event abi.EventEmit
	i.decodePayload(payload, &event)
	if !isName(event.Name) {
		i.stop(KindProtocol, "event.emit: the event's name is not 1 to 64 letters, digits, '_', '-', '.' or '/'")
	}
	i.frame.rt.Emit(event.Name, event.Data)
	return abi.StatusOK, nil
}

// decodePayload decodes what a guest passed to an operation; what is malformed stops it.
func (i *instance) decodePayload(payload []byte, into document) {
	if err := i.decode(i.frame.export, payload, into); err != nil {
		i.stopWith(err)
	}
}

func itoa(n int) string { return strconv.Itoa(n) }
