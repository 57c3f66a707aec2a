package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/internal/filetext"
	"github.com/agenthost/agenthost/internal/text"
)

// FileSearch gives the model two tools to search a directory of the disk: glob_search finds files by their paths,
// grep_search finds lines by a regular expression.
//
// Paths begin with /, which means the directory root_path. Nothing outside this directory can be reached, and symbolic
// links are not followed, not even those that lead to another place in it. Results are sorted by path and have at most
// 80,000 characters. Binary files and everything below a directory named .git are not searched.
//
// Behaviour and texts are those of LangChain's FilesystemFileSearchMiddleware, with these differences. Regular expressions
// have RE2's syntax: features that only Python has, such as lookahead and backreferences, are rejected as invalid. A search
// ends after 30 seconds and returns what it has found so far. There is no use_ripgrep, because the program searches by itself;
// unlike ripgrep it also searches hidden files and files that .gitignore lists.
type FileSearch struct {
	// RootPath is the directory, which must exist. In a manifest it is relative to the manifest.
	RootPath string `yaml:"root_path" schema:"required"`
	// MaxFileSizeMB is the size of the largest file that is searched, in MiB, up to 1,024; 0: 10.
	MaxFileSizeMB int `yaml:"max_file_size_mb" schema:"default=10,min=1,max=1024"`
}

var fileSearchEntry = Entry{
	Name:    "file_search",
	Summary: "gives the model tools to find files and lines in a directory",
	Example: `- file_search:
    root_path: .
    max_file_size_mb: 5
`,
	New: func() host.Middleware { return &FileSearch{} },
}

const (
	globSearchDescription = `Finds files whose paths match a glob such as **/*.py, src/**/*.ts or *.{md,txt}.

The pattern is compared with the path below the directory path: *.py stands for files in it, **/*.py for files at any depth. Returns the paths, one a line.`

	grepSearchDescription = `Searches the lines of files for a regular expression (RE2 syntax; (?i) at its start ignores case).

include limits the files by their names, such as *.js or *.{ts,tsx}. output_mode says what is returned:
files_with_matches (paths, the default), content (path:line:text) or count (path:number).`
)

// globSearchArgs are the parameters of glob_search.
type globSearchArgs struct {
	Pattern string `json:"pattern" jsonschema:"The glob pattern to match files against."`
	Path    string `json:"path,omitempty" default:"/" jsonschema:"The directory to search in. If not specified, searches from root."`
}

// grepSearchArgs are the parameters of grep_search.
type grepSearchArgs struct {
	Pattern    string `json:"pattern" jsonschema:"The regular expression pattern to search for in file contents."`
	Path       string `json:"path,omitempty" default:"/" jsonschema:"The directory to search in. If not specified, searches from root."`
	Include    string `json:"include,omitempty" jsonschema:"File pattern to filter (e.g. *.js or *.{ts,tsx})."`
	OutputMode string `json:"output_mode,omitempty" enum:"files_with_matches,content,count" default:"files_with_matches" jsonschema:"Output format."`
}

const (
	maxFileSizeMB = 1024
	maxRegex      = 10_000 // bytes
)

// Name returns "file_search".
func (s FileSearch) Name() string { return "file_search" }

// ResolvePaths resolves the root.
func (s FileSearch) ResolvePaths(resolve func(path string) string) host.Middleware {
	if s.RootPath != "" {
		s.RootPath = resolve(s.RootPath)
	}
	return s
}

// Hooks checks the configuration and opens the directory.
func (s FileSearch) Hooks(context.Context, host.Env) (*host.Hooks, error) {
	switch {
	case s.RootPath == "":
		return nil, errors.New("root_path is missing; name the directory to search")
	case s.MaxFileSizeMB < 0 || s.MaxFileSizeMB > maxFileSizeMB:
		return nil, fmt.Errorf("max_file_size_mb must be 1 to %d, got %d", maxFileSizeMB, s.MaxFileSizeMB)
	}
	disk, err := backend.OpenDirectory(s.RootPath, backend.Options{RefuseLinks: true})
	if err != nil {
		return nil, fmt.Errorf("root_path: %w", err)
	}
	search := &diskSearch{disk: disk, maxFile: int64(cmp.Or(s.MaxFileSizeMB, 10)) << 20}
	return &host.Hooks{
		Tools: []host.Tool{
			tool.Func("glob_search", globSearchDescription, search.glob, tool.Idempotent()),
			tool.Func("grep_search", grepSearchDescription, search.grep, tool.Idempotent()),
		},
		Close: disk.Close,
	}, nil
}

// diskSearch is a [FileSearch] in its agent.
type diskSearch struct {
	disk    *backend.Directory
	maxFile int64
}

// directory returns the clean path of a directory to search, or false if the path is refused. A refused path gives the same
// result as an empty directory.
func (*diskSearch) directory(given string) (string, bool) {
	if strings.Contains(given, "..") || strings.Contains(given, "~") {
		return "", false
	}
	name, err := backend.Clean(rootIfEmpty(given))
	return name, err == nil
}

func (s *diskSearch) glob(ctx context.Context, in globSearchArgs) (*host.ToolOutput, error) {
	const nothing = "No files found"
	dir, ok := s.directory(in.Path)
	if !ok {
		return host.TextOutput(nothing), nil
	}
	glob, err := filetext.ParseGlob(strings.TrimPrefix(strings.TrimLeft(in.Pattern, "/"), "./"))
	if err != nil {
		return failedOutput("Error: " + globError(err).Error()), nil
	}
	limited, cancel := context.WithTimeoutCause(ctx, maxSearchTime, errSearchTime)
	defer cancel()
	var found []string
	chars := 0
	stopped, err := s.disk.Walk(limited, dir, func(info backend.Info) bool {
		if glob.Match(backend.Relative(dir, info.Path)) {
			found = append(found, filetext.OneLine(info.Path))
			chars += len(info.Path) + 1
		}
		return chars <= 4*maxListChars
	})
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case limited.Err() != nil:
		stopped = true
	case err != nil, len(found) == 0 && !stopped:
		return host.TextOutput(nothing), nil
	}
	slices.Sort(found)
	text := cutList(strings.Join(found, "\n"))
	if stopped {
		text += "\n\n" + searchStoppedText
	}
	return host.TextOutput(strings.TrimLeft(text, "\n")), nil
}

// searchStoppedText ends an incomplete result.
const searchStoppedText = "[the search stopped before the end: there is too much to search; name a directory]"

func (s *diskSearch) grep(ctx context.Context, in grepSearchArgs) (*host.ToolOutput, error) {
	const nothing = "No matches found"
	if len(in.Pattern) > maxRegex {
		return failedOutput(fmt.Sprintf("Invalid regex pattern: it has more than %d bytes", maxRegex)), nil
	}
	pattern, err := regexp.Compile(in.Pattern)
	if err != nil {
		return failedOutput("Invalid regex pattern: " + strings.TrimPrefix(err.Error(), "error parsing regexp: ")), nil
	}
	include := func(string) bool { return true }
	if in.Include != "" {
		glob, err := filetext.ParseGlob(in.Include)
		if err != nil || strings.ContainsAny(in.Include, "\x00\r\n") {
			return failedOutput("Invalid include pattern"), nil //nolint:nilerr // the model is told
		}
		include = func(name string) bool { return glob.Match(path.Base(name)) }
	}
	dir, ok := s.directory(in.Path)
	if !ok {
		return host.TextOutput(nothing), nil
	}
	search := lineSearch{
		files: s.disk, maxFile: s.maxFile,
		match: func(ctx context.Context, line []byte) bool { return text.Find(ctx, pattern, line) != nil },
		include: func(info backend.Info) bool {
			return include(info.Path) && !slices.Contains(strings.Split(info.Path, "/"), ".git")
		},
	}
	found, stopped, err := search.run(ctx, dir)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil, len(found) == 0 && !stopped:
		return host.TextOutput(nothing), nil //nolint:nilerr // LangChain's behaviour
	}
	text := cutList(showFoundLines(found, in.OutputMode))
	if stopped {
		text += "\n\n" + searchStoppedText
	}
	return host.TextOutput(strings.TrimLeft(text, "\n")), nil
}

// showFoundLines formats matches for one of the modes of grep_search.
func showFoundLines(found []lineMatch, mode string) string {
	var out []string
	switch mode {
	case "content":
		slices.SortStableFunc(found, func(a, b lineMatch) int { return strings.Compare(a.path, b.path) })
		for _, m := range found {
			out = append(out, fmt.Sprintf("%s:%d:%s", filetext.OneLine(m.path), m.line, m.text))
		}
	case "count":
		counts := map[string]int{}
		for _, m := range found {
			counts[filetext.OneLine(m.path)]++
		}
		for name, n := range counts {
			out = append(out, fmt.Sprintf("%s:%d", name, n))
		}
		slices.Sort(out)
	default:
		for _, m := range found {
			out = append(out, filetext.OneLine(m.path))
		}
		slices.Sort(out)
		out = slices.Compact(out)
	}
	return strings.Join(out, "\n")
}
