package cassette_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmihailenco/msgpack/v5"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin/cassette"
)

func somePlugin() *cassette.Plugin {
	return &cassette.Plugin{
		Name: "redact", Path: "plugins/redact.wasm", SHA256: "00ff", Costs: 1, Config: wire.Map{{Key: "a", Value: wire.Int(1)}}.Raw(),
		Description: []byte{0x80}, Grants: []string{"kv"}, Reads: []string{"todos"}, Writes: []string{"todos"},
		Limits: cassette.Limits{Memory: 1 << 20, Fuel: 1000, Input: 1, Result: 2, HostCalls: 3, Next: 4, Log: 5},
	}
}

func someFrames() []*cassette.Frame {
	return []*cassette.Frame{
		{Export: "before_model", Step: "redact.before_model", Input: []byte{0x80}, Returned: true, Fuel: 12},
		{
			Export: "wrap_tool_call", Step: "redact.wrap_tool_call", Input: []byte{0x81, 0xa1, 'n', 1}, Returned: true, Code: 1,
			Result: []byte{0xc1}, Fuel: 1 << 60, Fault: &cassette.Fault{Kind: "protocol", Message: "malformed", Chance: true},
			Exchanges: []cassette.Exchange{
				{Payload: []byte{0x80}, Answered: true, Status: abi.StatusFailed, Reply: []byte{0x80}},
				{Op: "event.emit", Answered: true},
				{Op: "kv.get"},
			},
		},
		{Export: "call_tool", Step: "tools", Closed: abi.StatusInterrupted, Cancelled: true, Code: -1, Returned: true},
	}
}

// recorded returns a cassette with these frames.
func recorded(t testing.TB, frames ...*cassette.Frame) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := cassette.NewWriter(&out)
	require.NoError(t, err)
	p := somePlugin()
	for _, f := range frames {
		w.Record(p, f)
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// read returns the frames of a cassette, and the error that ended reading.
func read(b []byte) ([]*cassette.Frame, error) {
	r, err := cassette.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	var out []*cassette.Frame
	for f, err := range r.Frames() {
		if err != nil {
			return out, err
		}
		out = append(out, f)
	}
	return out, nil
}

// documents makes a cassette from arbitrary documents.
func documents(t testing.TB, all ...any) []byte {
	t.Helper()
	var out []byte
	for _, d := range all {
		b, err := msgpack.Marshal(d)
		require.NoError(t, err)
		out = wire.AppendBin(out, b)
	}
	return out
}

// header returns the first document of every cassette.
func header() map[string]any { return map[string]any{"cassette": 1, "abi": "1.0"} }
