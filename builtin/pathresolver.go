package builtin

import "github.com/agenthost/agenthost/host"

// PathResolver is a configuration that names files or directories. In a manifest they are relative to the directory of the
// manifest, and not to where the program was started.
type PathResolver interface {
	// ResolvePaths returns a copy whose paths are those that resolve says. It asks about no path that is empty, and leaves
	// itself as it is: a manifest may be built several times.
	ResolvePaths(resolve func(path string) string) host.Middleware
}
