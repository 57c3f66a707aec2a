package manifest

import (
	"context"
	"log/slog"
	"maps"
	"slices"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool/files"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// toolEntry is one entry of tools: a mapping from the kind of the tool to its configuration.
type toolEntry struct {
	kind   string
	node   strictyaml.Node // the configuration
	config toolConfig
}

// toolConfig is the configuration of a kind of tools.
type toolConfig interface {
	// build makes the tools. The returned function, which may be nil, closes what build opened.
	build(ctx context.Context, at *toolPlace) (tools []host.Tool, closeTools func() error, err error)
}

// toolPlace is the place where tools are built.
type toolPlace struct {
	*Manifest

	node   strictyaml.Node // of the configuration
	logger *slog.Logger    // nil: nothing is logged
	agent  *host.Config    // the configuration of the agent, whose threads and store are already open

	servers mcpServers // the MCP servers of the manifest; none if the agent is only inspected
}

// toolKinds maps the kinds of tools to their configurations.
var toolKinds = map[string]func() toolConfig{
	"a2a":   func() toolConfig { return &a2aEntry{} },
	"agent": func() toolConfig { return &agentEntry{} },
	"files": func() toolConfig { return &filesEntry{} },
	"http":  func() toolConfig { return &httpEntry{} },
	"mcp":   func() toolConfig { return &mcpEntry{} },
}

// UnmarshalStrict decodes the configuration of the kind of tool.
func (e *toolEntry) UnmarshalStrict(n strictyaml.Node) error {
	if n.Kind() == strictyaml.KindMap && n.Len() > 1 {
		keys := n.Keys()
		second, _ := n.Key(keys[1])
		return second.Errorf("a tool is a mapping of one key, and this one has both %q and %q; write another entry for the second", keys[0], keys[1])
	}
	if n.Kind() != strictyaml.KindMap || n.Len() != 1 {
		return n.Errorf("a tool is a mapping of one key, such as {files: {root: ./data}}")
	}
	e.kind = n.Keys()[0]
	e.node, _ = n.Get(e.kind)
	key, _ := n.Key(e.kind)
	switch config := toolKinds[e.kind]; {
	case config != nil:
		e.config = config()
		return e.node.Decode(e.config)
	default:
		return key.Unknown("tool", slices.Sorted(maps.Keys(toolKinds)))
	}
}

// toolEntries returns the entries of the manifest's tools.
func (m *Manifest) toolEntries() []*toolEntry {
	entries := make([]*toolEntry, len(m.Tools))
	for i := range m.Tools {
		entries[i] = &m.Tools[i]
	}
	return entries
}

// filesEntry is a set of tools that read, and optionally write, the files of a directory.
type filesEntry struct {
	Root  string `yaml:"root" strict:"required"` // the path of the directory, relative to the manifest
	Write bool   `yaml:"write"`                  // true: a tool may write files, too
}

func (e *filesEntry) build(_ context.Context, at *toolPlace) ([]host.Tool, func() error, error) {
	root, err := files.Open(at.path(e.Root), files.Options{Write: e.Write})
	if err != nil {
		node, _ := at.node.Get("root")
		return nil, nil, located(node, err)
	}
	return root.Tools(), root.Close, nil
}
