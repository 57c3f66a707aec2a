package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
	"github.com/agenthost/agenthost/internal/filetext"
	"github.com/agenthost/agenthost/internal/lazyregexp"
)

const (
	lsDescription = `Lists the files and directories of a directory. Directories end with a slash.

Use it to look around before you read or edit files.`

	globDescription = `Finds files whose paths match a glob, and returns absolute paths.

* stands for any characters between two slashes, ** for any directories, ? for one character, [abc] for one of a set and
{a,b} for either, as in *.py, src/**/*.py and *.{yml,yaml}.

A pattern without / is compared with the names of files at any depth below path (*.py matches src/app/main.py). One with /
is compared with the path relative to path (src/**/*.py). A leading / begins at path (/*.py matches only files in it).

Names that begin with a dot match only if their part of the pattern does too (.env, .github/**/*.yml).`

	grepDescription = `Searches files for a LITERAL text (NOT a regular expression).

Every character of the pattern stands for itself: grep(pattern="foo|bar") looks for the text "foo|bar". To find one of several texts, search for each.

output_mode says what is returned: the paths of files that match (files_with_matches), their matching lines with numbers
(content) or how many there are in each (count).

Results of tools that were too large are in files below /large_tool_results: search there too.`
)

// lsArgs are the parameters of ls.
type lsArgs struct {
	Path string `json:"path" jsonschema:"Absolute path to the directory to list. Must be absolute, not relative."`
}

// globArgs are the parameters of glob.
type globArgs struct {
	Pattern string `json:"pattern" jsonschema:"Glob pattern to match files (e.g. *.py or **/*.py or /subdir/**/*.md)."`
	Path    string `json:"path,omitempty" jsonschema:"Base directory to search from. Defaults to the root."`
}

// grepArgs are the parameters of grep.
type grepArgs struct {
	Pattern    string `json:"pattern" jsonschema:"Text pattern to search for (literal string, not regex)."`
	Path       string `json:"path,omitempty" jsonschema:"Directory to search in. Defaults to the root."`
	Glob       string `json:"glob,omitempty" jsonschema:"Glob pattern (NOT regex) limiting which files are searched, such as *.py or src/**/*.py."`
	OutputMode string `json:"output_mode,omitempty" enum:"files_with_matches,content,count" default:"files_with_matches" jsonschema:"What to return."`
	MaxCount   int    `json:"max_count,omitempty" min:"1" jsonschema:"Optional cap on the total number of matches returned across all files."`
}

// maxGlobTime is how long a glob may take.
const maxGlobTime = 10 * time.Second

// errGlobTime is the cause of a glob's end after maxGlobTime. The text is deepagents'.
var errGlobTime = errors.New("glob timed out after 10.0s. Try a more specific pattern or a narrower path.") //nolint:revive,staticcheck // deepagents' text

func (c *fileCall) ls(ctx context.Context, in lsArgs) (*host.ToolOutput, error) {
	dir, err := c.path(in.Path, fileRead)
	if err != nil {
		return nil, err
	}
	infos, err := c.files.List(ctx, dir)
	if err != nil && !backend.Is(err, backend.NotFound) && !backend.Is(err, backend.NotDir) {
		return nil, err
	}
	return c.list(infos)
}

// list returns paths as a JSON list. It asks a human first if a rule about one of the paths requires it.
func (c *fileCall) list(infos []backend.Info) (*host.ToolOutput, error) {
	paths, chars := make([]string, 0, len(infos)), 0
	mustAsk := false
	for _, info := range infos {
		shows, asks := c.readable(info.Path)
		if !shows {
			continue
		}
		mustAsk = mustAsk || asks
		name := strings.ToValidUTF8(info.Path, "\uFFFD") // names on a disk may be invalid UTF-8
		if info.Dir {
			name += "/"
		}
		paths = append(paths, name)
		chars += utf8.RuneCountInString(name)
	}
	if mustAsk {
		if err := c.ask(); err != nil {
			return nil, err
		}
	}
	if len(paths) == 0 {
		return host.TextOutput("No files found"), nil
	}
	if chars > maxListChars {
		paths = append(paths[:len(paths)*maxListChars/chars], truncatedList)
	}
	raw, err := wire.Of(paths)
	if err != nil {
		return nil, err
	}
	return host.TextOutput(raw.JSON()), nil
}

// rootIfEmpty returns the path of a search, which is the root by default.
func rootIfEmpty(path string) string {
	if path == "" {
		return "/"
	}
	return path
}

// globError adds deepagents' words to the error of a malformed pattern.
func globError(err error) error {
	if problem, ok := errors.AsType[filetext.GlobError](err); ok {
		return fmt.Errorf("Invalid glob pattern: %w", problem) //nolint:staticcheck // the text is deepagents'
	}
	return err
}

func (c *fileCall) glob(ctx context.Context, in globArgs) (*host.ToolOutput, error) {
	dir, err := c.path(rootIfEmpty(in.Path), fileRead)
	if err != nil {
		return nil, err
	}
	glob, err := filetext.ParseSearchGlob(in.Pattern)
	if err != nil {
		return nil, globError(err)
	}
	glob = glob.Strict()
	limited, cancel := context.WithTimeoutCause(ctx, maxGlobTime, errGlobTime)
	defer cancel()
	var infos []backend.Info
	stopped, err := c.files.Walk(limited, dir, func(info backend.Info) bool {
		if glob.Match(backend.Relative(dir, info.Path)) {
			infos = append(infos, info)
		}
		return true
	})
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case limited.Err() != nil:
		return nil, errGlobTime
	case err != nil && !backend.Is(err, backend.NotFound):
		return nil, err
	}
	output, err := c.list(infos)
	if err == nil && stopped {
		output = host.TextOutput(output.Content.Text() + fmt.Sprintf("\n\nNote: the search stopped after %d files and directories. "+
			"The paths above are valid but incomplete. Narrow the search (a narrower path) to see the rest.", backend.MaxVisited))
	}
	return output, err
}

// These notes are deepagents'.
const (
	grepStoppedText = "Note: the search stopped early (it hit its time limit or the maximum match count). The matches above are valid " +
		"but incomplete. Narrow the search (a more specific pattern or a narrower path), or raise max_count, to see the rest."
	grepLiteralText = "Note: grep matches literal text, not regex, so characters like `|`, `.*`, and `\\.` are searched verbatim. " +
		"Search for the literal text you need instead; for `|` alternation, run a separate search per alternative."
)

// looksLikeRegex matches texts that are common in regular expressions and rare elsewhere.
var looksLikeRegex = lazyregexp.New(`\||\.\*|\.\+|\\[.wWdDsSbB(){}\[\]|+*?^$]`)

func (c *fileCall) grep(ctx context.Context, in grepArgs) (*host.ToolOutput, error) {
	dir, err := c.path(rootIfEmpty(in.Path), fileRead)
	if err != nil {
		return nil, err
	}
	include := func(string) bool { return true }
	if in.Glob != "" {
		glob, err := filetext.ParseSearchGlob(in.Glob)
		if err != nil {
			return nil, globError(err)
		}
		include = glob.Strict().Match
	}
	search := lineSearch{
		files: c.files, text: in.Pattern, maxFile: backend.MaxFile, most: c.matches,
		match: func(_ context.Context, line []byte) bool { return bytes.Contains(line, []byte(in.Pattern)) },
		include: func(info backend.Info) bool {
			shows, _ := c.readable(info.Path)
			return shows && include(backend.Relative(dir, info.Path))
		},
	}
	if in.MaxCount > 0 {
		search.most = in.MaxCount
	}
	found, stopped, err := search.run(ctx, dir)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(found, func(m lineMatch) bool { _, asks := c.readable(m.path); return asks }) {
		if err := c.ask(); err != nil {
			return nil, err
		}
	}
	text := cutList(showMatches(found, in.OutputMode))
	switch {
	case stopped:
		text += "\n\n" + grepStoppedText
	case len(found) == 0 && looksLikeRegex().MatchString(in.Pattern):
		text += "\n\n" + grepLiteralText
	}
	return host.TextOutput(text), nil
}

// showMatches formats matches for one of the modes of grep, sorted by path.
func showMatches(found []lineMatch, mode string) string {
	if len(found) == 0 {
		return "No matches found"
	}
	slices.SortStableFunc(found, func(a, b lineMatch) int { return strings.Compare(a.path, b.path) })
	var out []string
	for i := 0; i < len(found); {
		end := i
		for end < len(found) && found[end].path == found[i].path {
			end++
		}
		name := filetext.OneLine(found[i].path)
		switch mode {
		case "content":
			out = append(out, name+":")
			for _, m := range found[i:end] {
				out = append(out, fmt.Sprintf("  %d: %s", m.line, m.text))
			}
		case "count":
			out = append(out, fmt.Sprintf("%s: %d", name, end-i))
		default:
			out = append(out, name)
		}
		i = end
	}
	return strings.Join(out, "\n")
}
