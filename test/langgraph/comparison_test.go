package langgraph_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The comparison finds what it is for: otherwise conversations that differ would pass.
func TestTheComparisonFindsDifferences(t *testing.T) {
	t.Parallel()
	read := func(text string) *answer {
		var a answer
		require.NoError(t, json.Unmarshal([]byte(text), &a))
		return &a
	}
	const plain = `{"status":200,"headers":{"content-type":"application/json","location":"/x"},"body":{"a":1,"b":[{"type":"ai","c":"x"},{"type":"human"}],"n":null}}`
	const stream = `{"status":200,"headers":{"content-type":"text/event-stream"},"sse":[{"event":"metadata","id":"1","data":{}},` +
		`{"event":"values|tools:<uuid_1>","id":"2","data":{"m":[1]}},{"event":"updates","id":"3","data":{"model":{"x":1}}}]}`
	other := func(text, part, by string) string {
		require.Contains(t, text, part)
		return strings.Replace(text, part, by, 1)
	}
	const metadata, values = `{"event":"metadata","id":"1","data":{}}`, `{"event":"values|tools:<uuid_1>","id":"2","data":{"m":[1]}}`
	for name, test := range map[string]struct{ recorded, got, finds string }{
		"the same":            {plain, plain, ""},
		"more":                {plain, other(other(plain, `"a":1`, `"z":1,"a":2`), `"n":null`, `"n":1`), ""},
		"a status":            {plain, `{"status":404}`, "the status is 404, not 200: <nil>"},
		"a header":            {plain, other(plain, `,"location":"/x"`, ``), "the header location is missing"},
		"a content type":      {plain, other(plain, "application/json", "text/plain"), "the content type is text/plain, not application/json"},
		"a member":            {plain, other(plain, `"a":1,`, ``), "a (number) is missing"},
		"null":                {plain, other(plain, `,"n":null`, ``), "n (null) is missing"},
		"a type":              {plain, other(plain, `"a":1`, `"a":"1"`), "a is text, not number"},
		"a kind of element":   {plain, other(plain, `"ai"`, `"tool"`), "b[ai] (object) is missing"},
		"the same stream":     {stream, stream, ""},
		"an order":            {stream, other(stream, metadata+","+values, values+","+metadata), "the events are [values|tools metadata"},
		"an interrupt":        {stream, other(stream, `"model"`, `"__interrupt__"`), "updates/__interrupt__], not [metadata"},
		"an id":               {stream, other(stream, `"id":"2",`, ``), "event values|tools:<uuid_1> has no id"},
		"the data of a frame": {stream, other(stream, `[1]`, `["x"]`), "event values|tools: [].m[] is text, not number"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := compare(read(test.recorded), read(test.got))
			if test.finds == "" {
				require.Empty(t, found)
				return
			}
			require.Contains(t, strings.Join(found, "\n"), test.finds)
		})
	}
}
