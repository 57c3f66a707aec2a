package cases

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/docdiff"
	"github.com/agenthost/agenthost/internal/text"
)

// toolCalls compares the calls that the model made.
func (c *comparison) toolCalls() (lines []string) {
	want := c.expect.ToolCalls
	if want == nil {
		return nil
	}
	got := c.outcome.calls()
	for i := range got {
		if slices.Contains(want.Never, got[i].Name) {
			lines = append(lines, fmt.Sprintf("tool_calls.never: %s was called: %s", got[i].Name, got[i].describe()))
		}
	}
	switch {
	case want.listed && want.Order == "any":
		lines = append(lines, unordered(want.Exactly, got, true)...)
	case want.listed:
		lines = append(lines, ordered(want.Exactly, got)...)
	case want.Order == "any":
		lines = append(lines, unordered(want.Include, got, false)...)
	default:
		lines = append(lines, included(want.Include, got)...)
	}
	return lines
}

// ordered compares all calls, in their order. It skips the calls at the beginning and the end that are as expected, so that an additional
// call is one difference.
func ordered(want []ExpectedCall, got []call) (lines []string) {
	first := 0
	for first < min(len(want), len(got)) && len(want[first].compare("", &got[first])) == 0 {
		first++
	}
	end := 0
	for end < min(len(want), len(got))-first && len(want[len(want)-1-end].compare("", &got[len(got)-1-end])) == 0 {
		end++
	}
	for i := first; i < max(len(want), len(got))-end; i++ {
		name := fmt.Sprintf("tool_calls[%d]", i)
		switch {
		case i >= len(got)-end:
			lines = append(lines, fmt.Sprintf("- %s: %s", name, want[i].describe()))
		case i >= len(want)-end:
			lines = append(lines, fmt.Sprintf("+ %s: %s", name, got[i].describe()))
		default:
			lines = append(lines, want[i].compare(name, &got[i])...)
		}
	}
	return lines
}

// unordered compares calls in any order. all says that there must be no others.
func unordered(want []ExpectedCall, got []call, all bool) (lines []string) {
	left := slices.Clone(got)
	for i := range want {
		at := slices.IndexFunc(left, func(c call) bool { return len(want[i].compare("", &c)) == 0 })
		if at < 0 {
			lines = append(lines, nearest(fmt.Sprintf("tool_calls[%d]", i), &want[i], left)...)
			continue
		}
		left = slices.Delete(left, at, at+1)
	}
	if all && len(want) < len(got) {
		for i := range left {
			lines = append(lines, "+ tool_calls: "+left[i].describe())
		}
	}
	return lines
}

// included looks for calls in their order, with others between them.
func included(want []ExpectedCall, got []call) (lines []string) {
	for i := range want {
		at := slices.IndexFunc(got, func(c call) bool { return len(want[i].compare("", &c)) == 0 })
		if at < 0 {
			return nearest(fmt.Sprintf("tool_calls.include[%d]", i), &want[i], got)
		}
		got = got[at+1:]
	}
	return nil
}

// nearest returns the differences of the call that is most like the expected one.
func nearest(name string, want *ExpectedCall, got []call) (lines []string) {
	for i := range got {
		if got[i].Name != want.Name {
			continue
		}
		if diff := want.compare(name, &got[i]); lines == nil || len(diff) < len(lines) {
			lines = diff
		}
	}
	if lines == nil {
		return []string{fmt.Sprintf("- %s: %s", name, want.describe())}
	}
	return lines
}

// compare returns the differences of a call.
func (c *ExpectedCall) compare(path string, got *call) (lines []string) {
	if c.Name != got.Name {
		return []string{fmt.Sprintf("%s: %s → %s", path, c.describe(), got.describe())}
	}
	if _, given := c.node.Get("args"); given {
		lines = append(lines, mapLines(path+".args", c.Args, got.Args, docdiffLines)...)
	}
	if c.ArgsContain != nil {
		lines = append(lines, mapLines(path+".args", c.ArgsContain, got.Args, missing)...)
	}
	if c.ArgsSchema != nil {
		s, err := compile(c.ArgsSchema)
		if err != nil {
			return append(lines, path+".args_schema: "+err.Error())
		}
		lines = append(lines, misfits(path+".args", s, got.Args)...)
	}
	status, result := "", ""
	if got.result != nil {
		status, result = statusOf(got.result), got.result.Content.Text()
	}
	if c.Status != "" && c.Status != status {
		lines = append(lines, fmt.Sprintf("%s.status: %s → %s: %s", path, c.Status, orNone(status), shown(result)))
	}
	switch {
	case c.Result == nil:
	case got.result == nil:
		lines = append(lines, path+".result: the call has no result")
	default:
		lines = append(lines, c.Result.compare(path+".result", result)...)
	}
	return lines
}

func mapLines(path string, want map[string]any, got wire.Raw, compare func(path string, want, got wire.Raw) []string) []string {
	document, err := wire.MapOf(want)
	if err != nil {
		return []string{path + ": " + err.Error()}
	}
	return compare(path, document.Raw(), got)
}

// statusOf returns the status of the message of a tool, and "" for other messages.
func statusOf(m *abi.Message) string {
	switch {
	case m.Role != abi.RoleTool:
		return ""
	case m.Failed():
		return abi.StatusError
	default:
		return abi.StatusSuccess
	}
}

func orNone(status string) string {
	if status == "" {
		return "no result"
	}
	return status
}

// describe returns the call in one line.
func (c *call) describe() string {
	return docdiff.Clean(strings.TrimSpace(c.Name + " " + shownArgs(c.Args)))
}

func (c *ExpectedCall) describe() string {
	for _, args := range []map[string]any{c.Args, c.ArgsContain} {
		if document, err := wire.MapOf(args); err == nil && len(args) > 0 {
			return docdiff.Clean(c.Name + " " + shownArgs(document.Raw()))
		}
	}
	return docdiff.Clean(c.Name)
}

func shownArgs(args wire.Raw) string {
	if args.Len() == 0 {
		return ""
	}
	return text.Cut(args.JSON(), 200)
}
