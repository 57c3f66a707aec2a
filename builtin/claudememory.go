package builtin

import (
	"context"

	"github.com/agenthost/agenthost/host"
)

// ClaudeMemory gives a model of Anthropic the tool memory, in the form that Anthropic has trained its models for (memory_20250818): files
// below /memories, which the model reads before it works and keeps up to date. With the backend store, or on the disk, it
// remembers across threads. For models of other providers it is an error; they can use filesystem and memory.
//
// Behaviour and texts are those of langchain-anthropic 1.7.10's StateClaudeMemoryMiddleware and FilesystemClaudeMemoryMiddleware, with the
// differences of claude_text_editor.
type ClaudeMemory struct {
	// Root is the directory of the disk that is "/" in the paths; nothing outside it can be reached. In a manifest it is
	// relative to the manifest. "": the files in the state of the thread, unless there is a backend.
	Root string `yaml:"root"`
	// Backend is where the files are in place of root: "state", or {type: filesystem, store, sandbox or composite}. The files of a store
	// outlive the thread.
	Backend FileBackend `yaml:"backend"`
	// AllowedPathPrefixes are the directories that a path must be in. Not given: /memories. They must be given if a filesystem of the
	// agent has permissions and its files may be the same: permissions do not apply to this tool.
	AllowedPathPrefixes []string `yaml:"allowed_path_prefixes"`
	// SystemPrompt is added after the system prompt, as a block of its own. nil: the text that Anthropic recommends; "": nothing
	// is added.
	SystemPrompt *string `yaml:"system_prompt"`
}

var claudeMemoryEntry = Entry{
	Name:    "claude_memory",
	Summary: "gives Anthropic's models their own form of a memory in files",
	Example: `- claude_memory:
    backend: {type: store, namespace: [memories]}
`,
	New: func() host.Middleware { return &ClaudeMemory{} },
}

var claudeMemoryTool = claudeTool{
	middleware: "claude_memory", name: "memory", kind: "memory_20250818", instead: "the middleware filesystem and memory",
}

// claudeMemoryPrompt is the text that Anthropic recommends.
const claudeMemoryPrompt = `IMPORTANT: ALWAYS VIEW YOUR MEMORY DIRECTORY BEFORE DOING ANYTHING ELSE.
MEMORY PROTOCOL:
1. Use the ` + "`view` command of your `memory`" + ` tool to check for earlier progress.
2. ... (work on the task) ...
   - As you make progress, record status / progress / thoughts etc in your memory.
ASSUME INTERRUPTION: Your context window might be reset at any moment, so you risk losing any progress that is not recorded in your memory directory.`

// Name returns "claude_memory".
func (ClaudeMemory) Name() string { return "claude_memory" }

// ResolvePaths resolves the root.
func (m ClaudeMemory) ResolvePaths(resolve func(path string) string) host.Middleware {
	if m.Root != "" {
		m.Root = resolve(m.Root)
	}
	m.Backend = m.Backend.resolved(resolve)
	return m
}

// Hooks checks the configuration and opens the files.
func (m ClaudeMemory) Hooks(ctx context.Context, env host.Env) (*host.Hooks, error) {
	editor := ClaudeTextEditor{Root: m.Root, Backend: m.Backend, AllowedPathPrefixes: m.AllowedPathPrefixes}
	if len(editor.AllowedPathPrefixes) == 0 {
		editor.AllowedPathPrefixes = []string{"/memories"}
	}
	prompt := claudeMemoryPrompt
	if m.SystemPrompt != nil {
		prompt = *m.SystemPrompt
	}
	return openClaudeFiles(ctx, &env, &claudeMemoryTool, &editor, prompt)
}
