package manifest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// subagentsEntry is the part of the configuration of the middleware "subagents" that package builtin does not read itself: the tools
// and the middleware of subagents.
type subagentsEntry struct {
	config   *builtin.Subagents
	node     strictyaml.Node   // the configuration
	defaults []middlewareEntry // default_middleware
	parts    []subagentParts   // for each entry of agents
}

// subagentParts are the lists of one subagent; nil: the key is missing.
type subagentParts struct {
	tools      []subagentTool
	middleware []middlewareEntry
	format     responseFormatEntry
}

// subagentTool is a tool of a subagent: the name of one of the agent's own tools, or an entry like those of the manifest's tools.
type subagentTool struct {
	name  string // "": the entry makes it
	node  strictyaml.Node
	entry toolEntry
}

// UnmarshalStrict decodes either form.
func (t *subagentTool) UnmarshalStrict(n strictyaml.Node) error {
	t.node = n
	if n.Kind() == strictyaml.KindString {
		if err := n.Decode(&t.name); err != nil {
			return err
		}
		if t.name == "" {
			return n.Errorf("must be the name of a tool")
		}
		return nil
	}
	return n.Decode(&t.entry)
}

// readSubagents decodes the lists of the configuration at a node.
func readSubagents(config *builtin.Subagents, n strictyaml.Node) (*subagentsEntry, error) {
	e := &subagentsEntry{config: config, node: n, parts: make([]subagentParts, len(config.Agents))}
	err := decodeList(&config.DefaultMiddlewareEntries.DeferredConfig, &e.defaults)
	for i := range config.Agents {
		agent, parts := &config.Agents[i], &e.parts[i]
		err = strictyaml.Join(err, decodeList(&agent.ToolEntries.DeferredConfig, &parts.tools),
			decodeList(&agent.MiddlewareEntries.DeferredConfig, &parts.middleware))
		if agent.ResponseFormatEntry.Given() {
			err = strictyaml.Join(err, agent.ResponseFormatEntry.Decode(&parts.format))
		}
	}
	return e, err
}

// decodeList decodes a list. The result is not nil if the list is present.
func decodeList[T any](from *builtin.DeferredConfig, into *[]T) error {
	if !from.Given() {
		return nil
	}
	*into = []T{}
	return from.Decode(into)
}

// toolNames returns the names of the agent's tools that subagents mention.
func (e *subagentsEntry) toolNames() (names []string) {
	for i := range e.parts {
		for j := range e.parts[i].tools {
			if name := e.parts[i].tools[j].name; name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// toolEntries returns the entries that make tools of subagents.
func (e *subagentsEntry) toolEntries() (entries []*toolEntry) {
	for i := range e.parts {
		for j := range e.parts[i].tools {
			if t := &e.parts[i].tools[j]; t.name == "" {
				entries = append(entries, &t.entry)
			}
		}
	}
	return entries
}

// subagents is the middleware "subagents" in an agent of a manifest.
type subagents struct {
	entry    *subagentsEntry
	manifest *Manifest
}

func (s *subagents) Name() string { return s.entry.config.Name() }

// Hooks makes the tools and middleware of the entry, and then the hooks. Each agent gets its own, which are closed with the agent.
func (s *subagents) Hooks(ctx context.Context, env host.Env) (hooks *host.Hooks, err error) {
	made := &subagentsBuild{subagents: s, env: &env}
	defer func() {
		if err != nil {
			hooks, err = nil, errors.Join(err, made.close())
		}
	}()
	if made.servers, err = s.manifest.startServers(ctx, s.entry.toolEntries(), made.config(), env.Logger); err != nil {
		return nil, err
	}
	made.closers = append(made.closers, func() error { made.servers.close(); return nil })
	config := *s.entry.config
	config.DefaultMiddleware = made.middleware(s.entry.defaults)
	config.Agents = slices.Clone(config.Agents)
	for i := range config.Agents {
		if err := made.agent(ctx, &config.Agents[i], i); err != nil {
			return nil, err
		}
	}
	hooks, err = config.Hooks(ctx, env)
	if err != nil {
		return nil, s.place(err)
	}
	hooks.UsesTools = hooks.UsesTools || len(s.entry.toolNames()) > 0
	closeAgents := hooks.Close
	hooks.Close = func() error { return errors.Join(closeAgents(), made.close()) } // the agents use these tools and middleware, so the agents close first
	return hooks, nil
}

// place shows an error about a subagent at its place in the manifest.
func (s *subagents) place(err error) error {
	wrong, ok := errors.AsType[*builtin.SubagentError](err)
	agents, _ := s.entry.node.Get("agents")
	if !ok || wrong.Index < 0 || wrong.Index >= agents.Len() {
		return err
	}
	at := agents.Items()[wrong.Index]
	if key, ok := at.Get(wrong.Key); ok {
		return located(key, wrong.Err)
	}
	if wrong.Key != "" {
		return located(at, fmt.Errorf("the key %q %w", wrong.Key, wrong.Err))
	}
	return located(at, wrong.Err)
}

// subagentsBuild makes the tools and middleware of an entry, for one agent.
type subagentsBuild struct {
	*subagents

	env     *host.Env
	servers mcpServers // of all subagents
	closers []func() error
}

func (b *subagentsBuild) close() error {
	var errs []error
	for _, closer := range slices.Backward(b.closers) {
		errs = append(errs, closer())
	}
	return errors.Join(errs...)
}

func (b *subagentsBuild) middleware(entries []middlewareEntry) []host.Middleware {
	if entries == nil {
		return nil
	}
	out := make([]host.Middleware, len(entries))
	for i := range entries {
		out[i] = entries[i].build(b.manifest)
	}
	return out
}

// agent makes the i-th subagent's own tools and middleware.
func (b *subagentsBuild) agent(ctx context.Context, agent *builtin.Subagent, i int) error {
	parts := &b.entry.parts[i]
	agent.Middleware = b.middleware(parts.middleware)
	var err error
	if agent.ResponseFormat, err = parts.format.build(b.manifest); err != nil {
		return err
	}
	if agent.Tools, err = b.tools(ctx, parts.tools); err != nil || agent.File == "" {
		return err
	}
	agents, _ := b.entry.node.Get("agents")
	file, _ := agents.Items()[i].Get("file")
	of, inner, err := b.tool(file).openAgent(ctx, agent.File)
	if err != nil {
		return err
	}
	b.closers = append(b.closers, inner.Close)
	agent.Agent, agent.Name, agent.Description = inner.Agent, cmp.Or(agent.Name, of.Name), cmp.Or(agent.Description, of.Description)
	return nil
}

// tool is the place of a tool of a subagent.
func (b *subagentsBuild) tool(at strictyaml.Node) *toolPlace {
	return &toolPlace{
		Manifest: b.manifest, node: at, logger: b.env.Logger,
		agent:   b.config(),
		servers: b.servers,
	}
}

// config is what the tools of subagents share with the agent.
func (b *subagentsBuild) config() *host.Config {
	return &host.Config{
		Name: b.env.Agent, Checkpointer: b.env.Checkpointer, Store: b.env.Store, Model: b.env.Model, Models: b.env.Models,
	}
}

// tools makes the tools of a list, or finds them among the agent's own.
func (b *subagentsBuild) tools(ctx context.Context, list []subagentTool) ([]host.Tool, error) {
	if list == nil {
		return nil, nil
	}
	all, names := []host.Tool{}, toolNames{}
	for i := range list {
		entry, tools, err := b.oneTool(ctx, &list[i])
		if err == nil {
			err = names.add(b.manifest, entry, tools)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, tools...)
	}
	return all, nil
}

// oneTool makes the tools of one item of a list, and describes their owner.
func (b *subagentsBuild) oneTool(ctx context.Context, t *subagentTool) (*toolEntry, []host.Tool, error) {
	if t.name != "" {
		own, err := b.named(t)
		return &toolEntry{kind: "the agent", node: t.node}, own, err
	}
	made, closer, err := t.entry.config.build(ctx, b.tool(t.entry.node))
	if closer != nil {
		b.closers = append(b.closers, closer)
	}
	return &t.entry, made, err
}

// named finds one of the agent's own tools. If two tools have the same name, it returns the later one.
func (b *subagentsBuild) named(t *subagentTool) ([]host.Tool, error) {
	var names []string
	for _, own := range slices.Backward(b.env.Tools) {
		if own.Spec().Name == t.name {
			return []host.Tool{own}, nil
		}
		names = append(names, own.Spec().Name)
	}
	return nil, t.node.Unknown("tool of the agent", names)
}
