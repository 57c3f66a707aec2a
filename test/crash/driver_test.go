//go:build unix

package crash_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// driver drives an agent through the plan of a thread, from wherever the thread is.
type driver struct {
	plan   *plan
	agent  *host.Agent
	thread string
	notes  *notes
	answer func(s *host.Snapshot) ([]host.Answer, error)
	begins func(turn int) bool // whether this process gives the turn's input and answers; nil: always

	turn atomic.Int64
	lost int // number of lost leases
}

// drive makes the agent and performs the plan until it is done.
func (d *driver) drive(ctx context.Context, store checkpoint.Store, w *world, change func(*host.Config)) (err error) {
	if d.agent, err = newAgent(d.plan, store, w, &d.turn, change); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.agent.Close()) }()
	for {
		in, err := d.next(ctx)
		if in == nil || err != nil {
			return err
		}
		_, err = d.agent.Run(ctx, *in)
		var busy *checkpoint.BusyError
		switch {
		case errors.As(err, &busy):
			d.notes.report(report{Kind: isBusy})
			time.Sleep(min(time.Until(busy.Until)+time.Millisecond, 5*time.Millisecond)) // the lease of a dead process ends only with time
		case errors.Is(err, checkpoint.ErrLost):
			d.lost++
			d.notes.report(report{Kind: isLost})
		case err != nil:
			return err
		}
	}
}

// next returns the next input, or nil if the plan is done.
func (d *driver) next(ctx context.Context) (*host.Input, error) {
	for {
		s, err := d.state(ctx)
		turn := 0
		switch {
		case errors.Is(err, checkpoint.ErrNoThread):
		case err != nil:
			return nil, err
		default:
			n, _ := s.State.Get(fieldTurn).AsInt()
			turn = int(n)
		}
		switch {
		case err == nil && len(s.Interrupts) > 0 && !d.has(turn-1):
		case err == nil && len(s.Interrupts) > 0:
			answers, err := d.answer(s)
			return &host.Input{Thread: d.thread, Resume: answers}, err
		case err == nil && s.Next != "":
			return &host.Input{Thread: d.thread, Continue: true}, nil
		case turn == len(d.plan.turns):
			return nil, nil
		case d.has(turn):
			in := d.plan.input(turn)
			in.Thread = d.thread
			d.turn.Store(int64(turn))
			return &in, nil
		}
		time.Sleep(time.Millisecond) // another process has the turn, and only the thread shows when the turn is over
	}
}

// patience is how long a process without a lease waits for a database. A database behind a silent connection never
// answers.
const patience = 8 * lease

// state returns the state of the thread.
func (d *driver) state(ctx context.Context) (*host.Snapshot, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return d.agent.State(ctx, d.thread, 0)
}

// has reports whether a turn belongs to this process.
func (d *driver) has(turn int) bool { return d.begins == nil || d.begins(turn) }

// asked returns the pending questions.
func asked(s *host.Snapshot) ([]ask, error) {
	var out []ask
	for _, q := range s.Interrupts {
		a := ask{ID: q.ID, effect: effect{Call: q.CallID}}
		if n, _ := fmt.Sscanf(q.Key, "unfinished_tool_call %d.", &a.N); n == 1 {
			var value struct {
				Name string `msgpack:"name"`
				Call string `msgpack:"tool_call_id"`
				Key  string `msgpack:"idempotency_key"`
			}
			if err := host.Decode(q.Value, &value); err != nil {
				return nil, err
			}
			a.Unfinished, a.Call, a.Key = value.Name, value.Call, value.Key
		}
		out = append(out, a)
	}
	return out, nil
}

// yes answers the questions of the plan.
func yes(s *host.Snapshot) ([]host.Answer, error) {
	questions, err := asked(s)
	if err != nil {
		return nil, err
	}
	answers := make([]host.Answer, len(questions))
	for i, q := range questions {
		if q.Unfinished != "" {
			return nil, fmt.Errorf("asks about %v, and nobody was killed", q.effect)
		}
		answers[i] = host.Answer{Interrupt: q.ID, Value: "yes"}
	}
	return answers, nil
}
