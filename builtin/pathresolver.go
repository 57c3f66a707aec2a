package builtin

import "github.com/agenthost/agenthost/host"

// PathResolver is a configuration that names files or directories. In a manifest, relative paths are relative to the
// directory of the manifest, not to the working directory.
type PathResolver interface {
	// ResolvePaths returns a copy with resolved paths. It does not resolve empty paths and leaves the original unchanged,
	// because a manifest may be built several times.
	ResolvePaths(resolve func(path string) string) host.Middleware
}
