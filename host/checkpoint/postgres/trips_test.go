package postgres_test

import (
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/postgres"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/test/pgtest"
)

// profiles says that TestTripsOfARun writes its file; make profiles does.
var profiles = flag.Bool("profiles", false, "write which statements a run sends into bench/profiles/postgres-round.txt")

// A round with several tool calls waits for the database where something must be kept before the run goes on: after the model has answered, before
// a tool starts, after it has ended, and after its step. Each takes one round trip, however far away the database is.
func TestARoundTakesFourTrips(t *testing.T) {
	t.Parallel()
	var trips trips
	address := as(t, pgtest.Address(t), func(u *url.URL) { u.Host = trips.before(t, u.Host) })
	store := open(t, address, postgres.Options{Connections: 1})
	session, err := store.Open(t.Context(), "t")
	require.NoError(t, err)
	var parent checkpoint.ID
	save := func() {
		parent, err = session.Save(t.Context(), commit(parent, "x"))
		require.NoError(t, err)
	}
	for range 3 { // statements are prepared in the first one
		trips.take()
		save()
		for _, outcome := range []*checkpoint.Outcome{nil, {}} {
			require.NoError(t, session.Journal(t.Context(), &checkpoint.Execution{CallID: "1", N: 1, Started: 1, Outcome: outcome}))
		}
		save()
	}
	require.Len(t, trips.take(), 4)
	require.NoError(t, session.Close())
}

// TestTripsOfARun holds which statements a run of two rounds with one tool call each sends, and in how many round trips. A call that is alone in its
// round has no trip for its end, because the next checkpoint holds it.
func TestTripsOfARun(t *testing.T) {
	t.Parallel()
	var trips trips
	address := as(t, pgtest.Address(t), func(u *url.URL) { u.Host = trips.before(t, u.Host) })
	m := &markedModel{trips: &trips}
	spec := abi.ToolSpec{Name: "search", Description: "Searches."}
	search := tool.Raw(spec, func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		return host.TextOutput("found"), nil
	})
	agent, err := host.New(host.Config{Model: m, Tools: []host.Tool{search}, Checkpointer: open(t, address, postgres.Options{Connections: 1})})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	for _, thread := range []string{"first", "second"} { // statements are prepared in the first one
		m.parts = nil
		trips.take()
		_, err := agent.Run(t.Context(), host.Input{Thread: thread, Messages: []abi.Message{abi.Human("hi")}})
		require.NoError(t, err)
	}
	require.Len(t, m.parts, 3)
	require.Equal(t, m.parts[1], m.parts[2], "each round is the same")
	require.Len(t, m.parts[1], 3)

	var report strings.Builder
	report.WriteString("What a run sends to PostgreSQL, by round trip, when its statements are prepared.\n\n" +
		"Written by `make profiles`, and held by TestTripsOfARun:\n\n  go test -count=1 ./host/checkpoint/postgres -run '^TestTripsOfARun$' -profiles\n")
	for _, part := range []struct {
		what  string
		trips []string
	}{{"Before the first call of the model", m.parts[0]}, {"A round: a call of the model, and one tool call", m.parts[1]}, {"After the last call of the model", trips.take()}} {
		fmt.Fprintf(&report, "\n%s, %d trips:\n", part.what, len(part.trips))
		for i, statements := range part.trips {
			fmt.Fprintf(&report, "\n%d. %s\n", i+1, statements)
		}
	}
	file := filepath.Join("..", "..", "..", "bench", "profiles", "postgres-round.txt")
	if *profiles {
		require.NoError(t, os.WriteFile(file, []byte(report.String()), 0o644))
	}
	committed, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(committed), report.String(), "run make profiles, and say in the commit why a run sends something else")
}

// markedModel asks for a tool twice, and answers then. It notes what was sent before each of its calls.
type markedModel struct {
	trips *trips
	parts [][]string
}

func (*markedModel) Info() model.Info { return model.Info{Name: "marked"} }

func (m *markedModel) Generate(context.Context, *model.Request) (*model.Response, error) {
	m.parts = append(m.parts, m.trips.take())
	if n := len(m.parts); n < 3 {
		return model.Reply(abi.AI("", abi.Call(fmt.Sprint(n), "search", nil))), nil
	}
	return model.Reply(abi.AI("done")), nil
}
