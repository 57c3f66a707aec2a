package cassette_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin/cassette"
)

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run.cassette")
	w, err := cassette.Create(path)
	require.NoError(t, err)
	p, want := somePlugin(), someFrames()
	for _, f := range want {
		w.Record(p, f)
	}
	require.NoError(t, w.Close())
	require.Zero(t, p.ID, "the recorder's plugin is not changed")
	require.Zero(t, want[0].Number)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())

	r, err := cassette.Open(path)
	require.NoError(t, err)
	require.Equal(t, cassette.Header{Version: 1, ABI: "1.1"}, r.Header)
	p.ID = 1
	n := 0
	for f, err := range r.Frames() {
		require.NoError(t, err)
		want[n].Number, want[n].Loaded, want[n].Plugin = n+1, 1, p
		require.Equal(t, want[n], f)
		n++
	}
	require.Equal(t, len(want), n)
	require.NoError(t, r.Close())
}

func TestAFileThatIsThereIsNotOverwritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run.cassette")
	require.NoError(t, os.WriteFile(path, []byte("x"), 0o600))
	_, err := cassette.Create(path)
	require.ErrorContains(t, err, "is not overwritten")
	_, err = cassette.Create(filepath.Join(t.TempDir(), "gone", "run.cassette"))
	require.ErrorContains(t, err, "there is no directory")
	_, err = cassette.Open(filepath.Join(t.TempDir(), "gone"))
	require.ErrorContains(t, err, "no such file")
	_, err = cassette.Open(path)
	require.ErrorContains(t, err, path+": is not a cassette")
}

// TestATruncatedCassetteIsReadUpToThere cuts a cassette at every byte.
func TestATruncatedCassetteIsReadUpToThere(t *testing.T) {
	t.Parallel()
	whole := recorded(t, someFrames()...)
	ends := map[int]int{} // the offset at which a cassette with this many frames ends
	for n := range 4 {
		ends[len(recorded(t, someFrames()[:n]...))] = n
	}
	most := 0
	for n := len(recorded(t)); n <= len(whole); n++ {
		frames, err := read(whole[:n])
		require.GreaterOrEqual(t, len(frames), most)
		most = len(frames)
		if complete, ok := ends[n]; ok {
			require.NoError(t, err)
			require.Len(t, frames, complete)
		} else if err != nil { // there is no error if the last document is a plugin
			require.ErrorIs(t, err, cassette.ErrTruncated)
		}
	}
	require.Equal(t, 3, most)
}

func TestConcurrentRecorders(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w, err := cassette.NewWriter(&out)
	require.NoError(t, err)
	var all sync.WaitGroup
	for range 8 {
		p := somePlugin()
		for range 4 {
			all.Go(func() {
				for _, f := range someFrames() {
					w.Record(p, f)
				}
			})
		}
	}
	all.Wait()
	require.NoError(t, w.Close())
	frames, err := read(out.Bytes())
	require.NoError(t, err)
	require.Len(t, frames, 8*4*3)
	plugins := map[*cassette.Plugin]int{}
	for i, f := range frames {
		require.Equal(t, i+1, f.Number)
		plugins[f.Plugin]++
	}
	require.Len(t, plugins, 8)
}

// full is a disk that fills up.
type full struct{ room int }

var errFull = errors.New("no space left")

func (f *full) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestAWriterThatCannotWriteSaysSo(t *testing.T) {
	t.Parallel()
	_, err := cassette.NewWriter(&full{})
	require.ErrorIs(t, err, errFull)
	w, err := cassette.NewWriter(&full{room: 100})
	require.NoError(t, err)
	for _, f := range someFrames() {
		w.Record(somePlugin(), f)
	}
	require.ErrorIs(t, w.Close(), errFull)
	w, err = cassette.NewWriter(&full{room: 1000})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	w.Record(somePlugin(), someFrames()[0])
	require.ErrorContains(t, w.Close(), "closed")
}

func TestWhatIsTooLargeIsCut(t *testing.T) {
	t.Parallel()
	large := &cassette.Frame{Export: "before_model", Input: make([]byte, cassette.MaxDocument), Returned: true, Fuel: 7}
	many := &cassette.Frame{Export: "before_model", Exchanges: make([]cassette.Exchange, cassette.MaxExchanges+1)}
	most := &cassette.Frame{Export: "before_model", Exchanges: make([]cassette.Exchange, cassette.MaxExchanges)}
	for i := range most.Exchanges {
		most.Exchanges[i] = cassette.Exchange{Op: "kv.get", Payload: []byte{0x80}, Answered: true, Status: -2, Reply: []byte{0x80}}
	}
	frames, err := read(recorded(t, large, many, most))
	require.NoError(t, err)
	require.Len(t, frames, 3)
	require.True(t, frames[0].Cut && frames[1].Cut)
	require.Empty(t, frames[0].Input)
	require.EqualValues(t, 7, frames[0].Fuel)
	require.False(t, frames[2].Cut)
	require.Len(t, frames[2].Exchanges, cassette.MaxExchanges)
}
