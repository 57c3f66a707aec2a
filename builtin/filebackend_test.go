package builtin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/host/store/memory"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// decodeInto decodes a configuration as a manifest does.
func decodeInto(text string, into any) error {
	node, err := strictyaml.Parse("m.yaml", []byte(text))
	if err != nil {
		return err
	}
	return node.Decode(into)
}

func TestFileBackendInAManifest(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{backend: state}":                                      "",
		"{backend: {type: state}}":                              "",
		"{backend: {type: filesystem, root_dir: .}}":            "",
		"{backend: {type: store, namespace: [users, ada@x.y]}}": "",
		"{backend: {type: composite, default: state, routes: {/a/: {type: store, namespace: [a]}}, artifacts_root: /a}}": "",

		"{backend: {type: sandbox, root_dir: /w, execution_policy: {type: command, command: [sh]}, shell_command: sh, env: {A: 1}}}": "",

		"{backend: disk}":                                                                     `type is "disk"; use state, filesystem, store, sandbox, composite`,
		"{backend: {root_dir: .}}":                                                            `type is ""; use state, filesystem, store, sandbox, composite`,
		"{backend: {type: sandbox, root_dir: /w}}":                                            "the type sandbox needs execution_policy",
		"{backend: {type: sandbox, execution_policy: {type: host}}}":                          "the type sandbox needs root_dir",
		"{backend: {type: state, env: {A: b}}}":                                               "env is only for the type sandbox",
		"{backend: {type: filesystem, root_dir: ., shell_command: sh}}":                       "shell_command is only for the type sandbox",
		"{backend: {type: sandbox, root_dir: /w, execution_policy: {type: host, shell: sh}}}": "shell",
		"{backend: {type: filesystem}}":                                                       "the type filesystem needs root_dir",
		"{backend: {type: store}}":                                                            "the type store needs namespace",
		"{backend: {type: composite, default: state}}":                                        "the type composite needs routes",
		"{backend: {type: composite, routes: {/a: state}}}":                                   "the type composite needs default",
		"{backend: {type: state, root_dir: .}}":                                               "root_dir is only for the type filesystem or sandbox",
		"{backend: {type: filesystem, root_dir: ., namespace: [a]}}":                          "namespace is only for the type store",
		"{backend: {type: store, namespaces: [a]}}":                                           "namespace",
		"{backend: {type: store, namespace: [a/b]}}":                                          `namespace[0]: "a/b" has characters other than`,
		`{backend: {type: store, namespace: ["{{.now}}"]}}`:                                   "namespace[0]: it may use .context only",
		`{backend: {type: store, namespace: ["{{.state.x}}"]}}`:                               "namespace[0]: it may use .context only",
		`{backend: {type: store, namespace: ["{{"]}}`:                                         "namespace[0]: template",
		"{backend: {type: composite, default: state, routes: {/a/: {type: composite, default: state, routes: {/b/: state}}}}}": "a composite contains no composite",
	} {
		for _, into := range []any{&builtin.Filesystem{}, &builtin.Memory{}, &builtin.Skills{}} {
			err := decodeInto(text, into)
			if want == "" {
				require.NoError(t, err, text)
			} else {
				require.ErrorContains(t, err, want, text)
			}
		}
	}
}

// onBackend decodes a filesystem and runs its agent.
type onBackend struct {
	values  store.Store
	context any
}

func (b *onBackend) run(t *testing.T, text string, turns ...scripted.Turn) ([]string, error) {
	t.Helper()
	fsys := &builtin.Filesystem{}
	require.NoError(t, decodeInto(text, fsys))
	agent, err := host.New(host.Config{
		Model: &scripted.Turns{Script: turns, AfterEnd: scripted.EndEmpty}, Middleware: []host.Middleware{fsys}, Store: b.values,
	})
	if err != nil {
		return nil, err
	}
	defer func() { require.NoError(t, agent.Close()) }()
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}, Context: b.context})
	require.NoError(t, err)
	var answers []string
	for _, m := range result.Messages.All() {
		if m.Role == abi.RoleTool {
			answers = append(answers, m.Content.Text())
		}
	}
	return answers, nil
}

// Each user has files of their own, which other runs of the user see; a user who is missing or hostile has none.
func TestFileBackendOfAUser(t *testing.T) {
	t.Parallel()
	const config = `{backend: {type: store, namespace: [users, "{{.context.user}}"]}}`
	values := memory.New()
	write := scripted.CallTools(abi.Call("1", "write_file", args{"file_path": "/note.txt", "content": "of ada"}))
	read := scripted.CallTools(abi.Call("1", "read_file", args{"file_path": "/note.txt"}))
	for _, step := range []struct {
		user any
		turn scripted.Turn
		want string
	}{
		{args{"user": "ada"}, write, "Updated file /note.txt"},
		{args{"user": "bob"}, read, "Error: File '/note.txt' not found"},
		{args{"user": "ada"}, read, "@@ lines 1-1 of 1 @@\nof ada"},
		{args{"user": "*"}, read, `Error: '/note.txt' cannot be used: namespace[1]: "*" is empty or has characters other than letters, digits and -_.@+:~`},
		{args{"user": ""}, write, `Error: '/note.txt' cannot be used: namespace[1]: "" is empty or has characters other than letters, digits and -_.@+:~`},
	} {
		answers, err := (&onBackend{values, step.user}).run(t, config, step.turn)
		require.NoError(t, err)
		require.Equal(t, []string{step.want}, answers)
	}
	for _, user := range []any{nil, args{}} {
		answers, err := (&onBackend{values, user}).run(t, config, write)
		require.NoError(t, err)
		require.Contains(t, answers[0], "cannot be used: namespace[1]")
	}
	page, err := values.Namespaces(t.Context(), nil, nil, 0)
	require.NoError(t, err)
	require.Equal(t, []store.Namespace{{"files", "users", "ada"}}, page.Items)
}

// The rules apply to paths of the whole tree, large results go where artifacts_root says, and all backends are searched.
func TestFileBackendOfRoutes(t *testing.T) {
	t.Parallel()
	values := memory.New()
	answers, err := (&onBackend{values: values}).run(t, `
backend:
  type: composite
  default: state
  routes: {/memories/: {type: store, namespace: [notes]}}
  artifacts_root: /memories
permissions:
  - {operations: [read, write], paths: ["/memories/secret/**"], mode: deny}
tool_token_limit_before_evict: 100
`,
		scripted.CallTools(
			abi.Call("1", "write_file", args{"file_path": "/draft.md", "content": "words"}),
			abi.Call("2", "write_file", args{"file_path": "/memories/kept.md", "content": "words"}),
			abi.Call("3", "write_file", args{"file_path": "/memories/secret/a.md", "content": "words"}),
		),
		scripted.CallTools(
			abi.Call("4", "ls", args{"path": "/"}), abi.Call("5", "glob", args{"pattern": "*.md"}), abi.Call("6", "grep", args{"pattern": "words"}),
			abi.Call("7", "delete", args{"file_path": "/memories"}),
		),
	)
	require.NoError(t, err)
	require.Equal(t, []string{
		"Updated file /draft.md", "Updated file /memories/kept.md", "Error: permission denied for write on /memories/secret/a.md",
		`["/draft.md","/memories/"]`, `["/draft.md","/memories/kept.md"]`, "/draft.md\n/memories/kept.md",
		"Error: '/memories' contains a directory that is kept elsewhere, so it cannot be deleted as a whole; delete what is in it",
	}, answers)
	_, found, err := values.Get(t.Context(), store.Namespace{"files", "notes"}, "/kept.md")
	require.NoError(t, err)
	require.True(t, found)
}

func TestFileBackendNeeds(t *testing.T) {
	t.Parallel()
	_, err := (&onBackend{}).run(t, "{backend: {type: store, namespace: [a]}}")
	require.ErrorContains(t, err, "backend: store: the agent has no store; set host.Config.Store")
	_, err = (&onBackend{}).run(t, "{backend: state, root: .}")
	require.ErrorContains(t, err, "root and backend exclude each other")
	_, err = (&onBackend{}).run(t, "{backend: {type: filesystem, root_dir: none}, permissions: [{operations: [read], paths: [x]}]}")
	require.ErrorContains(t, err, "backend: none: there is no such directory")
}

// Memory and skills read what the filesystem of another thread has written to the store.
func TestMemoryAndSkillsOfAStore(t *testing.T) {
	t.Parallel()
	values := memory.New()
	for name, text := range map[string]string{"/AGENTS.md": "Be kind.", "/skills/pdf/SKILL.md": skillFile("pdf", "Reads.")} {
		_, err := values.Put(t.Context(), storedFiles, name, []byte(text), store.PutOptions{})
		require.NoError(t, err)
	}
	kept := &builtin.Memory{}
	require.NoError(t, decodeInto(`{sources: [/AGENTS.md], backend: {type: store, namespace: [tests]}, system_prompt: "{agent_memory}"}`, kept))
	skills := &builtin.Skills{}
	require.NoError(t, decodeInto(`{sources: [/skills], backend: {type: store, namespace: [tests]}, system_prompt: "{skills_list}"}`, skills))
	l := newListener([]host.Middleware{kept, skills})
	l.config.Store = values
	l.say(t, "a", "go")
	system := strings.Join(l.systems()[0], "")
	require.Contains(t, system, "/AGENTS.md\n\nBe kind.")
	require.Contains(t, system, "- **pdf**: Reads.")
}

// The directories of routes are relative to the manifest.
func TestFileBackendResolvesPaths(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(base, "project"), 0o755))
	fsys := &builtin.Filesystem{}
	require.NoError(t, decodeInto("{backend: {type: composite, default: state, routes: {/p/: {type: filesystem, root_dir: project}}}}", fsys))
	resolved := fsys.ResolvePaths(func(path string) string { return filepath.Join(base, path) })
	agent, err := host.New(host.Config{
		Model: &scripted.Turns{Script: []scripted.Turn{
			scripted.CallTools(abi.Call("1", "write_file", args{"file_path": "/p/a.txt", "content": "a"})),
		}, AfterEnd: scripted.EndEmpty},
		Middleware: []host.Middleware{resolved},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	_, err = agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(base, "project", "a.txt"))
}
