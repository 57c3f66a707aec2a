package runstest

import (
	"encoding/json"
	"fmt"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/runs"
)

// Containment says whether metadata contains other metadata.
type Containment struct {
	Whole, Part string // in JSON
	Yes         bool
}

// Containments returns what PostgreSQL says of `whole @> part`. All stores say the same; the one in PostgreSQL asks it.
func Containments() []Containment {
	return []Containment{
		{`{}`, `{}`, true},
		{`{"a": 1}`, `{}`, true},
		{`{}`, `{"a": 1}`, false},
		{`{"a": 1, "b": 2}`, `{"a": 1}`, true},
		{`{"a": 1}`, `{"a": 1.0}`, true},
		{`{"a": 100}`, `{"a": 1e2}`, true},
		{`{"a": 0}`, `{"a": -0.0}`, true},
		{`{"a": 1}`, `{"a": 2}`, false},
		{`{"a": 1}`, `{"a": "1"}`, false},
		{`{"a": "x"}`, `{"a": "X"}`, false},
		{`{"a": null}`, `{"a": null}`, true},
		{`{}`, `{"a": null}`, false},
		{`{"a": false}`, `{"a": null}`, false},
		{`{"a": true}`, `{"a": true}`, true},
		{`{"a": true}`, `{"a": false}`, false},
		{`{"a": {"b": 1, "c": 2}}`, `{"a": {"b": 1}}`, true},
		{`{"a": {"b": 1}}`, `{"b": 1}`, false},
		{`{"a": {"b": 1}}`, `{"a": {}}`, true},
		{`{"a": []}`, `{"a": {}}`, false},
		{`{"a": {}}`, `{"a": []}`, false},
		{`{"a": [1, 2, 3]}`, `{"a": [3, 1]}`, true},
		{`{"a": [1, 2]}`, `{"a": [1, 1, 1]}`, true},
		{`{"a": [1, 2]}`, `{"a": []}`, true},
		{`{"a": []}`, `{"a": [1]}`, false},
		{`{"a": [1, 2]}`, `{"a": [1, 4]}`, false},
		{`{"a": [1, 2]}`, `{"a": 1}`, false},
		{`{"a": 1}`, `{"a": [1]}`, false},
		{`{"a": [1, 2, [1, 3]]}`, `{"a": [1, 3]}`, false},
		{`{"a": [1, 2, [1, 3]]}`, `{"a": [[3]]}`, true},
		{`{"a": [{"b": 1, "c": 2}, {"b": 3}]}`, `{"a": [{"b": 3}, {"c": 2}]}`, true},
		{`{"a": [{"b": 1}, {"c": 2}]}`, `{"a": [{"b": 1, "c": 2}]}`, false},
		{`{"a": [null]}`, `{"a": [null]}`, true},
		{`{"é": "ü"}`, `{"é": "ü"}`, true},
		{`{"e\u0301": 1}`, `{"\u00e9": 1}`, false},
	}
}

func object(text string) (m runs.Metadata, err error) { return m, json.Unmarshal([]byte(text), &m) }

func (c *check) containment() {
	for i, test := range Containments() {
		whole, err := object(test.Whole)
		require.NoError(c.t, err)
		part, err := object(test.Part)
		require.NoError(c.t, err)
		owner, want := fmt.Sprint("owner", i), 0
		if test.Yes {
			want = 1
		}
		t := &runs.Thread{Owner: owner, ID: c.id(), Metadata: whole}
		require.NoError(c.t, c.s.CreateThread(c.ctx(), t))
		_, total, err := c.s.FindThreads(c.ctx(), owner, &runs.ThreadQuery{Metadata: part})
		require.NoError(c.t, err)
		require.Equal(c.t, want, total, "threads: %s @> %s", test.Whole, test.Part)
		a := &runs.Assistant{Owner: owner, ID: c.id(), Agent: "agent", Metadata: whole}
		require.NoError(c.t, c.s.CreateAssistant(c.ctx(), a))
		versions, err := c.s.Versions(c.ctx(), owner, a.ID, part, 0, 0)
		require.NoError(c.t, err)
		require.Len(c.t, versions, want, "versions: %s @> %s", test.Whole, test.Part)
	}
}
