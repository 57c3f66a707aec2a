package builtin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin/internal/agentfiles"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/filetext"
	"github.com/agenthost/agenthost/internal/text"
)

const readFileDescription = `Reads a file. A file that does not exist is answered with an error.

- By default it returns the first 100 lines. Use offset and limit to page through a long file.
- Each line is returned with its number, counting from 1, two spaces and its text. The number is not part of the file: leave it out when you edit.
- A line of more than 5,000 characters is split, with markers such as 5.1 and 5.2. The limit counts lines of the file.
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
	readCutText = "\n\n[Output was truncated due to size limits. The file content is very large. " +
		"Consider reformatting the file to make it easier to navigate.]"
)

const (
	// maxShown is how much read_file shows if the configuration sets no limit, in characters.
	maxShown = 1 << 20
	// maxLineShown is how much of a line follows one marker, in characters.
	maxLineShown = 5000
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
		return nil, &agentfiles.Error{Path: name, Reason: agentfiles.Binary}
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
	text := showPage(&lines, room)
	if in.Offset < 0 {
		text += fmt.Sprintf("\n\n[Requested offset %d is before the start of the file; read from line 1 instead.]", in.Offset)
	}
	return host.TextOutput(text), nil
}

// showPage numbers lines and says how many follow. The text has at most room characters.
func showPage(lines *filetext.Lines, room int) string {
	last := len(lines.Text)
	if lines.Cut > 0 {
		last-- // the last line is cut
	}
	rows, ends := numbered(lines.Text, lines.First+1)
	notice := pageNotice(lines, len(lines.Text))
	if lines.Cut == 0 && utf8.RuneCountInString(rows)+len(notice) < room {
		return rows + notice
	}
	end, chars := len(rows), utf8.RuneCountInString(rows)
	for ; last > 0; last-- {
		notice := pageNotice(lines, last)
		chars -= utf8.RuneCountInString(rows[ends[last-1]:end]) // count only what is removed: counting the rest for each line would be quadratic
		end = ends[last-1]
		if chars+len(readCutText)+len(notice) <= room {
			return rows[:end] + readCutText + notice
		}
	}
	return text.First(rows, max(0, room-len(readCutText))) + readCutText
}

// pageNotice says how to read on after the shown lines; "" at the end of the file.
func pageNotice(lines *filetext.Lines, shown int) string {
	end := lines.First + shown
	unit := plural(shown, "line")
	switch {
	case lines.Total < 0:
		return fmt.Sprintf("\n\n[Read %d %s (lines %d-%d). More lines remain from offset %d.]", shown, unit, lines.First+1, end, end)
	case end >= lines.Total:
		return ""
	}
	left := lines.Total - end
	return fmt.Sprintf("\n\n[Read %d %s (lines %d-%d of %d total). %d %s remaining from offset %d.]",
		shown, unit, lines.First+1, end, lines.Total, left, plural(left, "line"), end)
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// numbered puts numbers before lines, beginning with first, and returns where each line ends. It splits long lines.
func numbered(lines []string, first int) (shown string, ends []int) {
	type row struct{ marker, text string }
	rows := make([]row, 0, len(lines))
	of := make([]int, 0, len(lines)) // for each line, the number of rows up to its end
	width := 0
	for i, line := range lines {
		number := strconv.Itoa(first + i)
		for part := 0; part == 0 || line != ""; part++ {
			marker := number
			if part > 0 {
				marker = fmt.Sprintf("%s.%d", number, part)
			}
			piece := text.First(line, maxLineShown)
			line = line[len(piece):]
			rows = append(rows, row{marker, piece})
			width = max(width, len(marker))
		}
		of = append(of, len(rows))
	}
	var out strings.Builder
	for i, r := range rows {
		if i > 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(&out, "%*s  %s", width, r.marker, r.text)
		for len(ends) < len(of) && of[len(ends)] == i+1 {
			ends = append(ends, out.Len())
		}
	}
	return out.String(), ends
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
	info, limit := c.env.Model.Info(), int64(agentfiles.MaxFile)
	switch {
	case kind == "media":
		return nil, refusedMediaf("File '%s' is of a kind that cannot be shown", name)
	case info.Takes(abi.RoleTool, mediaBlocks[kind]) == model.SupportNo:
		return nil, refusedMediaf("File '%s' was not attached because this model does not support %s content", name, kind)
	case kind == "image":
		limit = model.MaxImage
	}
	content, err := agentfiles.ReadFile(ctx, c.files, name, limit)
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
