package strictyaml_test

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/strictyaml"
)

func TestNode(t *testing.T) {
	t.Parallel()
	root, err := strictyaml.Parse("f", []byte("# head\nname: x\nlist: [1, \"a\"]\nmap: {z: 1.5, a: ~}\nbool: true\n"))
	require.NoError(t, err)
	require.Equal(t, strictyaml.KindMap, root.Kind())
	require.Equal(t, []string{"name", "list", "map", "bool"}, root.Keys())
	require.Equal(t, 4, root.Len())
	require.Empty(t, root.Path())

	list, ok := root.Get("list")
	require.True(t, ok)
	require.Equal(t, strictyaml.KindList, list.Kind())
	require.Equal(t, 2, list.Len())
	require.Empty(t, list.Keys())
	items := list.Items()
	require.Equal(t, []strictyaml.Kind{strictyaml.KindInteger, strictyaml.KindString}, []strictyaml.Kind{items[0].Kind(), items[1].Kind()})
	require.Equal(t, "list[1]", items[1].Path())
	require.Equal(t, []int{3, 11}, []int{items[1].Line(), items[1].Column()})

	mapping, _ := root.Get("map")
	require.Equal(t, []string{"z", "a"}, mapping.Keys())
	z, _ := mapping.Get("z")
	require.Equal(t, strictyaml.KindNumber, z.Kind())
	null, _ := mapping.Get("a")
	require.Equal(t, strictyaml.KindNull, null.Kind())
	require.False(t, null.IsZero())
	require.Empty(t, z.Items())
	_, ok = mapping.Get("b")
	require.False(t, ok)
	key, ok := mapping.Key("a")
	require.True(t, ok)
	require.Equal(t, []int{4, 15}, []int{key.Line(), key.Column()})
	require.Equal(t, "map", key.Path())
	_, ok = mapping.Key("b")
	require.False(t, ok)
	boolean, _ := root.Get("bool")
	require.Equal(t, strictyaml.KindBool, boolean.Kind())
}

func TestZeroNode(t *testing.T) {
	t.Parallel()
	var n strictyaml.Node
	require.True(t, n.IsZero())
	require.Equal(t, strictyaml.KindInvalid, n.Kind())
	require.Equal(t, "nothing", n.Kind().String())
	require.Equal(t, []int{0, 0, 0}, []int{n.Line(), n.Column(), n.Len()})
	require.Empty(t, n.Keys())
	require.Empty(t, n.Items())
	_, ok := n.Get("a")
	require.False(t, ok)
	_, ok = n.Key("a")
	require.False(t, ok)
	expanded, err := n.Expand(environment)
	require.NoError(t, err)
	require.True(t, expanded.IsZero())
	require.EqualError(t, n.Decode(new(string)), "strictyaml: there is no value to decode")
	require.EqualError(t, new(strictyaml.Size).UnmarshalStrict(n), "strictyaml: there is no value to decode")
	require.EqualError(t, n.Errorf("wrong"), "wrong")
	require.EqualError(t, n.Unknown("tool", nil), "unknown tool")
}

func TestNodeIsDecodedLater(t *testing.T) {
	t.Parallel()
	m := decode(t, "middleware:\n  - tool_call_limit: {run_limit: 3}\nraw:\n  strategy: hsh\n  size: 5\n")
	var config struct {
		Strategy string `yaml:"strategy" strict:"enum=mask|hash"`
		Size     string `yaml:"size"`
	}
	requireError(t, m.Raw.Decode(&config), `
agenthost.yaml:4:13: raw.strategy: must be mask or hash, found "hsh"
  4 |   strategy: hsh
    |             ^
  did you mean "hash"?
agenthost.yaml:5:9: raw.size: expected a string, found integer 5
  5 |   size: 5
    |         ^
  quote it: "5"`)
	requireError(t, m.Entries[0].Config.Errorf("no tool: %w", io.ErrUnexpectedEOF), `
agenthost.yaml:2:22: middleware[0].tool_call_limit: no tool: unexpected EOF
  2 |   - tool_call_limit: {run_limit: 3}
    |                      ^`)
	require.ErrorIs(t, m.Entries[0].Config.Errorf("no tool: %w", io.ErrUnexpectedEOF), io.ErrUnexpectedEOF)
}

func TestErrorsOfHooksCanBeTold(t *testing.T) {
	t.Parallel()
	err := decodeError(t, "middleware:\n  - tool_call_limit: {tool_name: a}\n")
	require.ErrorIs(t, err, errNoLimit)
}

func TestJoin(t *testing.T) {
	t.Parallel()
	root, err := strictyaml.Parse("a.yaml", []byte("x: 1\ny: 2\n"))
	require.NoError(t, err)
	other, err := strictyaml.Parse("b.yaml", []byte("z: 1\n"))
	require.NoError(t, err)
	x, _ := root.Get("x")
	y, _ := root.Get("y")
	z, _ := other.Get("z")

	require.NoError(t, strictyaml.Join())
	require.NoError(t, strictyaml.Join(nil, nil))
	joined := strictyaml.Join(y.Errorf("second"), nil, z.Errorf("other file"), errors.Join(x.Errorf("first"), io.EOF))
	requireError(t, joined, `
a.yaml:1:4: x: first
  1 | x: 1
    |    ^
a.yaml:2:4: y: second
  2 | y: 2
    |    ^
b.yaml:1:4: z: other file
  1 | z: 1
    |    ^
EOF`)
	require.ErrorIs(t, joined, io.EOF)

	var many []error
	for range 23 {
		many = append(many, x.Errorf("again"))
	}
	var problems *strictyaml.Error
	require.ErrorAs(t, strictyaml.Join(many...), &problems)
	require.Len(t, problems.Problems, 20)
	require.Equal(t, 3, problems.More)
	require.Contains(t, problems.Error(), "    |    ^\n… and 3 more")
	require.ErrorAs(t, strictyaml.Join(problems, x.Errorf("again")), &problems)
	require.Equal(t, 4, problems.More)
}
