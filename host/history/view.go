package history

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
)

// View is what a hook is shown of the messages: a list and, for the view new, what else changed since its cursor.
type View struct {
	From   int      // index in the history of the first of Items
	Items  List     // in the order of the history
	Patch  List     // older messages that were replaced, whole
	Remove []string // ids of older messages that were removed
	Reset  bool     // nothing that was known before counts any more; Items are all messages
	Total  int      // length of the history
}

// View returns the messages that spec shows to a hook whose cursor is since.
func (l *Log) View(spec abi.ViewSpec, since Cursor) View {
	if spec.IsNew() {
		return l.since(since)
	}
	return Show(l.List(), spec)
}

// Show returns the view of a list that has no cursor: new shows all.
func Show(list List, spec abi.ViewSpec) View {
	items := list.Tail(spec.Tail(list.Len()))
	return View{From: list.Len() - items.Len(), Items: items, Total: list.Len()}
}

// since returns what changed after the cursor. Without replacements and removals that is the tail that was appended.
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
