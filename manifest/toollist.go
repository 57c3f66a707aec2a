package manifest

import (
	"context"
	"errors"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/agenthost/agenthost/host"
)

// toolList holds the tools that the entries of a manifest made, entry by entry.
type toolList struct {
	manifest *Manifest
	servers  mcpServers
	made     [][]host.Tool // for each entry of tools; those of servers are read anew
}

// tools returns all tools in the order of the manifest. It refuses a tool of an MCP server that has the name of another tool.
func (l *toolList) tools() ([]host.Tool, error) {
	all, names := []host.Tool{}, toolNames{}
	for i, tools := range l.made {
		e := &l.manifest.Tools[i]
		if server, ok := e.config.(*mcpEntry); ok && l.servers[server] != nil {
			tools = l.servers[server].Tools()
		}
		if err := names.add(l.manifest, e, tools); err != nil {
			return nil, err
		}
		all = append(all, tools...)
	}
	return all, nil
}

// refresh follows the changes that the servers have announced. A server that fails keeps its tools.
func (l *toolList) refresh(ctx context.Context) ([]host.Tool, error) {
	failed := l.servers.refresh(ctx)
	tools, err := l.tools()
	return tools, errors.Join(failed, err)
}

// refresh asks the servers at the same time for the tools that they announced. The error names each server that failed.
func (s mcpServers) refresh(ctx context.Context) error {
	var group errgroup.Group
	group.SetLimit(maxStarting)
	failed := make(chan error, len(s))
	for _, server := range s {
		group.Go(func() error {
			if err := server.Refresh(ctx); err != nil {
				failed <- err
			}
			return nil
		})
	}
	_ = group.Wait() // the errors are in failed
	close(failed)
	var errs []error
	for err := range failed {
		errs = append(errs, err)
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}
