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

// agentEntry is a tool that runs the agent of another manifest.
type agentEntry struct {
	File        string `yaml:"file"        strict:"required"` // the path of the agent's manifest, relative to this one
	Name        string `yaml:"name"        strict:"required"` // the name of the tool
	Description string `yaml:"description" strict:"required"` // the description of the tool for the model
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

// openAgent builds the agent of another manifest, which the entry at the place names. If that manifest keeps no threads, the agent uses
// the store of the calling agent, or memory, so that it can ask questions and continue after a crash.
func (at *toolPlace) openAgent(ctx context.Context, file string) (*Manifest, *Agent, error) {
	path := at.path(file)
	chain := append(slices.Clone(at.chain), absolute(path))
	if slices.Contains(at.chain, absolute(path)) {
		return nil, nil, at.node.Errorf("the agents use each other as tools in a circle: %s", strings.Join(chain, " → "))
	}
	inner, err := load(path, Options{
		LookupEnv: at.lookup, Engine: at.engine, Cache: at.cache, Recorder: at.recorder, InMemory: at.inMemory, MemoryStore: at.memoryStore,
		Unstarted: at.unstarted, Logins: at.loginStore, Waiting: at.waiting, EnvFile: at.envFile, Used: at.used, Tracer: at.tracer,
		Model: at.makeModel, Embedder: at.makeEmbedder, CopyOf: at.copyOf, copied: at.copied,
	}, chain)
	if err != nil {
		return nil, nil, located(at.node, err)
	}
	agent, err := inner.Build(ctx, at.logger, func(config *host.Config) {
		if config.Prices == nil {
			config.Prices = at.agent.Prices
		}
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

// absolute returns the absolute path of a file, so that different relative paths of one file compare equal.
func absolute(path string) string {
	out, err := filepath.Abs(path)
	if err != nil {
		return filepath.Clean(path)
	}
	return out
}
