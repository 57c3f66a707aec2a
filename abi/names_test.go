package abi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
)

func TestNameListPresenceCounts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		list abi.NameList
		hex  string
	}{
		{"no list is not written", nil, "80"},
		{"an empty list is", abi.NameList{}, "81 a5 746f6f6c73 90"},
		{"names are", abi.NameList{"b", "a"}, "81 a5 746f6f6c73 92 a1 62 a1 61"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			in := abi.RequestChange{Tools: tc.list}
			b := marshal(t, &in)
			require.Equal(t, unhex(t, tc.hex), b)

			var out abi.RequestChange
			_, err := out.UnmarshalMsg(b)
			require.NoError(t, err)
			require.Equal(t, tc.list, out.Tools)
			require.Equal(t, tc.list == nil, out.Tools.IsZero())
		})
	}
}

func TestNameListRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, hex, err string }{
		{"nil", "c0", "list of names: must be an array of strings"},
		{"a string", "a1 61", "list of names: must be an array of strings"},
		{"a number in it", "92 a1 61 01", "list of names: must be an array of strings"},
		{"nothing", "", "msgpack: at byte 0: the document ends where a value is expected"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			list := abi.NameList{"before"}
			rest, err := list.UnmarshalMsg(unhex(t, tc.hex))
			require.EqualError(t, err, tc.err)
			require.Equal(t, unhex(t, tc.hex), rest)
			require.Equal(t, abi.NameList{"before"}, list)
		})
	}
}

func TestNameListMsgsizeIsAnUpperBound(t *testing.T) {
	t.Parallel()
	list := abi.NameList{"", "a", strings.Repeat("x", 70000)}
	require.LessOrEqual(t, len(marshal(t, list)), list.Msgsize())
}

func TestViewSpec(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		view   abi.ViewSpec
		hex    string
		text   string
		isZero bool
		isNew  bool
		tail   [2]int // of 0 and of 5 messages
	}{
		{"the zero value is none", abi.ViewSpec{}, "a4 6e6f6e65", "none", true, false, [2]int{0, 0}},
		{"none", abi.ViewNone(), "a4 6e6f6e65", "none", true, false, [2]int{0, 0}},
		{"the last 0 are none", abi.ViewLast(0), "a4 6e6f6e65", "none", true, false, [2]int{0, 0}},
		{"the last 3", abi.ViewLast(3), "81 a4 6c617374 03", "last 3", false, false, [2]int{0, 3}},
		{"more than there are", abi.ViewLast(300), "81 a4 6c617374 cd 012c", "last 300", false, false, [2]int{0, 5}},
		{"as many as an integer holds", abi.ViewLast(1 << 63), "81 a4 6c617374 cf 7fffffffffffffff", "last 9223372036854775807", false, false, [2]int{0, 5}},
		{"new", abi.ViewNew(), "a3 6e6577", "new", false, true, [2]int{0, 5}},
		{"all", abi.ViewAll(), "a3 616c6c", "all", false, false, [2]int{0, 5}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := marshal(t, tc.view)
			require.Equal(t, unhex(t, tc.hex), b)
			require.LessOrEqual(t, len(b), tc.view.Msgsize())
			require.Equal(t, tc.text, tc.view.String())
			require.Equal(t, tc.isZero, tc.view.IsZero())
			require.Equal(t, tc.isNew, tc.view.IsNew())
			require.Equal(t, tc.tail[0], tc.view.Tail(0))
			require.Equal(t, tc.tail[1], tc.view.Tail(5))

			back := abi.ViewAll()
			rest, err := back.UnmarshalMsg(append(b, 1))
			require.NoError(t, err)
			require.Equal(t, []byte{1}, rest)
			require.Equal(t, tc.view, back)
		})
	}
}

func TestViewSpecRefuses(t *testing.T) {
	t.Parallel()
	const other = `view: must be "none", "new", "all" or {"last": K}`
	for _, tc := range []struct{ name, hex, err string }{
		{"another name", "a3 6f6c64", other},
		{"nil", "c0", other},
		{"a number", "03", other},
		{"no key", "80", other},
		{"another key", "81 a1 61 01", other},
		{"a second key", "82 a1 61 01 a4 6c617374 01", other},
		{"a negative number", "81 a4 6c617374 ff", other},
		{"a float", "81 a4 6c617374 cb 3ff0000000000000", other},
		{"more than an int64", "81 a4 6c617374 cf ffffffffffffffff", other},
		{"nothing", "", "msgpack: at byte 0: the document ends where a value is expected"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			v := abi.ViewNew()
			_, err := v.UnmarshalMsg(unhex(t, tc.hex))
			require.EqualError(t, err, tc.err)
			require.Equal(t, abi.ViewNew(), v)
		})
	}
}

func ExampleViewLast() {
	view := abi.ViewLast(2)
	fmt.Println(view, "of 10 messages:", view.Tail(10))
	fmt.Println(view, "of 1 message:", view.Tail(1))
	// Output:
	// last 2 of 10 messages: 2
	// last 2 of 1 message: 1
}
