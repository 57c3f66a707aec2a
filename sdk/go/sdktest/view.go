package sdktest

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

// view returns the part of messages that a hook sees.
func (h *Host) view(hook abi.Hook, spec abi.ViewSpec, messages []sdk.Message) *abi.View {
	if spec.IsZero() {
		return nil
	}
	total := len(messages)
	if !spec.IsNew() || hook == abi.WrapModelCall || hook == abi.WrapToolCall {
		from := total - spec.Tail(total)
		return &abi.View{From: uint64(from), Items: messages[from:], Total: uint64(total)}
	}
	before, called := h.cursors[hook]
	if !called {
		return &abi.View{Items: messages, Reset: true, Total: uint64(total)}
	}
	return since(before, messages)
}

// since returns the view of the changes from one history to the next. If no sequence of changes leads there, it returns
// a view of all messages.
func since(before, now []sdk.Message) *abi.View {
	view := &abi.View{Total: uint64(len(now))}
	var kept []sdk.Message
	for _, m := range before {
		i := slices.IndexFunc(now, func(other sdk.Message) bool { return other.ID == m.ID })
		if i < 0 {
			view.Remove = append(view.Remove, m.ID)
			continue
		}
		kept = append(kept, m)
		if !slices.Equal(encoded(m.MarshalMsg(nil)), encoded(now[i].MarshalMsg(nil))) {
			view.Patch = append(view.Patch, now[i])
		}
	}
	for i := range kept {
		if kept[i].ID != now[i].ID {
			return &abi.View{Items: now, Reset: true, Total: uint64(len(now))}
		}
	}
	view.From, view.Items = uint64(len(kept)), now[len(kept):]
	return view
}

// shown moves the cursor of a hook to the end of the messages that it has seen.
func (h *Host) shown(hook abi.Hook) {
	if h.description.Hooks.Spec(hook).Messages.IsNew() {
		h.cursors[hook] = h.before
	}
}
