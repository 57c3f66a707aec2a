package cassette_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin/cassette"
)

// TestHostileCassettes reads cassettes that no writer would write.
func TestHostileCassettes(t *testing.T) {
	t.Parallel()
	loaded := map[string]any{"plugin": map[string]any{"id": 1, "config": []byte{0x80}}}
	call := func(keys map[string]any) map[string]any { return map[string]any{"frame": keys} }
	large := func(id int) map[string]any {
		return map[string]any{"plugin": map[string]any{"id": id, "config": []byte{0x80}, "description": make([]byte, 30<<20)}}
	}
	for says, b := range map[string][]byte{
		"not a cassette": nil,
		"is not a cassette: it does not begin with": []byte("apiVersion: agenthost/v1\n"),
		"is not a cassette":                         documents(t, map[string]any{"plugin": 1}),
		"has the version 2":                         documents(t, map[string]any{"cassette": 2}),
		"begins with the byte 0x80":                 append(documents(t, header()), 0x80),
		"67108865 bytes":                            append(documents(t, header()), 0xc6, 4, 0, 0, 1),
		"incomplete":                                append(documents(t, header()), 0xc6, 4, 0, 0, 0, 1),
		"incomplete: the process":                   append(documents(t, header()), 0xc5, 4),
		"malformed":                                 append(documents(t, header()), 0xc4, 1, 0xc1),
		"is not a map":                              documents(t, header(), 7),
		"claims":                                    append(documents(t, header()), 0xc4, 5, 0xdf, 0xff, 0xff, 0xff, 0xff),
		"not loaded before":                         documents(t, header(), call(map[string]any{"number": 1, "plugin": 1})),
		"the number 0":                              documents(t, header(), loaded, call(map[string]any{"plugin": 1})),
		"the id 1, which":                           documents(t, header(), loaded, loaded),
		"the id 0, which":                           documents(t, header(), map[string]any{"plugin": map[string]any{"config": []byte{0x80}}}),
		"configuration of the":                      documents(t, header(), map[string]any{"plugin": map[string]any{"id": 1, "config": []byte{0xc1}}}),
		"document 2: msgpack":                       documents(t, header(), map[string]any{"plugin": map[string]any{"id": "x"}}),
		"more than 67108864 bytes of":               documents(t, header(), large(1), large(2), large(3)),
	} {
		_, err := read(b)
		require.ErrorContains(t, err, says)
	}
	frames, err := read(documents(t, header(), map[string]any{"of tomorrow": 1}, loaded, call(map[string]any{"plugin": 1, "number": 1, "new": 1})))
	require.NoError(t, err, "what is not known is ignored")
	require.Len(t, frames, 1)
}

// FuzzRead reads arbitrary bytes as a cassette, and as a document of a cassette.
func FuzzRead(f *testing.F) {
	f.Add(recorded(f, someFrames()...), []byte{0x80})
	f.Add([]byte{0xc4, 1, 0x80}, documents(f, map[string]any{"plugin": 1})[2:])
	f.Add([]byte{}, documents(f, map[string]any{"frame": map[string]any{"exchanges": []any{map[string]any{"op": "x"}}}})[2:])
	f.Fuzz(func(t *testing.T, file, document []byte) {
		for _, b := range [][]byte{file, wire.AppendBin(recorded(t, someFrames()[0]), document)} {
			frames, _ := read(b)
			var again bytes.Buffer
			w, err := cassette.NewWriter(&again)
			require.NoError(t, err)
			for _, frame := range frames {
				w.Record(frame.Plugin, frame)
				cassette.Compare(frame, frames[0], true)
			}
			require.NoError(t, w.Close())
			back, err := read(again.Bytes())
			require.NoError(t, err, "what was read can be written")
			require.Len(t, back, len(frames))
		}
	})
}
