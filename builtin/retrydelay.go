package builtin

import (
	"errors"
	"math"
	"math/rand/v2"
	"time"
)

// delayPolicy is how long to wait before each retry.
type delayPolicy struct {
	initial, limit Seconds
	factor         float64
	jitter         bool
}

// jitterShare is the largest share of a delay by which jitter changes it.
const jitterShare = 0.25

func (p *delayPolicy) check() error {
	// the comparisons refuse NaN too
	for _, value := range []struct {
		name string
		ok   bool
	}{{"initial_delay", p.initial >= 0}, {"max_delay", p.limit >= 0}, {"backoff_factor", p.factor >= 0}} {
		if !value.ok {
			return errors.New(value.name + " must be >= 0")
		}
	}
	return nil
}

// start returns the delays of one series of attempts. The same seed gives the same delays.
func (p *delayPolicy) start(seed uint64) *delays {
	return &delays{policy: p, random: rand.New(rand.NewPCG(seed, 0))} // not a secret, and it must be repeatable
}

// delays are the delays of one series of attempts, in the form of package backoff. Its own exponential delays have a random
// source that cannot be set, and start again when they become very small.
type delays struct {
	policy *delayPolicy
	random *rand.Rand
	n      int     // delays so far
	asked  Seconds // the delay that the provider asks for
}

// Reset does nothing: delays serve one series.
func (d *delays) Reset() {}

// NextBackOff returns the next delay.
func (d *delays) NextBackOff() time.Duration {
	delay := d.policy.delay(d.n)
	d.n++
	if d.policy.jitter {
		delay += Seconds((2*d.random.Float64() - 1) * jitterShare * float64(delay))
	}
	return max(delay, min(d.asked, d.policy.limit)).Duration()
}

// delay returns the delay before retry n, counted from 0.
func (p *delayPolicy) delay(n int) Seconds {
	if p.factor == 0 || p.initial == 0 {
		return min(p.initial, p.limit)
	}
	return min(p.initial*Seconds(math.Pow(p.factor, float64(n))), p.limit)
}
