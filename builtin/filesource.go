package builtin

import (
	"fmt"

	"github.com/agenthost/agenthost/builtin/internal/agentfiles"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/rootdir"
)

// fileSource is where a middleware reads files. The paths are those that the tools of the filesystem middleware use too.
type fileSource struct {
	disk *agentfiles.Disk // nil means the state of the thread
}

// openFileSource opens the directory of a configuration; "" means the state.
func openFileSource(root string, links rootdir.Links) (*fileSource, error) {
	if root == "" {
		return &fileSource{}, nil
	}
	disk, err := agentfiles.OpenDisk(root, links)
	if err != nil {
		return nil, fmt.Errorf("root: %w", err)
	}
	return &fileSource{disk}, nil
}

// install adds to hooks what the source needs.
func (s *fileSource) install(hooks *host.Hooks) {
	if s.disk == nil {
		hooks.State = append(hooks.State, agentfiles.Field.Field)
		return
	}
	hooks.Close = s.disk.Close
}

// files returns the files as a hook sees them.
func (s *fileSource) files(rt *host.Runtime) (agentfiles.Reader, error) {
	if s.disk != nil {
		return s.disk, nil
	}
	return new(agentfiles.State).At(rt, "")
}

// cleanPaths checks a list of paths under a key of the configuration. The example is a valid path.
func cleanPaths(key, example string, given []string) ([]string, error) {
	if len(given) == 0 {
		return nil, fmt.Errorf("%s is missing; give it at least one path, such as %s", key, example)
	}
	clean := make([]string, len(given))
	for i, path := range given {
		var err error
		if clean[i], err = agentfiles.Clean(path); err != nil {
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
