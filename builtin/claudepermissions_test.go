package builtin_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/store/memory"
)

// Permissions of a filesystem do not apply to the tools of Anthropic, so both are refused for the same files.
func TestPermissionsBesideClaudeTools(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	inStore := builtin.FileBackend{Backend: backend.Store{Namespace: backend.Namespace("a")}}
	both := builtin.FileBackend{Backend: backend.Composite{Default: backend.State{}, Routes: map[string]backend.Backend{"/a/": inStore.Backend}}}
	unknown := builtin.FileBackend{Backend: struct{ backend.Backend }{backend.State{}}}
	guarded := builtin.Filesystem{Permissions: readOnly}
	only := []string{"/src"}
	helper := func(mode string, permissions []builtin.FilePermission, own ...host.Middleware) host.Middleware {
		return builtin.Subagents{GeneralPurpose: new(false), Agents: []builtin.Subagent{
			{Name: "helper", Description: "Helps.", Mode: mode, Permissions: permissions, Middleware: own},
		}}
	}
	const notApply, takesOver = "the permissions of filesystem do not apply to ", "agents[0]: the fork takes over claude_text_editor"
	for name, test := range map[string]struct {
		list []host.Middleware
		want string // the error; "": none
	}{
		"both in the state":       {[]host.Middleware{guarded, builtin.ClaudeTextEditor{}}, notApply + "claude_text_editor"},
		"the editor first":        {[]host.Middleware{&builtin.ClaudeTextEditor{}, &guarded}, notApply + "claude_text_editor"},
		"a memory":                {[]host.Middleware{guarded, builtin.ClaudeMemory{}}, notApply + "claude_memory"},
		"a directory":             {[]host.Middleware{builtin.Filesystem{Root: root, Permissions: readOnly}, builtin.ClaudeTextEditor{Root: root}}, notApply},
		"a part of a composite":   {[]host.Middleware{guarded, builtin.ClaudeTextEditor{Backend: both}}, notApply},
		"an unknown backend":      {[]host.Middleware{guarded, builtin.ClaudeTextEditor{Backend: unknown}}, notApply},
		"with prefixes":           {[]host.Middleware{guarded, builtin.ClaudeTextEditor{AllowedPathPrefixes: only}}, ""},
		"another kind of backend": {[]host.Middleware{guarded, builtin.ClaudeTextEditor{Root: root}, builtin.ClaudeMemory{Backend: inStore}}, ""},
		"no permissions":          {[]host.Middleware{builtin.Filesystem{}, builtin.ClaudeTextEditor{}}, ""},
		"a fork with permissions": {
			[]host.Middleware{builtin.Filesystem{}, builtin.ClaudeTextEditor{AllowedPathPrefixes: only}, helper("fork", readOnly)}, takesOver,
		},
		"a fork with a filesystem of its own": {
			[]host.Middleware{builtin.Filesystem{}, builtin.ClaudeTextEditor{AllowedPathPrefixes: only}, helper("fork", nil, guarded)}, takesOver,
		},
		"a fork with the agent's permissions": {[]host.Middleware{guarded, builtin.ClaudeTextEditor{AllowedPathPrefixes: only}, helper("fork", nil)}, ""},
		"a fork with an editor of its own": {
			[]host.Middleware{builtin.Filesystem{}, builtin.ClaudeTextEditor{}, helper("fork", readOnly, builtin.ClaudeTextEditor{AllowedPathPrefixes: only})}, "",
		},
		"a subagent with an editor of its own": {
			[]host.Middleware{builtin.Filesystem{}, builtin.ClaudeTextEditor{}, helper("", readOnly, builtin.ClaudeTextEditor{})}, notApply,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agent, err := host.New(host.Config{Model: scripted.NewTurns(), Store: memory.New(), Middleware: test.list})
			if test.want != "" {
				require.ErrorContains(t, err, test.want)
				return
			}
			require.NoError(t, err)
			require.NoError(t, agent.Close())
		})
	}
}

// A filesystem that is replaced in a built agent is checked too.
func TestPermissionsThatComeLater(t *testing.T) {
	t.Parallel()
	agent, err := host.New(host.Config{Model: scripted.NewTurns(), Middleware: []host.Middleware{builtin.Filesystem{}, builtin.ClaudeTextEditor{}}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	require.ErrorContains(t, agent.Swap(t.Context(), "filesystem", builtin.Filesystem{Permissions: readOnly}), "do not apply to claude_text_editor")
}
