package storage

import (
	"context"
	"fmt"
	"time"

	pgthreads "github.com/agenthost/agenthost/host/checkpoint/postgres"
)

// Clock compares the clock of a database server with this machine's.
type Clock struct {
	Ahead     time.Duration // of the server's clock; negative: it is behind
	RoundTrip time.Duration // how long the server takes to answer
}

// clockReads is how often the clock is read. The fastest answer counts.
const clockReads = 5

// Clock returns the clock of the database server; nil if the database has the clock of this machine.
func (s *Storage) Clock(ctx context.Context) (*Clock, error) {
	database, ok := s.Threads.Store.(*pgthreads.Store)
	if !ok {
		return nil, nil //nolint:nilnil // nil is not a clock of its own
	}
	var best *Clock
	for range clockReads {
		var micros int64
		asked := time.Now()
		row := database.Database().Writes().QueryRowContext(ctx, "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)")
		if err := row.Scan(&micros); err != nil {
			return nil, database.Database().Failed(err)
		}
		took := time.Since(asked)
		if best == nil || took < best.RoundTrip {
			best = &Clock{Ahead: time.UnixMicro(micros).Sub(asked.Add(took / 2)), RoundTrip: took}
		}
	}
	return best, nil
}

// maxAhead is by how much clocks may differ without a note.
const maxAhead = time.Second

// Check says what is wrong with a clock for processes that share the database and have a lease, and what to do about it; "" if nothing is. Leases go by the
// clock of the database alone.
func (c *Clock) Check(lease time.Duration) (found, remedy string) {
	// A lease is renewed after a third of it, and is lost after the rest.
	if least := 6 * c.RoundTrip; least > lease {
		return fmt.Sprintf("the database takes %s to answer, so a worker may renew a lease of %s too late and lose its runs", rounded(c.RoundTrip), lease),
			fmt.Sprintf("set lease in serve.yaml to at least %s, or move the workers nearer to the database", (least + time.Second).Truncate(time.Second))
	}
	if c.Ahead.Abs()-c.RoundTrip/2 <= maxAhead {
		return "", ""
	}
	than, effect := "ahead of", "early"
	if c.Ahead < 0 {
		than, effect = "behind", "late"
	}
	return fmt.Sprintf("the database's clock is %s %s this machine's: delayed runs of this machine begin %s, and the times of its runs are wrong; "+
		"leases go by the database's clock alone", rounded(c.Ahead.Abs()), than, effect), "synchronise the clocks of the machines, such as with chrony"
}

func rounded(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
