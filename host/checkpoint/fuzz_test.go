package checkpoint_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/history"
)

// FuzzDecodeRecord reads arbitrary bytes as a record. What can be read is written and read again as the same.
func FuzzDecodeRecord(f *testing.F) {
	for _, k := range all(f, "record") {
		f.Add(k.doc)
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		r, err := checkpoint.DecodeRecord(2, 1, time.UnixMilli(1), doc)
		if err != nil {
			requireMeant(t, err)
			return
		}
		once, err := r.Encode()
		require.NoError(t, err)
		again, err := checkpoint.DecodeRecord(2, 1, time.UnixMilli(1), once)
		require.NoError(t, err)
		twice, err := again.Encode()
		require.NoError(t, err)
		require.Equal(t, once, twice)
		packed, err := r.Pack(nil)
		require.NoError(t, err)
		var messages []*history.Entry
		for i := range r.Changes {
			if e := r.Changes[i].Entry; e != nil {
				messages = append(messages, e)
			}
		}
		unpacked, err := checkpoint.Unpack(2, 1, time.UnixMilli(1), packed, messages)
		require.NoError(t, err)
		thrice, err := unpacked.Encode()
		require.NoError(t, err)
		require.Equal(t, once, thrice)
	})
}

// FuzzDecodeExecution does so with a note of the journal.
func FuzzDecodeExecution(f *testing.F) {
	for _, k := range all(f, "execution") {
		f.Add(k.doc)
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		e, err := checkpoint.DecodeExecution(doc)
		if err != nil {
			requireMeant(t, err)
			return
		}
		once, err := e.Encode()
		require.NoError(t, err)
		again, err := checkpoint.DecodeExecution(once)
		require.NoError(t, err)
		twice, err := again.Encode()
		require.NoError(t, err)
		require.Equal(t, once, twice)
	})
}

// FuzzFold puts arbitrary records together. What can be put together can be used.
func FuzzFold(f *testing.F) {
	var thread []byte
	for _, k := range all(f, "record") {
		f.Add(k.doc)
		thread = append(thread, k.doc...)
		f.Add(thread)
	}
	f.Fuzz(func(t *testing.T, docs []byte) {
		var records []checkpoint.Record
		for len(docs) > 0 {
			doc, rest, err := wire.Cut(docs)
			if err != nil {
				break
			}
			docs = rest
			id := checkpoint.ID(len(records) + 1)
			if r, err := checkpoint.DecodeRecord(id, id-1, time.UnixMilli(1), doc); err == nil {
				records = append(records, *r)
			}
		}
		held, err := checkpoint.Fold(records)
		if err != nil {
			require.ErrorIs(t, err, checkpoint.ErrCorrupt)
			return
		}
		use(t, held)
	})
}

// use looks at a thread from everywhere, and writes its history down and reads it again.
func use(t *testing.T, held *checkpoint.Thread) {
	t.Helper()
	log := held.Log
	_ = held.State.Raw().JSON()
	for _, place := range []history.Cursor{{}, {Epoch: 1, Seq: 1}, log.Cursor(), {Epoch: log.Cursor().Epoch + 1, Seq: 1}} {
		view := log.View(abi.ViewNew(), place)
		require.LessOrEqual(t, view.Items.Len(), log.List().Len())
	}
	changes, whole := log.Since(history.Cursor{})
	require.True(t, whole)
	empty := history.Log{}
	again, err := empty.Replay(changes, true, log.Cursor())
	require.NoError(t, err)
	require.Equal(t, log.List().Len(), again.List().Len())
	for i := range log.List().Len() {
		require.Equal(t, log.List().Entry(i).Encoded(), again.List().Entry(i).Encoded())
	}
	more, err := again.Apply(&abi.Update{Messages: []abi.Message{abi.Human("more")}}, &ids{n: 1000})
	require.NoError(t, err)
	require.Equal(t, log.List().Len()+1, more.List().Len())
}

// requireMeant checks that an error says what is wrong.
func requireMeant(t *testing.T, err error) {
	t.Helper()
	require.True(t, errors.Is(err, checkpoint.ErrCorrupt) || errors.Is(err, checkpoint.ErrNewer), "%v", err)
}
