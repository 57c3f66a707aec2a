package builtin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/filetext"
	"github.com/agenthost/agenthost/internal/text"
)

const readFileDescription = `Reads a file. A file that does not exist is answered with an error.

- By default it returns the first 100 lines. Use offset and limit to page through a long file.
- The first line, @@ field | field @@, says which lines of the file follow and from which offset to read on. It is not part of the file, and neither
  are notices in brackets above it: leave them out when you edit. Everything below it is the file's own text.
- An empty file is answered with a reminder in place of its contents.
- A result of another tool that was too large is in a file: read it here, part by part.
- Images (.png, .jpg, .gif, .webp) and PDF documents are shown as such; give their file_path alone.
- Read a file before you edit it. Read several files in one answer where that helps.`

// readFileArgs are the parameters of read_file.
type readFileArgs struct {
	FilePath string `json:"file_path" jsonschema:"Absolute path to the file to read. Must be absolute, not relative."`
	Offset   int    `json:"offset,omitempty" default:"0" jsonschema:"Line number to start reading from (0-indexed). Use for pagination of large files."`
	Limit    int    `json:"limit,omitempty" default:"100" jsonschema:"Maximum number of lines to read. Use for pagination of large files."`
}

// These texts are deepagents'.
const (
	emptyFileText = "System reminder: File exists but has empty contents"
	noLinesText   = "System reminder: no lines were read because `limit` was %d. The file was not inspected and may have contents; " +
		"retry with `limit` >= 1 to read it."
	readCutText = "[Output was truncated due to size limits. The file content is very large. " +
		"Consider reformatting the file to make it easier to navigate.]"
)

const (
	// maxShown is how much read_file shows if the configuration sets no limit, in characters.
	maxShown = 1 << 20
)

func (c *fileCall) readFile(ctx context.Context, in readFileArgs) (*host.ToolOutput, error) {
	name, err := c.path(in.FilePath, fileRead)
	if err != nil {
		return nil, err
	}
	if kind := mediaOf(name); kind != "" {
		return c.readMedia(ctx, name, kind)
	}
	file, _, err := c.files.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	room := c.toolLimit
	if room == 0 {
		room = maxShown
	}
	offset, limit := max(in.Offset, 0), min(max(in.Limit, 0), room) // more lines than characters never fit
	lines, err := filetext.ReadLines(ctx, file, filetext.Page{First: offset, Limit: limit, Room: utf8.UTFMax * room, CR: true})
	if _, binary := errors.AsType[*filetext.BinaryError](err); binary {
		return nil, &backend.Error{Path: name, Reason: backend.Binary}
	}
	switch {
	case err != nil:
		return nil, err
	case lines.Blank && lines.Total >= 0:
		return host.TextOutput(emptyFileText), nil
	case in.Limit <= 0:
		return host.TextOutput(fmt.Sprintf(noLinesText, in.Limit)), nil
	case len(lines.Text) == 0:
		return nil, fmt.Errorf("Line offset %d exceeds file length (%d lines)", offset, lines.Total) //nolint:staticcheck // the text is deepagents'
	}
	for i, line := range lines.Text {
		lines.Text[i] = strings.ToValidUTF8(line, "\uFFFD")
	}
	var notices []string
	if in.Offset < 0 {
		notices = append(notices, fmt.Sprintf("[Requested offset %d is before the start of the file; read from line 1 instead.]", in.Offset))
	}
	return host.TextOutput(showPage(&lines, room, notices)), nil
}

// showPage returns the notices, a header that says which lines follow, and the lines. The text has at most room characters. Lines that
// do not fit are left out, and the header does not count them.
func showPage(lines *filetext.Lines, room int, notices []string) string {
	body := strings.Join(lines.Text, "\n")
	whole := pageOf(body, pageFields(lines, len(lines.Text)), notices)
	if lines.Cut == 0 && utf8.RuneCountInString(whole) < room {
		return whole
	}
	notices = append(notices, readCutText)
	end, chars := len(body), utf8.RuneCountInString(body)
	for shown := len(lines.Text); lines.Cut == 0 && shown > 0; shown-- {
		head := pageOf("", append(pageFields(lines, shown), "truncated due to size"), notices)
		if chars+utf8.RuneCountInString(head) <= room {
			return head + body[:end]
		}
		line := lines.Text[shown-1] // counting what is left for each line would be quadratic
		end, chars = max(0, end-len(line)-1), max(0, chars-utf8.RuneCountInString(line)-1)
	}
	return showPart(lines, room, notices)
}

// showPart shows the beginning of the first line, which does not fit.
func showPart(lines *filetext.Lines, room int, notices []string) string {
	line := lines.Text[0]
	size := utf8.RuneCountInString(line) + lines.Cut // what is cut is counted in bytes: nobody has read it as characters
	fields := func(shown int) []string {
		return []string{span(lines, 1), "truncated mid-line", fmt.Sprintf("%d of %d chars", shown, size)}
	}
	part := text.First(line, max(0, room-utf8.RuneCountInString(pageOf("", fields(size), notices))))
	return pageOf(part, fields(utf8.RuneCountInString(part)), notices)
}

// pageOf puts notices and a header above a body.
func pageOf(body string, fields, notices []string) string {
	return strings.Join(append(slices.Clone(notices), "@@ "+strings.Join(fields, " | ")+" @@", body), "\n")
}

// pageFields says which lines are shown, and how to read on unless the file ends there.
func pageFields(lines *filetext.Lines, shown int) []string {
	fields := []string{span(lines, shown)}
	if end := lines.First + shown; lines.Total < 0 || end < lines.Total {
		fields = append(fields, fmt.Sprintf("next offset %d", end))
	}
	return fields
}

func span(lines *filetext.Lines, shown int) string {
	out := fmt.Sprintf("lines %d-%d", lines.First+1, lines.First+shown)
	if lines.Total >= 0 {
		out += fmt.Sprintf(" of %d", lines.Total)
	}
	return out
}

// mediaOf returns the kind of a file by its name: "image", "pdf", "media" for other media, which cannot be shown, or "" for
// text.
func mediaOf(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp":
		return "image"
	case ".pdf":
		return "pdf"
	case ".heic", ".heif", ".mp4", ".mpeg", ".mov", ".avi", ".flv", ".mpg", ".webm", ".wmv", ".3gpp", ".mkv",
		".wav", ".mp3", ".aiff", ".aac", ".ogg", ".flac", ".ppt", ".pptx":
		return "media"
	}
	return ""
}

// mediaBlocks are the types of blocks for the kinds of files that a model may see.
var mediaBlocks = map[string]string{"image": abi.BlockImage, "pdf": abi.BlockFile}

// readMedia shows an image or a document. The bytes decide what it is: a provider refuses the whole conversation if the
// type is wrong.
func (c *fileCall) readMedia(ctx context.Context, name, kind string) (*host.ToolOutput, error) {
	if _, err := c.files.Stat(ctx, name); err != nil {
		return nil, err
	}
	info, limit := c.env.Model.Info(), int64(backend.MaxFile)
	switch {
	case kind == "media":
		return nil, refusedMediaf("File '%s' is of a kind that cannot be shown", name)
	case info.Takes(abi.RoleTool, mediaBlocks[kind]) == model.SupportNo:
		return nil, refusedMediaf("File '%s' was not attached because this model does not support %s content", name, kind)
	case kind == "image":
		limit = model.MaxImage
	}
	content, err := backend.ReadFile(ctx, c.files, name, limit)
	if err != nil {
		return nil, err
	}
	if len(content) == 0 {
		return host.TextOutput(emptyFileText), nil
	}
	mime := http.DetectContentType(content)
	switch {
	case kind == "image" && model.AcceptsImage(mime):
		return mediaOutput(name, abi.ImageBlock(mime, content)), nil
	case kind == "pdf" && mime == "application/pdf":
		return mediaOutput(name, abi.FileBlock(path.Base(name), mime, content)), nil
	}
	return nil, refusedMediaf("File '%s' does not hold what its name says: it is %s", name, mime)
}

// mediaPath is the key of a block that names the file which the block was read from.
const mediaPath = "path"

func mediaOutput(name string, block abi.Block) *host.ToolOutput {
	noted := block.Fields().With(wire.Map{{Key: mediaPath, Value: wire.String(name)}})
	return &host.ToolOutput{Content: abi.Blocks(abi.BlockOf(noted))}
}

// mediaError is a file that cannot be shown. Its text is a sentence, as deepagents' texts are.
type mediaError string

func (e mediaError) Error() string { return string(e) }

func refusedMediaf(format string, args ...any) error { return mediaError(fmt.Sprintf(format, args...)) }
