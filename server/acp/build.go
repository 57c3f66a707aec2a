package acp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/tool/mcp"
)

// built is an agent with the tools of the editor.
type built struct {
	*Agent

	config  host.Config
	reviews bool // it has tools of the editor that a person is asked about
}

// models describes the agent's models, its own first.
func (b *built) models() []model.Info {
	infos := make([]model.Info, 0, 1+len(b.config.Models))
	infos = append(infos, b.config.Model.Info())
	for _, name := range slices.Sorted(maps.Keys(b.config.Models)) {
		infos = append(infos, b.config.Models[name].Info())
	}
	return infos
}

func (b *built) close() error { return b.Close() }

// reviewName is the name of the middleware that asks about the editor's tools. It differs from those of a manifest, whose names would otherwise
// get a suffix, so that threads could not be continued by other commands.
const reviewName = "editor_review"

// renamed is a middleware with another name.
type renamed struct {
	host.Middleware

	name string
}

func (r renamed) Name() string { return r.name }

// Unwrap returns the middleware, for [host.Unwrapped].
func (r renamed) Unwrap() host.Middleware { return r.Middleware }

// build builds the agent with the tools of the editor and those of MCP servers.
func (s *Server) build(ctx context.Context, servers []*mcp.Server) (*built, error) {
	free, reviewed := s.editorTools()
	fromServers, err := mcp.Join(servers...)
	if err != nil {
		return nil, err
	}
	for _, t := range fromServers {
		reviewed = append(reviewed, ownTool{t})
	}
	b := &built{reviews: len(reviewed) > 0}
	var names []string
	for _, t := range reviewed {
		names = append(names, t.Spec().Name)
	}
	more := slices.Concat(free, reviewed)
	b.Agent, err = s.config.Build(ctx, func(config *host.Config) {
		s.keepThreads(config)
		config.Tools = append(slices.Clip(config.Tools), more...)
		if refresh := config.RefreshTools; refresh != nil {
			config.RefreshTools = func(ctx context.Context) ([]host.Tool, error) {
				tools, err := refresh(ctx)
				if tools == nil {
					return nil, err
				}
				return append(slices.Clip(tools), more...), err
			}
		}
		config.State = append(slices.Clip(config.State), directoryField())
		if b.reviews {
			config.Middleware = append([]host.Middleware{renamed{s.config.Review(names), reviewName}}, config.Middleware...)
		}
		b.config = *config
	})
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if _, _, asks := b.Approvable(reviewName+".wrap_tool_call", name); !asks {
			return nil, errors.Join(fmt.Errorf("acp: the middleware of Config.Review does not ask about the tool %q; use human_in_the_loop", name), b.Close())
		}
	}
	return b, nil
}

// keepThreads lets all agents of the server have the same threads.
func (s *Server) keepThreads(config *host.Config) {
	s.mu.Lock()
	base := s.base
	s.mu.Unlock()
	switch {
	case base != nil && !base.Durable:
		config.Checkpointer = base.config.Checkpointer // which this process alone has
	case config.Checkpointer == nil:
		config.Checkpointer = memory.New()
	default: // all of them open the same database
		return
	}
	config.Durability = ""
}
