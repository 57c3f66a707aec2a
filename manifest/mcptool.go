package manifest

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/host/tool/mcp"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// mcpEntry is a set of tools of an MCP server, which is started by a command or has a URL.
type mcpEntry struct {
	Name    string            `yaml:"name"`    // the name of the server in messages
	Command []string          `yaml:"command"` // the command that starts the server
	Env     map[string]string `yaml:"env"`     // environment variables of the server's process
	URL     string            `yaml:"url"`     // the address of a running server
	Headers map[string]string `yaml:"headers"` // headers of requests to the server
	// the transport; default: stdio for a command, streamable_http for a url
	Transport string     `yaml:"transport" strict:"enum=stdio|streamable_http|sse"`
	Prefix    string     `yaml:"prefix"`  // a prefix for the names of the tools
	Extras    toolExtras `yaml:"extras"`  // keys for the definition of each tool that the provider gets, such as defer_loading
	Include   []string   `yaml:"include"` // patterns of the tools to offer; default: all
	Exclude   []string   `yaml:"exclude"` // patterns of the tools to leave out
	// patterns of the tools that are safe to run again
	Idempotent []string `yaml:"idempotent"`
	// true: the server is trusted to say which of its tools are idempotent or read-only
	TrustAnnotations bool           `yaml:"trust_annotations"`
	OAuth            *oauthEntry    `yaml:"oauth"`    // the login to the server; default: a client is registered, and the server names the scopes
	Sampling         *samplingEntry `yaml:"sampling"` // permission for the server to ask a model during a call; default: none
	// true: the server may ask a person questions during a call
	Elicitation bool     `yaml:"elicitation"`
	Roots       []string `yaml:"roots"` // the directories that the server learns about, relative to the manifest
	// true: the model gets tools that list and read the server's resources
	Resources bool `yaml:"resources"`
	// true: the model gets tools that list the server's prompts and fill one in
	Prompts        bool            `yaml:"prompts"`
	Timeout        time.Duration   `yaml:"timeout" strict:"min=1ms"`               // the time for a call
	ConnectTimeout time.Duration   `yaml:"connect_timeout" strict:"min=1ms"`       // the time for starting and connecting
	MaxResult      strictyaml.Size `yaml:"max_result" strict:"min=1KiB,max=16MiB"` // the size of a result

	secrets []string // arguments of the command that have values of environment variables
}

// UnmarshalStrict checks everything that can be checked without the server.
func (e *mcpEntry) UnmarshalStrict(n strictyaml.Node) error {
	type fields mcpEntry
	if err := n.Decode((*fields)(e)); err != nil {
		return err
	}
	if err := e.checkOAuth(); err != nil {
		return err
	}
	if command, ok := n.Get("command"); ok {
		for i, argument := range command.Items() {
			if argument.Expanded() && i > 0 && i < len(e.Command) {
				_, value, _ := strings.Cut(e.Command[i], "=") // of --flag=VALUE
				e.secrets = append(e.secrets, e.Command[i], value)
			}
		}
	}
	config := e.config()
	err := config.Check()
	if err == nil {
		return nil
	}
	key, _, _ := strings.Cut(err.Error(), ":")
	if at, ok := n.Get(key); ok {
		return at.Errorf("%w", err)
	}
	return n.Errorf("%w", err)
}

func (e *mcpEntry) config() mcp.Config {
	return mcp.Config{
		Name: e.Name, Command: e.Command, Env: e.Env, Secrets: e.secrets, URL: e.URL, Headers: e.Headers, TransportName: e.Transport,
		Prefix: e.Prefix, Extras: wire.Map(e.Extras), Include: e.Include,
		Exclude: e.Exclude, Idempotent: e.Idempotent, TrustAnnotations: e.TrustAnnotations, Elicitation: e.Elicitation,
		Resources: e.Resources, Prompts: e.Prompts,
		Timeout: e.Timeout, ConnectTimeout: e.ConnectTimeout, MaxResult: int(e.MaxResult),
	}
}

// connection returns the configuration of the connection to the server, for this agent.
func (e *mcpEntry) connection(m *Manifest, agent *host.Config, logger *slog.Logger) (mcp.Config, error) {
	config := e.config()
	config.Logger, config.ToolsChanged = logger, m.toolsChanged
	var err error
	if config.Sampling, err = e.Sampling.build(agent); err != nil {
		return config, err
	}
	if config.Auth, err = e.logins(m); err != nil {
		return config, err
	}
	for _, dir := range e.Roots {
		config.Roots = append(config.Roots, m.path(dir))
	}
	if len(config.Command) > 0 {
		config.Dir = m.dir
	}
	return config, nil
}

// build returns the tools of the server, which was started before. For an agent that is only inspected, no server is started, and it
// returns placeholders for all tools that the manifest mentions.
func (e *mcpEntry) build(_ context.Context, at *toolPlace) ([]host.Tool, func() error, error) {
	if !at.inMemory {
		return at.servers[e].Tools(), nil, nil
	}
	config, err := e.connection(at.Manifest, at.agent, at.logger)
	if err != nil {
		return nil, nil, err
	}
	if at.unstarted != nil {
		at.unstarted(config)
	}
	return at.placeholders(config), nil, nil
}

// mayHaveTool reports whether a server or agent elsewhere that is not connected may have a tool.
func (m *Manifest) mayHaveTool(name string) bool {
	return slices.ContainsFunc(m.Tools, func(e toolEntry) bool {
		switch config := e.config.(type) {
		case *mcpEntry:
			return mcp.MayServe(config.config(), name)
		case *a2aEntry:
			return config.Name == "" // its card says
		default:
			return false
		}
	})
}

// placeholders returns tools in place of those of a server that is not connected.
func (m *Manifest) placeholders(config mcp.Config) []host.Tool {
	var named []string
	for i := range m.Middleware {
		if hands := m.Middleware[i].subagents; hands != nil {
			named = append(named, hands.toolNames()...)
		}
	}
	slices.Sort(named)
	specs := mcp.Placeholders(config, named)
	tools := make([]host.Tool, 0, len(specs))
	for _, spec := range specs {
		tools = append(tools, tool.Raw(spec, func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
			return nil, fmt.Errorf("the tool %q cannot run: its MCP server is not started when an agent is only inspected", spec.Name)
		}))
	}
	return tools
}

// toolNames maps the names of tools to their entries.
type toolNames map[string]*toolEntry

// add adds tools. It refuses a tool whose name comes from a server, or from an agent elsewhere, and is that of another tool: they must not replace one.
// If two of the manifest's own tools have the same name, the later one counts.
func (names toolNames) add(m *Manifest, e *toolEntry, tools []host.Tool) error {
	for _, t := range tools {
		name := t.Spec().Name
		other := names[name]
		names[name] = e
		if other == nil || other == e || !e.foreign() && !other.foreign() || m.inMemory {
			continue
		}
		way := "give the server a prefix, such as {prefix: fs_}, or exclude the tool"
		if e.kind == "a2a" {
			way = "give the agent a name, such as {name: painter}"
		}
		return e.node.Errorf("the tool %q of %s has the same name as a tool of %s; %s", name, e.subject(), other.subject(), way)
	}
	return nil
}

// foreign reports whether the names of the entry's tools come from elsewhere.
func (e *toolEntry) foreign() bool {
	agent, ok := e.config.(*a2aEntry)
	return e.kind == "mcp" || ok && agent.Name == ""
}

// subject describes the owner of the entry's tools.
func (e *toolEntry) subject() string {
	if agent, ok := e.config.(*a2aEntry); ok {
		return fmt.Sprintf("the agent at %s (line %d)", agent.URL, e.node.Line())
	}
	entry, ok := e.config.(*mcpEntry)
	if !ok {
		return e.kind
	}
	config := entry.config()
	return fmt.Sprintf("the MCP server %q (line %d)", config.ServerName(), e.node.Line())
}
