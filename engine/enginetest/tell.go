package enginetest

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/engine"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/runs"
)

// watched is a store that looks at the events of each change.
type watched struct {
	runs.Store

	check func(events []runs.Event)
}

func (w *watched) Append(ctx context.Context, by *runs.Worker, events []runs.Event) error {
	w.check(events)
	return w.Store.Append(ctx, by, events)
}

func (w *watched) Finish(ctx context.Context, by *runs.Worker, o *runs.Outcome) error {
	w.check(o.Events)
	return w.Store.Finish(ctx, by, o)
}

// A process may die between any two changes of the store. So none has what a step changed without the checkpoint: the next attempt would tell
// of it again.
func aChangeIsToldWithItsCheckpoint(t *testing.T, start Start) {
	t.Helper()
	r := setup(t, start, work(), work(), scripted.Say("done"))
	began, let, _ := r.blocks()
	r.config.Durability = host.DurabilityStep
	r.config.Middleware = []host.Middleware{host.BeforeModel("notes", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		rt.Emit("note", wire.String("x"))
		return nil, nil
	})}
	var open, written atomic.Int64 // changes whose checkpoint was not written, and checkpoints that were
	r.store = &watched{Store: r.store, check: func(events []runs.Event) {
		for i := range events {
			switch host.EventType(events[i].Type) {
			case host.EventState:
				open.Add(1)
			case host.EventCheckpoint:
				open.Store(0)
				written.Add(1)
			default:
			}
		}
		if n := open.Load(); n != 0 {
			t.Errorf("%d changes are written without their checkpoint", n)
		}
	}}
	r.start()
	run := r.submit(say("hi"))
	for range 2 {
		<-began
		let <- struct{}{}
	}
	require.Equal(t, runs.Success, r.over(run).Status)
	require.EqualValues(t, 9, written.Load())
}

// gated is a store that takes no events while its gate is locked.
type gated struct {
	runs.Store

	gate sync.Mutex
}

func (g *gated) Append(ctx context.Context, w *runs.Worker, events []runs.Event) error {
	g.gate.Lock()
	defer g.gate.Unlock()
	return g.Store.Append(ctx, w, events)
}

// speaking is a model that says a word whenever the test wants it.
type speaking struct{ words chan string }

func (speaking) Info() model.Info { return model.Info{Provider: "test", Name: "speaking"} }

func (speaking) Generate(context.Context, *model.Request) (*model.Response, error) {
	return nil, errors.New("it only streams")
}

func (s speaking) Stream(context.Context, *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		var said strings.Builder
		for word := range s.words {
			said.WriteString(word)
			if !yield(model.Chunk{Text: word}, nil) {
				return
			}
		}
		yield(model.Chunk{Response: &model.Response{Messages: []abi.Message{abi.AI(said.String())}}}, nil)
	}
}

func answersDoNotWaitForTheStore(t *testing.T, start Start) {
	t.Helper()
	r := setup(t, start)
	says := speaking{make(chan string)}
	r.config.Model = says
	store, live := &gated{Store: r.store}, runs.NewLive()
	r.store = store
	reader := runs.NewReader(store, live, nil)
	defer reader.Close()
	r.start(func(c *engine.Config) { c.Live = live })
	run := r.submit(say("hi"))
	var heard []string
	for e, err := range reader.Follow(t.Context(), "ann", run.ID, 0) {
		require.NoError(t, err)
		told, err := e.Host()
		require.NoError(t, err)
		switch told.Type {
		case host.EventCheckpoint:
			if told.Source == "input" {
				store.gate.Lock() // from here on the store takes no events
				says.words <- "a"
			}
		case host.EventToken:
			heard = append(heard, told.Text)
			switch told.Text {
			case "a":
				says.words <- "b"
			case "b":
				store.gate.Unlock()
				close(says.words)
			}
		default:
		}
	}
	require.Equal(t, []string{"a", "b"}, heard)
	require.Equal(t, []string{"human: hi", "ai: ab"}, r.messages())
}
