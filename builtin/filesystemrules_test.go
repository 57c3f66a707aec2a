package builtin_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// rule is a permission of both operations.
func rule(mode string, paths ...string) builtin.FilePermission {
	return builtin.FilePermission{Operations: []string{"read", "write"}, Paths: paths, Mode: mode}
}

// unwritable is a permission that denies to write.
func unwritable(paths ...string) builtin.FilePermission {
	return builtin.FilePermission{Operations: []string{"write"}, Paths: paths, Mode: "deny"}
}

func guarded() files {
	return files{
		"/public/a.txt": "text", "/secrets/key": "text", "/secrets/.env": "text", "/secrets/public/b.txt": "text",
		"/tasks/app/child": "text", "/tasks/log/a.log": "text",
	}
}

func TestFilesystemPermissions(t *testing.T) {
	t.Parallel()
	denied := []builtin.FilePermission{rule("allow", "/secrets/public/**"), rule("deny", "/secrets/**")}
	for title, test := range map[string]struct {
		rules []builtin.FilePermission
		turn  scripted.Turn
		want  string
	}{
		"read":              {denied, one("read_file", args{"file_path": "/secrets/key"}), "! Error: permission denied for read on /secrets/key"},
		"hidden":            {denied, one("read_file", args{"file_path": "/secrets/.env"}), "! Error: permission denied for read on /secrets/.env"},
		"another spelling":  {denied, one("read_file", args{"file_path": `.//secrets\./key`}), "! Error: permission denied for read on /secrets/key"},
		"first match":       {denied, one("read_file", args{"file_path": "/secrets/public/b.txt"}), "@@ lines 1-1 of 1 @@\ntext"},
		"allowed elsewhere": {denied, one("read_file", args{"file_path": "/public/a.txt"}), "@@ lines 1-1 of 1 @@\ntext"},
		"not there":         {denied, one("read_file", args{"file_path": "/secrets/none"}), "! Error: permission denied for read on /secrets/none"},
		"write":             {denied, one("write_file", args{"file_path": "/secrets/new", "content": ""}), "! Error: permission denied for write on /secrets/new"},
		"edit": {
			denied, one("edit_file", args{"file_path": "/secrets/key", "old_string": "a", "new_string": "b"}),
			"! Error: permission denied for write on /secrets/key",
		},
		"edit of what cannot be read": {
			[]builtin.FilePermission{{Operations: []string{"read"}, Paths: []string{"/secrets/**"}, Mode: "deny"}},
			one("edit_file", args{"file_path": "/secrets/key", "old_string": "a", "new_string": "b"}),
			"! Error: permission denied for read on /secrets/key",
		},
		"ls of it":       {denied, one("ls", args{"path": "/secrets"}), "! Error: permission denied for read on /secrets"},
		"ls":             {denied, one("ls", args{"path": "/"}), `["/public/","/tasks/"]`},
		"glob":           {denied, one("glob", args{"pattern": "**/*"}), `["/public/a.txt","/secrets/public/b.txt","/tasks/app/child","/tasks/log/a.log"]`},
		"grep":           {denied, one("grep", args{"pattern": "text", "path": "/"}), "/public/a.txt\n/secrets/public/b.txt\n/tasks/app/child\n/tasks/log/a.log"},
		"grep of it":     {denied, one("grep", args{"pattern": "text", "path": "/secrets"}), "! Error: permission denied for read on /secrets"},
		"delete":         {denied, one("delete", args{"file_path": "/secrets/key"}), "! Error: permission denied for write on /secrets/key (matches deny rule(s): /secrets/**)"},
		"delete of all":  {denied, one("delete", args{"file_path": "/secrets"}), "! Error: permission denied for write on /secrets (matches deny rule(s): /secrets/**)"},
		"delete allowed": {denied, one("delete", args{"file_path": "/public"}), "Deleted /public"},
		"delete of a directory with one": {
			[]builtin.FilePermission{unwritable("/tasks/**/*.log")},
			one("delete", args{"file_path": "/tasks"}),
			"! Error: permission denied for write on /tasks (matches deny rule(s): /tasks/**/*.log)",
		},
		"delete beside": {
			[]builtin.FilePermission{unwritable("/tasks/**/*.log")}, one("delete", args{"file_path": "/tasks/app"}), "Deleted /tasks/app",
		},
		"delete below a denied directory": {
			[]builtin.FilePermission{unwritable("/tasks/*")},
			one("delete", args{"file_path": "/tasks/app"}),
			"! Error: permission denied for write on /tasks/app (matches deny rule(s): /tasks/*)",
		},
		"delete of what is in one": {
			[]builtin.FilePermission{unwritable("/tasks")},
			one("delete", args{"file_path": "/tasks/app"}),
			"! Error: permission denied for write on /tasks/app (matches deny rule(s): /tasks)",
		},
		"delete around one that is not there": {
			[]builtin.FilePermission{unwritable("/tasks/app/keep")},
			one("delete", args{"file_path": "/tasks"}),
			"! Error: permission denied for write on /tasks (matches deny rule(s): /tasks/app/keep)",
		},
		"delete of nothing": {denied, one("delete", args{"file_path": "/none"}), "! Error: File '/none' not found"},
		"read only": {
			[]builtin.FilePermission{unwritable("/**")},
			one("write_file", args{"file_path": "/a", "content": ""}),
			"! Error: permission denied for write on /a",
		},
	} {
		for _, where := range fileTrees {
			t.Run(title+" in "+where, func(t *testing.T) {
				t.Parallel()
				result, after := withFiles(t, where, builtin.Filesystem{Permissions: test.rules}, guarded(), test.turn)
				require.Equal(t, []string{test.want}, toolAnswers(result))
				if test.want[0] == '!' {
					require.Equal(t, guarded(), after)
				}
			})
		}
	}
}

// A symbolic link in the directory is no way around a rule.
func TestFilesystemPermissionsAndLinks(t *testing.T) {
	t.Parallel()
	dir := directory(t, guarded())
	require.NoError(t, os.Symlink("secrets", filepath.Join(dir, "open")))
	require.NoError(t, os.Symlink("../secrets/key", filepath.Join(dir, "public", "key")))
	turns := []scripted.Turn{
		one("read_file", args{"file_path": "/open/key"}), one("read_file", args{"file_path": "/public/key"}),
		one("write_file", args{"file_path": "/open/new", "content": "x"}), one("ls", args{"path": "/open"}),
		one("delete", args{"file_path": "/open/key"}), one("grep", args{"pattern": "text", "path": "/open"}),
	}
	config := builtin.Filesystem{Root: dir, Permissions: []builtin.FilePermission{rule("deny", "/secrets/**")}}
	result := runFilesystem(t, config, &scripted.Turns{Script: turns, AfterEnd: scripted.EndEmpty})
	const refused = "! Error: Symbolic links are not followed here: "
	require.Equal(t, []string{
		refused + "/open/key", refused + "/public/key", refused + "/open/new", refused + "/open", refused + "/open/key", refused + "/open",
	}, toolAnswers(result))

	result = runFilesystem(t, builtin.Filesystem{Root: dir}, scripted.NewTurns(turns[0], scripted.Say("done")))
	require.Equal(t, []string{"@@ lines 1-1 of 1 @@\ntext"}, toolAnswers(result), "without permissions they are followed")
}

func TestFilesystemAsksAHuman(t *testing.T) {
	t.Parallel()
	asking := []builtin.FilePermission{rule("deny", "/secrets/.env"), rule("interrupt", "/secrets/**")}
	for title, test := range map[string]struct {
		turn                        scripted.Turn
		approved, rejected, respond string
	}{
		"read": {
			one("read_file", args{"file_path": "/secrets/key"}), "@@ lines 1-1 of 1 @@\ntext",
			"! User rejected the tool call for `read_file` with reason: no", "said",
		},
		"write": {
			one("write_file", args{"file_path": "/secrets/key", "content": "new"}), "Updated file /secrets/key",
			"! User rejected the tool call for `write_file` with reason: no", "said",
		},
		"edit, once": {
			one("edit_file", args{"file_path": "/secrets/key", "old_string": "text", "new_string": "new"}),
			"Successfully replaced 1 instance(s) of the string in '/secrets/key'",
			"! User rejected the tool call for `edit_file` with reason: no", "said",
		},
		"ls": {
			one("ls", args{"path": "/secrets/public"}), `["/secrets/public/b.txt"]`,
			"! User rejected the tool call for `ls` with reason: no", "said",
		},
		"glob that finds one": {
			one("glob", args{"pattern": "k*"}), `["/secrets/key"]`, "! User rejected the tool call for `glob` with reason: no", "said",
		},
		"grep that finds one": {
			one("grep", args{"pattern": "text", "glob": "*.txt"}), "/public/a.txt\n/secrets/public/b.txt",
			"! User rejected the tool call for `grep` with reason: no", "said",
		},
		"delete": {
			one("delete", args{"file_path": "/secrets/public"}), "Deleted /secrets/public",
			"! User rejected the tool call for `delete` with reason: no", "said",
		},
	} {
		for decision, want := range map[builtin.Decision]string{
			{Type: builtin.Approve}: test.approved, {Type: builtin.Reject, Message: "no"}: test.rejected,
			{Type: builtin.Respond, Message: "said"}: test.respond,
		} {
			for _, where := range fileTrees {
				t.Run(title+" "+string(decision.Type)+" in "+where, func(t *testing.T) {
					t.Parallel()
					config, before := builtin.Filesystem{Permissions: asking}, guarded()
					in := host.Input{Thread: "t", Messages: []abi.Message{abi.Human("go")}}
					if where == "disk" {
						config.Root = directory(t, before)
					} else {
						in.State = map[string]any{"files": inState(before)}
					}
					agent, err := host.New(host.Config{
						Model: scripted.NewTurns(test.turn, scripted.Say("done")), Checkpointer: memory.New(), Middleware: []host.Middleware{config},
					})
					require.NoError(t, err)
					defer func() { require.NoError(t, agent.Close()) }()
					content := func(result *host.Result) files {
						if where == "disk" {
							return filesIn(t, config.Root)
						}
						return stateFiles(t, result)
					}
					result, err := agent.Run(t.Context(), in)
					require.NoError(t, err)
					require.Equal(t, host.Interrupted, result.Status)
					require.Len(t, result.Interrupts, 1)
					require.Equal(t, before, content(result), "nothing is done before the answer")

					result, err = agent.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{
						Interrupt: result.Interrupts[0].ID, Value: builtin.Decisions{Decisions: []builtin.Decision{decision}},
					}}})
					require.NoError(t, err)
					require.Equal(t, host.Completed, result.Status)
					require.Equal(t, []string{want}, toolAnswers(result))
					if decision.Type != builtin.Approve {
						require.Equal(t, before, content(result))
					}
				})
			}
		}
	}
}

// Nobody is asked about what is denied anyhow, or what a search has not found.
func TestFilesystemAsksNobody(t *testing.T) {
	t.Parallel()
	asking := []builtin.FilePermission{rule("deny", "/secrets/.env"), rule("interrupt", "/secrets/**")}
	result, _ := withFiles(t, "state", builtin.Filesystem{Permissions: asking}, guarded(),
		one("read_file", args{"file_path": "/secrets/.env"}), one("glob", args{"pattern": "*.log"}),
		one("grep", args{"pattern": "text", "glob": "*.log"}), one("grep", args{"pattern": "text", "glob": ".env"}),
		one("delete", args{"file_path": "/secrets"}), one("ls", args{"path": "/tasks"}))
	require.Equal(t, []string{
		"! Error: permission denied for read on /secrets/.env", `["/tasks/log/a.log"]`, "/tasks/log/a.log", "No matches found",
		"! Error: permission denied for write on /secrets (matches deny rule(s): /secrets/.env)", `["/tasks/app/","/tasks/log/"]`,
	}, toolAnswers(result))
}

// The other calls of a batch are done while one waits for its answer, and stay done.
func TestFilesystemAsksWhileOthersRun(t *testing.T) {
	t.Parallel()
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(scripted.CallTools(
			abi.Call("1", "edit_file", args{"file_path": "/f", "old_string": "a", "new_string": "1"}),
			abi.Call("2", "edit_file", args{"file_path": "/f", "old_string": "b", "new_string": "2"}),
			abi.Call("3", "write_file", args{"file_path": "/guarded", "content": "x"}),
			abi.Call("4", "edit_file", args{"file_path": "/f", "old_string": "c", "new_string": "3"}),
		), scripted.Say("done")),
		Checkpointer: memory.New(),
		Middleware: []host.Middleware{
			builtin.Filesystem{Permissions: []builtin.FilePermission{rule("interrupt", "/guarded")}},
			builtin.ToolCallLimit{RunLimit: new(10)},
			builtin.PatchToolCalls{},
		},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	result, err := agent.Run(t.Context(), host.Input{
		Thread: "t", Messages: []abi.Message{abi.Human("go")}, State: map[string]any{"files": inState(files{"/f": "a b c"})},
	})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)

	_, err = agent.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{Interrupt: result.Interrupts[0].ID, Value: "yes"}}})
	require.ErrorContains(t, err, "the answer to a review is")
	result, err = agent.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{
		Interrupt: result.Interrupts[0].ID, Value: builtin.Decisions{Decisions: []builtin.Decision{{Type: builtin.Approve}}},
	}}})
	require.NoError(t, err)
	require.Equal(t, files{"/f": "1 2 3", "/guarded": "x"}, stateFiles(t, result))
	require.NoError(t, checkAnswers(result.Messages))
	require.Len(t, toolAnswers(result), 4)
}
