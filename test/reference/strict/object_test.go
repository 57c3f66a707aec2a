package strict_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/test/reference/strict"
)

func open(t *testing.T, text string) *strict.Object {
	t.Helper()
	raw, err := wire.FromJSON([]byte(text), wire.DefaultLimits)
	require.NoError(t, err)
	return strict.Open(raw, "doc")
}

func TestObject(t *testing.T) {
	t.Parallel()
	o := open(t, `{"a": "x", "b": true, "c": 3, "d": ["p", "q"], "e": {"f": 1}, "g": [{"h": null}], "i": {"k": 1}}`)
	require.Equal(t, "x", o.Text("a"))
	require.Equal(t, "x", o.OneOf("a", "x", "y"))
	require.True(t, o.True("b"))
	require.Equal(t, 3, o.Int("c", 1))
	require.Equal(t, []string{"p", "q"}, o.Texts("d"))
	require.Equal(t, 1, o.Object("e").Int("f", 0))
	require.Empty(t, o.Objects("g")[0].TextOrNull("h"))
	require.Len(t, o.Map("i"), 1)
	require.NoError(t, o.Done())

	require.Empty(t, o.Text("absent"))
	require.Empty(t, o.OneOf("absent", "x"))
	require.False(t, o.True("absent"))
	require.Zero(t, o.Int("absent", 1))
	require.Nil(t, o.Texts("absent"))
	require.Nil(t, o.Object("absent"))
	require.Nil(t, o.Map("absent"))
	require.NoError(t, o.Done())
	require.Equal(t, []string{"a", "b", "c", "d", "e", "g", "i"}, o.Keys())
}

func TestObjectRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		read func(o *strict.Object)
		want string
	}{
		"unknown key":    {func(*strict.Object) {}, `doc: the key "a" is unknown`},
		"inner key":      {func(o *strict.Object) { _ = o.Object("a").Done() }, `doc.a: the key "b" is unknown`},
		"missing key":    {func(o *strict.Object) { o.Need("z") }, `doc: the key "a" is unknown; doc: the key "z" is missing`},
		"no string":      {func(o *strict.Object) { o.Text("a") }, `doc.a: must be a string`},
		"no boolean":     {func(o *strict.Object) { o.Bool("a") }, `doc.a: must be true or false`},
		"no integer":     {func(o *strict.Object) { o.Int("a", 1) }, `doc.a: must be an integer of at least 1`},
		"no list":        {func(o *strict.Object) { o.Items("a") }, `doc.a: must be a list`},
		"no object":      {func(o *strict.Object) { o.Object("a").Object("b") }, `doc.a.b: must be an object`},
		"other than":     {func(o *strict.Object) { o.Object("a").OneOf("b", "x", "y") }, `doc.a.b: must be a string`},
		"first mistake":  {func(o *strict.Object) { o.Fail("x", "is odd"); o.Fail("y", "is even") }, `doc.x: is odd`},
		"false for true": {func(o *strict.Object) { o.True("a") }, `doc.a: must be true or false`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := open(t, `{"a": {"b": 0}}`)
			test.read(o)
			if name == "unknown key" || name == "missing key" {
				require.EqualError(t, o.Done(), test.want)
			}
			require.EqualError(t, o.Err(), test.want)
		})
	}
	require.EqualError(t, open(t, `[1]`).Done(), "doc: must be an object")
	o := open(t, `{"a": "z", "l": [1]}`)
	o.OneOf("a", "x", "y")
	require.EqualError(t, o.Err(), `doc.a: is "z"; it must be one of "x", "y"`)
	o = open(t, `{"l": ["a", 1]}`)
	o.Texts("l")
	require.EqualError(t, o.Err(), `doc.l[1]: must be a string`)
}
