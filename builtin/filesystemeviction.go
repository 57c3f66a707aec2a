package builtin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/filetext"
	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/internal/text"
)

// The directories of large results and messages.
const (
	largeResults = "/large_tool_results/"
	largeHistory = "/conversation_history/"
)

// artifact returns a directory of files that the middleware makes.
func (f *filesystem) artifact(dir string) string {
	return strings.TrimSuffix(f.opened.Artifacts, "/") + dir
}

// These texts are deepagents'.
const (
	tooLargeResult = "Tool result too large, the result of this tool call %s was saved in the filesystem at this path: %s\n\n" +
		"You can read the result from the filesystem by using the read_file tool, " +
		"but make sure to only read part of the result at a time.\n\n" +
		"You can do this by specifying an offset and limit in the read_file tool call. " +
		"For example, to read the first 100 lines, you can use the read_file tool with offset=0 and limit=100.\n\n" +
		"%s\n"
	tooLargeHuman = "Message content too large and was saved to the filesystem at: %s\n\n" +
		"You can read the full content using the read_file tool with pagination (offset and limit parameters).\n\n" +
		"%s\n"
)

// evictResult moves a large tool result into a file. Calls that tools make themselves get the whole result.
func (f *filesystem) evictResult(
	ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
) (*abi.Message, *host.Update, error) {
	message, err := next(ctx, req)
	if err != nil || message == nil || rt.Nested() {
		return message, nil, err
	}
	if f.blobs != "" && req.Call.Name == readFileTool {
		return f.offloadResult(ctx, rt, req.Call.ID, message)
	}
	text := textOf(message.Content)
	if f.toolLimit == 0 || slices.Contains(filesystemToolNames, req.Call.Name) || !longer(text, f.toolLimit) {
		return message, nil, nil
	}
	files, err := f.opened.At(rt, req.Call.ID)
	var name string
	if err == nil {
		name, err = f.keep(ctx, files, f.artifact(largeResults)+fileNameOf(req.Call.ID), "", text)
	}
	switch {
	case ctx.Err() != nil:
		return nil, nil, context.Cause(ctx)
	case err != nil:
		rt.Warn(fmt.Sprintf("filesystem: a large result of %s stays in the messages: %s", req.Call.Name, err))
		return message, nil, nil
	}
	out := *message
	out.Content = replaced(message.Content, fmt.Sprintf(tooLargeResult, req.Call.ID, name, preview("result", text)))
	return &out, files.Changes(), nil
}

// maxSameName is the largest number of different texts that are kept under one id.
const maxSameName = 1000

// keep writes a text to a file and returns its path. A model may repeat the ids of calls: an existing file with another
// content stays, and the text gets a numbered name.
func (*filesystem) keep(ctx context.Context, files backend.Files, name, extension, text string) (string, error) {
	for i := 1; i <= maxSameName; i++ {
		path := name + extension
		if i > 1 {
			path = fmt.Sprintf("%s_%d%s", name, i, extension)
		}
		present, err := backend.ReadFile(ctx, files, path, int64(len(text)))
		switch {
		case backend.Is(err, backend.NotFound):
			return path, files.Write(ctx, path, []byte(text))
		case err == nil && bytes.Equal(present, []byte(text)):
			return path, nil
		case err != nil && !backend.Is(err, backend.TooLarge):
			return "", err
		}
	}
	return "", fmt.Errorf("there are already %d files named %s", maxSameName, name)
}

// evictedKey is the key of a message's metadata that holds the path of its text.
const evictedKey = "lc_evicted_to"

// prepare appends the prompt and replaces large messages of the user by previews.
func (f *filesystem) prepare(
	ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler,
) (*model.Response, *host.Update, error) {
	if f.prompt != "" {
		addition := f.prompt
		if !req.System.IsZero() {
			addition = "\n\n" + addition
		}
		req = req.WithSystem(req.System.Append(abi.Text(addition)))
	}
	var update *host.Update
	if f.humanLimit > 0 {
		messages, evicted, err := f.previews(ctx, rt, req.Messages)
		if err != nil {
			return nil, nil, err
		}
		req, update = req.WithMessages(messages), evicted
	}
	if f.blobs != "" {
		messages, moved, err := f.withMedia(ctx, rt, req.Messages)
		if err != nil {
			return nil, nil, err
		}
		req, update = req.WithMessages(messages), joinUpdates(update, moved)
	}
	resp, err := next(ctx, req)
	if err != nil {
		return nil, nil, err
	}
	return resp, update, nil
}

// previews returns the messages as the model sees them. If the last message is a large one of the user, its text is moved
// to a file, and the update marks the message.
func (f *filesystem) previews(ctx context.Context, rt *host.Runtime, messages history.List) (history.List, *host.Update, error) {
	var changed []abi.Message // nil means that nothing changed
	show := func(i int, m *abi.Message, path string) {
		if changed == nil {
			changed = messages.Messages()
		}
		changed[i].Content = replaced(m.Content, fmt.Sprintf(tooLargeHuman, path, preview("content", textOf(m.Content))))
	}
	var update *host.Update
	for i, m := range messages.All() {
		if m.Role != abi.RoleHuman {
			continue
		}
		if path, ok := m.Meta.Get(evictedKey).AsString(); ok {
			show(i, m, path)
			continue
		}
		if i < messages.Len()-1 || !longer(textOf(m.Content), f.humanLimit) {
			continue
		}
		path, evicted, err := f.evictMessage(ctx, rt, m)
		switch {
		case ctx.Err() != nil:
			return messages, nil, context.Cause(ctx)
		case err != nil:
			rt.Warn("filesystem: a large message of the user stays in the messages: " + err.Error())
		default:
			show(i, m, path)
			update = evicted
		}
	}
	if changed == nil {
		return messages, nil, nil
	}
	return history.Of(changed...), update, nil
}

func (f *filesystem) evictMessage(ctx context.Context, rt *host.Runtime, m *abi.Message) (string, *host.Update, error) {
	files, err := f.opened.At(rt, "")
	if err != nil {
		return "", nil, err
	}
	path, err := f.keep(ctx, files, f.artifact(largeHistory)+fileNameOf(m.ID), ".md", textOf(m.Content))
	if err != nil {
		return "", nil, err
	}
	changes := files.Changes()
	if changes == nil {
		changes = &host.Update{}
	}
	if _, ok := rt.State().Messages().Find(m.ID); ok { // otherwise another middleware has made the message
		meta := m.Meta.With(wire.Map{{Key: evictedKey, Value: wire.String(path)}})
		changes.Patch = []abi.Patch{abi.NewPatch(m.ID).Set("meta", meta.Raw())}
	}
	return path, changes, nil
}

// longer reports whether a text has more characters than a limit.
func longer(text string, limit int) bool {
	return len(text) > limit && utf8.RuneCountInString(text) > limit
}

// textOf returns the text of all text blocks, separated by line breaks.
func textOf(c abi.Content) string {
	if c.IsText() {
		return c.Text()
	}
	var texts []string
	for _, block := range c.Blocks() {
		if block.Type() == abi.BlockText {
			texts = append(texts, block.Text())
		}
	}
	return strings.Join(texts, "\n")
}

// replaced returns a content with another text. Blocks that are not text stay.
func replaced(c abi.Content, text string) abi.Content {
	blocks := []abi.Block{abi.TextBlock(text)}
	for _, block := range c.Blocks() {
		if block.Type() != abi.BlockText {
			blocks = append(blocks, block)
		}
	}
	return abi.Blocks(blocks...)
}

const (
	previewLines = 5 // at each end
	previewChars = 1000
)

// preview returns the first and last lines of a text with their numbers, below a sentence that says what is left out.
func preview(of, message string) string {
	lines := filetext.SplitLines(message)
	clipped := false
	short := func(from, to int) string {
		rows := make([]string, 0, to-from)
		width := len(strconv.Itoa(to))
		for i, line := range lines[from:to] {
			shown := text.First(line, previewChars)
			clipped = clipped || len(shown) < len(line)
			rows = append(rows, fmt.Sprintf("%*d  %s", width, from+i+1, strings.ToValidUTF8(shown, "\uFFFD")))
		}
		return strings.Join(rows, "\n")
	}
	omitted := len(lines) - 2*previewLines
	if omitted <= 0 {
		shown := short(0, len(lines))
		return previewNote(of, false, clipped) + shown
	}
	head, tail := short(0, previewLines), short(len(lines)-previewLines, len(lines))
	return previewNote(of, true, clipped) + fmt.Sprintf("%s\n... [%d lines truncated] ...\n%s", head, omitted, tail)
}

// previewNote is deepagents' sentence before a preview. It names only what was left out.
func previewNote(of string, omitted, clipped bool) string {
	note, missing := "Here is a preview of the "+of, []string(nil)
	if omitted {
		note = "Here is a preview showing the head and tail of the " + of
		missing = append(missing, "lines of the form `... [N lines truncated] ...` indicate omitted lines in the middle of the content")
	}
	if clipped {
		missing = append(missing, fmt.Sprintf(
			"the output contains lines longer than %[1]d characters; this preview shows only their first %[1]d characters", previewChars))
	}
	if len(missing) > 0 {
		note += " (" + strings.Join(missing, "; ") + ")"
	}
	return note + ":\n\n"
}

// plainName matches ids that are file names as they are, if they are not longer than longestName.
var plainName = lazyregexp.New(`^[A-Za-z0-9_:@+=,-]+$`)

// longestName is the longest id that is a file name as it is, in bytes. As a count in plainName it would compile to 128
// copies of the expression.
const longestName = 128

// fileNameOf returns a file name for an id, which a model or a caller has chosen.
func fileNameOf(id string) string {
	name := strings.NewReplacer(".", "_", "/", "_", `\`, "_").Replace(id)
	if len(name) <= longestName && plainName().MatchString(name) {
		return name
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:16])
}
