package approval_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/approval"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
)

var noon = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

// thread returns a store with a thread t.
func thread(t *testing.T) *memory.Store {
	t.Helper()
	store := memory.New()
	agent, err := host.New(host.Config{Model: &scripted.Echo{}, Checkpointer: store})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	_, err = agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("hi")}})
	require.NoError(t, err)
	return store
}

func rulesOf(t *testing.T, store checkpoint.Store) []approval.Rule {
	t.Helper()
	held, err := store.Load(t.Context(), "t", 0)
	require.NoError(t, err)
	rules, err := approval.Read(held.State)
	require.NoError(t, err)
	return rules
}

func TestRulesAreKeptAndRevoked(t *testing.T) {
	t.Parallel()
	store := thread(t)
	args := wire.Map{{Key: "to", Value: wire.String("ann")}}.Raw()
	mail := approval.Rule{Middleware: "hitl", Tool: "mail", Definition: "d", By: "ada"}
	same := approval.Rule{Middleware: "hitl", Tool: "mail", Definition: "d", Args: args}
	require.NoError(t, approval.Add(t.Context(), store, "t", noon, mail, same))
	require.NoError(t, approval.Add(t.Context(), store, "t", noon.Add(time.Hour), mail), "it is there already")

	mail.N, mail.Thread, mail.At = 1, "t", noon
	same.N, same.Thread, same.At = 2, "t", noon
	require.Equal(t, []approval.Rule{mail, same}, rulesOf(t, store))

	revoked, err := approval.Revoke(t.Context(), store, "t", noon, 1)
	require.NoError(t, err)
	require.Equal(t, mail, revoked)
	_, err = approval.Revoke(t.Context(), store, "t", noon, 1)
	require.ErrorIs(t, err, approval.ErrNoRule)
	require.Equal(t, []approval.Rule{same}, rulesOf(t, store), "the other one keeps its number")
	require.NoError(t, approval.RevokeAll(t.Context(), store, "t", noon))
	require.NoError(t, approval.RevokeAll(t.Context(), store, "t", noon))
	require.Empty(t, rulesOf(t, store))
	require.ErrorIs(t, approval.Add(t.Context(), store, "other", noon, mail), checkpoint.ErrNoThread)
}

func TestRulesHaveLimits(t *testing.T) {
	t.Parallel()
	store := thread(t)
	large := approval.Rule{Middleware: "hitl", Tool: "mail", Definition: "d", Args: wire.Map{{Key: "x", Value: wire.String(strings.Repeat("x", approval.MaxArgs))}}.Raw()}
	require.ErrorContains(t, approval.Add(t.Context(), store, "t", noon, large), "too large; the limit is 65536 bytes")
	rules := make([]approval.Rule, approval.MaxRules+1)
	for i := range rules {
		rules[i] = approval.Rule{Middleware: "hitl", Tool: "mail", Definition: "d", Args: wire.Map{{Key: "x", Value: wire.Int(int64(i))}}.Raw()}
	}
	require.ErrorContains(t, approval.Add(t.Context(), store, "t", noon, rules...), "the thread has 100 rules, which is the limit; revoke some")
	require.Empty(t, rulesOf(t, store), "none was added")
	require.NoError(t, approval.Add(t.Context(), store, "t", noon, rules[1:]...))
	require.Len(t, rulesOf(t, store), approval.MaxRules)
}

func TestARuleCoversTheSameCallOnly(t *testing.T) {
	t.Parallel()
	spec := abi.ToolSpec{Name: "mail", Description: "sends mail"}
	call := abi.Call("1", "mail", map[string]any{"a": 1, "b": 2})
	every := approval.Rule{Thread: "t", Middleware: "hitl", Tool: "mail", Definition: approval.Digest(&spec)}
	require.True(t, every.Covers("t", "hitl", &spec, &call))
	require.False(t, every.Covers("u", "hitl", &spec, &call), "another thread")
	require.False(t, every.Covers("", "hitl", &spec, &call))
	require.False(t, every.Covers("t", "plugin", &spec, &call), "another middleware")
	for name, change := range map[string]func(*abi.ToolSpec){
		"name":        func(s *abi.ToolSpec) { s.Name = "post" },
		"description": func(s *abi.ToolSpec) { s.Description = "sends mail to anybody" },
		"parameters":  func(s *abi.ToolSpec) { s.Parameters = wire.Map{{Key: "type", Value: wire.String("object")}}.Raw() },
		"idempotent":  func(s *abi.ToolSpec) { s.Idempotent = true },
	} {
		changed := spec
		change(&changed)
		require.False(t, every.Covers("t", "hitl", &changed, &call), name)
	}
	same := every
	same.Args = call.Args
	other := abi.Call("1", "mail", map[string]any{"a": 1, "b": 3})
	require.True(t, same.Covers("t", "hitl", &spec, &call))
	require.False(t, same.Covers("t", "hitl", &spec, &other))
	require.False(t, same.Covers("t", "hitl", &spec, &abi.ToolCall{Name: "mail"}))
}

func TestUnreadableRulesApproveNothingAndCanBeRemoved(t *testing.T) {
	t.Parallel()
	good := map[string]any{"n": 1, "thread": "t", "middleware": "hitl", "tool": "mail", "definition": "d", "at": 0}
	with := func(key string, value any) map[string]any {
		out := map[string]any{key: value}
		for k, v := range good {
			if k != key {
				out[k] = v
			}
		}
		return out
	}
	for name, value := range map[string]any{
		"no list":            good,
		"a text":             "mail",
		"no mapping":         []any{"mail"},
		"a rule of tomorrow": []any{with("until", 5)},
		"no number":          []any{with("n", 0)},
		"no thread":          []any{with("thread", "")},
		"arguments":          []any{with("args", "any")},
		"twice":              []any{good, good},
		"one of two":         []any{good, with("tool", 1)},
		"null":               []any{nil},
	} {
		raw, err := wire.Of(value)
		require.NoError(t, err)
		rules, err := approval.ReadValue(raw)
		require.ErrorContains(t, err, "the rules of the thread cannot be read, so they approve nothing", name)
		require.Empty(t, rules)

		store := thread(t)
		require.NoError(t, checkpoint.UpdateFields(t.Context(), store, "t", noon, func(wire.Map) (wire.Map, error) {
			return wire.Map{{Key: approval.FieldName, Value: raw}}, nil
		}))
		_, err = approval.Revoke(t.Context(), store, "t", noon, 1)
		require.ErrorContains(t, err, "cannot be read")
		require.NoError(t, approval.RevokeAll(t.Context(), store, "t", noon))
		require.Empty(t, rulesOf(t, store))
	}
}

func FuzzReadValue(f *testing.F) {
	for _, seed := range []string{"\x90", "\x91\x80", "\x91\x81\xa1n\x01", "\xc0", "\xdd\xff\xff\xff\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		value, rest, err := wire.Cut(b)
		if err != nil || len(rest) > 0 {
			return
		}
		rules, err := approval.ReadValue(value)
		require.True(t, err == nil || rules == nil)
		spec := abi.ToolSpec{Name: "mail"}
		call := abi.Call("1", "mail", nil)
		for i := range rules {
			require.False(t, rules[i].Covers("t", "hitl", &spec, &call) && rules[i].Definition != approval.Digest(&spec))
		}
	})
}

// A run that waits still waits after a change, and the journal stays.
func TestAChangeLeavesTheRestOfTheThread(t *testing.T) {
	t.Parallel()
	store := memory.New()
	ask := host.BeforeModel("ask", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		_, err := rt.Interrupt("ok", wire.String("ok?"))
		return nil, err
	})
	agent, err := host.New(host.Config{Model: &scripted.Echo{}, Checkpointer: store, Middleware: []host.Middleware{ask}})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("hi")}})
	require.NoError(t, err)
	session, err := store.Open(t.Context(), "t")
	require.NoError(t, err)
	_, err = session.Load(t.Context(), 0)
	require.NoError(t, err)
	require.NoError(t, session.Journal(t.Context(), &checkpoint.Execution{CallID: "c", Key: "k", N: 1, Tool: "pay", Started: 5}))
	require.ErrorIs(t, approval.RevokeAll(t.Context(), store, "t", noon), checkpoint.ErrBusy)
	require.NoError(t, session.Close())

	rule := approval.Rule{Middleware: "hitl", Tool: "mail", Definition: "d"}
	require.NoError(t, approval.Add(t.Context(), store, "t", noon, rule))
	_, err = approval.Revoke(t.Context(), store, "t", noon, 1)
	require.NoError(t, err)

	at, err := agent.State(t.Context(), "t", 0)
	require.NoError(t, err)
	require.Equal(t, result.Interrupts, at.Interrupts)
	require.Equal(t, checkpoint.SourceUpdate, at.Source)
	require.Len(t, at.Unfinished, 1)
	result, err = agent.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{Value: true}}})
	require.NoError(t, err)
	require.Equal(t, host.Completed, result.Status)
}
