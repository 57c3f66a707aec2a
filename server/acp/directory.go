package acp

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
	"github.com/agenthost/agenthost/server/acp/internal/rpc"
)

// fieldName is the field in which a thread keeps the directory of its session, so that a client finds it again.
const fieldName = "editor_directory"

func directoryField() host.Field { return host.Field{Name: fieldName, HideOutput: true} }

// directoryOf returns the directory that a thread belongs to; "" if it was not begun by an editor.
func directoryOf(fields wire.Map) string {
	dir, _ := fields.Get(fieldName).AsString()
	return dir
}

// maxDirectories is how many directories a session may have.
const maxDirectories = 32

// directories checks the directories of a session. The first one is where relative paths begin.
func directories(params *protocol.SessionRequest) ([]string, error) {
	all := append([]string{params.Directory}, params.AdditionalDirectories...)
	if len(all) > maxDirectories {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "additionalDirectories: there are more than %d", maxDirectories-1)
	}
	for i, dir := range all {
		if !filepath.IsAbs(dir) || strings.ContainsRune(dir, 0) {
			return nil, rpc.Errorf(rpc.CodeInvalidParams, "the directory %q is not an absolute path", terminal.Line(dir))
		}
		all[i] = filepath.Clean(dir)
	}
	return all, nil
}

// path returns the absolute path of a file that a model named, which must be in a directory of the session, also if links on this machine are
// followed.
func (s *session) path(given string) (string, error) {
	if given == "" || strings.ContainsRune(given, 0) {
		return "", errors.New("the path is empty or not valid")
	}
	path := given
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.dirs[0], path)
	}
	path = filepath.Clean(path)
	target := followed(path)
	for _, dir := range s.dirs {
		if inside(dir, path) && inside(followed(dir), target) {
			return path, nil
		}
	}
	return "", fmt.Errorf("%q is not in a directory of the editor's project; use paths below %s", given, s.dirs[0])
}

// inside reports whether a path is a directory or below it.
func inside(dir, path string) bool {
	rest, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rest)
}

// followed follows links as far as the path exists on this machine.
func followed(path string) string {
	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		if target, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(target, rest)
		}
		parent := filepath.Dir(at)
		if parent == at {
			return path
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}
