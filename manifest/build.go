package manifest

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/ratelimit"
	"github.com/agenthost/agenthost/host/tool/mcp"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// Agent is an agent that was built from a manifest. The caller must close it.
type Agent struct {
	*host.Agent

	Description string // description in the manifest

	Threads checkpoint.Store // the store of the manifest's threads, which is closed with the agent; nil: threads are not kept
	Durable bool             // the threads outlast the process

	// Servers are the MCP servers of the manifest's tools, in its order, such as for their prompts. They are closed with the agent. Of an
	// agent that is only inspected there are none.
	Servers []*mcp.Server

	closers []func() error
}

// Close closes the agent, the resources of its tools, and the store of its threads.
func (a *Agent) Close() error {
	var errs []error
	if a.Agent != nil {
		errs = append(errs, a.Agent.Close())
	}
	for _, closer := range slices.Backward(a.closers) { // tools use the store of threads
		errs = append(errs, closer())
	}
	return errors.Join(errs...)
}

// Build builds the agent that the manifest describes; adjust, which may be nil, may change its configuration first. An error
// about an entry of the manifest shows its place.
func (m *Manifest) Build(ctx context.Context, logger *slog.Logger, adjust func(*host.Config)) (*Agent, error) {
	agent := &Agent{}
	config, err := m.configure(ctx, agent, logger, adjust)
	if err == nil {
		agent.Agent, err = host.NewContext(ctx, config)
		err = m.place(err)
	}
	if err != nil {
		err = errors.Join(err, agent.Close())
	}
	return agent, err
}

// Replace builds the agent that the manifest describes in the place of one of another manifest, or of an earlier state of this one, see
// [host.Agent.Reconfigure]: runs that go on keep what they began with, and it is closed after the last of them. After an error the former
// agent is as it was.
func (m *Manifest) Replace(ctx context.Context, former *Agent, logger *slog.Logger, adjust func(*host.Config)) error {
	next := &Agent{}
	config, err := m.configure(ctx, next, logger, adjust)
	if err == nil {
		held := &Agent{closers: former.closers}
		err = m.place(former.Reconfigure(ctx, config, func() {
			if err := held.Close(); err != nil {
				logger.Warn("closing what a replaced agent used", "error", err)
			}
		}))
	}
	if err != nil {
		return errors.Join(err, next.Close())
	}
	next.Agent = former.Agent
	*former = *next
	return nil
}

// configure makes the configuration of an agent, with the resources that are closed with it, also after an error.
func (m *Manifest) configure(ctx context.Context, agent *Agent, logger *slog.Logger, adjust func(*host.Config)) (config host.Config, err error) {
	agent.Description = m.Description
	config = host.Config{
		Name: m.Name, RecursionLimit: m.RecursionLimit, ToolCalls: m.ToolCalls.build(), Durability: m.Durability.durability,
		InterruptBefore: steps(m.InterruptBefore), InterruptAfter: steps(m.InterruptAfter), Logger: logger, Tracer: m.tracer,
		Manifest: m.chain[len(m.chain)-1],
	}
	if m.inMemory {
		config.MayHaveTool = m.mayHaveTool
	}
	if err := m.buildModels(&config, agent); err != nil {
		return config, err
	}
	if config.Prices, err = m.Prices.build(m); err != nil {
		return config, err
	}
	if config.SystemPrompt, err = m.systemPrompt(); err != nil {
		return config, err
	}
	if config.ResponseFormat, err = m.ResponseFormat.build(m); err != nil {
		return config, err
	}
	if !m.ContextSchema.isZero() {
		if config.ContextSchema, err = m.ContextSchema.raw(m); err != nil {
			return config, located(m.ContextSchema.node, err)
		}
	}
	closeThreads, err := m.Checkpoint.open(ctx, m, &config)
	if err != nil {
		return config, err
	}
	agent.Threads, agent.Durable = config.Checkpointer, m.durable(&config)
	agent.closers = append(agent.closers, closeThreads)
	if err := m.Store.wrap(m, &config); err != nil {
		return config, err
	}
	servers, err := m.startServers(ctx, m.toolEntries(), &config, logger)
	if err != nil {
		return config, err
	}
	agent.Servers = servers.inOrder(m.toolEntries())
	agent.closers = append(agent.closers, func() error { servers.close(); return nil })
	list := &toolList{manifest: m, servers: servers}
	for _, e := range m.toolEntries() {
		tools, closer, err := e.config.build(ctx, &toolPlace{Manifest: m, node: e.node, logger: logger, agent: &config, servers: servers})
		if closer != nil {
			agent.closers = append(agent.closers, closer)
		}
		if err != nil {
			return config, err
		}
		list.made = append(list.made, tools)
	}
	if config.Tools, err = list.tools(); err != nil {
		return config, err
	}
	if len(servers) > 0 {
		config.RefreshTools = list.refresh
	}
	for i := range m.Middleware {
		config.Middleware = append(config.Middleware, m.Middleware[i].build(m))
	}
	if adjust != nil {
		adjust(&config)
	}
	return config, nil
}

// durable reports whether threads outlast the process.
func (m *Manifest) durable(config *host.Config) bool {
	return config.Checkpointer != nil && !m.inMemory && !m.memoryStore && (m.threads != nil || !m.Checkpoint.address.InMemory())
}

// place shows an error about the agent's configuration at its place in the manifest, if the place is known. The error then omits its
// subject, because the quoted line shows it.
func (m *Manifest) place(err error) error {
	if placed, ok := errors.AsType[*strictyaml.Error](err); ok {
		return placed
	}
	if wrong, ok := errors.AsType[*host.ConfigError](err); ok {
		if at := m.nodeOf(wrong.Subject); !at.IsZero() {
			return located(at, wrong.Err)
		}
	}
	return err
}

// nodeOf finds the subject of a [host.ConfigError]. It returns the zero Node if the subject is not in the manifest.
func (m *Manifest) nodeOf(subject host.ConfigSubject) strictyaml.Node {
	switch subject.Kind {
	case host.SubjectToolCalls:
		return m.ToolCalls.doubtful()
	case host.SubjectContextSchema:
		return m.ContextSchema.node
	case host.SubjectResponseFormat:
		return m.ResponseFormat.node
	case host.SubjectBreakpoint:
		for _, b := range slices.Concat(m.InterruptBefore, m.InterruptAfter) {
			if b.step == subject.Name {
				return b.node
			}
		}
	case host.SubjectMiddleware:
		if subject.Index < len(m.Middleware) {
			return m.Middleware[subject.Index].node
		}
	default: // other subjects have no place of their own in the manifest
	}
	return strictyaml.Node{}
}

func (m *Manifest) buildModels(config *host.Config, agent *Agent) (err error) {
	if config.Model, err = m.buildModel("model", &m.Model, agent); err != nil {
		return err
	}
	config.Models = make(map[string]model.Model, len(m.Models))
	for i := range m.Models {
		key := m.Models[i].Key
		if config.Models[key], err = m.buildModel("models."+key, &m.Models[i].Value, agent); err != nil {
			return err
		}
	}
	return nil
}

// buildModel makes a model, whose rate limit counts for all models of its account until the agent is closed.
func (m *Manifest) buildModel(key string, e *modelEntry, agent *Agent) (made model.Model, err error) {
	if m.makeModel == nil {
		made, err = e.checked(m)
	} else {
		made, err = m.makeModel(&ModelEntry{
			Manifest: m.file, Key: key, Scripted: e.provided == nil, Inner: len(m.chain) > 1, Build: func() (model.Model, error) { return e.checked(m) },
		})
		if err != nil {
			err = located(e.node, err)
		}
	}
	if err != nil {
		return nil, err
	}
	if limited, ok := model.As[*ratelimit.Model](made); ok {
		end := limited.Open()
		agent.closers = append(agent.closers, func() error { end(); return nil })
	}
	if client, ok := model.As[idler](made); ok {
		agent.closers = append(agent.closers, func() error { client.CloseIdleConnections(); return nil })
	}
	return made, nil
}

// ModelEntry is a model of a manifest, see [Options].Model.
type ModelEntry struct {
	Manifest string                      // the path of the manifest
	Key      string                      // the key of the model in the manifest: model, or models.NAME
	Scripted bool                        // the model needs no provider
	Inner    bool                        // the manifest is that of an agent that another one uses
	Build    func() (model.Model, error) // makes the model that the manifest describes
}

// idler is a model that keeps connections.
type idler interface {
	model.Model
	CloseIdleConnections()
}
