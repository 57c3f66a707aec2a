// Package threadcost measures what threads cost: how many bytes a round writes, how large a database becomes and how long
// a round takes, at the rounds and with the texts of bench/peers.
package threadcost_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/checkpoint/postgres"
	"github.com/agenthost/agenthost/host/checkpoint/sqlite"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/test/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m.Run)) }

// textBytes is the length of each message's text; a round has two.
const textBytes = 300

// rounds is a model that asks for a tool call so many times. It notes the counter at the start of each call.
type rounds struct {
	n       int
	written func() int64
	at      []int64
	times   []time.Time
}

func (*rounds) Info() model.Info { return model.Info{Name: "rounds"} }

func (m *rounds) Generate(context.Context, *model.Request) (*model.Response, error) {
	m.at, m.times = append(m.at, m.written()), append(m.times, time.Now())
	text := text(len(m.at))
	if len(m.at) > m.n {
		return &model.Response{Messages: []abi.Message{abi.AI(text)}}, nil
	}
	return &model.Response{Messages: []abi.Message{abi.AI(text, abi.Call("call-"+strconv.Itoa(len(m.at)), "search", map[string]any{"q": "x"}))}}, nil
}

// short is the same with short texts.
type short struct{ *rounds }

func (m short) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	resp, err := m.rounds.Generate(ctx, req)
	if err == nil {
		resp.Messages[0].Content = abi.Text(fmt.Sprint("message ", len(m.at)))
	}
	return resp, err
}

func shortTool() host.Tool {
	return tool.Raw(abi.ToolSpec{Name: "search"}, func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		return host.TextOutput("found it"), nil
	})
}

func text(n int) string { return fmt.Sprintf("%0*d", textBytes, n) }

// place is where threads are kept, with its counters.
type place struct {
	store   checkpoint.Store
	written func() int64 // bytes so far
	size    func() int64 // of the database when all is closed
}

// measure is one cell of the table.
type measure struct {
	last    float64 // bytes that a round writes, mean of the last 50 rounds
	stored  int     // bytes of the documents of the last round
	size    int64
	perText float64 // size by the bytes of the texts
	round   time.Duration
}

func run(t *testing.T, p place, durability host.Durability, n, hooks int) measure {
	t.Helper()
	m := &rounds{n: n, written: p.written}
	answer := text(0)
	config := host.Config{
		Model: m, Checkpointer: p.store, Durability: durability, RecursionLimit: 1 << 30,
		Tools: []host.Tool{tool.Raw(abi.ToolSpec{Name: "search"}, func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
			return host.TextOutput(answer), nil
		})},
	}
	for i := range hooks {
		nothing := host.NodeHook{Func: func(context.Context, *host.Runtime) (*host.Update, error) { return nil, nil }}
		config.Middleware = append(config.Middleware, noop{fmt.Sprint("noop", i), host.Hooks{BeforeModel: nothing, AfterModel: nothing}})
	}
	agent, err := host.New(config)
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	require.Equal(t, 2*n+2, result.Messages.Len())

	out := measure{}
	back := min(n, 50)
	out.last = float64(m.at[n]-m.at[n-back]) / float64(back)
	out.round = m.times[n].Sub(m.times[n-min(n, 10)]) / time.Duration(min(n, 10))
	for record, err := range agent.History(t.Context(), "t") {
		require.NoError(t, err)
		if record.Messages <= 2*n-1 {
			break
		}
		doc, err := record.Encode()
		require.NoError(t, err)
		if record.Messages <= 2*n+1 {
			out.stored += len(doc)
		}
	}
	out.size = p.size()
	out.perText = float64(out.size) / float64(n*2*textBytes)
	return out
}

// noop is a middleware that does nothing.
type noop struct {
	name  string
	hooks host.Hooks
}

func (n noop) Name() string { return n.name }

func (n noop) Hooks(context.Context, host.Env) (*host.Hooks, error) { return &n.hooks, nil }

// writtenByProcess is what this process has given to write, in bytes.
func writtenByProcess(t *testing.T) func() int64 {
	t.Helper()
	return func() int64 {
		text, err := os.ReadFile("/proc/self/io")
		if err != nil {
			t.Skip("this machine does not count what a process writes: ", err)
		}
		_, rest, _ := strings.Cut(string(text), "wchar: ")
		number, _, _ := strings.Cut(rest, "\n")
		n, err := strconv.ParseInt(number, 10, 64)
		require.NoError(t, err)
		return n
	}
}

func inSQLite(t *testing.T) place {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agent.db")
	store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	require.NoError(t, err)
	return place{store, writtenByProcess(t), func() int64 {
		require.NoError(t, store.Close())
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.NoFileExists(t, path+"-wal")
		return info.Size()
	}}
}

func inPostgres(t *testing.T) place {
	t.Helper()
	address := pgtest.Address(t)
	store, err := postgres.Open(t.Context(), address, postgres.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close(context.Background())) })
	number := func(query string) func() int64 {
		return func() (n int64) {
			require.NoError(t, conn.QueryRow(t.Context(), query).Scan(&n))
			return n
		}
	}
	return place{
		store, number(`SELECT pg_current_wal_insert_lsn() - '0/0'`),
		number(`SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class c WHERE c.relname LIKE 'agenthost_%' AND c.relkind = 'r'`),
	}
}

func inMemory(t *testing.T) place {
	t.Helper()
	nothing := func() int64 { return 0 }
	return place{memory.New(), nothing, nothing}
}

// A round does not write more for a long history, nor for hooks that change nothing.
func TestBytesOfARound(t *testing.T) { //nolint:paralleltest // what others write would count
	few := run(t, inSQLite(t), host.DurabilityRound, 10, 0)
	many := run(t, inSQLite(t), host.DurabilityRound, 400, 0)
	hooked := run(t, inSQLite(t), host.DurabilityRound, 400, 5)
	t.Logf("10 rounds: %+v\n400 rounds: %+v\n400 rounds, 5 middlewares: %+v", few, many, hooked)
	require.LessOrEqual(t, float64(many.stored)/float64(few.stored), 1.1, "stored in a round")
	require.LessOrEqual(t, many.perText, 2.5, "database by text")
	require.InDelta(t, many.perText, hooked.perText, 0.02, "with hooks that do nothing")
	require.LessOrEqual(t, hooked.last/many.last, 1.1, "written in a round")
}

// TestFigures prints the table "Checkpoints" of bench/COSTS.md. It takes some minutes:
//
//	AGENTHOST_FIGURES=1 go test -v -timeout=60m -run TestFigures ./test/threadcost
func TestFigures(t *testing.T) { //nolint:paralleltest // what others write would count
	if os.Getenv("AGENTHOST_FIGURES") == "" {
		t.Skip("it takes minutes; set AGENTHOST_FIGURES=1")
	}
	fmt.Println("store durability mw rounds | written B/round (last 50) | stored B, last round | database B | / text | ms/round")
	for _, s := range []struct {
		name string
		open func(t *testing.T) place
	}{{"memory", inMemory}, {"sqlite", inSQLite}, {"postgres", inPostgres}} {
		for _, durability := range []host.Durability{host.DurabilityRound, host.DurabilityStep, host.DurabilityExit} {
			for _, hooks := range []int{0, 5} {
				for _, n := range []int{10, 100, 400, 4000} {
					t.Run(fmt.Sprint(s.name, durability, hooks, n), func(t *testing.T) {
						m := run(t, s.open(t), durability, n, hooks)
						fmt.Printf("%-8s %-5s %d %4d | %8.0f | %5d | %10d | %5.2f | %.3f\n", s.name, durability, hooks, n,
							m.last, m.stored, m.size, m.perText, float64(m.round.Microseconds())/1000)
					})
				}
			}
		}
	}
}
