package files

import (
	"context"
	"io/fs"
	"strings"

	"github.com/agenthost/agenthost/internal/rootdir"
)

// maxVisited bounds how many entries one call looks at.
const maxVisited = 100_000

// walk calls visit with the path below the root and the one below dir. It ends early, without an error, when visit says no.
func (r *Root) walk(ctx context.Context, dir string, visit func(name, relative string, entry fs.DirEntry) bool) (rootdir.Walk, error) {
	return r.root.Walk(ctx, dir, maxVisited, func(name string, entry fs.DirEntry) bool {
		relative := name
		if dir != "." {
			relative = strings.TrimPrefix(name, dir+"/")
		}
		return visit(name, relative, entry)
	})
}
