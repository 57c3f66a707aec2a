//go:build unix

package crash_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestKillWhileTheDatabaseIsMade kills processes that create a new database, one after the other and several at
// once. Whatever they leave behind, the next process can open the database and keep a thread in it.
func TestKillWhileTheDatabaseIsMade(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, fresh func(t *testing.T) string) {
		t.Helper()
		seed := seedOf(t)
		o := &opening{t: t, draw: rand.New(rand.NewPCG(seed, 3))}
		o.measure(fresh(t))
		for wanted := (killsOf(t) + 3) / 4; o.kills < wanted; {
			o.databases++
			address := fresh(t)
			o.kill(o.start(address))
			o.kill(o.start(address))
			all := make([]*victim, 6)
			for i := range all {
				all[i] = o.start(address)
			}
			o.kill(all[:2]...)
			for _, v := range all[2:] {
				v.ends()
			}
			c := &campaign{t: t, store: address, seed: seed, shape: shape{Turns: 2, Rounds: 2, Calls: 2}}
			c.measure()
		}
		t.Logf("%d databases, %d kills", o.databases, o.kills)
	})
}

// opening runs many processes that open databases.
type opening struct {
	t       *testing.T
	draw    *rand.Rand
	typical time.Duration // how long one process takes

	databases, kills int
}

func (o *opening) start(address string) *victim {
	return start(o.t, order{Role: roleOpen, Store: address, Lease: lease})
}

// measure measures the time of an undisturbed process.
func (o *opening) measure(address string) {
	v := o.start(address)
	v.until("starts")
	began := time.Now()
	v.until("is connected")
	o.typical = time.Since(began)
	v.ends()
}

// kill kills processes some time after they start. A process may have ended by then.
func (o *opening) kill(all ...*victim) {
	for _, v := range all {
		v.until("starts")
		time.AfterFunc(time.Duration(o.draw.Int64N(int64(o.typical))), v.kill) // it may come too late
	}
	for _, v := range all {
		killed, err := v.end()
		require.True(o.t, killed || err == nil, "the child has failed: %v\n%s", err, &v.says)
		if killed {
			o.kills++
		}
	}
}
