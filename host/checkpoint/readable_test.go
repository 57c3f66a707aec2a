package checkpoint_test

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
)

// Whatever text or value of a record cannot be read again, the record is not written.
func TestUnreadableIsNotWritten(t *testing.T) {
	t.Parallel()
	for i, f := range records(t) {
		leaves := 0
		each(t, f.name, reflect.ValueOf(&f.record).Elem(), func(path string, leaf reflect.Value) {
			leaves++
			before := reflect.ValueOf(leaf.Interface())
			defer leaf.Set(before)
			for _, bad := range unreadable(leaf.Type()) {
				leaf.Set(bad)
				_, err := f.record.Encode()
				require.ErrorContains(t, err, "the data cannot be saved", "%s", path)
				_, err = f.record.Pack(nil)
				require.ErrorContains(t, err, "the data cannot be saved", "%s", path)
			}
		})
		require.GreaterOrEqual(t, leaves, 5, "%d", i)
		_, err := f.record.Encode()
		require.NoError(t, err)
	}
	notes := executions()
	for i := range notes {
		each(t, "execution", reflect.ValueOf(&notes[i]).Elem(), func(path string, leaf reflect.Value) {
			before := reflect.ValueOf(leaf.Interface())
			defer leaf.Set(before)
			for _, bad := range unreadable(leaf.Type()) {
				leaf.Set(bad)
				require.ErrorContains(t, notes[i].Readable(), "the data cannot be saved", "%s", path)
				_, err := notes[i].Encode()
				require.ErrorContains(t, err, "the data cannot be saved", "%s", path)
			}
		})
		require.NoError(t, notes[i].Readable())
	}
}

// each calls visit with every text and every value in v that is written.
func each(t *testing.T, path string, v reflect.Value, visit func(path string, leaf reflect.Value)) {
	t.Helper()
	switch {
	case v.Type() == reflect.TypeFor[wire.Raw](), v.Type() == reflect.TypeFor[abi.Content](), v.Kind() == reflect.String:
		visit(path, v)
	case v.Type() == reflect.TypeFor[wire.Map]():
		for i := range v.Len() {
			each(t, fmt.Sprint(path, ".", i), v.Index(i), visit)
		}
	case v.Kind() == reflect.Pointer && !v.IsNil():
		each(t, path, v.Elem(), visit)
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			each(t, fmt.Sprint(path, ".", i), v.Index(i), visit)
		}
	case v.Kind() == reflect.Struct && v.Type().PkgPath() != "time":
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() && field.Name != "Changes" { // those are TestUnreadableChanges
				each(t, path+"."+field.Name, v.Field(i), visit)
			}
		}
	}
}

// unreadable are things of a type that could not be read.
func unreadable(of reflect.Type) []reflect.Value {
	var out []reflect.Value
	switch {
	case of == reflect.TypeFor[wire.Raw]():
		for _, raw := range []wire.Raw{{0xc1}, {0x01, 0x02}, {0xa1}, {0xa1, 0xff}, {0x82, 0xa1, 'a', 1, 0xa1, 'a', 1}, nested(200)} {
			out = append(out, reflect.ValueOf(raw))
		}
	case of == reflect.TypeFor[abi.Content]():
		out = append(out, reflect.ValueOf(abi.Text("\xff")))
	default:
		out = append(out, reflect.ValueOf("a\xff").Convert(of))
	}
	return out
}

// nested is an array in an array, and so on.
func nested(depth int) wire.Raw { return append(bytes.Repeat([]byte{0x91}, depth), 0xc0) }

func TestUnreadableChanges(t *testing.T) {
	t.Parallel()
	removed := func(f fixture) int {
		for i := range f.record.Changes {
			if f.record.Changes[i].Entry == nil {
				return i
			}
		}
		return -1
	}
	tried := 0
	for _, f := range records(t) {
		if at := removed(f); at >= 0 {
			tried++
			f.record.Changes[at].ID = "\xff"
			_, err := f.record.Pack(nil)
			require.ErrorContains(t, err, "the data cannot be saved")
		}
	}
	require.Positive(t, tried)
	first := records(t)[:1]
	for i := range first[0].record.Changes {
		m := *first[0].record.Changes[i].Entry.Message()
		m.Content = abi.Text("\xff")
		first[0].record.Changes[i].Entry = history.Of(m).Entry(0)
	}
	_, err := first[0].record.Encode()
	require.ErrorContains(t, err, "the data cannot be saved: a message")
}

// However deep a value is, and wherever it stands: what is written can be read.
func TestWrittenIsReadable(t *testing.T) {
	t.Parallel()
	written, refused := 0, 0
	for _, f := range records(t) {
		each(t, f.name, reflect.ValueOf(&f.record).Elem(), func(path string, leaf reflect.Value) {
			if leaf.Type() != reflect.TypeFor[wire.Raw]() {
				return
			}
			before := reflect.ValueOf(leaf.Interface())
			defer leaf.Set(before)
			for depth := 60; depth < 100; depth++ {
				leaf.Set(reflect.ValueOf(nested(depth)))
				doc, err := f.record.Encode()
				if err != nil {
					refused++
					continue
				}
				written++
				_, err = checkpoint.DecodeRecord(f.record.ID, f.record.Parent, f.record.Time, doc)
				require.NoError(t, err, "%s: %d", path, depth)
			}
		})
	}
	require.Positive(t, written)
	require.Positive(t, refused)
}
