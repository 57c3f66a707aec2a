//go:build unix

package crash_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/postgres"
	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
)

// childVariable is the environment variable with the order of a child.
const childVariable = "AGENTHOST_CRASH_CHILD"

// order tells a child what to do.
type order struct {
	Role   string        `json:"role"`
	Store  string        `json:"store"`
	Dir    string        `json:"dir"` // directory of the world
	Thread string        `json:"thread"`
	Seed   uint64        `json:"seed"` // seed of the plan
	Shape  shape         `json:"shape"`
	Lease  time.Duration `json:"lease"`
	DieAt  int           `json:"die_at"` // the line after which it kills itself; 0: none
	Side   int           `json:"side"`   // which of two processes it is
}

// The roles.
const (
	roleRun  = "run"  // performs a plan
	roleOpen = "open" // makes a database
	roleTurn = "turn" // performs a plan by turns with another
	roleSend = "send" // performs the plan of sends
	roleHeld = "held" // does so too, and stops in each effect until it is told to continue
)

// openStore opens a store by its address: "sqlite:" and a path, or the address of a PostgreSQL database.
func openStore(ctx context.Context, address string, lease time.Duration) (checkpoint.Store, io.Closer, error) {
	if path, ok := strings.CutPrefix(address, "sqlite:"); ok {
		s, err := sqlite.Open(ctx, path, sqlite.Options{Lease: lease})
		return s, s, err
	}
	s, err := postgres.Open(ctx, address, postgres.Options{Lease: lease})
	return s, s, err
}

// child is a process that may be killed.
type child struct {
	order

	notes *notes
	from  *bufio.Reader // the parent's answers
}

// runChild carries out the order. File descriptor 3 is the connection to the parent.
func runChild(text string) error {
	c := &child{from: bufio.NewReader(os.Stdin), notes: &notes{to: os.NewFile(3, "reports")}}
	if err := json.Unmarshal([]byte(text), &c.order); err != nil {
		return err
	}
	c.notes.dieAt = c.DieAt
	c.notes.pointf("starts")
	ctx := context.Background()
	store, closer, err := openStore(ctx, c.Store, c.Lease)
	if err != nil {
		return err
	}
	c.notes.pointf("is connected")
	if c.Role != roleOpen {
		err = c.perform(ctx, store)
	}
	if err := errors.Join(err, closer.Close()); err != nil {
		return err
	}
	c.notes.report(report{Kind: isDone})
	return nil
}

// perform drives the agent through the plan.
func (c *child) perform(ctx context.Context, store checkpoint.Store) error {
	d := &driver{plan: newPlan(c.Seed, c.Shape), thread: c.Thread, notes: c.notes, answer: c.ask}
	w := &world{dir: c.Dir, notes: c.notes}
	change := func(*host.Config) {}
	switch c.Role {
	case roleTurn:
		d.begins = func(turn int) bool { return turn%2 == c.Side }
		d.answer, d.plan.parallel, w.alone = yes, 1, true
		change = func(config *host.Config) { config.InterruptAfter = []string{"model", "tools"} }
	case roleHeld:
		w.within = c.hold
		fallthrough
	case roleSend:
		d.plan = sends()
	}
	for tries := 0; ; tries++ {
		err := d.drive(ctx, watched{store, c.notes}, w, change)
		slow := errors.Is(err, checkpoint.ErrUnavailable) || errors.Is(err, checkpoint.ErrLocked)
		if !slow || tries == 10 {
			return err
		}
		c.notes.report(report{Kind: isLost}) // with such short leases, the database may be too slow to renew them
	}
}

// ask sends the questions to the parent process, which answers them like a person.
func (c *child) ask(s *host.Snapshot) ([]host.Answer, error) {
	questions, err := asked(s)
	if err != nil {
		return nil, err
	}
	c.notes.report(report{Kind: isAsking, Run: s.RunID, Asks: questions})
	line, err := c.from.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("nobody answers: %w", err)
	}
	var replies []reply
	if err := json.Unmarshal(line, &replies); err != nil {
		return nil, err
	}
	answers := make([]host.Answer, len(replies))
	for i, r := range replies {
		answers[i] = host.Answer{Interrupt: r.Interrupt, Value: r.Value, By: r.By}
	}
	return answers, nil
}

// hold waits in a tool until the parent says go, or until the tool should give up.
func (c *child) hold(ctx context.Context, call string) error {
	c.notes.pointf("holds %s", call)
	line := make(chan error, 1)
	go func() {
		_, err := c.from.ReadString('\n')
		line <- err
	}()
	select {
	case err := <-line:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
