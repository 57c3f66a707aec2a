package manifest_test

import (
	"database/sql"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/manifest"
	"github.com/agenthost/agenthost/test/pgtest"
)

func TestMemoryKeepsThreads(t *testing.T) {
	t.Parallel()
	agent := build(t, setup(t, echo+"checkpoint: memory\n", nil), manifest.Options{})
	for n := range 3 {
		result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("hi")}})
		require.NoError(t, err)
		require.Equal(t, 2*(n+1), result.Messages.Len())
	}
}

func TestWithoutACheckpointNothingIsKept(t *testing.T) {
	t.Parallel()
	agent := build(t, setup(t, echo, nil), manifest.Options{})
	_, err := agent.Run(t.Context(), host.Input{Thread: "t"})
	require.ErrorIs(t, err, host.ErrNoCheckpointer)
}

const says = head + "model: {provider: scripted, turns: [{content: hello}], after_end: repeat_last}\n"

// runs counts the messages that a thread holds after each of so many runs, each of an agent of its own.
func runs(t *testing.T, path string, options manifest.Options, n int) (messages []int) {
	t.Helper()
	for range n {
		m, err := manifest.Load(path, options)
		require.NoError(t, err)
		agent, err := m.Build(t.Context(), slog.New(slog.DiscardHandler), nil)
		require.NoError(t, err)
		result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("hi")}})
		require.NoError(t, err)
		require.Equal(t, agent.Durable, !options.InMemory)
		require.NoError(t, agent.Close())
		messages = append(messages, result.Messages.Len())
	}
	return messages
}

func TestADatabaseKeepsThreadsFromAgentToAgent(t *testing.T) {
	t.Parallel()
	path := setup(t, says+"checkpoint: sqlite:data/${NAME}.db\n", map[string]string{"data/x": ""})
	options := manifest.Options{LookupEnv: func(string) (string, bool) { return "agent", true }}
	require.Equal(t, []int{2, 4, 6}, runs(t, path, options, 3))
	require.FileExists(t, filepath.Join(filepath.Dir(path), "data", "agent.db"), "relative to the manifest")

	options.InMemory = true
	require.Equal(t, []int{2, 2}, runs(t, path, options, 2))

	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, []int{2, 4}, runs(t, setup(t, says+"checkpoint: "+pgtest.Address(t)+"\n", nil), manifest.Options{}, 2))
	})
}

// A script goes on where the thread stands, and no answer replaces an earlier one.
func TestScriptedModelsContinueAThread(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		model string
		texts []string
	}{
		"turns": {
			`{provider: scripted, turns: [{tool_calls: [{name: read_file, args: {path: a.txt}}]}, {content: one}, {content: two}], after_end: repeat_last}`,
			[]string{"hi", "", "a", "one", "hi", "two", "hi", "two"},
		},
		"echo": {`{provider: scripted, echo: true}`, []string{"hi", "hi", "hi", "hi-hi-hi", "hi", "hi-hi-hi-hi-hi-hi-hi"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := setup(t, head+"model: "+test.model+"\ntools: [{files: {root: data}}]\ncheckpoint: sqlite:agent.db\n", map[string]string{"data/a.txt": "a"})
			var last *host.Result
			for range 3 {
				agent := build(t, path, manifest.Options{})
				result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("hi")}})
				require.NoError(t, err)
				require.NoError(t, agent.Close())
				last = result
			}
			ids := map[string]bool{}
			var texts []string
			for _, m := range last.Messages.All() {
				require.False(t, ids[m.ID], m.ID)
				ids[m.ID] = true
				texts = append(texts, strings.TrimSpace(m.Content.Text()))
			}
			require.Len(t, texts, len(test.texts), texts)
			if name == "turns" {
				require.Contains(t, texts[2], "a")
				texts[2] = "a"
			}
			require.Equal(t, test.texts, texts)
		})
	}
}

func TestTheUsageOfATurn(t *testing.T) {
	t.Parallel()
	result := ask(t, build(t, setup(t, head+`model:
  provider: scripted
  turns:
    - {tool_calls: [{name: list_files, args: {}}], usage: {input_tokens: 1k, output_tokens: 20, cache_read_tokens: 7, reasoning_tokens: 3}}
    - {content: done, usage: {input_tokens: 1, output_tokens: 2, total_tokens: 9, cache_creation_tokens: 4}}
tools: [{files: {root: data}}]
`, map[string]string{"data/a.txt": "a"}), manifest.Options{}))
	require.Equal(t, &abi.Usage{InputTokens: 1000, OutputTokens: 20, TotalTokens: 1020, CacheReadTokens: 7, ReasoningTokens: 3}, result.Messages.At(1).Usage)
	require.Equal(t, &abi.Usage{InputTokens: 1, OutputTokens: 2, TotalTokens: 9, CacheCreationTokens: 4}, result.Messages.At(3).Usage)
	require.Equal(t, uint64(1029), result.Usage.TotalTokens)
	_, err := manifest.Load(setup(t, head+"model: {provider: scripted, turns: [{content: a, usage: {input: 1}}]}\n", nil), manifest.Options{})
	require.ErrorContains(t, err, `did you mean "input_tokens"?`)
}

func TestLookingAtAnAgentOpensNoDatabase(t *testing.T) {
	t.Parallel()
	path := setup(t, echo+"checkpoint: sqlite:agent.db\n", nil)
	agent := build(t, path, manifest.Options{InMemory: true})
	require.NotNil(t, agent.Threads)
	require.NoFileExists(t, filepath.Join(filepath.Dir(path), "agent.db"))
}

func TestPluginsAndThreadsShareADatabase(t *testing.T) {
	t.Parallel()
	m, err := manifest.Load(setup(t, echo+"checkpoint: sqlite:agent.db\n", nil), manifest.Options{})
	require.NoError(t, err)
	var values store.Store
	agent, err := m.Build(t.Context(), slog.New(slog.DiscardHandler), func(c *host.Config) { values = c.Store })
	require.NoError(t, err)
	_, err = store.Put(t.Context(), values, store.Namespace{"users"}, "ada", "tea", store.PutOptions{})
	require.NoError(t, err)
	require.NoError(t, agent.Close())
	_, err = store.Put(t.Context(), values, store.Namespace{"users"}, "ada", "tea", store.PutOptions{})
	require.Error(t, err, "it is closed with the agent")
}

func TestDurability(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]host.Durability{"": "", "durability: round\n": host.DurabilityRound, "durability: step\n": host.DurabilityStep, "durability: exit\n": host.DurabilityExit} {
		m, err := manifest.Load(setup(t, echo+"checkpoint: memory\n"+text, nil), manifest.Options{})
		require.NoError(t, err)
		agent, err := m.Build(t.Context(), slog.New(slog.DiscardHandler), func(c *host.Config) { require.Equal(t, want, c.Durability) })
		require.NoError(t, err)
		require.NoError(t, agent.Close())
	}
	require.ErrorContains(t, refusal(t, echo+"checkpoint: memory\ndurability: always\n"), `agenthost.yaml:4:13: durability: unknown durability "always"`)
	require.ErrorContains(t, refusal(t, echo+"checkpoint: memory\ndurability: always\n"), "valid durability names: round, step, exit")
	require.ErrorContains(t, refusal(t, echo+"durability: step\n"),
		"agenthost.yaml:3:13: durability: there is no checkpoint store to save threads in; add the key checkpoint, such as checkpoint: sqlite:agent.db")
}

func TestLease(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "agent.db")
	m, err := manifest.Load(setup(t, echo+"checkpoint: sqlite:"+path+"\nlease: 7m\n", nil), manifest.Options{})
	require.NoError(t, err)
	var session checkpoint.Session
	agent, err := m.Build(t.Context(), slog.New(slog.DiscardHandler), func(c *host.Config) {
		session, err = c.Checkpointer.Open(t.Context(), "thread")
		require.NoError(t, err)
	})
	require.NoError(t, err)
	db, err := sql.Open("sqlite", "file:"+path)
	require.NoError(t, err)
	var until int64
	require.NoError(t, db.QueryRowContext(t.Context(), `SELECT until FROM agenthost_threads`).Scan(&until))
	require.WithinDuration(t, time.Now().Add(7*time.Minute), time.UnixMilli(until), time.Minute)
	require.NoError(t, db.Close())
	require.NoError(t, session.Close())
	require.NoError(t, agent.Close())

	require.ErrorContains(t, refusal(t, echo+"checkpoint: memory\nlease: 10ms\n"), "agenthost.yaml:4:8: lease: must be at least 1s, found 10ms")
	require.ErrorContains(t, refusal(t, echo+"lease: 3s\ndurability: step\n"), "agenthost.yaml:3:8: lease: there is no checkpoint store to save threads in")
}

func TestCheckpointsThatAreRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"sqlite":              ":3:13: checkpoint: the path of the file is missing; write it as sqlite:agent.db",
		"sqlite://threads.db": ":3:13: checkpoint: the path follows the colon",
		"postgres://db":       ":3:13: checkpoint: the name of the database is missing",
		"sqlite:none/t.db":    `:3:13: checkpoint: sqlite "`,
		"redis":               `:3:13: checkpoint: unknown checkpoint store "redis"`,
		"{memory: {}}":        ":3:13: checkpoint: expected a string, found a mapping",
		"'memory:x'":          `:3:13: checkpoint: unknown checkpoint store "memory:x"`,
		"''":                  `:3:13: checkpoint: unknown checkpoint store ""`,
		"true":                ":3:13: checkpoint: expected a string, found boolean true",
		"":                    ":3:1: checkpoint: a value is missing",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			require.ErrorContains(t, refusal(t, echo+"checkpoint: "+text+"\n"), "agenthost.yaml"+want)
		})
	}
	require.ErrorContains(t, refusal(t, echo+"checkpoint: redis\n"), "valid checkpoint store names: memory, sqlite:PATH, postgres://USER@HOST/DATABASE")
	require.ErrorContains(t, refusal(t, echo+"checkpoint: memroy\n"), `did you mean "memory"?`)
}

func TestADatabaseThatCannotBeReachedIsShownWhereItStands(t *testing.T) {
	t.Parallel()
	m, err := manifest.Load(setup(t, echo+"checkpoint: postgres://nobody:${PASSWORD}@127.0.0.1:1/agent\n", nil),
		manifest.Options{LookupEnv: func(string) (string, bool) { return "s3cret", true }})
	require.NoError(t, err)
	_, err = m.Build(t.Context(), slog.New(slog.DiscardHandler), nil)
	require.ErrorIs(t, err, checkpoint.ErrUnavailable)
	require.ErrorContains(t, err, `agenthost.yaml:3:13: checkpoint: postgres "agent" on 127.0.0.1: `+checkpoint.ErrUnavailable.Error())
	require.NotContains(t, err.Error(), "s3cret")
}

func TestOnlyTheCheckpointIsRead(t *testing.T) {
	t.Parallel()
	path := setup(t, "modle: {nothing: \"${OF_THIS}\"}\nmiddleware: [plugin: none.wasm]\ncheckpoint: sqlite:${NAME}.db\n", nil)
	lookup := func(name string) (string, bool) { return "agent", name == "NAME" }
	address, err := manifest.ReadCheckpoint(path, manifest.Options{LookupEnv: lookup})
	require.NoError(t, err)
	require.Equal(t, "sqlite:"+filepath.Join(filepath.Dir(path), "agent.db"), address.String())

	address, err = manifest.ReadCheckpoint(path, manifest.Options{Set: []string{"checkpoint=memory"}})
	require.NoError(t, err)
	require.True(t, address.InMemory())

	_, err = manifest.ReadCheckpoint(path, manifest.Options{LookupEnv: func(string) (string, bool) { return "", false }})
	require.ErrorContains(t, err, ":3:20: checkpoint: the variable NAME is not set")
	_, err = manifest.ReadCheckpoint(setup(t, "checkpoint: [1\n", nil), manifest.Options{})
	require.Error(t, err)
	_, err = manifest.ReadCheckpoint(setup(t, "checkpoint: redis\n", nil), manifest.Options{})
	require.ErrorContains(t, err, `unknown checkpoint store "redis"`)
	_, err = manifest.ReadCheckpoint(filepath.Join(t.TempDir(), "none.yaml"), manifest.Options{})
	_, missing := errors.AsType[*manifest.NotFoundError](err)
	require.True(t, missing)
	address, err = manifest.ReadCheckpoint(setup(t, echo, nil), manifest.Options{})
	require.NoError(t, err)
	require.True(t, address.IsZero())
}
