package manifest

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/tool"
)

// agentEntry is an agent of another manifest, as a tool.
type agentEntry struct {
	File        string `yaml:"file"        strict:"required"` // the manifest of the agent
	Name        string `yaml:"name"        strict:"required"` // name of the tool
	Description string `yaml:"description" strict:"required"` // what the model is told of it
}

// build makes the tool.
func (e *agentEntry) build(ctx context.Context, at *toolPlace) ([]host.Tool, func() error, error) {
	node, _ := at.node.Get("file")
	file := *at
	file.node = node
	_, agent, err := file.openAgent(ctx, e.File)
	if err != nil {
		return nil, nil, err
	}
	made, err := tool.Agent(e.Name, e.Description, agent.Agent)
	if err != nil {
		return nil, nil, errors.Join(located(node, err), agent.Close())
	}
	return []host.Tool{made}, agent.Close, nil
}

// openAgent builds the agent of another manifest, which the entry at the place names. If that manifest keeps no threads, they are
// kept where the calling agent keeps its own, or in memory, so that the agent can ask questions and goes on after a crash.
func (at *toolPlace) openAgent(ctx context.Context, file string) (*Manifest, *Agent, error) {
	path := at.path(file)
	chain := append(slices.Clone(at.chain), absolute(path))
	if slices.Contains(at.chain, absolute(path)) {
		return nil, nil, at.node.Errorf("the agents are tools of each other without end: %s", strings.Join(chain, " → "))
	}
	inner, err := load(path, Options{LookupEnv: at.lookup, Engine: at.engine, Recorder: at.recorder, InMemory: at.inMemory}, chain)
	if err != nil {
		return nil, nil, located(at.node, err)
	}
	agent, err := inner.Build(ctx, at.logger, func(config *host.Config) {
		if config.Checkpointer == nil {
			config.Checkpointer = at.agent.Checkpointer
		}
		if config.Checkpointer == nil {
			config.Checkpointer = memory.New()
		}
	})
	if err != nil {
		return nil, nil, located(at.node, err)
	}
	return inner, agent, nil
}

// absolute returns a path that is equal for equal files.
func absolute(path string) string {
	out, err := filepath.Abs(path)
	if err != nil {
		return filepath.Clean(path)
	}
	return out
}
