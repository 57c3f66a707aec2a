package reference_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/author"
	"github.com/agenthost/agenthost/host/plugin/cassette"
	"github.com/agenthost/agenthost/test/reference"
)

// TestTranscripts repeats every call of the TinyGo guest in any vector in the guests in Rust, JavaScript and Python. All must
// write equal bytes to next, to operations and as results.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	if raceDetector {
		t.Skip("it compares bytes, which are the same with the race detector")
	}
	files, err := allFiles()
	require.NoError(t, err)
	var vectors []*reference.Vector
	for _, f := range files {
		if f.err == nil && f.vector.UsesProbe() {
			vectors = append(vectors, f.vector)
		}
	}
	tinygo := preparedModule(t, built(contents("testdata/probe.tinygo.wasm")), vectors)
	for _, guest := range []guestCode{{"rust", built(contents("testdata/probe.rust.wasm"))}, {"javascript", javaScript}, {"python", inPython}} {
		t.Run(guest.name, func(t *testing.T) {
			t.Parallel()
			other := preparedModule(t, guest.writer, vectors)
			var calls atomic.Int64
			t.Cleanup(func() { require.Greater(t, calls.Load(), int64(1_000), "calls that were compared") })
			for _, f := range files {
				if f.err != nil || !f.vector.UsesProbe() {
					continue
				}
				t.Run(f.name, func(t *testing.T) {
					t.Parallel()
					calls.Add(int64(performAgain(t, f.vector, tinygo, other)))
				})
			}
		})
	}
}

func preparedModule(t *testing.T, writer func() (reference.Writer, error), vectors []*reference.Vector) *reference.Module {
	t.Helper()
	write, err := writer()
	require.NoError(t, err)
	engine, err := openEngine()
	require.NoError(t, err)
	module := reference.NewModule(write, engine)
	t.Cleanup(func() { require.NoError(t, module.Close()) })
	require.NoError(t, module.Prepare(vectors))
	return module
}

// transcript is the record of the calls of one agent's plugins.
type transcript struct {
	mu     sync.Mutex
	frames []*cassette.Frame
	twins  map[string]plugin.Wasm // by configuration, which includes the script
}

func (r *transcript) Record(p *cassette.Plugin, f *cassette.Frame) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f.Plugin = p
	r.frames = append(r.frames, f)
}

func (r *transcript) twin(w plugin.Wasm) {
	config, _ := wire.MapOf(w.Config) // a probe's configuration consists of such values
	r.mu.Lock()
	defer r.mu.Unlock()
	r.twins[string(config.Raw())] = w
}

// performAgain performs the runs of a vector with one module, and repeats each call of its plugins with the other. It
// returns the number of calls. It does not check the outcomes of the runs, which other tests do, because a recorded plugin
// forgets how often its tools ran.
func performAgain(t *testing.T, v *reference.Vector, recorded, other *reference.Module) int {
	t.Helper()
	calls := &transcript{twins: map[string]plugin.Wasm{}}
	subject, err := v.Build(recorded.Twins(other, calls, calls.twin))
	if err != nil {
		return 0 // a refused agent makes no calls
	}
	for i := range v.Runs {
		subject.Perform(t.Context(), &v.Runs[i])
	}
	require.NoError(t, subject.Close())

	replays := map[*cassette.Plugin]*author.Replay{}
	for _, frame := range calls.frames {
		replay, ok := replays[frame.Plugin]
		if !ok {
			replay, err = author.NewReplay(t.Context(), calls.twins[string(frame.Plugin.Config)], frame.Plugin, nil)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, replay.Close()) })
			replays[frame.Plugin] = replay
		}
		performed, err := replay.Call(t.Context(), frame)
		require.NoError(t, err)
		compareBytes(t, frame, performed)
	}
	return len(calls.frames)
}

func compareBytes(t *testing.T, was, is *cassette.Frame) {
	t.Helper()
	require.Empty(t, cassette.Compare(was, is, false), "%s with the input %s", was.Step, wire.Raw(was.Input).JSON())
	require.Equal(t, was.Code, is.Code, was.Step)
	require.Equal(t, was.Result, is.Result, was.Step)
	require.Len(t, is.Exchanges, len(was.Exchanges), was.Step)
	for i := range was.Exchanges {
		require.Equal(t, was.Exchanges[i].Payload, is.Exchanges[i].Payload, "%s: call %d, %s", was.Step, i+1, was.Exchanges[i].Name())
	}
}
