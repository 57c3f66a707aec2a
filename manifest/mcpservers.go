package manifest

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool/mcp"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// mcpServers maps the entries of MCP servers to the connected servers.
type mcpServers map[*mcpEntry]*mcp.Server

// maxStarting is how many servers start at the same time.
const maxStarting = 8

// slowStart is how long servers may take to start before Options.Waiting is told.
const slowStart = 2 * time.Second

// start is the attempt to connect one server.
type start struct {
	entry  *toolEntry
	server *mcpEntry // the configuration of the entry
	config mcp.Config

	over      bool
	connected *mcp.Server
	err       error
}

// startServers connects the servers among these entries at the same time. The error names each server that failed; the others are then
// closed. For an agent that is only inspected it starts none.
func (m *Manifest) startServers(ctx context.Context, entries []*toolEntry, agent *host.Config, logger *slog.Logger) (mcpServers, error) {
	starts, err := m.starts(entries, agent, logger)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex // guards what the goroutines set in starts
	done := make(chan struct{})
	go func() {
		defer close(done)
		var group errgroup.Group
		group.SetLimit(maxStarting)
		for i := range starts {
			group.Go(func() error {
				connected, err := mcp.Connect(ctx, starts[i].config)
				mu.Lock()
				defer mu.Unlock()
				starts[i].over, starts[i].connected, starts[i].err = true, connected, err
				return nil
			})
		}
		_ = group.Wait() // the errors are in starts
	}()
	m.await(done, func() (names []string) {
		mu.Lock()
		defer mu.Unlock()
		for i := range starts {
			if !starts[i].over {
				names = append(names, starts[i].config.ServerName())
			}
		}
		return names
	})
	servers := mcpServers{}
	var errs []error
	for i := range starts {
		s := &starts[i]
		if s.err != nil {
			errs = append(errs, located(s.entry.node, s.err))
			continue
		}
		servers[s.server] = s.connected
	}
	switch {
	case len(errs) == 0:
		return servers, nil
	case ctx.Err() != nil:
		errs = []error{ctx.Err()}
	}
	servers.close()
	return nil, strictyaml.Join(errs...)
}

// starts lists the servers among the entries, in their order.
func (m *Manifest) starts(entries []*toolEntry, agent *host.Config, logger *slog.Logger) (starts []start, err error) {
	if m.inMemory {
		return nil, nil
	}
	for _, entry := range entries {
		if server, ok := entry.config.(*mcpEntry); ok {
			config, err := server.connection(m, agent, logger)
			if err != nil {
				return nil, err
			}
			starts = append(starts, start{entry: entry, server: server, config: config})
		}
	}
	return starts, nil
}

// await waits until the servers have started, and tells Options.Waiting once if that takes long.
func (m *Manifest) await(done <-chan struct{}, pending func() []string) {
	if m.waiting != nil {
		patience, stop := context.WithTimeout(context.Background(), slowStart)
		defer stop()
		select {
		case <-patience.Done():
			if names := pending(); len(names) > 0 {
				m.waiting(names)
			}
		case <-done:
		}
	}
	<-done
}

// inOrder returns the servers of these entries.
func (s mcpServers) inOrder(entries []*toolEntry) (servers []*mcp.Server) {
	for _, e := range entries {
		if entry, ok := e.config.(*mcpEntry); ok && s[entry] != nil {
			servers = append(servers, s[entry])
		}
	}
	return servers
}

// close closes all servers at the same time: each may need a while to end.
func (s mcpServers) close() {
	var closing sync.WaitGroup
	for _, server := range s {
		closing.Go(server.Close)
	}
	closing.Wait()
}
