package builtin

import (
	"context"
	_ "embed" // the prompt
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// Memory puts files such as AGENTS.md, which describe a project or a user, into the system prompt of each model call. They
// are in a block <agent_memory>, each below its path, and the prompt says that they are not instructions of the user.
//
// The files are read once in a thread, when its first run begins; later changes are seen in new threads. Missing files are
// skipped. A file that cannot be read, is not UTF-8 text or has more than 1 MiB fails the run. HTML comments are left out.
// With the filesystem middleware at the same root, the model can update the files at the paths that it is shown.
//
// Behaviour is that of deepagents' MemoryMiddleware, with different wording in the prompt. Tags in a file that look like the
// end of the block are escaped; in the original, such a file can place text outside the block.
type Memory struct {
	// Sources are the files, as absolute paths below root, in the order in which they are shown. Required.
	Sources []string `yaml:"sources"`
	// Root is the directory of the disk that is "/" in the paths; nothing outside it can be reached. "": the files in the
	// state of the thread, where the filesystem middleware without a root keeps them, unless there is a backend.
	Root string `yaml:"root"`
	// Backend is where the files are in place of root: "state", or {type: filesystem, store, sandbox or composite}. The files of a store
	// outlive the thread.
	Backend FileBackend `yaml:"backend"`
	// SystemPrompt is added after the system prompt, as a block of its own. It must contain {agent_memory}. nil: a text that
	// explains what memory is and how to keep it; "": nothing is added, but the files are still read.
	SystemPrompt *string `yaml:"system_prompt"`
	// AddCacheControl marks the last block of the system prompt, so that the provider caches the prompt up to there. Only
	// models whose provider is anthropic get the mark.
	AddCacheControl bool `yaml:"add_cache_control"`
}

var memoryEntry = Entry{
	Name:    "memory",
	Summary: "puts files such as AGENTS.md into the system prompt",
	Example: `- memory:
    sources: [/AGENTS.md]
    root: .
`,
	New: func() host.Middleware { return &Memory{} },
}

//go:embed prompts/memory.md
var memoryPrompt string

// maxMemoryFile is the size of the largest file, in bytes. Each model call carries the file.
const maxMemoryFile = 1 << 20

var (
	htmlComment = lazyregexp.New(`(?s)<!--.*?-->`)
	// memoryTag matches the start of a tag that a file must not contain: the end of its block, or the start of another one.
	memoryTag = lazyregexp.New(`(?i)<(\s*/?\s*(?:agent_memory|memory_guidelines))`)
)

// Name returns "memory".
func (m Memory) Name() string { return "memory" }

// ResolvePaths resolves the root.
func (m Memory) ResolvePaths(resolve func(path string) string) host.Middleware {
	if m.Root != "" {
		m.Root = resolve(m.Root)
	}
	m.Backend = m.Backend.resolved(resolve)
	return m
}

// Hooks checks the configuration and opens the root.
func (m Memory) Hooks(ctx context.Context, env host.Env) (*host.Hooks, error) {
	sources, err := cleanPaths("sources", "/AGENTS.md", m.Sources)
	if err != nil {
		return nil, err
	}
	prompt := strings.TrimSpace(memoryPrompt)
	if m.SystemPrompt != nil {
		prompt = *m.SystemPrompt
	}
	if prompt != "" && !strings.Contains(prompt, "{agent_memory}") {
		return nil, errors.New("system_prompt must contain the `{agent_memory}` format slot")
	}
	l := &memoryLoader{
		sources: sources, marks: m.AddCacheControl,
		contents: host.NewField[map[string]string](ownField("memory_contents", "memory", env.Name), host.Hidden),
	}
	if l.prompt, err = newTemplate("system_prompt", prompt, "{agent_memory}"); err != nil {
		return nil, err
	}
	if l.source, err = openFileSource(ctx, &env, m.Root, m.Backend, backend.Options{}); err != nil {
		return nil, err
	}
	hooks := &host.Hooks{BeforeAgent: host.NodeHook{Func: l.beforeAgent}, State: []host.Field{l.contents.Field}}
	if prompt != "" || m.AddCacheControl {
		hooks.WrapModelCall = host.WrapModelHook{Func: l.wrapModel, PassesTokens: true}
	}
	l.source.install(hooks)
	return hooks, nil
}

// memoryLoader is a [Memory] in its agent.
type memoryLoader struct {
	sources  []string
	source   *fileSource
	prompt   template
	marks    bool
	contents host.TypedField[map[string]string]
}

// beforeAgent reads the files once in a thread.
func (l *memoryLoader) beforeAgent(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
	if !rt.State().Get(l.contents.Name).IsZero() {
		return nil, nil
	}
	files, err := l.source.files(rt)
	if err != nil {
		return nil, err
	}
	contents := make(map[string]string, len(l.sources))
	for _, source := range l.sources {
		content, err := backend.ReadFile(ctx, files, source, maxMemoryFile)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case backend.Is(err, backend.NotFound):
			continue
		case err != nil:
			return nil, fmt.Errorf("Failed to download %s: %w", source, err) //nolint:staticcheck // the text is deepagents'
		case !utf8.Valid(content):
			return nil, fmt.Errorf("Failed to download %s: it is not UTF-8 text", source) //nolint:staticcheck // the text is deepagents'
		}
		contents[source] = string(content)
	}
	update := &host.Update{}
	return update, l.contents.Set(update, contents)
}

// wrapModel adds the memory to the system prompt.
func (l *memoryLoader) wrapModel(
	ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler,
) (*model.Response, *host.Update, error) {
	contents, _, err := l.contents.Get(rt.State())
	if err != nil {
		return nil, nil, err
	}
	system := appendSystem(req.System, l.prompt.fill(l.shown(contents)))
	if l.marks && req.Model != nil && req.Model.Info().Provider == "anthropic" {
		system = markedForCache(system)
	}
	resp, err := next(ctx, req.WithSystem(system))
	return resp, nil, err
}

// shown returns the content of the files, each below its path.
func (l *memoryLoader) shown(contents map[string]string) string {
	var sections []string
	for _, source := range l.sources {
		content := htmlComment().ReplaceAllLiteralString(contents[source], "")
		content = strings.TrimRight(memoryTag().ReplaceAllString(content, "&lt;$1"), " \t\r\n")
		if content != "" {
			sections = append(sections, source+"\n\n"+content)
		}
	}
	if len(sections) == 0 {
		return "(No memory loaded)"
	}
	return strings.Join(sections, "\n\n")
}

// markedForCache marks the last block of a system prompt as the end of the cached part.
func markedForCache(system abi.Content) abi.Content {
	blocks := system.Blocks()
	if len(blocks) == 0 {
		return system
	}
	mark := wire.Map{{Key: "type", Value: wire.String("ephemeral")}}
	last := blocks[len(blocks)-1].Fields().With(wire.Map{{Key: "cache_control", Value: mark.Raw()}})
	return abi.Blocks(append(append([]abi.Block(nil), blocks[:len(blocks)-1]...), abi.BlockOf(last))...)
}
