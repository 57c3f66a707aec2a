package protocol

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// patched applies a JSON Patch as RFC 6902 says.
func patched(t *testing.T, document any, operations []operation) any {
	t.Helper()
	for _, o := range operations {
		var value any
		if o.Op != "remove" {
			require.NoError(t, json.Unmarshal(o.Value, &value))
		}
		document = at(t, document, strings.Split(o.Path, "/")[1:], o.Op, value)
	}
	return document
}

func at(t *testing.T, in any, path []string, op string, value any) any {
	t.Helper()
	key := strings.NewReplacer("~1", "/", "~0", "~").Replace(path[0])
	last := len(path) == 1
	switch c := in.(type) {
	case map[string]any:
		_, has := c[key]
		require.Equal(t, op != "add" || !last, has, "%s %s", op, key)
		switch {
		case !last:
			c[key] = at(t, c[key], path[1:], op, value)
		case op == "remove":
			delete(c, key)
		default:
			c[key] = value
		}
		return c
	case []any:
		if last && op == "add" {
			require.Equal(t, "-", key)
			return append(c, value)
		}
		i, err := strconv.Atoi(key)
		require.NoError(t, err)
		require.Less(t, i, len(c))
		switch {
		case !last:
			c[i] = at(t, c[i], path[1:], op, value)
		case op == "remove":
			c = slices.Delete(c, i, i+1)
		default:
			c[i] = value
		}
		return c
	default:
		require.Fail(t, "no container", "%T at %s", in, key)
		return nil
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ before, after, want string }{
		"nothing":           {`{"a":1}`, `{"a":1}`, `null`},
		"members":           {`{"a":1,"b":2}`, `{"b":3,"c":4}`, `[{"op":"remove","path":"/a"},{"op":"replace","path":"/b","value":3},{"op":"add","path":"/c","value":4}]`},
		"null is a value":   {`{"a":1}`, `{"a":null}`, `[{"op":"replace","path":"/a","value":null}]`},
		"escaped names":     {`{}`, `{"a/b~c":1}`, `[{"op":"add","path":"/a~1b~0c","value":1}]`},
		"a longer list":     {`{"l":["one","two","three and many more words that need not be said again"]}`, `{"l":["one","two","three and many more words that need not be said again","x"]}`, `[{"op":"add","path":"/l/-","value":"x"}]`},
		"a member far down": {`{"o":{"p":{"q":1,"long":"a text that is not sent again since it stays as it is, as long as it may be"}}}`, `{"o":{"p":{"q":2,"long":"a text that is not sent again since it stays as it is, as long as it may be"}}}`, `[{"op":"replace","path":"/o/p/q","value":2}]`},
		"another kind":      {`{"a":[1]}`, `{"a":{"b":1}}`, `[{"op":"replace","path":"/a","value":{"b":1}}]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var before, after map[string]json.RawMessage
			require.NoError(t, json.Unmarshal([]byte(test.before), &before))
			require.NoError(t, json.Unmarshal([]byte(test.after), &after))
			got, err := json.Marshal(diff(before, after))
			require.NoError(t, err)
			require.Equal(t, test.want, string(got))
		})
	}
}

func FuzzDiff(f *testing.F) {
	for _, pair := range [][2]string{
		{`{"a":[1,{"b":[]}],"c":{"d":1}}`, `{"a":[1,{"b":[2]},3],"c":{}}`}, {`{"":1}`, `{"":{"":[]}}`}, {`{"a":[1,2,3]}`, `{"a":[3]}`},
	} {
		f.Add([]byte(pair[0]), []byte(pair[1]))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var before, after map[string]json.RawMessage
		if json.Unmarshal(a, &before) != nil || json.Unmarshal(b, &after) != nil {
			t.Skip()
		}
		normal := func(document map[string]json.RawMessage) (out any) {
			text, err := json.Marshal(document)
			require.NoError(t, err)
			require.NoError(t, json.NewDecoder(bytes.NewReader(text)).Decode(&out))
			if out == nil {
				out = map[string]any{}
			}
			return out
		}
		for _, document := range []map[string]json.RawMessage{before, after} { // members that come twice count once, as in the events
			for name, value := range document {
				var v any
				require.NoError(t, json.Unmarshal(value, &v))
				document[name], _ = json.Marshal(v)
			}
		}
		require.Equal(t, normal(after), patched(t, normal(before), diff(before, after)))
	})
}
