package builtin

import (
	"fmt"

	"github.com/agenthost/agenthost/builtin/internal/agentfiles"
	"github.com/agenthost/agenthost/host"
)

// fileSource is where a middleware reads files, at paths by which the tools of the filesystem middleware reach them too.
type fileSource struct {
	disk *agentfiles.Disk // nil: the state of the thread
}

// openFileSource opens the directory of a configuration; "" is the state.
func openFileSource(root string) (*fileSource, error) {
	if root == "" {
		return &fileSource{}, nil
	}
	disk, err := agentfiles.OpenDisk(root)
	if err != nil {
		return nil, fmt.Errorf("root: %w", err)
	}
	return &fileSource{disk}, nil
}

// install puts into hooks what the source needs of the agent.
func (s *fileSource) install(hooks *host.Hooks) {
	if s.disk == nil {
		hooks.State = append(hooks.State, agentfiles.Field.Field)
		return
	}
	hooks.Close = s.disk.Close
}

// files returns the files as a hook finds them.
func (s *fileSource) files(rt *host.Runtime) (agentfiles.Reader, error) {
	if s.disk != nil {
		return s.disk, nil
	}
	return new(agentfiles.State).At(rt, "")
}

// cleanPaths checks the paths of a list of files or directories. The example is a path such as these.
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

// ownField is the name of a field that a middleware alone uses: a second one in the agent has another.
func ownField(field, kind, name string) string {
	if suffix := name[min(len(kind), len(name)):]; suffix != "" {
		return field + suffix
	}
	return field
}
