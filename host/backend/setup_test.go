package backend_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
	"github.com/agenthost/agenthost/host/backend/backendtest"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/store/memory"
	"github.com/agenthost/agenthost/host/tool"
)

type content = backendtest.Content

func TestBackends(t *testing.T) {
	t.Parallel()
	for name, use := range map[string]backendtest.Use{
		"disk": useDisk, "state": useState, "store": useOf(newStore),
		"composite": useOf(func() backend.Backend { return backend.Composite{Default: newStore()} }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			backendtest.Run(t, use)
		})
	}
}

func useDisk(t *testing.T, files content, fn func(ctx context.Context, files backend.Files)) content {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	opened, err := backend.Disk{Root: dir}.Open(t.Context(), host.Env{}, backend.Options{})
	require.NoError(t, err)
	fn(t.Context(), viewOf(t, opened))
	require.NoError(t, opened.Close())
	return onDisk(t, dir)
}

// useOf returns a tree of a backend that needs no run. Each use has a store of its own.
func useOf(made func() backend.Backend) backendtest.Use {
	return func(t *testing.T, files content, fn func(ctx context.Context, files backend.Files)) content {
		t.Helper()
		view := viewOf(t, open(t, made(), host.Env{}))
		for name, text := range files {
			require.NoError(t, view.Write(t.Context(), name, []byte(text)))
		}
		fn(t.Context(), view)
		return contentOf(t, view)
	}
}

func newStore() backend.Backend {
	return backend.Store{Namespace: backend.Namespace("a"), Values: memory.New()}
}

func open(t *testing.T, b backend.Backend, env host.Env) *backend.Opened {
	t.Helper()
	opened, err := b.Open(t.Context(), env, backend.Options{})
	require.NoError(t, err)
	if opened.Close != nil {
		t.Cleanup(func() { require.NoError(t, opened.Close()) })
	}
	return opened
}

func viewOf(t *testing.T, opened *backend.Opened) backend.View {
	t.Helper()
	view, err := opened.At(nil, "")
	require.NoError(t, err)
	return view
}

// contentOf reads a whole tree.
func contentOf(t *testing.T, files backend.Files) content {
	t.Helper()
	out := content{}
	for name := range strings.FieldsSeq(walk(t.Context(), t, files, "/")) {
		text, err := backend.ReadFile(t.Context(), files, name, backend.MaxFile)
		require.NoError(t, err)
		out[name] = string(text)
	}
	return out
}

// onDisk returns the files of a directory.
func onDisk(t *testing.T, dir string) content {
	t.Helper()
	out := content{}
	require.NoError(t, filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, file)
		out["/"+filepath.ToSlash(name)] = string(text)
		return err
	}))
	return out
}

func useState(t *testing.T, files content, fn func(ctx context.Context, files backend.Files)) content {
	t.Helper()
	state := open(t, backend.State{}, host.Env{})
	return entries(t, runTools(t, files, map[string]func(context.Context, *host.Runtime, *abi.ToolCall) *host.Update{
		"work": func(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) *host.Update {
			view, err := state.At(rt, call.ID)
			require.NoError(t, err)
			fn(ctx, view)
			return view.Changes()
		},
	}, "work"))
}

// runTools runs tools in one batch, in an agent with these files in its state, and returns its result.
func runTools(
	t *testing.T, files content, tools map[string]func(context.Context, *host.Runtime, *abi.ToolCall) *host.Update, names ...string,
) *host.Result {
	t.Helper()
	var calls []abi.ToolCall
	var made []host.Tool
	for _, name := range names {
		calls = append(calls, abi.Call("id-"+name, name, nil))
		made = append(made, tool.Raw(abi.ToolSpec{Name: name}, func(
			ctx context.Context, rt *host.Runtime, call *abi.ToolCall,
		) (*host.ToolOutput, error) {
			output := host.TextOutput("done")
			output.Update = tools[name](ctx, rt, call)
			return output, nil
		}))
	}
	agent, err := host.New(host.Config{
		Model: &scripted.Turns{Script: []scripted.Turn{scripted.CallTools(calls...)}, AfterEnd: scripted.EndEmpty},
		Tools: made, State: []host.Field{backend.Field.Field},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	given := map[string]backend.Entry{}
	for name, text := range files {
		given[name] = backend.Entry{Content: text, CreatedAt: "2024-01-02T03:04:05Z", ModifiedAt: "2024-01-02T03:04:05Z"}
	}
	result, err := agent.Run(t.Context(), host.Input{
		Messages: []abi.Message{abi.Human("go")}, State: map[string]any{backend.Field.Name: given},
	})
	require.NoError(t, err)
	return result
}

// entries returns the files of a result, which must be text.
func entries(t *testing.T, result *host.Result) content {
	t.Helper()
	var files map[string]backend.Entry
	require.NoError(t, host.Decode(result.State.Get(backend.Field.Name), &files))
	out := content{}
	for name, entry := range files {
		out[name] = entry.Content
	}
	return out
}

func list(ctx context.Context, t *testing.T, files backend.Files, dir string) string {
	t.Helper()
	infos, err := files.List(ctx, dir)
	require.NoError(t, err)
	names := make([]string, len(infos))
	for i, info := range infos {
		names[i] = info.Path
		if info.Dir {
			names[i] += "/"
		}
	}
	return strings.Join(names, " ")
}

func walk(ctx context.Context, t require.TestingT, files backend.Files, dir string) string {
	var names []string
	_, err := files.Walk(ctx, dir, func(info backend.Info) bool {
		names = append(names, info.Path)
		return true
	})
	if !backend.Is(err, backend.NotFound) {
		require.NoError(t, err)
	}
	return strings.Join(names, " ")
}
