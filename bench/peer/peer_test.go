package peer

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"
)

// runOf allocates n times, and takes that long.
func runOf(n int, takes time.Duration, check string) Run {
	return func(begin, end func()) (string, error) {
		begin()
		for range n {
			sink = make([]byte, 64)
		}
		for start := time.Now(); time.Since(start) < takes; {
			runtime.Gosched()
		}
		end()
		return check, nil
	}
}

var sink []byte

func TestSlope(t *testing.T) { //nolint:paralleltest // others' allocations and time would count
	result, err := Slope(0.05, runOf(10, time.Millisecond, "short"), runOf(60, 6*time.Millisecond, "long"), 50, 60)
	if err != nil {
		t.Fatal(err)
	}
	if result.Check != "long" {
		t.Errorf("check is %q", result.Check)
	}
	if *result.Allocs < 0.9 || *result.Allocs > 1.5 {
		t.Errorf("%g allocations a unit, not 1", *result.Allocs)
	}
	if result.NS < 90_000 || result.Extra["run_ns"] < 90_000 {
		t.Errorf("%g ns a unit, %g in the whole run: less than what it took", result.NS, result.Extra["run_ns"])
	}
}

func TestRunsThatDiffer(t *testing.T) {
	t.Parallel()
	n := 0
	differs := func(begin, end func()) (string, error) {
		n++
		return runOf(1, 0, strings.Repeat("x", n))(begin, end)
	}
	if _, err := Slope(0.001, runOf(1, 0, "same"), differs, 1, 1); err == nil || !strings.Contains(err.Error(), `"xx", and the one before "x"`) {
		t.Errorf("err is %v", err)
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	suites := map[string]Suite{"loop": func(name string, seconds float64) (*Result, error) {
		if name != "plain" || seconds != 0.5 {
			t.Errorf("called with %q, %g", name, seconds)
		}
		return &Result{NS: 1, Check: "done"}, nil
	}}
	if result, err := perform(suites, []string{"loop", "plain", "0.5"}); err != nil || result.NS != 1 {
		t.Errorf("%v, %v", result, err)
	}
	for _, args := range [][]string{nil, {"loop", "plain"}, {"loop", "plain", "soon"}, {"loop", "plain", "-1"}} {
		if _, err := perform(suites, args); err == nil || errors.As(err, new(AbsentError)) {
			t.Errorf("%q: err is %v", args, err)
		}
	}
	if _, err := perform(suites, []string{"crowd", "crowd", "1"}); !errors.As(err, new(AbsentError)) {
		t.Errorf("err is %v, not that it has no such suite", err)
	}
}
