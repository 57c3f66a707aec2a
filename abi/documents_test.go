package abi_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// codec is the interface that every document and every part of a document implements.
type codec interface {
	MarshalMsg(dst []byte) ([]byte, error)
	UnmarshalMsg(b []byte) ([]byte, error)
	Msgsize() int
}

// documentType is a document, or a part of one, that SPEC.md names.
type documentType struct {
	name string
	make func() codec
}

// documentTypes lists all document types. The fuzz target chooses by index, so add new ones at the end.
func documentTypes() []documentType {
	return []documentType{
		{"HookInput", func() codec { return new(abi.HookInput) }},
		{"View", func() codec { return new(abi.View) }},
		{"Message", func() codec { return new(abi.Message) }},
		{"ToolCall", func() codec { return new(abi.ToolCall) }},
		{"InvalidToolCall", func() codec { return new(abi.InvalidToolCall) }},
		{"Usage", func() codec { return new(abi.Usage) }},
		{"ModelRequest", func() codec { return new(abi.ModelRequest) }},
		{"RequestChange", func() codec { return new(abi.RequestChange) }},
		{"ModelResponse", func() codec { return new(abi.ModelResponse) }},
		{"ResponseChange", func() codec { return new(abi.ResponseChange) }},
		{"CallChange", func() codec { return new(abi.CallChange) }},
		{"ToolReply", func() codec { return new(abi.ToolReply) }},
		{"Result", func() codec { return new(abi.Result) }},
		{"Interrupt", func() codec { return new(abi.Interrupt) }},
		{"Error", func() codec { return new(abi.Error) }},
		{"Description", func() codec { return new(abi.Description) }},
		{"HookSpecs", func() codec { return new(abi.HookSpecs) }},
		{"HookSpec", func() codec { return new(abi.HookSpec) }},
		{"FieldSpec", func() codec { return new(abi.FieldSpec) }},
		{"ToolSpec", func() codec { return new(abi.ToolSpec) }},
		{"Capability", func() codec { return new(abi.Capability) }},
		{"StateQuery", func() codec { return new(abi.StateQuery) }},
		{"StateReply", func() codec { return new(abi.StateReply) }},
		{"EventEmit", func() codec { return new(abi.EventEmit) }},
		{"Budget", func() codec { return new(abi.Budget) }},
		{"Content", func() codec { return new(abi.Content) }},
		{"Patch", func() codec { return new(abi.Patch) }},
		{"NameList", func() codec { return new(abi.NameList) }},
		{"ViewSpec", func() codec { return new(abi.ViewSpec) }},
		{"KVGet", func() codec { return new(abi.KVGet) }},
		{"KVEntry", func() codec { return new(abi.KVEntry) }},
		{"KVPut", func() codec { return new(abi.KVPut) }},
		{"KVVersion", func() codec { return new(abi.KVVersion) }},
		{"KVDelete", func() codec { return new(abi.KVDelete) }},
		{"KVList", func() codec { return new(abi.KVList) }},
		{"KVPage", func() codec { return new(abi.KVPage) }},
		{"KVItem", func() codec { return new(abi.KVItem) }},
		{"FetchRequest", func() codec { return new(abi.FetchRequest) }},
		{"FetchResponse", func() codec { return new(abi.FetchResponse) }},
		{"Header", func() codec { return new(abi.Header) }},
		{"GenerateRequest", func() codec { return new(abi.GenerateRequest) }},
		{"ToolRequest", func() codec { return new(abi.ToolRequest) }},
		{"Clock", func() codec { return new(abi.Clock) }},
		{"RandomRequest", func() codec { return new(abi.RandomRequest) }},
		{"RandomBytes", func() codec { return new(abi.RandomBytes) }},
		{"RunInfo", func() codec { return new(abi.RunInfo) }},
		{"ModelQuery", func() codec { return new(abi.ModelQuery) }},
		{"ModelInfo", func() codec { return new(abi.ModelInfo) }},
		{"ToolList", func() codec { return new(abi.ToolList) }},
		{"TokenQuery", func() codec { return new(abi.TokenQuery) }},
		{"TokenCount", func() codec { return new(abi.TokenCount) }},
		{"Batch", func() codec { return new(abi.Batch) }},
		{"BatchCall", func() codec { return new(abi.BatchCall) }},
		{"BatchReplies", func() codec { return new(abi.BatchReplies) }},
		{"BatchReply", func() codec { return new(abi.BatchReply) }},
		{"SleepRequest", func() codec { return new(abi.SleepRequest) }},
	}
}

// key is one key of a document, read from the tags of its struct.
type key struct {
	name     string
	optional bool
}

// keysOf returns the keys of a document that is a struct, in the order of its fields. It returns none for a type with
// its own codec.
func keysOf(d documentType) []key {
	t := reflect.TypeOf(d.make()).Elem()
	if t.Kind() != reflect.Struct {
		return nil
	}
	var keys []key
	for field := range t.Fields() {
		tag, ok := field.Tag.Lookup("msgpack")
		if !ok {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		keys = append(keys, key{name, options == "omitempty" || options == "omitzero"})
	}
	return keys
}

func TestFieldsStandInTheOrderOfTheirKeys(t *testing.T) {
	t.Parallel()
	for _, d := range documentTypes() {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			keys := keysOf(d)
			require.True(t, slices.IsSortedFunc(keys, func(a, b key) int { return strings.Compare(a.name, b.name) }), keys)
		})
	}
}

func TestEveryFieldHasAKey(t *testing.T) {
	t.Parallel()
	for _, d := range documentTypes() {
		typ := reflect.TypeOf(d.make()).Elem()
		if typ.Kind() != reflect.Struct {
			continue
		}
		for field := range typ.Fields() {
			if field.IsExported() {
				tag := field.Tag.Get("msgpack")
				require.Regexp(t, `^[a-z_]+(,omitempty|,omitzero)?$`, tag, "%s.%s", d.name, field.Name)
			}
		}
	}
}

func TestTheZeroDocumentIsCanonical(t *testing.T) {
	t.Parallel()
	for _, d := range documentTypes() {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			zero := d.make()
			b, err := zero.MarshalMsg(nil)
			require.NoError(t, err)
			require.LessOrEqual(t, len(b), zero.Msgsize())
			canonical, err := wire.IsCanonical(b, wire.Limits{})
			require.NoError(t, err)
			require.True(t, canonical)
		})
	}
}

func TestUnknownKeysAreIgnored(t *testing.T) {
	t.Parallel()
	unknown := wire.Map{
		{Key: "a_key_of_tomorrow", Value: wire.Raw{0x81, 0xa1, 'x', 0x93, 0x01, 0xc0, 0xc4, 0x00}},
		{Key: "zz", Value: wire.Float(1.5)},
	}
	for _, d := range documentTypes() {
		if keysOf(d) == nil {
			continue
		}
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			plain, err := d.make().MarshalMsg(nil)
			require.NoError(t, err)
			var keys wire.Map
			_, err = keys.UnmarshalMsg(plain)
			require.NoError(t, err)

			doc := d.make()
			rest, err := doc.UnmarshalMsg(keys.With(unknown).Raw())
			require.NoError(t, err)
			require.Empty(t, rest)
			b, err := doc.MarshalMsg(nil)
			require.NoError(t, err)
			require.Equal(t, plain, b)
		})
	}
}

func TestUnmarshalReturnsWhatFollows(t *testing.T) {
	t.Parallel()
	for _, d := range documentTypes() {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			b, err := d.make().MarshalMsg([]byte{0xc3})
			require.NoError(t, err)
			require.Equal(t, byte(0xc3), b[0])
			rest, err := d.make().UnmarshalMsg(append(b[1:], 0xc2))
			require.NoError(t, err)
			require.Equal(t, []byte{0xc2}, rest)
		})
	}
}
