package plugin

import (
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
)

// largeValue is the size in bytes above which a field's value is omitted from the input and named in large instead.
const largeValue = 4 << 10

// hookInput is the input of a hook. It writes an [abi.HookInput] without building one, copying messages that are already
// encoded.
type hookInput struct {
	rt      *host.Runtime
	now     uint64
	reads   []string
	view    history.View
	shows   bool     // view is shown; otherwise the key messages is absent
	context wire.Map // the declared keys
	call    *abi.ToolCall
	known   bool
	request *model.Request
	models  abi.ViewSpec // which of the request's messages are shown
}

// append writes the document, with its keys in ascending order.
func (h *hookInput) append(dst []byte) []byte {
	answers := h.rt.Answers()
	count := 5 // n now run seed step
	large := h.large()
	state := h.stateCount(large)
	key := h.rt.IdempotencyKey()
	for _, present := range []bool{
		len(answers) > 0, h.call != nil, len(h.context) > 0, key != "", h.known, len(large) > 0, h.shows, h.request != nil, state > 0,
		h.rt.ThreadID() != "",
	} {
		if present {
			count++
		}
	}
	dst = wire.AppendMapHeader(dst, count)
	if len(answers) > 0 {
		dst = appendDocument(wire.AppendString(dst, "answers"), answers)
	}
	if h.call != nil {
		dst = appendDocument(wire.AppendString(dst, "call"), h.call)
	}
	if len(h.context) > 0 {
		dst = appendDocument(wire.AppendString(dst, "context"), h.context)
	}
	if key != "" {
		dst = wire.AppendString(wire.AppendString(dst, "idempotency_key"), key)
	}
	if h.known {
		dst = wire.AppendBool(wire.AppendString(dst, "known"), true)
	}
	if len(large) > 0 {
		dst, _ = wire.AppendValue(wire.AppendString(dst, "large"), large)
	}
	if h.shows {
		dst = appendView(wire.AppendString(dst, "messages"), &h.view)
	}
	dst = wire.AppendUint(wire.AppendString(dst, "n"), h.rt.N())
	dst = wire.AppendUint(wire.AppendString(dst, "now"), h.now)
	if h.request != nil {
		dst = h.appendRequest(wire.AppendString(dst, "request"))
	}
	dst = wire.AppendString(wire.AppendString(dst, "run"), h.rt.RunID())
	dst = wire.AppendUint(wire.AppendString(dst, "seed"), h.rt.Seed())
	if state > 0 {
		dst = h.appendState(wire.AppendString(dst, "state"), state)
	}
	dst = wire.AppendString(wire.AppendString(dst, "step"), h.rt.Step())
	if thread := h.rt.ThreadID(); thread != "" {
		dst = wire.AppendString(wire.AppendString(dst, "thread"), thread)
	}
	return dst
}

// contextOf returns the declared keys of the run's context.
func (p *Plugin) contextOf(rt *host.Runtime) (wire.Map, error) {
	if len(p.context) == 0 {
		return nil, nil
	}
	all, err := rt.ContextMap()
	if err != nil {
		return nil, fmt.Errorf("plugin %q: %w", p.name, err)
	}
	var shown wire.Map
	for _, pair := range all {
		if _, ok := slices.BinarySearch(p.context, pair.Key); ok {
			shown = append(shown, pair)
		}
	}
	return shown, nil
}

// large lists the fields whose values are too large to send unasked.
func (h *hookInput) large() []string {
	var names []string
	for _, name := range h.reads {
		if len(h.rt.State().Get(name)) > largeValue {
			names = append(names, name)
		}
	}
	return names
}

func (h *hookInput) stateCount(large []string) int {
	n := -len(large)
	for _, name := range h.reads {
		if !h.rt.State().Get(name).IsZero() {
			n++
		}
	}
	return n
}

// appendState writes the fields of reads, which is sorted.
func (h *hookInput) appendState(dst []byte, count int) []byte {
	dst = wire.AppendMapHeader(dst, count)
	for _, name := range h.reads {
		if value := h.rt.State().Get(name); !value.IsZero() && len(value) <= largeValue {
			dst = appendDocument(wire.AppendString(dst, name), value)
		}
	}
	return dst
}

func (h *hookInput) appendRequest(dst []byte) []byte {
	r := h.request
	view := history.Show(r.Messages, h.models)
	shows := !h.models.IsZero()
	count := 2 // model tools
	for _, present := range []bool{shows, len(r.Settings) > 0, !r.System.IsZero(), r.ToolChoice != ""} {
		if present {
			count++
		}
	}
	dst = wire.AppendMapHeader(dst, count)
	if shows {
		dst = appendView(wire.AppendString(dst, "messages"), &view)
	}
	name := ""
	if r.Model != nil {
		name = r.Model.Info().Name
	}
	dst = wire.AppendString(wire.AppendString(dst, "model"), name)
	if len(r.Settings) > 0 {
		dst = appendDocument(wire.AppendString(dst, "settings"), r.Settings)
	}
	if !r.System.IsZero() {
		dst = appendDocument(wire.AppendString(dst, "system"), r.System)
	}
	if r.ToolChoice != "" {
		dst = wire.AppendString(wire.AppendString(dst, "tool_choice"), r.ToolChoice)
	}
	dst = wire.AppendArrayHeader(wire.AppendString(dst, "tools"), len(r.Tools))
	for i := range r.Tools {
		dst = wire.AppendString(dst, r.Tools[i].Name)
	}
	return dst
}

// appendDocument appends a value, possibly made by the embedder, in canonical form.
func appendDocument(dst []byte, doc encodable) []byte {
	at := len(dst)
	dst, _ = doc.MarshalMsg(dst)
	return append(dst[:at], wire.Canonicalized(dst[at:])...)
}

// appendView writes an [abi.View].
func appendView(dst []byte, v *history.View) []byte {
	count := 3 // from items total
	for _, present := range []bool{v.Patch.Len() > 0, len(v.Remove) > 0, v.Reset} {
		if present {
			count++
		}
	}
	dst = wire.AppendMapHeader(dst, count)
	dst = wire.AppendUint(wire.AppendString(dst, "from"), uint64(v.From))
	dst = appendMessages(wire.AppendString(dst, "items"), v.Items)
	if v.Patch.Len() > 0 {
		dst = appendMessages(wire.AppendString(dst, "patch"), v.Patch)
	}
	if len(v.Remove) > 0 {
		dst, _ = wire.AppendValue(wire.AppendString(dst, "remove"), v.Remove)
	}
	if v.Reset {
		dst = wire.AppendBool(wire.AppendString(dst, "reset"), true)
	}
	return wire.AppendUint(wire.AppendString(dst, "total"), uint64(v.Total))
}

func appendMessages(dst []byte, list history.List) []byte {
	dst = wire.AppendArrayHeader(dst, list.Len())
	for i := range list.Len() {
		dst = append(dst, list.Entry(i).Encoded()...)
	}
	return dst
}
