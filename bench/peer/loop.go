package peer

import "fmt"

// A Loop is a case of the suite loop: a run of rounds in which the model asks for a tool, and a last response without.
type Loop struct {
	Middlewares int  // that do nothing
	Memory      bool // whether the framework keeps the conversation, in memory
	Calls       int  // of the tool, in each round
	History     int  // messages before the run's own
}

var loops = map[string]Loop{
	"plain":            {Calls: 1},
	"five":             {Calls: 1, Middlewares: 5},
	"memory":           {Calls: 1, Memory: true},
	"five-memory":      {Calls: 1, Middlewares: 5, Memory: true},
	"parallel8":        {Calls: 8},
	"plain-2000":       {Calls: 1, History: 2000},
	"five-memory-2000": {Calls: 1, Middlewares: 5, Memory: true, History: 2000},
}

// LoopOf returns the case of that name.
func LoopOf(name string) (Loop, error) {
	loop, ok := loops[name]
	if !ok {
		return Loop{}, AbsentError("it has no case " + name)
	}
	return loop, nil
}

// A Tally is what a run did: the calls of the model and of the tool, the messages that it left (with those before it), and the
// text of the last one.
type Tally struct {
	Calls, Tools, Messages int
	Last                   string
}

const short, long = 1, 51 // rounds

// Measure returns what a round takes. Perform does a run of so many rounds, between begin and end as in [Run]; a run that did
// something else than its rounds is an error.
func (l Loop) Measure(seconds float64, perform func(rounds int, begin, end func()) (Tally, error)) (*Result, error) {
	run := func(rounds int) Run {
		want := Tally{Calls: rounds + 1, Tools: rounds * l.Calls, Messages: l.History + 1 + rounds*(1+l.Calls) + 1, Last: "done"}
		return func(begin, end func()) (string, error) {
			did, err := perform(rounds, begin, end)
			if err != nil {
				return "", err
			}
			if did != want {
				return "", fmt.Errorf("a run of %d rounds did %+v, not %+v", rounds, did, want)
			}
			return fmt.Sprintf("rounds=%d calls=%d tools=%d messages=%d last=%s", did.Calls-1, did.Calls, did.Tools, did.Messages, did.Last), nil
		}
	}
	return Slope(seconds, run(short), run(long), long-short, long)
}
