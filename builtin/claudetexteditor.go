package builtin

import (
	"context"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
)

// ClaudeTextEditor gives a model of Anthropic the tool str_replace_based_edit_tool, in the form that Anthropic has trained its models
// for (text_editor_20250728). Its commands are view, create, str_replace and insert, and also delete and rename. Files are where
// filesystem without a configuration of its own keeps them: in the state, on the disk or in a store. For models of other
// providers it is an error; they can use filesystem.
//
// Commands and answers are those of langchain-anthropic 1.7.10's StateClaudeTextEditorMiddleware and FilesystemClaudeTextEditorMiddleware, with
// these differences:
//
//   - Files of the state are in the field "files", which the filesystem middleware shares.
//   - view shows the lines of view_range, and directories in a directory.
//   - str_replace refuses a text that the file has several times, and rename does not replace a file.
//   - insert takes insert_text, and rename old_path, as Anthropic documents them; the names of langchain-anthropic work too.
//   - Answers that tell of a failure have the status error. A file has at most 8 MiB.
//   - With allowed_path_prefixes, no symbolic link is followed.
//   - There is no StateFileSearchMiddleware: filesystem has glob and grep for the same files.
type ClaudeTextEditor struct {
	// Root is the directory of the disk that is "/" in the paths; nothing outside it can be reached. In a manifest it is
	// relative to the manifest. "": the files in the state of the thread, unless there is a backend.
	Root string `yaml:"root"`
	// Backend is where the files are in place of root: "state", or {type: filesystem, store, sandbox or composite}. The files of a store
	// outlive the thread.
	Backend FileBackend `yaml:"backend"`
	// AllowedPathPrefixes are the directories that a path must be in, such as /src. Not given: all, which is an error if a
	// filesystem of the agent has permissions and its files may be the same: permissions do not apply to this tool.
	AllowedPathPrefixes []string `yaml:"allowed_path_prefixes"`
}

var claudeTextEditorEntry = Entry{
	Name:    "claude_text_editor",
	Summary: "gives Anthropic's models their own form of a text editor",
	Example: `- claude_text_editor:
    root: .
    allowed_path_prefixes: [/src]
`,
	New: func() host.Middleware { return &ClaudeTextEditor{} },
}

var claudeTextEditorTool = claudeTool{
	middleware: "claude_text_editor", name: "str_replace_based_edit_tool", kind: "text_editor_20250728", instead: "the middleware filesystem",
}

// Name returns "claude_text_editor".
func (ClaudeTextEditor) Name() string { return "claude_text_editor" }

// ResolvePaths resolves the root.
func (e ClaudeTextEditor) ResolvePaths(resolve func(path string) string) host.Middleware {
	if e.Root != "" {
		e.Root = resolve(e.Root)
	}
	e.Backend = e.Backend.resolved(resolve)
	return e
}

// Hooks checks the configuration and opens the files.
func (e ClaudeTextEditor) Hooks(ctx context.Context, env host.Env) (*host.Hooks, error) {
	return openClaudeFiles(ctx, &env, &claudeTextEditorTool, &e, "")
}

// openClaudeFiles opens the files of a tool.
func openClaudeFiles(ctx context.Context, env *host.Env, of *claudeTool, e *ClaudeTextEditor, prompt string) (*host.Hooks, error) {
	if err := checkEditors(env.Middleware); err != nil {
		return nil, err
	}
	var prefixes []string
	if e.AllowedPathPrefixes != nil {
		var err error
		if prefixes, err = cleanPaths("allowed_path_prefixes", "/src", e.AllowedPathPrefixes); err != nil {
			return nil, err
		}
	}
	source, err := openFileSource(ctx, env, e.Root, e.Backend, backend.Options{RefuseLinks: len(prefixes) > 0})
	if err != nil {
		return nil, err
	}
	return newClaudeFiles(of, source, prefixes, prompt), nil
}
