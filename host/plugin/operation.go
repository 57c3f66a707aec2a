package plugin

import (
	"slices"
	"strconv"
	"sync"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// operation is something that a guest may ask the host to do with host_call. The table of operations is the only place that
// defines which operations exist, which document each takes, and which grant it needs.
type operation struct {
	name   string
	grant  *grantKey // nil: every plugin may use it
	handle func(i *instance, payload []byte) (abi.Status, []byte)
}

// operations returns the operations of ABI 1, in the order of SPEC.md.
func operations() []operation {
	return []operation{
		{abi.OpStateRead, nil, takes((*instance).stateRead)},
		{abi.OpEventEmit, nil, takes((*instance).eventEmit)},
		{abi.OpBudget, nil, takesNothing((*instance).budget)},
		{abi.OpRunInfo, nil, takesNothing((*instance).runInfo)},
		{abi.OpModelInfo, nil, takes((*instance).modelInfo)},
		{abi.OpToolsRead, nil, takesNothing((*instance).toolsRead)},
		{abi.OpTokensCount, nil, takes((*instance).tokensCount)},
		{abi.OpBatch, nil, takes((*instance).batch)},
		{abi.OpKVGet, grantKV, takes((*instance).kvGet)},
		{abi.OpKVPut, grantKV, takes((*instance).kvPut)},
		{abi.OpKVDelete, grantKV, takes((*instance).kvDelete)},
		{abi.OpKVList, grantKV, takes((*instance).kvList)},
		{abi.OpHTTPFetch, grantHTTPFetch, takes((*instance).httpFetch)},
		{abi.OpModelGenerate, grantModelGenerate, takes((*instance).modelGenerate)},
		{abi.OpToolCall, grantToolCall, takes((*instance).toolCall)},
		{abi.OpClockNow, grantClockNow, takesNothing((*instance).clockNow)},
		{abi.OpRandomBytes, grantRandomBytes, takes((*instance).randomBytes)},
		{abi.OpClockSleep, grantClockSleep, takes((*instance).clockSleep)},
	}
}

// GrantedOperations returns the names of the operations that need a grant, in the order of SPEC.md.
func GrantedOperations() []string {
	var names []string
	for _, op := range operations() {
		if op.grant != nil {
			names = append(names, op.name)
		}
	}
	return names
}

// operationsByName is filled once: a handler may refer to the table, so it cannot be a variable's initial value.
var operationsByName = sync.OnceValue(func() map[string]*operation {
	all := operations()
	byName := make(map[string]*operation, len(all))
	for n := range all {
		byName[all[n].name] = &all[n]
	}
	return byName
})

// takes wraps a handler that takes a document. It refuses a payload that is not such a document.
func takes[D any, P interface {
	*D
	document
}](handle func(i *instance, d *D) (abi.Status, []byte)) func(*instance, []byte) (abi.Status, []byte) {
	return func(i *instance, payload []byte) (abi.Status, []byte) {
		var d D
		if !i.decodePayload(payload, P(&d)) {
			return abi.EINVAL, nil
		}
		return handle(i, &d)
	}
}

// takesNothing wraps a handler that takes no document, and ignores the payload.
func takesNothing(handle func(i *instance) (abi.Status, []byte)) func(*instance, []byte) (abi.Status, []byte) {
	return func(i *instance, _ []byte) (abi.Status, []byte) { return handle(i) }
}

// operate performs the named operation for a guest, if it exists and the plugin may use it.
func (i *instance) operate(name string, payload []byte) (abi.Status, []byte) {
	op := operationsByName()[name]
	switch {
	case op == nil:
		return abi.ENOENT, nil
	case op.grant != nil && !i.plugin.capabilities.allowed[name]:
		return abi.EDENIED, nil
	default:
		return op.handle(i, payload)
	}
}

// budget returns what the call may still use.
func (i *instance) budget() (abi.Status, []byte) {
	budget := abi.Budget{
		HostCalls: uint64(min(i.plugin.limits.HostCalls-i.frame.hostCalls, i.frame.rt.OperationsLeft())),
		Next:      uint64(max(0, i.plugin.limits.Next-i.frame.nexts)),
	}
	reply, _ := budget.MarshalMsg(nil)
	return abi.StatusOK, reply
}

// stateRead returns messages of the history, or fields that the hook may read.
func (i *instance) stateRead(query *abi.StateQuery) (abi.Status, []byte) {
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

// bounded encodes a reply, unless it is larger than the limit for inputs.
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

func (i *instance) eventEmit(event *abi.EventEmit) (abi.Status, []byte) {
	if !isName(event.Name) {
		return abi.EINVAL, nil
	}
	if i.frame.emitted += eventOverhead + len(event.Data); i.frame.emitted > i.plugin.limits.Events {
		i.limited("events", "events")
		return abi.ELIMIT, nil
	}
	i.listen(len(event.Data), func() { i.frame.rt.Emit(event.Name, event.Data) })
	return abi.StatusOK, nil
}

// eventOverhead is what an event counts as besides its data, in bytes.
const eventOverhead = 512

// decodePayload decodes the document that a guest passed to an operation. It returns false if the operation takes another
// document. A malformed document stops the guest.
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
