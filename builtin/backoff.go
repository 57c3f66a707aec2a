package builtin

import (
	"errors"
	"math"
	"math/rand/v2"
	"time"
)

// delayPolicy says how long to wait before each retry.
type delayPolicy struct {
	initial, limit Seconds
	factor         float64
	jitter         bool
}

// jitterShare is by how much of it a delay may be shorter or longer at random.
const jitterShare = 0.25

func (p *delayPolicy) check() error {
	// a number that is none is refused too
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

// start returns the delays of one series of attempts. They follow from the seed.
func (p *delayPolicy) start(seed uint64) *delays {
	return &delays{policy: p, random: rand.New(rand.NewPCG(seed, 0))} // it is no secret, and must be the same again
}

// delays are the delays of one series of attempts, as package backoff asks for them. Its own exponential ones have a source
// of random numbers that nobody can set, and begin anew when they become very small.
type delays struct {
	policy *delayPolicy
	random *rand.Rand
	n      int     // of delays so far
	asked  Seconds // the least that the next one should be
}

// Reset has nothing to do: delays serve one series.
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

// delay is the delay before a retry, counted from 0.
func (p *delayPolicy) delay(n int) Seconds {
	if p.factor == 0 || p.initial == 0 {
		return min(p.initial, p.limit)
	}
	return min(p.initial*Seconds(math.Pow(p.factor, float64(n))), p.limit)
}
