package backend

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/agenthost/agenthost/host"
)

// Executor runs scripts in a sandbox, such as a container or another machine. It is the execute of deepagents'
// SandboxBackendProtocol.
type Executor interface {
	// Execute runs a script of POSIX sh, whose stdin is empty, and returns what it has written to stdout. What it writes to stderr
	// may be mixed in. The script ends with the context if the sandbox can do that. A script has up to 12 MiB and writes up to
	// [MaxExecuted] bytes, in lines of ASCII characters. Execute is safe for concurrent use. The error says that the script did
	// not run to its end; what the script itself reports is not an error.
	Execute(ctx context.Context, script string) (Executed, error)
}

// Executed is how a script ended.
type Executed struct {
	Output   string
	ExitCode int
}

// MaxExecuted is how many bytes of a script's output a [Sandbox] needs. An [Executor] may cut off the rest.
const MaxExecuted = 16 << 20

// Sandbox is a directory in a sandbox that an [Executor] reaches, deepagents' BaseSandbox. All operations are scripts for a POSIX
// shell, so the sandbox needs no Python: only sh, and base64, chmod, chown, dd, find, grep, head, mkdir, mv, readlink, rm, stat and
// tr, as coreutils, findutils and busybox have them. The stat of macOS differs, so a Mac cannot be the sandbox.
//
// Other processes of the sandbox may change its files at any time. Nothing outside of Root is reached through symbolic links that
// stand still; a process that moves links meanwhile can lead an operation elsewhere in the sandbox, and never out of it. Everything
// that the sandbox answers is checked and bounded. Lists leave out names that no path can have, such as names with line breaks, and a
// walk of the root of the file system leaves out /proc, /sys and /dev.
type Sandbox struct {
	Root     string   // the directory, an absolute path in the sandbox that must exist when a file is used
	Executor Executor // required
}

// Open checks the root. It does not reach for the sandbox yet.
func (s Sandbox) Open(_ context.Context, _ host.Env, o Options) (*Opened, error) {
	switch {
	case s.Executor == nil:
		return nil, errors.New("sandbox: the executor is missing")
	case !strings.HasPrefix(s.Root, "/") || strings.ContainsFunc(s.Root, isControl) || len(s.Root) > maxPath:
		return nil, errors.New("sandbox: the root must be an absolute path in the sandbox, such as /workspace")
	}
	return openedOf(&sandboxFiles{executor: s.Executor, root: path.Clean(s.Root), refuseLinks: o.RefuseLinks}), nil
}
