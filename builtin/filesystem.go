package builtin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
)

// Filesystem gives the model files: the tools ls, read_file, write_file, edit_file, delete, glob and grep. It also moves
// tool results and messages of the user into files when they are too large for the model's context, and leaves a preview
// with the path.
//
// Paths begin with /. With root, / is that directory of the disk. Without root, files are kept in the state, in the field
// "files", and live as long as the thread. With backend, they may also be in the agent's store, where they outlive the thread
// and other threads see them, in a sandbox that a shell reaches, or in several places, by the beginning of the path. The caller of a run may set and read
// files of the state: {path: {content, encoding, created_at, modified_at}}, where null removes a file, and a text is the content of one. Nothing outside
// of root can be reached, neither by .. nor through symbolic links. Errors, such as a missing file, are answers for the model.
//
// A file that is written, edited or searched has at most 8 MiB, and the files of a state, or of a namespace of a store, have at
// most 64 MiB together; larger files on a disk can be read page by page. Binary files are neither shown nor searched, except
// that images and PDF documents are attached for the model.
//
// Behaviour and texts are those of deepagents 0.7.32's FilesystemMiddleware with a StateBackend, FilesystemBackend, StoreBackend,
// CompositeBackend or BaseSandbox, with these differences:
//
//   - Lists are JSON.
//   - Parallel edits of one file of the state, in one answer of the model, do not undo each other.
//   - Edits of a file with Windows line endings keep them.
//   - Different moved results never share a file name.
//   - Permissions cover hidden files, and an interrupt rule asks about what a search has found, not about what it might find.
//   - With permissions, symbolic links below root are refused: a link would give a file a path that other rules match. Without
//     permissions, links that stay in root are followed.
//   - There is no tool execute: the shell middleware runs commands, in the same sandbox if its execution_policy enters the same one.
//   - A sandbox needs no Python. Links that lead out of its root_dir are not followed, and names with control characters are left out.
//   - A composite is one tree: lists and searches see routes at any depth, and patterns apply to whole paths. A directory with a
//     route in it is not deleted as a whole.
//   - A store keeps the bytes of a file, and no other values than files.
//   - Sound and video are not shown.
//   - offload_binary_content is an error where /blobs is in the state, and puts back at most 64 MiB of media for a model call.
type Filesystem struct {
	// Root is a directory of the disk, which must exist; "": files are kept in the state. In a manifest it is relative to
	// the manifest. Large results are written to it, too.
	Root string `yaml:"root"`
	// Backend is where the files are in place of root: "state", or {type: filesystem, store, sandbox or composite}. The files of a store
	// outlive the thread.
	Backend FileBackend `yaml:"backend"`
	// Tools are the tools that the model gets; none (or "all" in a manifest): all. read_file must be among them, since
	// previews refer to it.
	Tools FilesystemTools `yaml:"tools"`
	// SystemPrompt is appended to the system prompt of each model call; "": nothing is appended, since the tools describe
	// themselves.
	SystemPrompt string `yaml:"system_prompt"`
	// CustomToolDescriptions replace the descriptions of tools, by name.
	CustomToolDescriptions map[string]string `yaml:"custom_tool_descriptions"`
	// Permissions are the rules for reading and writing paths. The first rule that matches the operation and the path
	// decides; if none matches, the operation is allowed. Results do not show paths that may not be read. The rules apply to the
	// tools of this middleware only. With claude_text_editor or claude_memory, whose files may be the same, set allowed_path_prefixes
	// there.
	Permissions []FilePermission `yaml:"permissions"`
	// ToolTokenLimitBeforeEvict is the length of a tool's result, in tokens of 4 characters, above which it is moved to a
	// file below /large_tool_results; it also bounds what read_file shows. nil: 20,000; 0 (or null in a manifest): nothing is
	// moved, and read_file shows at most 1,048,576 characters.
	ToolTokenLimitBeforeEvict *int `yaml:"tool_token_limit_before_evict" schema:"default=20000,min=0"`
	// HumanMessageTokenLimitBeforeEvict is the same limit for the last message of the user, which goes to a file below
	// /conversation_history. The message stays whole in the history; the model sees the preview. nil: 50,000; 0 (or null in
	// a manifest): the message is never moved.
	HumanMessageTokenLimitBeforeEvict *int `yaml:"human_message_token_limit_before_evict" schema:"default=50000,min=0"`
	// OffloadBinaryContent moves images and other media, which read_file returns or messages of the user hold, into files below
	// /blobs, so that they are not saved with each step of the thread. They are put back for each model call, up to 64 MiB in one
	// call. What the caller gives to a run is saved once. It needs a backend that is not the state.
	OffloadBinaryContent bool `yaml:"offload_binary_content"`
	// GrepMaxCount is the number of matches that grep returns if the model sets none. nil: 1,000; 0 (or null in a manifest):
	// 100,000, which is the upper limit.
	GrepMaxCount *int `yaml:"grep_max_count" schema:"default=1000,min=1"`
}

var filesystemEntry = Entry{
	Name:    "filesystem",
	Summary: "gives the model files to list, read, search and write, and moves large results into them",
	Example: `- filesystem:
    tools: [ls, read_file, write_file, edit_file, glob, grep]
    permissions:
      - {operations: [write], paths: ["/reports/**"], mode: allow}
      - {operations: [write], paths: ["/**"], mode: deny}
    tool_token_limit_before_evict: 10000
`,
	New: func() host.Middleware { return &Filesystem{} },
}

// The defaults of the limits.
const (
	evictedToolTokens  = 20_000
	evictedHumanTokens = 50_000
	grepMatches        = 1000
)

// evictedChars is the number of characters of a token in the limits.
const evictedChars = 4

// FilesystemTools are names of tools of [Filesystem].
type FilesystemTools []string

// filesystemToolNames are all tools, in the order in which the model gets them.
var filesystemToolNames = FilesystemTools{"ls", "read_file", "write_file", "edit_file", "delete", "glob", "grep"}

// UnmarshalYAML decodes "all" or a list of names.
func (t *FilesystemTools) UnmarshalYAML(decode func(into any) error) error {
	var form any
	if err := decode(&form); err != nil {
		return err
	}
	if text, ok := form.(string); ok {
		if text != "all" {
			return fmt.Errorf(`tools must be "all" or a list of some of %s`, strings.Join(filesystemToolNames, ", "))
		}
		*t = nil
		return nil
	}
	names := []string{}
	if err := decode(&names); err != nil {
		return err
	}
	*t = names
	return nil
}

// JSONSchema describes both forms.
func (FilesystemTools) JSONSchema() map[string]any {
	return map[string]any{"oneOf": []any{
		map[string]any{"const": "all"},
		map[string]any{"type": "array", "items": map[string]any{"enum": []string(filesystemToolNames)}, "contains": map[string]any{"const": "read_file"}},
	}}
}

// Name returns "filesystem".
func (f Filesystem) Name() string { return "filesystem" }

// ResolvePaths resolves the root.
func (f Filesystem) ResolvePaths(resolve func(path string) string) host.Middleware {
	if f.Root != "" {
		f.Root = resolve(f.Root)
	}
	f.Backend = f.Backend.resolved(resolve)
	return f
}

// UnmarshalYAML decodes a configuration in which a limit may be null.
func (f *Filesystem) UnmarshalYAML(decode func(into any) error) error {
	type fields Filesystem
	given := fields{
		ToolTokenLimitBeforeEvict: new(evictedToolTokens), HumanMessageTokenLimitBeforeEvict: new(evictedHumanTokens),
		GrepMaxCount: new(grepMatches),
	}
	if err := decode(&given); err != nil {
		return err
	}
	if given.GrepMaxCount != nil && *given.GrepMaxCount == 0 {
		return errors.New("grep_max_count must be positive or null, got 0")
	}
	for _, limit := range []**int{&given.ToolTokenLimitBeforeEvict, &given.HumanMessageTokenLimitBeforeEvict, &given.GrepMaxCount} {
		if *limit == nil {
			*limit = new(0)
		}
	}
	*f = Filesystem(given)
	return nil
}

// Hooks checks the configuration and opens the directory.
func (f Filesystem) Hooks(ctx context.Context, env host.Env) (*host.Hooks, error) {
	names, err := f.toolNames()
	if err != nil {
		return nil, err
	}
	fsys := &filesystem{
		env: env, prompt: f.SystemPrompt, toolLimit: evictedChars * limitOr(f.ToolTokenLimitBeforeEvict, evictedToolTokens),
		humanLimit: evictedChars * limitOr(f.HumanMessageTokenLimitBeforeEvict, evictedHumanTokens),
		matches:    limitOr(f.GrepMaxCount, grepMatches),
	}
	if fsys.toolLimit < 0 || fsys.humanLimit < 0 {
		return nil, errors.New("tool_token_limit_before_evict and human_message_token_limit_before_evict must not be negative")
	}
	if fsys.matches < 0 {
		return nil, fmt.Errorf("grep_max_count must be positive or None, got %d", fsys.matches)
	}
	if err := checkEditors(env.Middleware); err != nil {
		return nil, err
	}
	hooks := &host.Hooks{Tools: fsys.tools(names, f.CustomToolDescriptions)}
	// A link gives a file another path, which other rules match.
	options := backend.Options{RefuseLinks: len(f.Permissions) > 0}
	if fsys.fileSource, err = openFileSource(ctx, &env, f.Root, f.Backend, options); err != nil {
		return nil, err
	}
	if fsys.rules, err = compileFileRules(f.Permissions, fsys.opened.IgnoresCase); err != nil {
		return nil, errors.Join(err, fsys.close())
	}
	fsys.install(hooks)
	if f.OffloadBinaryContent {
		if fsys.blobs = fsys.artifact(blobs); fsys.opened.InState != nil && fsys.opened.InState(fsys.blobs) {
			return nil, errors.Join(fmt.Errorf("offload_binary_content has no effect: %s is in the state of the thread; set root, or a backend "+
				"with another place for it", strings.TrimSuffix(fsys.blobs, "/")), fsys.close())
		}
	}
	if fsys.toolLimit > 0 || fsys.blobs != "" {
		hooks.WrapToolCall = host.WrapToolHook{Func: fsys.evictResult}
	}
	if fsys.humanLimit > 0 || fsys.prompt != "" || fsys.blobs != "" {
		hooks.WrapModelCall = host.WrapModelHook{Func: fsys.prepare, PassesTokens: true}
	}
	return hooks, nil
}

// toolNames returns the tools that the model gets.
func (f *Filesystem) toolNames() ([]string, error) {
	names := f.Tools
	if names == nil {
		names = filesystemToolNames
	}
	for _, name := range slices.Concat(names, slices.Sorted(maps.Keys(f.CustomToolDescriptions))) {
		if name == "execute" {
			return nil, errors.New("the filesystem middleware has no tool execute; use the shell middleware to run commands")
		}
		if !slices.Contains(filesystemToolNames, name) {
			return nil, fmt.Errorf("the tool %q is unknown; use some of %s", name, strings.Join(filesystemToolNames, ", "))
		}
	}
	if !slices.Contains(names, "read_file") {
		return nil, errors.New("read_file must be included in tools; it is required by FilesystemMiddleware")
	}
	return names, nil
}

func limitOr(limit *int, usual int) int {
	if limit == nil {
		return usual
	}
	return *limit
}

// filesystem is a [Filesystem] in its agent.
type filesystem struct {
	*fileSource

	env        host.Env
	rules      fileRules
	prompt     string
	toolLimit  int    // characters; 0 means no limit
	humanLimit int    // characters; 0 means no limit
	blobs      string // the directory of media, with a slash at the end; "": they stay in the messages
	matches    int    // the largest number of matches of grep; 0 means no limit
}
