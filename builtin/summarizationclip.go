package builtin

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/internal/text"
)

// clippedChars is how many characters of a result remain, as in deepagents.
const clippedChars = 4000

const (
	// clippedFile is deepagents' text at the end of a file that read_file has read.
	clippedFile = "\n\n[Output was truncated due to context window size limits. The full content is at %[1]s. " +
		"Use read_file with offset and limit parameters to retrieve specific portions. " +
		"For example, to read the first 100 lines, call read_file with file_path='%[1]s', offset=0, limit=100.]"
	// clippedMiddle takes the place of the middle of another result.
	clippedMiddle = "\n\n[Output was truncated due to context window size limits. %d characters were left out here. " +
		"Call the tool again for a smaller part if you need them.]\n\n"
)

// clipped returns messages in which the tool results at the end are clipped; nil if none of them is long.
func clipped(ctx context.Context, rt *host.Runtime, files *historyCall, messages history.List) (*shorterRequest, error) {
	first := messages.Len()
	for first > 0 && messages.Entry(first-1).Message().Role == abi.RoleTool {
		first--
	}
	changed := map[int]*abi.Message{}
	out := &shorterRequest{}
	for i := first; i < messages.Len() && first > 0; i++ {
		m := messages.Entry(i).Message()
		result := textOf(m.Content)
		if !longer(result, clippedChars) {
			continue
		}
		path := readPath(askedCall(messages.Entry(first-1).Message(), m.ToolCallID))
		part := ""
		if path == "" {
			part = files.evict(ctx, m.ToolCallID, result)
		}
		if part == "" {
			part = clippedResult(path, result)
		}
		if len(part) >= len(result) {
			continue
		}
		short := *m
		if short.Content = abi.Text(part); !m.Content.IsText() {
			short.Content = replaced(m.Content, part)
		}
		changed[i] = &short
		if _, ok := rt.State().Messages().Find(m.ID); ok {
			out.put = append(out.put, short)
		}
	}
	if len(changed) == 0 {
		return nil, nil //nolint:nilnil // there is nothing to clip
	}
	out.messages = messages.Replace(changed)
	out.note = fmt.Sprintf("it is sent again with %d clipped tool results", len(changed))
	return out, nil
}

// clippedResult returns the text of a result, which is that of a file; "" means of no file.
func clippedResult(path, result string) string {
	if path != "" {
		return text.First(result, clippedChars) + fmt.Sprintf(clippedFile, path)
	}
	runes := []rune(result)
	const half = clippedChars / 2
	return string(runes[:half]) + fmt.Sprintf(clippedMiddle, len(runes)-clippedChars) + string(runes[len(runes)-half:])
}

// longestPath is the length of the longest path that a clipped result names, in characters.
const longestPath = 1000

// readPath returns the path that a call of read_file names, or "".
func readPath(call *abi.ToolCall) string {
	if call == nil || call.Name != "read_file" {
		return ""
	}
	path, _ := call.Args.Get("file_path").AsString()
	if utf8.RuneCountInString(path) > longestPath {
		return ""
	}
	return path
}
