package serverprocess

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"

	"github.com/agenthost/agenthost/host"
	pgthreads "github.com/agenthost/agenthost/host/checkpoint/postgres"
	sqlitethreads "github.com/agenthost/agenthost/host/checkpoint/sqlite"
	"github.com/agenthost/agenthost/host/store/semantic"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/manifest/threadstore"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/memory"
	"github.com/agenthost/agenthost/runs/postgres"
	"github.com/agenthost/agenthost/runs/sqlite"
	"github.com/agenthost/agenthost/server"
	"github.com/agenthost/agenthost/server/config"
)

// Config says what a process serves.
type Config struct {
	Database string `json:"database"` // as for `agenthost serve --storage`; "" is memory
	Serve    string `json:"serve"`    // a serve.yaml; "" is the defaults
}

// variable is the environment variable with the configuration of a process, as JSON.
const variable = "AGENTHOST_SERVER_PROCESS"

// Main runs the tests of a package, or serves if the process was started for that. It returns the exit code of the process.
func Main(run func() int) int {
	text, ok := os.LookupEnv(variable)
	if !ok {
		return run()
	}
	var c Config
	err := json.Unmarshal([]byte(text), &c)
	if err == nil {
		err = serve(context.Background(), &c, os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "server process:", err)
		return 1
	}
	return 0
}

// serve serves until the input ends. It writes the address first, and then the answer to each command of the input.
func serve(ctx context.Context, c *Config, in io.Reader, out io.Writer) (err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	settings, err := config.Parse("serve.yaml", []byte(cmp.Or(c.Serve, "{}")), config.Options{})
	if err != nil {
		return err
	}
	threads, rows, release, err := open(ctx, c.Database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	agent, err := host.New(host.Config{
		Name: AgentName, Model: talker{}, Checkpointer: threads, Durability: host.DurabilityStep,
		Tools: []host.Tool{tool.Func("step", "Makes a step.", step, tool.Idempotent())},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, agent.Close()) }()
	running, err := server.New(server.Config{
		Agents: map[string]runs.Agent{AgentName: {Agent: agent, Threads: threads}}, Runs: rows, Store: semantic.WithoutIndex(threads.Values),
		Serve: settings, Logger: slog.New(slog.NewJSONHandler(os.Stderr, nil)), Version: "test",
	})
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- running.Serve(ctx, listener) }()
	if _, err := fmt.Fprintln(out, listener.Addr()); err != nil {
		return err
	}
	commands := bufio.NewScanner(in)
	for commands.Scan() {
		if err := obey(commands.Text(), out); err != nil {
			return err
		}
	}
	stop()
	return <-served
}

// open opens a database for the threads and the runs.
func open(ctx context.Context, database string) (*threadstore.Store, runs.Store, func() error, error) {
	if database == "" {
		threads := threadstore.InMemory()
		return threads, memory.New(memory.Options{}), threads.Close, nil
	}
	address, err := threadstore.Parse(database)
	if err != nil {
		return nil, nil, nil, err
	}
	threads, err := address.Open(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	switch kept := threads.Store.(type) {
	case *sqlitethreads.Store:
		rows, err := sqlite.Open(ctx, kept, sqlite.Options{})
		return threads, rows, threads.Close, err
	case *pgthreads.Store:
		rows, err := postgres.Open(ctx, kept, postgres.Options{})
		if err != nil {
			return nil, nil, nil, errors.Join(err, threads.Close())
		}
		return threads, rows, func() error { return errors.Join(rows.Close(), threads.Close()) }, nil
	default:
		return nil, nil, nil, errors.Join(fmt.Errorf("%s cannot keep runs", database), threads.Close())
	}
}
