package peer

import (
	"errors"
	"strings"
	"testing"
)

func TestLoop(t *testing.T) {
	t.Parallel()
	loop, err := LoopOf("parallel8")
	if err != nil {
		t.Fatal(err)
	}
	result, err := loop.Measure(0.001, func(rounds int, begin, end func()) (Tally, error) {
		begin()
		end()
		return Tally{Calls: rounds + 1, Tools: 8 * rounds, Messages: 2 + 9*rounds, Last: "done"}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "rounds=51 calls=52 tools=408 messages=461 last=done"; result.Check != want {
		t.Errorf("check is %q, not %q", result.Check, want)
	}
}

func TestLoopThatDidLess(t *testing.T) {
	t.Parallel()
	loop, err := LoopOf("five-memory-2000")
	if err != nil {
		t.Fatal(err)
	}
	_, err = loop.Measure(0.001, func(rounds int, begin, end func()) (Tally, error) {
		begin()
		end()
		return Tally{Calls: rounds + 1, Tools: rounds, Messages: 2 + 2*rounds, Last: "done"}, nil
	})
	if err == nil || !strings.Contains(err.Error(), "Messages:4 Last:done}, not {Calls:2 Tools:1 Messages:2004 Last:done}") {
		t.Errorf("err is %v", err)
	}
}

func TestUnknownLoop(t *testing.T) {
	t.Parallel()
	if _, err := LoopOf("six"); !errors.As(err, new(AbsentError)) {
		t.Errorf("err is %v, not that it has no such case", err)
	}
}
