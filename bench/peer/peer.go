// Package peer is shared by the benchmarks' peers in Go: it reads their arguments, prints their results and measures slopes.
package peer

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"
)

// A Result is a peer's report of one case.
type Result struct {
	NS     float64            `json:"ns"`               // nanoseconds a unit of the suite
	Allocs *float64           `json:"allocs,omitempty"` // a unit
	Bytes  *float64           `json:"bytes,omitempty"`  // allocated, a unit
	Check  string             `json:"check"`            // what was done
	Extra  map[string]float64 `json:"extra,omitempty"`
}

// A Suite performs one of its cases for about the given number of seconds.
type Suite func(name string, seconds float64) (*Result, error)

// An AbsentError says why a framework does not have a case.
type AbsentError string

func (a AbsentError) Error() string { return string(a) }

// Main performs what the arguments ask for (SUITE CASE SECONDS), prints the result as a line of JSON, and ends the process: with 0,
// with 2 if the case is absent, or with 1.
func Main(suites map[string]Suite) {
	result, err := perform(suites, os.Args[1:])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(result)
	}
	var absent AbsentError
	switch {
	case errors.As(err, &absent):
		fmt.Fprintln(os.Stderr, absent)
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func perform(suites map[string]Suite, args []string) (*Result, error) {
	if len(args) != 3 {
		return nil, errors.New("usage: peer SUITE CASE SECONDS")
	}
	seconds, err := strconv.ParseFloat(args[2], 64)
	if err != nil || seconds <= 0 {
		return nil, fmt.Errorf("SECONDS %q is not a number greater than 0", args[2])
	}
	suite := suites[args[0]]
	if suite == nil {
		return nil, AbsentError("it has no suite " + args[0])
	}
	return suite(args[1], seconds)
}

// A Run performs one run, and says what it did. Whatever it prepares, it does before it calls begin, and what it verifies, after
// it has called end: only what is between them counts.
type Run func(begin, end func()) (check string, err error)

// Slope performs a short and a long run in turns for about so many seconds, after a fifth of that to warm up, and returns what the
// long one takes more than the short one, by units. Check is what the long run did, which must be the same each time, and
// Extra has run_ns: all that the long run took, by longUnits.
func Slope(seconds float64, short, long Run, units, longUnits float64) (*Result, error) {
	var checks [2]string
	var total [2]cost
	phase := func(seconds float64) error {
		total = [2]cost{}
		for start := time.Now(); total[0].runs == 0 || time.Since(start).Seconds() < seconds; {
			for i, run := range []Run{short, long} {
				did, err := total[i].measure(run)
				if err != nil {
					return err
				}
				if checks[i] != "" && checks[i] != did {
					return fmt.Errorf("a run did %q, and the one before %q", did, checks[i])
				}
				checks[i] = did
			}
		}
		return nil
	}
	if err := phase(seconds / 5); err != nil {
		return nil, err
	}
	if err := phase(seconds); err != nil {
		return nil, err
	}
	by := units * float64(total[0].runs)
	allocs, bytes := (total[1].allocs-total[0].allocs)/by, (total[1].bytes-total[0].bytes)/by
	return &Result{
		NS: float64((total[1].time - total[0].time).Nanoseconds()) / by, Allocs: &allocs, Bytes: &bytes, Check: checks[1],
		Extra: map[string]float64{"run_ns": float64(total[1].time.Nanoseconds()) / (longUnits * float64(total[1].runs))},
	}, nil
}

// cost is the total cost of several runs.
type cost struct {
	runs          int
	time          time.Duration
	allocs, bytes float64
}

// measure performs a run and adds its cost.
func (c *cost) measure(run Run) (string, error) {
	var before, after runtime.MemStats
	var start time.Time
	check, err := run(func() {
		runtime.ReadMemStats(&before)
		start = time.Now()
	}, func() {
		c.time += time.Since(start)
		runtime.ReadMemStats(&after)
	})
	c.runs++
	c.allocs += float64(after.Mallocs - before.Mallocs)
	c.bytes += float64(after.TotalAlloc - before.TotalAlloc)
	return check, err
}
