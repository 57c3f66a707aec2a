package history_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
)

func TestViewOfTheList(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		spec abi.ViewSpec
		from int
		want []string
	}{
		{abi.ViewNone(), 3, []string{}},
		{abi.ViewLast(0), 3, []string{}},
		{abi.ViewLast(2), 1, []string{"b", "c"}},
		{abi.ViewLast(9), 0, []string{"a", "b", "c"}},
		{abi.ViewAll(), 0, []string{"a", "b", "c"}},
	} {
		t.Run(test.spec.String(), func(t *testing.T) {
			t.Parallel()
			b := setup(t, "a", "b", "c")
			for _, view := range []history.View{b.View(test.spec, b.Cursor()), history.Show(b.List(), test.spec)} {
				require.Equal(t, test.from, view.From)
				require.Equal(t, test.want, specs(view.Items))
				require.Equal(t, 3, view.Total)
				require.False(t, view.Reset)
			}
		})
	}
}

func TestViewNew(t *testing.T) {
	t.Parallel()
	type want struct {
		from   int
		items  []string
		patch  []string
		remove []string
		reset  bool
	}
	for _, test := range []struct {
		name    string
		updates []abi.Update
		want    want
	}{
		{"shows nothing if nothing changed", nil, want{from: 3}},
		{"shows what was appended", []abi.Update{{Messages: messages("d")}, {Messages: messages("e")}}, want{from: 3, items: []string{"d", "e"}}},
		{"shows an older message that was replaced", []abi.Update{{Messages: messages("b=x", "d")}}, want{from: 3, items: []string{"d"}, patch: []string{"b=x"}}},
		{"shows the last of several replacements", []abi.Update{{Messages: messages("b=x")}, {Patch: []abi.Patch{patch("b", "y")}}}, want{from: 3, patch: []string{"b=y"}}},
		{"shows a new message that was replaced once", []abi.Update{{Messages: messages("d")}, {Messages: messages("d=x")}}, want{from: 3, items: []string{"d=x"}}},
		{"names an older message that was removed", []abi.Update{{Messages: messages("d"), Remove: []string{"a"}}}, want{from: 2, items: []string{"d"}, remove: []string{"a"}}},
		{"names what was replaced and then removed", []abi.Update{{Messages: messages("a=x")}, {Remove: []string{"a"}}}, want{from: 2, remove: []string{"a"}}},
		{"says nothing of what came and went", []abi.Update{{Messages: messages("d", "e")}, {Messages: messages("d=x")}, {Remove: []string{"d"}}}, want{from: 3, items: []string{"e"}}},
		{"shows what was removed and came back", []abi.Update{{Remove: []string{"a"}}, {Messages: messages("a=x")}}, want{from: 2, items: []string{"a=x"}, remove: []string{"a"}}},
		{"shows everything after an overwrite", []abi.Update{{Overwrite: true, Messages: messages("a=x")}, {Messages: messages("d")}}, want{items: []string{"a=x", "d"}, reset: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, "a", "b", "c")
			cursor := b.Cursor()
			for i := range test.updates {
				b.apply(&test.updates[i])
			}

			view := b.View(abi.ViewNew(), cursor)

			got := want{view.From, specs(view.Items), specs(view.Patch), view.Remove, view.Reset}
			for _, list := range []*[]string{&test.want.items, &test.want.patch} {
				if *list == nil {
					*list = []string{}
				}
			}
			require.Equal(t, test.want, got)
			require.Equal(t, b.List().Len(), view.Total)
		})
	}
}

func TestViewNewWithoutCursor(t *testing.T) {
	t.Parallel()
	b := setup(t, "a", "b")

	view := b.View(abi.ViewNew(), history.Cursor{})

	require.True(t, view.Reset)
	require.Equal(t, []string{"a", "b"}, specs(view.Items))
	var empty history.Log
	require.True(t, (&empty).View(abi.ViewNew(), history.Cursor{}).Reset)
	require.False(t, (&empty).View(abi.ViewNew(), empty.Cursor()).Reset)
}

// mirror is what a hook knows that applies each view that it is shown.
type mirror struct {
	messages []abi.Message
	cursor   history.Cursor
}

func (m *mirror) look(log *history.Log) {
	view := log.View(abi.ViewNew(), m.cursor)
	if view.Reset {
		m.messages = nil
	}
	m.messages = slices.DeleteFunc(m.messages, func(known abi.Message) bool { return slices.Contains(view.Remove, known.ID) })
	for _, changed := range view.Patch.All() {
		for i := range m.messages {
			if m.messages[i].ID == changed.ID {
				m.messages[i] = *changed
			}
		}
	}
	if view.From != len(m.messages) {
		panic("From is not where the new messages belong")
	}
	m.messages = append(m.messages, view.Items.Messages()...)
	m.cursor = log.Cursor()
}

// Whatever happens, and however seldom a hook looks: views applied one after the other give the history.
func TestViewsNewMirrorTheHistory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var (
			log    history.Log
			known  mirror
			lists  []history.List
			copies [][]string
			serial bundle
		)
		if rapid.Bool().Draw(t, "long") {
			log, _ = log.Apply(&abi.Update{Messages: messages(many()...)}, &serial)
		}
		ids := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"})
		for range rapid.IntRange(1, 30).Draw(t, "updates") {
			u := drawUpdate(t, ids, &log)
			if next, err := log.Apply(u, &serial); err == nil {
				log = next
			}
			lists, copies = append(lists, log.List()), append(copies, specs(log.List()))
			if rapid.Bool().Draw(t, "looks") {
				known.look(&log)
				if want, got := specs(log.List()), specs(history.Of(known.messages...)); !slices.Equal(want, got) {
					t.Fatalf("the history is %v, the mirror %v", want, got)
				}
			}
		}
		for i := range lists {
			if got := specs(lists[i]); !slices.Equal(copies[i], got) {
				t.Fatalf("list %d was %v and is now %v", i, copies[i], got)
			}
		}
	})
}

func drawUpdate(t *rapid.T, ids *rapid.Generator[string], log *history.Log) *abi.Update {
	u := &abi.Update{Overwrite: rapid.IntRange(0, 9).Draw(t, "overwrite") == 0}
	seen := map[string]bool{}
	for range rapid.IntRange(0, 3).Draw(t, "messages") {
		id := ids.Draw(t, "id")
		if u.Overwrite && seen[id] { // an overwrite takes repeated ids as they are; a mirror cannot tell them apart
			continue
		}
		seen[id] = true
		if rapid.IntRange(0, 3).Draw(t, "anonymous") == 0 {
			id = ""
		}
		u.Messages = append(u.Messages, messages(id+"="+rapid.StringMatching(`[x-z]{2}`).Draw(t, "text"))...)
	}
	if u.Overwrite {
		return u
	}
	for _, m := range log.List().Messages() {
		switch rapid.IntRange(0, 7).Draw(t, "fate of "+m.ID) {
		case 0:
			u.Remove = append(u.Remove, m.ID)
		case 1:
			u.Patch = append(u.Patch, patch(m.ID, rapid.StringMatching(`[u-w]{2}`).Draw(t, "patch")))
		}
	}
	if rapid.IntRange(0, 9).Draw(t, "fails") == 0 {
		u.Patch = append(u.Patch, patch("nobody", "x"))
	}
	return u
}
