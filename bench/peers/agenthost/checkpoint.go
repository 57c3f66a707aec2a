package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/bench/peer"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
	"github.com/agenthost/agenthost/host/model"
)

// textBytes is the length of a response's text, and of a tool result's.
const textBytes = 300

// timed is a model like rounds, whose answers are longer, and which notes the time, and the bytes that the process has
// written, when it is called.
type timed struct {
	n  int
	at []mark
}

type mark struct {
	time    time.Time
	written float64
}

func (*timed) Info() model.Info { return model.Info{Name: "timed"} }

func (m *timed) Generate(context.Context, *model.Request) (*model.Response, error) {
	written, err := writtenBytes()
	if err != nil {
		return nil, err
	}
	m.at = append(m.at, mark{time.Now(), written})
	text := strings.Repeat("m", textBytes)
	if len(m.at) > m.n {
		return model.Reply(abi.AI(text)), nil
	}
	return model.Reply(abi.AI(text, abi.Call(strconv.Itoa(len(m.at)), "search", map[string]any{"q": "x"}))), nil
}

// writtenBytes is what this process has given to write and its like.
func writtenBytes() (float64, error) {
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), "wchar: ")
	number, _, _ := strings.Cut(rest, "\n")
	return strconv.ParseFloat(number, 64)
}

// checkpoints measures a thread in SQLite. The case is DURABILITY:MIDDLEWARES/ROUNDS.
func checkpoints(name string, _ float64) (*peer.Result, error) {
	durability, rest, _ := strings.Cut(name, ":")
	var middlewares, n int
	if _, err := fmt.Sscanf(rest, "%d/%d", &middlewares, &n); err != nil {
		return nil, fmt.Errorf("case %q is not DURABILITY:MIDDLEWARES/ROUNDS: %w", name, err)
	}
	directory, err := os.MkdirTemp("", "agenthost-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(directory) }()
	warm := thread{host.Durability(durability), middlewares, 3, filepath.Join(directory, "warm.db")}
	if _, err := warm.measure(); err != nil {
		return nil, err
	}
	return thread{host.Durability(durability), middlewares, n, filepath.Join(directory, "agent.db")}.measure()
}

// thread is one run of n rounds in a new database.
type thread struct {
	durability  host.Durability
	middlewares int
	n           int
	file        string
}

func (t thread) agent(m model.Model, store *sqlite.Store) (*host.Agent, error) {
	config := host.Config{
		Model: m, Tools: []host.Tool{search(strings.Repeat("t", textBytes), new(int))},
		Checkpointer: store, Durability: t.durability,
	}
	for i := range t.middlewares {
		config.Middleware = append(config.Middleware, twoHooks(fmt.Sprint("noop", i)))
	}
	return host.New(config)
}

func (t thread) measure() (*peer.Result, error) {
	ctx := context.Background()
	store, err := sqlite.Open(ctx, t.file, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	m := &timed{n: t.n}
	agent, err := t.agent(m, store)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	_, err = agent.Run(ctx, host.Input{Thread: "thread", Messages: []abi.Message{abi.Human("go")}})
	took := time.Since(start)
	if err := errors.Join(err, agent.Close(), store.Close()); err != nil {
		return nil, err
	}
	file, err := os.Stat(t.file)
	if err != nil {
		return nil, err
	}
	perRound := float64(took.Nanoseconds()) / float64(t.n)
	back, tail := min(t.n, 50), min(t.n, 10)
	result := &peer.Result{NS: float64(m.at[t.n].time.Sub(m.at[t.n-tail].time).Nanoseconds()) / float64(tail), Extra: map[string]float64{
		"run_ns":           perRound,
		"written_last50":   (m.at[t.n].written - m.at[t.n-back].written) / float64(back),
		"database":         float64(file.Size()),
		"database_to_text": float64(file.Size()) / float64(2*textBytes*t.n),
	}}
	if t.durability == host.DurabilityExit {
		result.NS = perRound
	}
	return result, t.readBack(ctx, result)
}

// readBack reads the thread from its file, whole, and counts the documents of its last round.
func (t thread) readBack(ctx context.Context, result *peer.Result) (err error) {
	store, err := sqlite.Open(ctx, t.file, sqlite.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	agent, err := t.agent(&timed{}, store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, agent.Close()) }()
	snapshot, err := agent.State(ctx, "thread", 0)
	if err != nil {
		return err
	}
	text := 0
	for _, m := range snapshot.Messages.All() {
		text += len(m.Content.Text())
	}
	result.Check = fmt.Sprintf("messages=%d text=%d", snapshot.Messages.Len(), text)
	stored := 0
	for record, err := range agent.History(ctx, "thread") {
		if err != nil {
			return err
		}
		if record.Messages <= 2*t.n-1 { // what the last round began with
			break
		}
		if record.Messages <= 2*t.n+1 {
			document, err := record.Encode()
			if err != nil {
				return err
			}
			stored += len(document)
		}
	}
	result.Extra["stored_last"] = float64(stored)
	return nil
}

// twoHooks is a middleware that does nothing before and after each call of the model.
type twoHooks string

func (t twoHooks) Name() string { return string(t) }

func (twoHooks) Hooks(context.Context, host.Env) (*host.Hooks, error) {
	nothing := host.NodeHook{Func: func(context.Context, *host.Runtime) (*host.Update, error) { return nil, nil }}
	return &host.Hooks{BeforeModel: nothing, AfterModel: nothing}, nil
}
