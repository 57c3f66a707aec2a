package history

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
)

// View is the part of the messages that a hook sees: a list and, for the view new, other changes since its cursor.
type View struct {
	From   int      // index of the first item in the history
	Items  List     // messages in the order of the history
	Patch  List     // older messages that were replaced, in full
	Remove []string // ids of older messages that were removed
	Reset  bool     // everything known before is void; Items holds all messages
	Total  int      // length of the history
}

// View returns the messages that spec shows to a hook whose cursor is since.
func (l *Log) View(spec abi.ViewSpec, since Cursor) View {
	if spec.IsNew() {
		return l.since(since)
	}
	return Show(l.List(), spec)
}

// Show returns the view of a list without a cursor: the view new shows all messages.
func Show(list List, spec abi.ViewSpec) View {
	items := list.Tail(spec.Tail(list.Len()))
	return View{From: list.Len() - items.Len(), Items: items, Total: list.Len()}
}

// since returns the changes after the cursor. Without replacements and removals, these are the appended messages.
func (l *Log) since(c Cursor) View {
	list := l.List()
	if c.Epoch != l.epoch+1 {
		return View{Items: list, Reset: true, Total: list.Len()}
	}
	view := View{Total: list.Len()}
	seen := map[string]bool{}
	for i := len(l.changes) - 1; i >= 0 && l.changes[i].seq > c.Seq; i-- {
		ch := l.changes[i]
		switch {
		case ch.born > c.Seq: // the message is new to the hook anyway
			continue
		case seen[ch.id]: // a later change of the same message counts
		case ch.removed:
			view.Remove = append(view.Remove, ch.id)
		default:
			if at := l.find(ch.id); at >= 0 {
				view.Patch.entries = append(view.Patch.entries, l.list.entries[at])
			}
		}
		seen[ch.id] = true
	}
	view.From, _ = slices.BinarySearchFunc(l.born, c.Seq, func(born, seen uint64) int {
		if born <= seen {
			return -1
		}
		return 1
	})
	view.Items = list.Slice(view.From, list.Len())
	return view
}
