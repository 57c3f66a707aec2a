package history_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
)

// bundle is a log under test. Ids that it gives are new-1, new-2, ….
type bundle struct {
	history.Log

	t     *testing.T
	given int
}

// setup makes a log of human messages whose texts are their ids.
func setup(t *testing.T, ids ...string) *bundle {
	t.Helper()
	b := &bundle{t: t}
	if len(ids) > 0 {
		b.apply(&abi.Update{Messages: messages(ids...)})
	}
	return b
}

func (b *bundle) New() string {
	b.given++
	return fmt.Sprintf("new-%d", b.given)
}

func (b *bundle) apply(u *abi.Update) {
	b.t.Helper()
	log, err := b.Apply(u, b)
	require.NoError(b.t, err)
	b.Log = log
}

// messages makes messages: "a" has the id and the text a, "a=x" the id a and the text x, "=x" no id.
func messages(specs ...string) []abi.Message {
	out := make([]abi.Message, len(specs))
	for i, spec := range specs {
		id, text := spec, spec
		for at := range spec {
			if spec[at] == '=' {
				id, text = spec[:at], spec[at+1:]
				break
			}
		}
		out[i] = abi.Human(text)
		out[i].ID = id
	}
	return out
}

const other = "other-"

// many returns ids of other messages, so many that a log with them has an index.
func many() []string {
	ids := make([]string, 40)
	for i := range ids {
		ids[i] = fmt.Sprint(other, i)
	}
	return ids
}

// specs is the reverse of messages. It leaves out those of many.
func specs(list history.List) []string {
	out := []string{}
	for _, m := range list.All() {
		if strings.HasPrefix(m.ID, other) {
			continue
		}
		if text := m.Content.Text(); text == m.ID {
			out = append(out, m.ID)
		} else {
			out = append(out, m.ID+"="+text)
		}
	}
	return out
}

func patch(id, text string) abi.Patch { return abi.NewPatch(id).SetContent(abi.Text(text)) }

// Take knows no ids given ahead.
func (b *bundle) Take(string) bool { return false }
