package hosts_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/tck/hosts"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	outcome := func(state string) *hosts.Outcome {
		return &hosts.Outcome{Runs: []hosts.RunOutcome{{Status: "completed", State: json.RawMessage(state)}}}
	}
	want := outcome(`{"a":[1,"*"],"b":{"c":1.0}}`)
	require.NoError(t, hosts.Compare(want, outcome(`{"a":[1,"x"],"b":{"c":1.0}}`)))
	for state, says := range map[string]string{
		`{"a":[1],"b":{"c":1.0}}`:             "/runs/0/state/a: want 2 items",
		`{"a":[2,0],"b":{"c":1.0}}`:           "/runs/0/state/a/0: want 1, got 2",
		`{"a":[1,0],"b":{"c":1}}`:             "/runs/0/state/b/c: want 1.0, got 1",
		`{"a":[1,0],"b":{}}`:                  "/runs/0/state/b/c: is missing",
		`{"a":[1,0],"b":1}`:                   "/runs/0/state/b: want an object",
		`{"a":[1,0],"b":{"c":1.0},"d":false}`: "/runs/0/state/d: is not expected",
	} {
		require.ErrorContains(t, hosts.Compare(want, outcome(state)), says)
	}
}
