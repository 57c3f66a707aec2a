package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/bench/peer"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
	"github.com/agenthost/agenthost/host/model"
)

// togetherRounds is how many rounds a thread of the suite together has.
const togetherRounds = 10

// told is a model for runs at once, whose history says which round it is. It takes no time.
type told struct{}

func (told) Info() model.Info { return model.Info{Name: "told"} }

func (told) Generate(_ context.Context, req *model.Request) (*model.Response, error) {
	text, done := strings.Repeat("m", textBytes), req.Messages.Len()/2
	if done == togetherRounds {
		return model.Reply(abi.AI(text)), nil
	}
	return model.Reply(abi.AI(text, abi.Call(strconv.Itoa(done), "search", map[string]any{"q": "x"}))), nil
}

// together measures runs at once whose threads one SQLite file keeps. The case is FLAVOR:RUNS.
func together(name string, seconds float64) (_ *peer.Result, err error) {
	_, number, _ := strings.Cut(name, ":")
	many, err := strconv.Atoi(number)
	if err != nil {
		return nil, fmt.Errorf("case %q is not FLAVOR:RUNS: %w", name, err)
	}
	agent, err := keptInSQLite()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, agent.close()) }()
	if _, _, err := threads(agent.Agent, many, seconds/4); err != nil { // warms it up
		return nil, err
	}
	took, n, err := threads(agent.Agent, many, seconds)
	if err != nil {
		return nil, err
	}
	rounds := float64(n * togetherRounds)
	return &peer.Result{
		NS: float64(took.Nanoseconds()) / rounds, Check: fmt.Sprintf("rounds=%d a thread", togetherRounds),
		Extra: map[string]float64{"rounds_per_second": rounds / took.Seconds()},
	}, nil
}

// keptAgent is an agent whose threads a new SQLite file keeps.
type keptAgent struct {
	*host.Agent

	store     *sqlite.Store
	directory string
}

func keptInSQLite() (*keptAgent, error) {
	directory, err := os.MkdirTemp("", "agenthost-bench-")
	if err != nil {
		return nil, err
	}
	k := &keptAgent{directory: directory}
	k.store, err = sqlite.Open(context.Background(), filepath.Join(directory, "agent.db"), sqlite.Options{})
	if err != nil {
		return nil, errors.Join(err, k.close())
	}
	k.Agent, err = host.New(host.Config{Model: told{}, Tools: []host.Tool{constant(strings.Repeat("t", textBytes))}, Checkpointer: k.store})
	if err != nil {
		return nil, errors.Join(err, k.close())
	}
	return k, nil
}

// close closes what has been opened, and removes the file.
func (k *keptAgent) close() error {
	var errs []error
	if k.Agent != nil {
		errs = append(errs, k.Close())
	}
	if k.store != nil {
		errs = append(errs, k.store.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(k.directory))...)
}

// named counts the threads, so that each has another name.
var named atomic.Int64

// threads lets so many runs at once begin new threads for a time, and returns how long it took and how many threads there were.
func threads(agent *host.Agent, many int, seconds float64) (took time.Duration, n int, err error) {
	var group sync.WaitGroup
	failed, done := make([]error, many), make([]int, many)
	start := time.Now()
	for i := range many {
		group.Go(func() {
			for failed[i] == nil && (done[i] == 0 || time.Since(start).Seconds() < seconds) {
				name := strconv.FormatInt(named.Add(1), 10)
				result, err := agent.Run(context.Background(), host.Input{Thread: name, Messages: []abi.Message{abi.Human("go")}})
				if err == nil && result.Messages.Len() != 2*togetherRounds+2 {
					err = fmt.Errorf("a thread has %d messages", result.Messages.Len())
				}
				failed[i] = err
				done[i]++
			}
		})
	}
	group.Wait()
	for _, each := range done {
		n += each
	}
	return time.Since(start), n, errors.Join(failed...)
}
