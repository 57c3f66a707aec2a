package agentfiles_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin/internal/agentfiles"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/internal/rootdir"
)

// content is that of a tree of files, by path.
type content map[string]string

// use runs a function with a tree of files that has this content, and returns what is in it then.
type use func(t *testing.T, files content, fn func(ctx context.Context, fsys agentfiles.FS)) content

// trees are the implementations.
var trees = map[string]use{"disk": useDisk, "state": useState}

func useDisk(t *testing.T, files content, fn func(ctx context.Context, fsys agentfiles.FS)) content {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	disk, err := agentfiles.OpenDisk(dir, rootdir.FollowInside)
	require.NoError(t, err)
	fn(t.Context(), disk)
	require.NoError(t, disk.Close())
	return onDisk(t, dir)
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

func useState(t *testing.T, files content, fn func(ctx context.Context, fsys agentfiles.FS)) content {
	t.Helper()
	var state agentfiles.State
	return entries(t, runTools(t, files, map[string]func(context.Context, *host.Runtime, *abi.ToolCall) *host.Update{
		"work": func(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) *host.Update {
			view, err := state.At(rt, call.ID)
			require.NoError(t, err)
			fn(ctx, view)
			return view.Update()
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
		Tools: made, State: []host.Field{agentfiles.Field.Field},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	given := map[string]agentfiles.Entry{}
	for name, text := range files {
		given[name] = agentfiles.Entry{Content: text, CreatedAt: "2024-01-02T03:04:05Z", ModifiedAt: "2024-01-02T03:04:05Z"}
	}
	result, err := agent.Run(t.Context(), host.Input{
		Messages: []abi.Message{abi.Human("go")}, State: map[string]any{agentfiles.Field.Name: given},
	})
	require.NoError(t, err)
	return result
}

// entries returns the files of a result, which must be text.
func entries(t *testing.T, result *host.Result) content {
	t.Helper()
	var files map[string]agentfiles.Entry
	require.NoError(t, host.Decode(result.State.Get(agentfiles.Field.Name), &files))
	out := content{}
	for name, entry := range files {
		out[name] = entry.Content
	}
	return out
}
