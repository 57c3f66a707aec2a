//go:build unix

package replicas_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	threads "github.com/agenthost/agenthost/host/checkpoint/postgres"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/postgres"
	"github.com/agenthost/agenthost/server"
)

// replicaVariable is the environment variable with the address of the database of a replica.
const replicaVariable = "AGENTHOST_REPLICA"

// lease is how long a thread stays with a replica that died.
const lease = 500 * time.Millisecond

// runReplica serves the agent until a signal comes. It prints its address.
func runReplica(database string) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	kept, err := threads.Open(ctx, database, threads.Options{Lease: lease})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	rows, err := postgres.Open(ctx, kept, postgres.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	agent, err := host.New(host.Config{
		Model: counting{}, Checkpointer: kept, Tools: []host.Tool{tool.Func("step", "Makes a step.", step, tool.Idempotent())},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, agent.Close()) }()
	s, err := server.New(server.Config{
		Agents: map[string]runs.Agent{"agent": {Agent: agent, Threads: kept}}, Runs: rows,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	return s.Serve(ctx, listener)
}

// steps is how many steps a run makes before its last answer.
const steps = 5

// counting calls the tool as often as there are steps, and then says how often it was called. Each answer takes some time.
type counting struct{}

var _ model.Streamer = counting{}

func (counting) Info() model.Info { return model.Info{Provider: "test", Name: "counting"} }

func (c counting) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	for chunk, err := range c.Stream(ctx, req) {
		if err != nil || chunk.Response != nil {
			return chunk.Response, err
		}
	}
	return nil, errors.New("no answer")
}

func (counting) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		done := 0
		for _, m := range req.Messages.All() {
			switch m.Role {
			case abi.RoleHuman:
				done = 0
			case abi.RoleTool:
				done++
			default:
			}
		}
		words := strings.SplitAfter(fmt.Sprintf("there were %d steps of this run", done), " ")
		for _, word := range words {
			if err := pause(ctx, 10*time.Millisecond); err != nil {
				yield(model.Chunk{}, err)
				return
			}
			if !yield(model.Chunk{Text: word}, nil) {
				return
			}
		}
		answer := abi.AI(strings.Join(words, ""))
		if done < steps {
			answer.ToolCalls = []abi.ToolCall{{ID: fmt.Sprintf("call-%d", done), Name: "step", Args: wire.Map{}.Raw()}}
		}
		yield(model.Chunk{Response: model.Reply(answer)}, nil)
	}
}

func step(ctx context.Context, _ struct{}) (string, error) {
	return "made", pause(ctx, 20*time.Millisecond)
}

func pause(ctx context.Context, some time.Duration) error {
	timer := time.NewTimer(some)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// replica is a process that serves the agent.
type replica struct {
	t       *testing.T
	cmd     *exec.Cmd
	address string
}

func startReplica(t *testing.T, database string) *replica {
	t.Helper()
	r := &replica{t: t, cmd: exec.CommandContext(t.Context(), os.Args[0])}
	r.cmd.Env = append(os.Environ(), replicaVariable+"="+database)
	r.cmd.Stderr = t.Output()
	out, err := r.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, r.cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	r.address = strings.TrimSpace(line)
	return r
}

// kill kills the process at once.
func (r *replica) kill() {
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait()
}

// stop lets the process end by itself.
func (r *replica) stop() {
	require.NoError(r.t, r.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(r.t, r.cmd.Wait())
}
