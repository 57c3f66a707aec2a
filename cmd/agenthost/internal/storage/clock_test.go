package storage_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/storage"
	"github.com/agenthost/agenthost/manifest/threadstore"
	"github.com/agenthost/agenthost/test/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m.Run)) }

func open(t *testing.T, address string) *storage.Storage {
	t.Helper()
	parsed, err := threadstore.Parse(address)
	require.NoError(t, err)
	s, err := storage.Open(t.Context(), parsed)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func TestClocks(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"memory", "sqlite:" + filepath.Join(t.TempDir(), "agents.db")} {
		clock, err := open(t, address).Clock(t.Context())
		require.NoError(t, err)
		require.Nil(t, clock, address)
	}
	clock, err := open(t, pgtest.Address(t)).Clock(t.Context()) // on this machine
	require.NoError(t, err)
	require.Positive(t, clock.RoundTrip)
	require.LessOrEqual(t, clock.Ahead.Abs(), clock.RoundTrip)
}

func TestClocksThatDiffer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		clock         storage.Clock
		found, remedy string
	}{
		{storage.Clock{Ahead: 900 * time.Millisecond, RoundTrip: time.Millisecond}, "", ""},
		{storage.Clock{Ahead: -1100 * time.Millisecond, RoundTrip: 400 * time.Millisecond}, "", ""}, // the answer may have been that late
		{storage.Clock{Ahead: 5 * time.Second, RoundTrip: time.Millisecond}, "5s ahead of this machine's: delayed runs of this machine begin early", "chrony"},
		{storage.Clock{Ahead: -5 * time.Second, RoundTrip: time.Millisecond}, "5s behind this machine's: delayed runs of this machine begin late", "chrony"},
		{storage.Clock{RoundTrip: 700 * time.Millisecond}, "takes 700ms to answer, so a worker may renew a lease of 3s too late", "at least 5s"},
	} {
		found, remedy := test.clock.Check(3 * time.Second)
		require.Contains(t, found, test.found)
		require.Contains(t, remedy, test.remedy)
		require.Equal(t, test.found == "", found == "", found)
	}
}
