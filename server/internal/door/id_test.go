package door_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/server/internal/door"
)

func TestThreadID(t *testing.T) {
	t.Parallel()
	const id = "0190f6b5-8c5a-7000-8000-000000000001"
	for name, thread := range map[string]struct {
		name, id string
		bad      bool
	}{
		"a UUID":                 {name: id, id: id},
		"an OpenAI conversation": {name: "conv_" + id, id: id},
		"a name":                 {name: "my first talk", id: "5c19e74c-d136-554d-8d62-1cfbdfd589bd"},
		"the longest":            {name: strings.Repeat("x", 512), id: "7a64ab53-f92b-5891-b896-f7baf3b6e48e"},
		"too long":               {name: strings.Repeat("x", 513), bad: true},
		"NUL":                    {name: "\x00", bad: true},
		"a new line":             {name: "ab\n", bad: true},
		"DEL":                    {name: "é\x7f", bad: true},
		"empty":                  {bad: true},
		"not UTF-8":              {name: "a\xff", bad: true},
		"one of C1":              {name: "a\u009b", bad: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := door.ThreadID(thread.name)
			if thread.bad {
				require.ErrorIs(t, err, checkpoint.ErrThreadName)
				return
			}
			require.NoError(t, err)
			require.Equal(t, thread.id, got)
		})
	}
}
