package builtin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/internal/text"
)

// claudeFiles is a tool of Anthropic's for files: the text editor or the memory.
type claudeFiles struct {
	host.Tool
	*fileSource

	prefixes []string // the directories that a path must be in; none: any
}

// claudeFileArgs are the parameters of both tools. Anthropic's models know them by the type of the tool.
type claudeFileArgs struct {
	Command    string  `json:"command" jsonschema:"Operation to perform: view, create, str_replace, insert, delete or rename."`
	Path       string  `json:"path,omitempty" jsonschema:"File path to operate on."`
	FileText   *string `json:"file_text,omitempty" jsonschema:"Full file content for create command."`
	OldStr     *string `json:"old_str,omitempty" jsonschema:"String to replace for str_replace command."`
	NewStr     *string `json:"new_str,omitempty" jsonschema:"Replacement string for str_replace command."`
	InsertLine *int    `json:"insert_line,omitempty" jsonschema:"Line number after which insert command adds text; 0 means the beginning."`
	InsertText *string `json:"insert_text,omitempty" jsonschema:"Text for insert command."`
	OldPath    string  `json:"old_path,omitempty" jsonschema:"Path for rename command."`
	NewPath    string  `json:"new_path,omitempty" jsonschema:"New path for rename command."`
	ViewRange  []int   `json:"view_range,omitempty" jsonschema:"Line range [start, end] for view command; the end -1 means the last line."`
}

// claudeFileCall is a call of the tool.
type claudeFileCall struct {
	*claudeFiles

	files backend.Files
	in    claudeFileArgs
}

// claudeCallKey is the context key of the files of a call.
type claudeCallKey struct{}

// newClaudeFiles returns the tool and its hooks.
func newClaudeFiles(of *claudeTool, source *fileSource, prefixes []string, prompt string) *host.Hooks {
	t := &claudeFiles{fileSource: source, prefixes: prefixes}
	t.Tool = tool.Func(of.name, "Views and changes files.", func(ctx context.Context, in claudeFileArgs) (*host.ToolOutput, error) {
		files, _ := ctx.Value(claudeCallKey{}).(backend.Files) // Call sets it
		answer, err := (&claudeFileCall{t, files, in}).perform(ctx)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			return failedOutput(err.Error()), nil
		}
		return host.TextOutput(answer), nil
	})
	hooks := &host.Hooks{Tools: []host.Tool{t}, WrapModelCall: of.hook(prompt), Order: of.order()}
	source.install(hooks)
	return hooks
}

// InTurn makes the tool a [host.ToolInTurn]: an insertion reads the file before it writes it.
func (*claudeFiles) InTurn() {}

// Call performs a command and adds the changes of the state to its output.
func (t *claudeFiles) Call(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
	files, err := t.opened.At(rt, call.ID)
	if err != nil {
		return failedOutput(err.Error()), nil
	}
	output, err := t.Tool.Call(context.WithValue(ctx, claudeCallKey{}, backend.Files(files)), rt, call)
	if err == nil && !output.Failed {
		output.Update = files.Changes()
	}
	return output, err
}

// perform performs the command. The texts are langchain-anthropic's.
func (c *claudeFileCall) perform(ctx context.Context) (string, error) {
	commands := map[string]func(context.Context, string) (string, error){
		"view": c.view, "create": c.create, "str_replace": c.replace, "insert": c.insert, "delete": c.remove, "rename": c.rename,
	}
	command, ok := commands[c.in.Command]
	if !ok {
		return "", fmt.Errorf("Unknown command: %s", c.in.Command) //nolint:staticcheck // the text is langchain-anthropic's
	}
	if c.in.Path == "" {
		c.in.Path = c.in.OldPath
	}
	name, err := c.path("path", c.in.Path)
	if err != nil {
		return "", err
	}
	answer, err := command(ctx, name)
	if backend.Is(err, backend.NotFound) {
		return "", fmt.Errorf("File not found: %s", c.in.Path) //nolint:staticcheck // the text is langchain-anthropic's
	}
	return answer, err
}

// path returns the clean form of a path in an allowed directory.
func (c *claudeFileCall) path(key, given string) (string, error) {
	if given == "" {
		return "", c.missing(key)
	}
	name, err := backend.Clean(given)
	if err != nil {
		return "", err
	}
	if len(c.prefixes) > 0 && !slices.ContainsFunc(c.prefixes, func(dir string) bool { return backend.Within(dir, name) }) {
		//nolint:staticcheck // the text is langchain-anthropic's
		return "", fmt.Errorf("Path must start with one of ['%s']: %s", strings.Join(c.prefixes, "', '"), given)
	}
	return name, nil
}

func (c *claudeFileCall) missing(key string) error {
	return fmt.Errorf("the command %s needs %s", c.in.Command, key)
}

// read returns the lines of a text file, and whether the last one ends with a line break.
func (c *claudeFileCall) read(ctx context.Context, name string) (lines []string, ends bool, err error) {
	content, err := backend.ReadFile(ctx, c.files, name, backend.MaxFile)
	switch {
	case err != nil:
		return nil, false, err
	case !utf8.Valid(content):
		return nil, false, &backend.Error{Path: name, Reason: backend.Binary}
	}
	whole, ends := strings.CutSuffix(string(content), "\n")
	return strings.Split(whole, "\n"), ends, nil
}

func (c *claudeFileCall) view(ctx context.Context, name string) (string, error) {
	if info, err := c.files.Stat(ctx, name); err == nil && info.Dir {
		return c.list(ctx, name)
	}
	lines, _, err := c.read(ctx, name)
	if err != nil {
		return "", err
	}
	first, last := 1, len(lines)
	if given := c.in.ViewRange; len(given) > 0 {
		if len(given) != 2 || given[0] < 1 || given[0] > len(lines) || given[1] != -1 && given[1] < given[0] {
			return "", fmt.Errorf("view_range must be [start, end] within the %d lines of the file; the end -1 means the last line", len(lines))
		}
		if first = given[0]; given[1] != -1 {
			last = min(given[1], last)
		}
	}
	var b strings.Builder
	for i := first; i <= last && b.Len() <= maxShown; i++ {
		if i > first {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%d|%s", i, lines[i-1])
	}
	if shown := text.First(b.String(), maxShown); len(shown) < b.Len() {
		return shown + "\n... [the file is too long to be shown as a whole; use view_range]", nil
	}
	return b.String(), nil
}

// list returns the paths in a directory. Those of directories end with a slash.
func (c *claudeFileCall) list(ctx context.Context, dir string) (string, error) {
	infos, err := c.files.List(ctx, dir)
	if err != nil {
		return "", err
	}
	if len(infos) == 0 {
		return "", &backend.Error{Path: dir, Reason: backend.NotFound}
	}
	paths := make([]string, len(infos))
	for i, info := range infos {
		if paths[i] = strings.ToValidUTF8(info.Path, "\uFFFD"); info.Dir {
			paths[i] += "/"
		}
	}
	return cutList(strings.Join(paths, "\n")), nil
}

func (c *claudeFileCall) create(ctx context.Context, name string) (string, error) {
	if c.in.FileText == nil {
		return "", c.missing("file_text")
	}
	return "File created: " + c.in.Path, c.files.Write(ctx, name, []byte(*c.in.FileText))
}

func (c *claudeFileCall) replace(ctx context.Context, name string) (string, error) {
	if c.in.OldStr == nil {
		return "", c.missing("old_str")
	}
	edit := backend.Edit{Old: *c.in.OldStr}
	if c.in.NewStr != nil {
		edit.New = *c.in.NewStr
	}
	_, err := c.files.Edit(ctx, name, edit)
	if wrong, ok := errors.AsType[backend.EditError](err); ok && strings.HasPrefix(wrong.Error(), "String not found") {
		err = fmt.Errorf("String not found in file: %s", edit.Old)
	}
	return "String replaced in " + c.in.Path, err
}

func (c *claudeFileCall) insert(ctx context.Context, name string) (string, error) {
	added := c.in.InsertText
	if added == nil {
		added = c.in.NewStr
	}
	switch {
	case c.in.InsertLine == nil:
		return "", c.missing("insert_line")
	case added == nil:
		return "", c.missing("insert_text")
	}
	lines, ends, err := c.read(ctx, name)
	if err != nil {
		return "", err
	}
	if len(lines) == 1 && lines[0] == "" && !ends { // an empty file has no line
		lines = nil
	}
	if at := *c.in.InsertLine; at < 0 || at > len(lines) {
		return "", fmt.Errorf("insert_line must be 0 to %d, the number of lines of the file, and is %d", len(lines), at)
	}
	content := strings.Join(slices.Insert(lines, *c.in.InsertLine, strings.TrimSuffix(*added, "\n")), "\n")
	if ends || strings.HasSuffix(*added, "\n") && *c.in.InsertLine == len(lines) {
		content += "\n"
	}
	return "Text inserted in " + c.in.Path, c.files.Write(ctx, name, []byte(content))
}

// remove removes a file or directory. Removing a missing file succeeds.
func (c *claudeFileCall) remove(ctx context.Context, name string) (string, error) {
	if err := c.files.Remove(ctx, name); err != nil && !backend.Is(err, backend.NotFound) {
		return "", err
	}
	return "File deleted: " + c.in.Path, nil
}

// rename moves a file. It does not replace another one.
func (c *claudeFileCall) rename(ctx context.Context, name string) (string, error) {
	to, err := c.path("new_path", c.in.NewPath)
	if err != nil {
		return "", err
	}
	content, err := backend.ReadFile(ctx, c.files, name, backend.MaxFile)
	if err != nil {
		return "", err
	}
	switch _, err := c.files.Stat(ctx, to); {
	case err == nil:
		return "", fmt.Errorf("the destination %s already exists", c.in.NewPath)
	case !backend.Is(err, backend.NotFound):
		return "", err
	}
	if err := c.files.Write(ctx, to, content); err != nil {
		return "", err
	}
	return fmt.Sprintf("File renamed: %s -> %s", c.in.Path, c.in.NewPath), c.files.Remove(ctx, name)
}
