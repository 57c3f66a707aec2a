package host_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// brokenStore is a store that fails in one of its operations.
type brokenStore struct {
	checkpoint.Store
	fails string
	saves int // until Save fails
}

var errDisk = errors.New("disk full")

func (s *brokenStore) Open(ctx context.Context, thread string) (checkpoint.Session, error) {
	if s.fails == "open" {
		return nil, errDisk
	}
	session, err := s.Store.Open(ctx, thread)
	return &brokenSession{session, s}, err
}

type brokenSession struct {
	checkpoint.Session
	store *brokenStore
}

func (s *brokenSession) Load(ctx context.Context, at checkpoint.ID) (*checkpoint.Thread, error) {
	if s.store.fails == "load" {
		return nil, errDisk
	}
	return s.Session.Load(ctx, at)
}

func (s *brokenSession) Save(ctx context.Context, c *checkpoint.Commit) (checkpoint.ID, error) {
	if s.store.fails == "save" && s.store.saves == 0 {
		return 0, errDisk
	}
	if s.store.fails == "panic" && s.store.saves == 0 {
		panic("store")
	}
	s.store.saves--
	return s.Session.Save(ctx, c)
}

func (s *brokenSession) Close() error {
	if err := s.Session.Close(); err != nil || s.store.fails != "close" {
		return err
	}
	return errDisk
}

func TestAPanicLetsGoOfTheThread(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("one"), scripted.Say("two"))
	store := memory.New()
	b.Checkpointer = &brokenStore{Store: store, fails: "panic", saves: 1}
	require.PanicsWithValue(t, "store", func() { _, _ = b.build().Run(t.Context(), say("hi")) })
	session, err := store.Open(t.Context(), "t")
	require.NoError(t, err)
	require.NoError(t, session.Close())
}

// heeding is a store that heeds its context.
type heeding struct{ checkpoint.Session }

func (s heeding) Save(ctx context.Context, c *checkpoint.Commit) (checkpoint.ID, error) {
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return s.Session.Save(ctx, c)
}

type heedingStore struct{ checkpoint.Store }

func (s heedingStore) Open(ctx context.Context, thread string) (checkpoint.Session, error) {
	session, err := s.Store.Open(ctx, thread)
	return heeding{session}, err
}

func TestARunThatIsCancelledIsSaved(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	b := setup(t, calls("stop"), scripted.Say("done"))
	b.Checkpointer = heedingStore{memory.New()}
	b.tool("stop", func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		b.notef("stop")
		cancel()
		return host.TextOutput("stopped"), nil
	})
	agent := b.build()
	_, err := agent.Run(ctx, say("hi"))
	require.ErrorIs(t, err, context.Canceled)
	completed(t, agent, goOn())
	require.Equal(t, []string{"stop"}, b.log)
}

func TestAStoreThatCannotBeClosed(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done"))
	store := memory.New()
	b.Checkpointer = &brokenStore{Store: store, fails: "close"}
	completed(t, b.build(), say("hi")) // all of it is saved
}

func TestAStoreThatFails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		fails string
		saves int
		calls string // of the model
	}{
		{"open", 0, ""},
		{"load", 0, ""},
		{"save", 0, ""},
		{"save", 1, "model"},
		{"save", 2, "model search"},
		{"save", 3, "model search model"},
	} {
		t.Run(test.fails, func(t *testing.T) {
			t.Parallel()
			b := setup(t, calls("search"), scripted.Say("done")).answering("search", "found")
			b.Checkpointer = &brokenStore{Store: memory.New(), fails: test.fails, saves: test.saves}
			b.use(host.WrapModelCall("w", passing(func(*host.Runtime) *host.Update {
				b.notef("model")
				return nil
			})))
			result, err := b.build().Run(t.Context(), say("hi"))
			require.ErrorIs(t, err, errDisk)
			require.ErrorContains(t, err, `thread "t": disk full`)
			require.Equal(t, host.Failed, result.Status)
			require.Equal(t, test.calls, strings.Join(b.log, " "), "nothing is done that could not be kept before")
		})
	}
}
