package postgres_test

import (
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/postgres"
	"github.com/agenthost/agenthost/test/pgtest"
)

// A round waits for the database where something must be kept before the run goes on: after the model has answered, before the tool starts,
// after it has ended, and after its step. Each takes one round trip, however far away the database is.
func TestARoundTakesFourTrips(t *testing.T) {
	t.Parallel()
	var trips atomic.Int64
	address := as(t, pgtest.Address(t), func(u *url.URL) { u.Host = counting(t, u.Host, &trips) })
	store := open(t, address, postgres.Options{Connections: 1})
	session, err := store.Open(t.Context(), "t")
	require.NoError(t, err)
	var parent checkpoint.ID
	save := func() {
		parent, err = session.Save(t.Context(), commit(parent, "x"))
		require.NoError(t, err)
	}
	for range 3 { // statements are prepared in the first one
		trips.Store(0)
		save()
		for _, outcome := range []*checkpoint.Outcome{nil, {}} {
			require.NoError(t, session.Journal(t.Context(), &checkpoint.Execution{CallID: "1", N: 1, Started: 1, Outcome: outcome}))
		}
		save()
	}
	require.EqualValues(t, 4, trips.Load())
	require.NoError(t, session.Close())
}

// counting listens in front of a server, counts how often clients wait for an answer, and returns its address.
func counting(t *testing.T, server string, trips *atomic.Int64) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			there, err := net.Dial("tcp", server) //nolint:noctx // it does not wait
			if err != nil {
				_ = client.Close()
				return
			}
			go func() {
				_, _ = io.Copy(client, there)
				_ = client.Close()
			}()
			go func() {
				count(there, client, trips)
				_ = there.Close()
			}()
		}
	}()
	return l.Addr().String()
}

// count copies the messages of a client of PostgreSQL, and counts those that ask for an answer: Sync and Query.
func count(there io.Writer, client io.Reader, trips *atomic.Int64) {
	for typed := 0; ; typed = 1 { // the first message has no type
		head := make([]byte, typed+4)
		if _, err := io.ReadFull(client, head); err != nil {
			return
		}
		if typed == 1 && (head[0] == 'S' || head[0] == 'Q') {
			trips.Add(1)
		}
		size := int64(binary.BigEndian.Uint32(head[typed:])) - 4
		if _, err := there.Write(head); err != nil {
			return
		}
		if _, err := io.CopyN(there, client, size); err != nil {
			return
		}
	}
}
