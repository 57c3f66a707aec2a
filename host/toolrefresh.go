package host

import (
	"context"
	"fmt"
	"slices"
)

// renewTools builds the agent with the tools that Config.RefreshTools returns, if they are others than before. Only renew calls it. The
// middleware goes on, except that which depends on the tools. If the run that begins is cancelled meanwhile, the next one tries again.
func (a *Agent) renewTools(ctx context.Context) (notices []string) {
	a.mu.Lock()
	old := a.present
	a.mu.Unlock()
	if old.config.RefreshTools == nil {
		return nil
	}
	tools, err := refreshTools(ctx, &old.config)
	if err != nil {
		notices = append(notices, fmt.Sprintf("the agent's tools could not be read again, and the run goes on with those that are known: %v", err))
	}
	if tools == nil || slices.EqualFunc(tools, old.config.Tools, sameTool) {
		return notices
	}
	config := old.config
	config.Tools = slices.Clone(tools)
	kept := map[int]*boundMiddleware{}
	for i, m := range old.middleware {
		if !m.hooks.UsesTools {
			kept[i] = m
		}
	}
	if err := a.rebuild(ctx, old, config, kept); err != nil {
		notices = append(notices, fmt.Sprintf("the agent's tools changed, and the run goes on without the change: %v", err))
	}
	return notices
}

// refreshTools calls Config.RefreshTools; a panic becomes a [*PanicError].
func refreshTools(ctx context.Context, config *Config) (tools []Tool, err error) {
	defer catchPanic(&err)
	return config.RefreshTools(ctx)
}
