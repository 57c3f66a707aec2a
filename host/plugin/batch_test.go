package plugin_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/fetch"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// payload is a document of an operation.
type payload interface {
	MarshalMsg(b []byte) ([]byte, error)
}

func batchCall(op string, payload payload) abi.BatchCall {
	return abi.BatchCall{Op: op, Payload: wire.Raw(guestkit.Document(payload))}
}

// TestBatch has two fetches and a generation wait for each other, so they must run at once.
func TestBatch(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	all.Add(3)
	meet := func() {
		all.Done()
		all.Wait()
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		meet()
		_, _ = fmt.Fprint(w, r.URL.Path)
	}))
	defer server.Close()
	g := capable(abi.OpModelGenerate, abi.OpHTTPFetch)
	doc := guestkit.Document(&abi.Batch{Calls: []abi.BatchCall{
		batchCall(abi.OpHTTPFetch, &abi.FetchRequest{URL: server.URL + "/a"}),
		batchCall(abi.OpHTTPFetch, &abi.FetchRequest{URL: "https://elsewhere.example/"}),
		batchCall(abi.OpModelGenerate, &abi.GenerateRequest{Messages: []abi.Message{abi.Human("hi")}}),
		batchCall(abi.OpBudget, &abi.Clock{}),
		{Op: abi.OpHTTPFetch},
		batchCall(abi.OpHTTPFetch, &abi.FetchRequest{URL: server.URL + "/b"}),
	}})
	g.On("before_agent", show(g, abi.OpBatch, doc))
	grant := everything()
	grant.HTTPFetch = &fetch.Policy{Hosts: []string{server.URL}, Private: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	_, events := grants(t, g, grant, func(c *host.Config) {
		small := c.Models["small"]
		c.Models["small"] = spy{small, func(*model.Request) { meet() }}
	})
	got := shown(t, events)
	require.Regexp(t, `^\[\{"replies":\[\{"reply":\{"body":"L2E=".*"status":200.*\},"status":0\},\{"status":-4\},\{"reply":\{"messages":\[.*small talk.*\]\},"status":0\},`+
		`\{"status":-5\},\{"status":-1\},\{"reply":\{"body":"L2I=".*\},"status":0\}\]\}\]$`, got)
}

func TestBatchesAreLimited(t *testing.T) {
	t.Parallel()
	ask := batchCall(abi.OpModelGenerate, &abi.GenerateRequest{Messages: []abi.Message{abi.Human("hi")}})
	batch := func(calls ...abi.BatchCall) []byte { return guestkit.Document(&abi.Batch{Calls: calls}) }
	g := capable(abi.OpModelGenerate)
	g.On("before_agent", g.HostCall(abi.OpBatch, batch(), abi.EINVAL), g.HostCall(abi.OpBatch, batch(make([]abi.BatchCall, abi.MaxBatch+1)...), abi.EINVAL),
		show(g, abi.OpBatch, batch(ask, ask, ask)))
	grant := everything()
	grant.ModelGenerate.Calls = 2
	_, events := grants(t, g, grant)
	require.Equal(t, 2, strings.Count(shown(t, events), "small talk"), "the grant counts calls in batches")
	require.Contains(t, shown(t, events), `{"status":-7}`)

	g = capable(abi.OpModelGenerate)
	g.On("before_agent", show(g, abi.OpBatch, batch(ask, ask, ask)))
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: everything(), Limits: plugin.Limits{HostCalls: 3}}, withSmall)
	events, err := b.run(t)
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(shown(t, events), "small talk"), "the batch itself is a call, too")

	g = capable(abi.OpModelGenerate)
	g.On("before_agent", show(g, abi.OpBatch, batch(ask, ask, ask)))
	b = setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: everything(), Limits: plugin.Limits{Input: 4 << 10}}, func(c *host.Config) {
		c.Models = map[string]model.Model{"small": constantModel(abi.AI(strings.Repeat("x", 1500)))}
	})
	events, err = b.run(t)
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(shown(t, events), "xxx\""), "replies that fit are shown")
	require.Contains(t, shown(t, events), `{"status":-3}`)

	g = capable()
	g.On("before_agent", show(g, abi.OpBatch, batch(ask)))
	_, events = grants(t, g, plugin.Grant{})
	require.Equal(t, `[{"replies":[{"status":-4}]}]`, shown(t, events), "what is not granted is not granted in a batch")
}

// A cancelled run ends a batch and closes the frame.
func TestABatchIsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ask := batchCall(abi.OpModelGenerate, &abi.GenerateRequest{Messages: []abi.Message{abi.Human("hi")}})
	doc := guestkit.Document(&abi.Batch{Calls: []abi.BatchCall{ask, ask}})
	g := capable(abi.OpModelGenerate)
	g.On("before_agent", g.HostCall(abi.OpBatch, doc, abi.StatusCancelled), g.HostCall(abi.OpBudget, nil, abi.StatusCancelled), guestkit.Nothing)
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: everything()}, func(c *host.Config) {
		c.Models = map[string]model.Model{"small": waiter{cancel}}
	})
	result, err := b.agent.Run(ctx, host.Input{Messages: []abi.Message{abi.Human("hi")}})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, host.Cancelled, result.Status)
}

// waiter is a model that waits for the end of the run, for which it asks.
type waiter struct{ stop func() }

func (waiter) Info() model.Info { return model.Info{Name: "waiter"} }

func (w waiter) Generate(ctx context.Context, _ *model.Request) (*model.Response, error) {
	w.stop()
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

func TestClockSleep(t *testing.T) {
	t.Parallel()
	sleep := func(ms uint64) []byte { return guestkit.Document(&abi.SleepRequest{DurationMS: ms}) }
	g := capable(abi.OpClockSleep)
	g.On("before_agent", g.HostCall(abi.OpClockSleep, sleep(3000), abi.StatusOK), g.HostCall(abi.OpClockSleep, sleep(3000), abi.ELIMIT),
		g.HostCall(abi.OpClockSleep, sleep(1<<63), abi.ELIMIT), g.HostCall(abi.OpClockSleep, sleep(1000), abi.StatusOK), guestkit.Nothing)
	code := g.Bytes()
	synctest.Test(t, func(t *testing.T) {
		engine := newEngine(plugin.EngineConfig{})
		b := setup(t, plugin.Wasm{Bytes: code, Grant: plugin.Grant{ClockSleep: true}, Engine: engine, Limits: plugin.Limits{Wait: 5 * time.Second}})
		start := time.Now()
		_, err := b.run(t)
		require.NoError(t, err)
		require.Equal(t, 4*time.Second, time.Since(start))
	})
	g = capable(abi.OpClockSleep)
	g.On("before_agent", g.HostCall(abi.OpClockSleep, sleep(1), abi.EDENIED), guestkit.Nothing)
	grants(t, g, plugin.Grant{})

	g = capable(abi.OpClockSleep)
	g.On("before_agent", g.HostCall(abi.OpClockSleep, sleep(60_000), abi.StatusCancelled), guestkit.Nothing)
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: everything()}, withSmall)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := b.agent.Run(ctx, host.Input{Messages: []abi.Message{abi.Human("hi")}})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
