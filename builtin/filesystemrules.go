package builtin

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/agenthost/agenthost/host/backend"
	"github.com/agenthost/agenthost/internal/filetext"
)

// FilePermission is a rule of [Filesystem].
type FilePermission struct {
	// Operations are "read" (ls, read_file, glob, grep) and "write" (write_file, edit_file, delete). An edit also reads.
	Operations []string `yaml:"operations" schema:"enum=read|write"`
	// Paths are globs that begin with a slash, such as /secrets/** for a directory and everything below it.
	Paths []string `yaml:"paths"`
	// Mode is what happens to a call: "allow" (or ""); "deny", which answers it with an error; or "interrupt", which asks a human
	// in the form that human_in_the_loop uses for one call. The human may approve, reject or respond.
	Mode string `yaml:"mode" schema:"default=allow,enum=allow|deny|interrupt"`
}

// fileMode is the effect of a rule.
type fileMode string

const (
	fileAllow     fileMode = "allow"
	fileDeny      fileMode = "deny"
	fileInterrupt fileMode = "interrupt"
)

// The operations of rules.
const (
	fileRead  = "read"
	fileWrite = "write"
)

// fileRules are checked permissions.
type fileRules struct {
	rules []fileRule
	fold  bool // paths that differ only in case are the same
}

type fileRule struct {
	operations []string
	globs      []filetext.Glob
	mode       fileMode
}

func compileFileRules(given []FilePermission, fold bool) (fileRules, error) {
	out := fileRules{fold: fold}
	for i, p := range given {
		rule := fileRule{operations: p.Operations, mode: fileMode(p.Mode)}
		switch rule.mode {
		case "":
			rule.mode = fileAllow
		case fileAllow, fileDeny, fileInterrupt:
		default:
			return out, fmt.Errorf("permissions[%d].mode is %q; use allow, deny or interrupt", i, p.Mode)
		}
		if len(p.Operations) == 0 || len(p.Paths) == 0 {
			return out, fmt.Errorf("permissions[%d] needs both operations and paths", i)
		}
		for _, operation := range p.Operations {
			if operation != fileRead && operation != fileWrite {
				return out, fmt.Errorf("permissions[%d].operations has %q; use read or write", i, operation)
			}
		}
		for _, pattern := range p.Paths {
			glob, err := parseRulePath(pattern, fold)
			if err != nil {
				return out, fmt.Errorf("permissions[%d].paths: %w", i, err)
			}
			rule.globs = append(rule.globs, glob)
		}
		out.rules = append(out.rules, rule)
	}
	return out, nil
}

func parseRulePath(pattern string, fold bool) (filetext.Glob, error) {
	parts := strings.Split(strings.ReplaceAll(pattern, `\`, "/"), "/")
	switch {
	case !strings.HasPrefix(pattern, "/"):
		return filetext.Glob{}, fmt.Errorf("Permission path must start with '/': '%s'", pattern) //nolint:staticcheck // the text is deepagents'
	case slices.Contains(parts, ".."):
		return filetext.Glob{}, fmt.Errorf("Permission path must not contain '..': '%s'", pattern) //nolint:staticcheck // the text is deepagents'
	case slices.Contains(parts, "~"):
		return filetext.Glob{}, fmt.Errorf("Permission path must not contain '~': '%s'", pattern) //nolint:staticcheck // the text is deepagents'
	case fold:
		pattern = folded(pattern)
	}
	if pattern != "/" {
		pattern = strings.TrimSuffix(pattern, "/")
	}
	glob, err := filetext.ParseGlob(pattern)
	return glob, globError(err)
}

// folded returns a text that is the same for all paths that differ only in case. Disks fold more letters than
// strings.ToLower does: to them, ſecrets is secrets.
func folded(text string) string {
	return strings.ToLower(strings.Map(func(c rune) rune {
		first := c
		for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
			first = min(first, other)
		}
		return first
	}, text))
}

// mode returns the effect of the first rule about an operation and a path.
func (r *fileRules) mode(operation, name string) fileMode {
	mode, _ := r.decide(operation, name)
	return mode
}

// decide also returns the glob that matched.
func (r *fileRules) decide(operation, name string) (fileMode, string) {
	if r.fold {
		name = folded(name)
	}
	for i := range r.rules {
		rule := &r.rules[i]
		if !slices.Contains(rule.operations, operation) {
			continue
		}
		for _, glob := range rule.globs {
			if glob.Match(name) {
				return rule.mode, glob.String()
			}
		}
	}
	return fileAllow, ""
}

// removal is the effect of the rules on removing a file or directory.
type removal struct {
	mode   fileMode
	denied []string // the globs that forbid it
}

func (r *removal) add(mode fileMode, glob string) {
	switch {
	case mode == fileDeny:
		r.mode = fileDeny
		if !slices.Contains(r.denied, glob) {
			r.denied = append(r.denied, glob)
		}
	case mode == fileInterrupt && r.mode == fileAllow:
		r.mode = fileInterrupt
	}
}

// removing judges a path. For a directory, it also judges the directories above it, all files in it, and all rules about
// single paths in it, whether these exist or not.
func (r *fileRules) removing(target string, directory bool, files []string) removal {
	out := removal{mode: fileAllow}
	add := func(name string) { out.add(r.decide(fileWrite, name)) }
	add(target)
	if !directory {
		return out
	}
	for dir := path.Dir(target); dir != "/"; dir = path.Dir(dir) {
		add(dir)
	}
	seen := map[string]bool{}
	for _, file := range files {
		for name := file; name != target && backend.Within(target, name) && !seen[name]; name = path.Dir(name) {
			seen[name] = true
			add(name)
		}
	}
	if r.fold {
		target = folded(target) // the globs are folded too
	}
	for i := range r.rules {
		rule := &r.rules[i]
		if rule.mode == fileAllow || !slices.Contains(rule.operations, fileWrite) {
			continue
		}
		for _, glob := range rule.globs {
			if glob.IsLiteral() && backend.Within(target, glob.String()) {
				out.add(r.decide(fileWrite, glob.String()))
			}
		}
	}
	return out
}
