package main

import (
	"context"
	"sync"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
)

// toolLister lists the tools of an agent, including those of its middleware.
type toolLister struct {
	mu    sync.Mutex
	own   []host.Tool
	names []string // of the middleware, in order
	of    map[string][]host.Tool
}

// watch records the tools when the agent is built, when its own tools are refreshed, and whenever a middleware is rebuilt.
func (l *toolLister) watch(config *host.Config) {
	l.mu.Lock()
	l.own, l.names, l.of = config.Tools, nil, map[string][]host.Tool{}
	l.mu.Unlock()
	if refresh := config.RefreshTools; refresh != nil {
		config.RefreshTools = func(ctx context.Context) ([]host.Tool, error) {
			tools, err := refresh(ctx)
			if tools != nil {
				l.mu.Lock()
				defer l.mu.Unlock()
				l.own = tools
			}
			return tools, err
		}
	}
	for i, m := range config.Middleware {
		config.Middleware[i] = &watchedMiddleware{m, l}
	}
}

func (l *toolLister) list() []abi.ToolSpec {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []abi.ToolSpec
	for _, tool := range l.own {
		out = append(out, tool.Spec())
	}
	for _, name := range l.names {
		for _, tool := range l.of[name] {
			out = append(out, tool.Spec())
		}
	}
	return out
}

// watchedMiddleware records the tools of a middleware.
type watchedMiddleware struct {
	host.Middleware
	by *toolLister
}

// Unwrap returns the middleware itself, which subagents look for: they inherit reviews.
func (w *watchedMiddleware) Unwrap() host.Middleware { return w.Middleware }

// Hooks returns the hooks and records their tools.
func (w *watchedMiddleware) Hooks(ctx context.Context, env host.Env) (*host.Hooks, error) {
	hooks, err := w.Middleware.Hooks(ctx, env)
	if err != nil {
		return nil, err
	}
	w.by.mu.Lock()
	defer w.by.mu.Unlock()
	if _, again := w.by.of[env.Name]; !again {
		w.by.names = append(w.by.names, env.Name)
	}
	w.by.of[env.Name] = hooks.Tools
	return hooks, nil
}
