package builtin_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

func TestFilesystemPromptAndDescriptions(t *testing.T) {
	t.Parallel()
	for _, system := range []string{"", "Be brief."} {
		var seen *model.Request
		spy := host.WrapModelCall("spy", func(
			ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
		) (*model.Response, *host.Update, error) {
			seen = req
			resp, err := next(ctx, req)
			return resp, nil, err
		})
		agent, err := host.New(host.Config{
			Model: scripted.NewTurns(scripted.Say("hi")), SystemPrompt: system,
			Middleware: []host.Middleware{builtin.Filesystem{
				SystemPrompt: "Files are yours.", Tools: builtin.FilesystemTools{"grep", "read_file"},
				CustomToolDescriptions: map[string]string{"grep": "Finds."},
			}, spy},
		})
		require.NoError(t, err)
		_, err = agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
		require.NoError(t, err)
		require.NoError(t, agent.Close())
		require.Equal(t, strings.TrimPrefix(system+"\n\nFiles are yours.", "\n\n"), seen.System.Text())
		require.Len(t, seen.Tools, 2)
		require.Equal(t, "read_file", seen.Tools[0].Name)
		require.Equal(t, "grep", seen.Tools[1].Name)
		require.Equal(t, "Finds.", seen.Tools[1].Description)
	}
}

func TestFilesystemConfigurationErrors(t *testing.T) {
	t.Parallel()
	rule := func(p builtin.FilePermission) builtin.Filesystem {
		return builtin.Filesystem{Permissions: []builtin.FilePermission{p}}
	}
	for _, test := range []struct {
		config builtin.Filesystem
		err    string
	}{
		{builtin.Filesystem{Tools: builtin.FilesystemTools{"ls"}}, "read_file must be included in tools; it is required by FilesystemMiddleware"},
		{builtin.Filesystem{Tools: builtin.FilesystemTools{}}, "read_file must be included in tools; it is required by FilesystemMiddleware"},
		{builtin.Filesystem{Tools: builtin.FilesystemTools{"read_file", "execute"}}, "the filesystem middleware has no tool execute; use the shell middleware to run commands"},
		{
			builtin.Filesystem{CustomToolDescriptions: map[string]string{"mv": ""}},
			`the tool "mv" is unknown; use some of ls, read_file, write_file, edit_file, delete, glob, grep`,
		},
		{builtin.Filesystem{GrepMaxCount: new(-1)}, "grep_max_count must be positive or None, got -1"},
		{
			builtin.Filesystem{ToolTokenLimitBeforeEvict: new(-1)},
			"tool_token_limit_before_evict and human_message_token_limit_before_evict must not be negative",
		},
		{builtin.Filesystem{Root: "/none/at/all"}, "root: /none/at/all: there is no such directory"},
		{rule(builtin.FilePermission{Operations: []string{"read"}, Paths: []string{"a"}}), "permissions[0].paths: Permission path must start with '/': 'a'"},
		{
			rule(builtin.FilePermission{Operations: []string{"read"}, Paths: []string{"/a/../b"}}),
			"permissions[0].paths: Permission path must not contain '..': '/a/../b'",
		},
		{rule(builtin.FilePermission{Operations: []string{"read"}, Paths: []string{"/~"}}), "permissions[0].paths: Permission path must not contain '~': '/~'"},
		{rule(builtin.FilePermission{Operations: []string{"run"}, Paths: []string{"/"}}), `permissions[0].operations has "run"; use read or write`},
		{
			rule(builtin.FilePermission{Operations: []string{"read"}, Paths: []string{"/"}, Mode: "ask"}),
			`permissions[0].mode is "ask"; use allow, deny or interrupt`,
		},
		{rule(builtin.FilePermission{Paths: []string{"/"}}), "permissions[0] needs both operations and paths"},
		{rule(builtin.FilePermission{Operations: []string{"read"}, Paths: []string{"/{a"}}), "does not end"},
	} {
		_, err := host.New(host.Config{Model: scripted.NewTurns(), Middleware: []host.Middleware{test.config}})
		require.ErrorContains(t, err, test.err)
	}
}

func TestFilesystemIsDecoded(t *testing.T) {
	t.Parallel()
	for yaml, want := range map[string]builtin.Filesystem{
		"{}": {ToolTokenLimitBeforeEvict: new(20_000), HumanMessageTokenLimitBeforeEvict: new(50_000), GrepMaxCount: new(1000)},
		`{root: data, tools: all, system_prompt: a, custom_tool_descriptions: {ls: b}, grep_max_count: null,
			tool_token_limit_before_evict: null, human_message_token_limit_before_evict: 0,
			permissions: [{operations: [read, write], paths: [/a], mode: interrupt}]}`: {
			Root: "data", SystemPrompt: "a", CustomToolDescriptions: map[string]string{"ls": "b"}, GrepMaxCount: new(0),
			ToolTokenLimitBeforeEvict: new(0), HumanMessageTokenLimitBeforeEvict: new(0),
			Permissions: []builtin.FilePermission{{Operations: []string{"read", "write"}, Paths: []string{"/a"}, Mode: "interrupt"}},
		},
		"{tools: [read_file, ls], tool_token_limit_before_evict: 5}": {
			Tools: builtin.FilesystemTools{"read_file", "ls"}, ToolTokenLimitBeforeEvict: new(5),
			HumanMessageTokenLimitBeforeEvict: new(50_000), GrepMaxCount: new(1000),
		},
		"{tools: []}": {
			Tools: builtin.FilesystemTools{}, ToolTokenLimitBeforeEvict: new(20_000),
			HumanMessageTokenLimitBeforeEvict: new(50_000), GrepMaxCount: new(1000),
		},
	} {
		entry, ok := builtin.Lookup("filesystem")
		require.True(t, ok)
		decoded := entry.New()
		require.NoError(t, strictyaml.Decode("agenthost.yaml", []byte(yaml), decoded), yaml)
		require.Equal(t, &want, decoded)
	}
	for yaml, want := range map[string]string{
		"{tools: some}":       `tools must be "all" or a list of`,
		"{grep_max_count: 0}": "grep_max_count must be positive or null, got 0",
		"{rot: a}":            `did you mean "root"?`,
	} {
		require.ErrorContains(t, strictyaml.Decode("agenthost.yaml", []byte(yaml), &builtin.Filesystem{}), want)
	}
	resolved := builtin.Filesystem{Root: "a"}.ResolvePaths(func(path string) string { return "/x/" + path })
	require.Equal(t, builtin.Filesystem{Root: "/x/a"}, resolved)
	require.Equal(t, builtin.Filesystem{}, builtin.Filesystem{}.ResolvePaths(func(string) string { return "/x" }))
}
