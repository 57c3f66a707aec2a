package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// What the suite server reports of a run.
const (
	runsPerSecond = "runs_per_second"
	runP50        = "run_p50_ns"
	runP99        = "run_p99_ns"
	statements    = "statements"
	logged        = "logged_bytes"
)

// serverLength is how many times as long as a measurement of another suite one of a server is, because the peers do only some ten runs a second.
const serverLength = 6

// serverReps is how often each cell of a server is measured: a repetition of all servers takes seven minutes.
const serverReps = 3

// The rows that targets are about.
const (
	oursInSQLite   = "agenthost, SQLite"
	oursInPostgres = "agenthost, PostgreSQL"
	peerDev        = "langgraph dev"
	peerAegra      = "Aegra, PostgreSQL"
)

func serverSuite() *Suite {
	return &Suite{
		Name: "server", Title: "a run through the HTTP API of a server, with a new thread, two calls of a model that takes no time, and a tool", Unit: "run",
		Cases: []Case{{"1", "1 client"}, {"16", "16 clients"}},
		Extra: []Extra{
			{runsPerSecond, "runs a second", digits},
			{runP50, "p50 of a run", duration},
			{runP99, "p99 of a run", duration},
			{statements, "statements of PostgreSQL a run", digits},
			{logged, "written to the log of PostgreSQL a run", size},
		},
		Free: true,
		Reps: serverReps,
		Rows: []Row{
			{Label: oursInSQLite, Peer: "agenthost", Flavor: inSQLite},
			{Label: "agenthost, memory", Peer: "agenthost", Flavor: inMemory},
			{Label: oursInPostgres, Peer: "agenthost", Flavor: inPostgres},
			{Label: peerDev, Peer: "langgraph-server"},
			{Label: peerAegra, Peer: "aegra", Flavor: inPostgres},
		},
		Measure: measureServer,
	}
}

// measureServer starts a server and makes runs by the case's clients, each one after the other.
func measureServer(ctx context.Context, o *Options, row Row, c Case) (_ *Measurement, err error) {
	s, err := startAgents(ctx, row, "http://127.0.0.1:1")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	length := time.Duration(o.Seconds * serverLength * float64(time.Second))
	if _, _, err = runsOf(ctx, clientsOf(c), length/4, s.run); err != nil { // warms it up
		return nil, err
	}
	before := 0.0
	if s.store != nil {
		if before, err = s.store.reset(ctx); err != nil {
			return nil, err
		}
	}
	took, all, err := runsOf(ctx, clientsOf(c), length, s.run)
	if err != nil {
		return nil, err
	}
	runs := float64(len(took))
	m := &Measurement{
		NS: all.Seconds() * 1e9 / runs, Check: "rounds=1, a new thread a run",
		Extra: map[string]float64{runsPerSecond: runs / all.Seconds(), runP50: quantile(took, 0.5), runP99: quantile(took, 0.99)},
	}
	if s.store != nil {
		calls, after, err := s.store.count(ctx)
		if err != nil {
			return nil, err
		}
		m.Extra[statements], m.Extra[logged] = calls/runs, (after-before)/runs
	}
	return m, nil
}

// clientsOf returns how many clients a case has.
func clientsOf(c Case) int { return map[string]int{"1": 1, "16": 16}[c.Name] }

// runsOf lets clients make runs for a time, and returns how long each took in nanoseconds, and all together.
func runsOf(
	ctx context.Context, clients int, length time.Duration, run func(context.Context) error,
) (took []float64, all time.Duration, err error) {
	begun := time.Now()
	each, failed := make([][]float64, clients), make([]error, clients)
	var working sync.WaitGroup
	for i := range clients {
		working.Go(func() {
			for failed[i] == nil && (len(each[i]) == 0 || time.Since(begun) < length) {
				start := time.Now()
				failed[i] = run(ctx)
				each[i] = append(each[i], float64(time.Since(start).Nanoseconds()))
			}
		})
	}
	working.Wait()
	return slices.Concat(each...), time.Since(begun), errors.Join(failed...)
}

// run makes a run of the agent in a new thread, waits for it, and checks what it did.
func (s *agentServer) run(ctx context.Context) error {
	out, err := s.do(ctx, http.MethodPost, "/threads/"+newID()+"/runs/wait",
		`{"assistant_id": "agent", "if_not_exists": "create", "input": {"messages": [{"role": "user", "content": "hi"}]}}`)
	if err != nil {
		return err
	}
	var values struct {
		Messages []struct {
			Type    string `json:"type"`
			Content string `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(out, &values); err != nil {
		return fmt.Errorf("the run returned %.200q: %w", out, err)
	}
	if n := len(values.Messages); n != 4 || values.Messages[2].Type != "tool" || values.Messages[3].Content != "It says: The sea is calm." {
		return fmt.Errorf("the run returned %.400q", out)
	}
	return nil
}

// newID returns a random UUID.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// quantile returns the value below which a share of all values is.
func quantile(values []float64, share float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}
