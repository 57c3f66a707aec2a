package postgres_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/postgres"
	"github.com/agenthost/agenthost/test/pgtest"
)

// TestAForkSeesOneMoment forks a thread while its run saves. A Save that came between would empty the journal of the
// checkpoint that is copied, and whoever goes on with the copy would run its tool again unasked.
func TestAForkSeesOneMoment(t *testing.T) {
	t.Parallel()
	address := pgtest.Address(t)
	store := open(t, address, postgres.Options{Lease: time.Hour}) // nothing else waits for locks
	holder, gate := connect(t, address), connect(t, address)
	session, err := store.Open(t.Context(), "t")
	require.NoError(t, err)
	first, err := session.Save(t.Context(), commit(0, "x"))
	require.NoError(t, err)
	execution := checkpoint.Execution{Message: "m", CallID: "1", N: 1, Tool: "send", Started: 1}
	require.NoError(t, session.Journal(t.Context(), &execution))

	exec(t, holder, `BEGIN`)
	exec(t, holder, `INSERT INTO agenthost_threads (name, created) VALUES ('copy', 0)`) // for which the fork waits
	forked, saved := make(chan error, 1), make(chan error, 1)
	go func() { forked <- store.Fork(t.Context(), "t", 0, "copy") }()
	require.Eventually(t, func() bool { return waiting(t, gate, "transactionid") == 1 }, time.Minute, 5*time.Millisecond)
	go func() {
		_, err := session.Save(t.Context(), commit(first, "y"))
		saved <- err
	}()
	require.Eventually(t, func() bool { return len(saved) > 0 || waiting(t, gate, "transactionid") == 2 }, time.Minute, 5*time.Millisecond)
	require.Empty(t, saved, "it waits for the fork")
	exec(t, holder, `ROLLBACK`)
	require.NoError(t, <-forked)
	require.NoError(t, <-saved)

	copied, err := store.Load(t.Context(), "copy", 0)
	require.NoError(t, err)
	require.Equal(t, first, copied.ID)
	require.Equal(t, []checkpoint.Execution{execution}, copied.Executions)
	held, err := store.Load(t.Context(), "t", 0)
	require.NoError(t, err)
	require.Equal(t, first+1, held.ID)
	require.Empty(t, held.Executions)
	require.NoError(t, session.Close())
}
