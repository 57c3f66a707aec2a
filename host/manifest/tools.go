package manifest

import (
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool/files"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// toolEntry is one entry of tools: a mapping of one key, the kind of tool, to its configuration.
type toolEntry struct {
	kind string
	node strictyaml.Node // the configuration
}

// UnmarshalStrict checks the kind of tool.
func (e *toolEntry) UnmarshalStrict(n strictyaml.Node) error {
	if n.Kind() != strictyaml.KindMap || n.Len() != 1 {
		return n.Errorf("a tool is a mapping of one key, such as {files: {root: ./data}}")
	}
	e.kind = n.Keys()[0]
	e.node, _ = n.Get(e.kind)
	key, _ := n.Key(e.kind)
	switch e.kind {
	case "files":
		return e.node.Decode(&filesEntry{})
	case "http", "mcp", "agent":
		return key.Errorf("the tool %q is not supported yet; there is files", e.kind)
	default:
		return key.Unknown("tool", []string{"files"})
	}
}

// filesEntry is the tools of a directory.
type filesEntry struct {
	Root  string `yaml:"root" strict:"required"`
	Write bool   `yaml:"write"`
}

// build makes the tools of the entry. What it opens must be closed with close.
func (e *toolEntry) build(m *Manifest) (tools []host.Tool, closeTools func() error, err error) {
	var entry filesEntry
	if err := e.node.Decode(&entry); err != nil {
		return nil, nil, err
	}
	root, err := files.Open(m.path(entry.Root), files.Options{Write: entry.Write})
	if err != nil {
		at, _ := e.node.Get("root")
		return nil, nil, located(at, err)
	}
	return root.Tools(), root.Close, nil
}
