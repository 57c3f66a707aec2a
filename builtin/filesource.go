package builtin

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
)

// fileSource is where a middleware keeps or reads files. The paths are those that the tools of the filesystem middleware use too.
type fileSource struct{ opened *backend.Opened }

// openFileSource opens the backend of a configuration. root is the short form for a directory of the disk; without both, files
// are in the state.
func openFileSource(ctx context.Context, env *host.Env, root string, given FileBackend, o backend.Options) (*fileSource, error) {
	key, from := "backend", given.Backend
	switch {
	case root != "" && from != nil:
		return nil, errors.New("root and backend exclude each other; root is short for {type: filesystem, root_dir: …}")
	case root != "":
		key, from = "root", backend.Disk{Root: root}
	case from == nil:
		from = backend.State{}
	}
	opened, err := from.Open(ctx, *env, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	return &fileSource{opened}, nil
}

// install adds to hooks what the source needs.
func (s *fileSource) install(hooks *host.Hooks) {
	hooks.State = append(hooks.State, s.opened.State...)
	hooks.End, hooks.Close = s.opened.End, s.opened.Close
}

// close releases the files of a middleware that is not used after all.
func (s *fileSource) close() error {
	if s.opened.Close == nil {
		return nil
	}
	return s.opened.Close()
}

// files returns the files as a hook sees them.
func (s *fileSource) files(rt *host.Runtime) (backend.Reader, error) { return s.opened.At(rt, "") }

// cleanPaths checks a list of paths under a key of the configuration. The example is a valid path.
func cleanPaths(key, example string, given []string) ([]string, error) {
	if len(given) == 0 {
		return nil, fmt.Errorf("%s is missing; give it at least one path, such as %s", key, example)
	}
	clean := make([]string, len(given))
	for i, path := range given {
		var err error
		if clean[i], err = backend.Clean(path); err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", key, i, err)
		}
	}
	return clean, nil
}

// ownField returns the name of a field that only this middleware uses. A second middleware of the kind gets another name.
func ownField(field, kind, name string) string {
	if suffix := name[min(len(kind), len(name)):]; suffix != "" {
		return field + suffix
	}
	return field
}
