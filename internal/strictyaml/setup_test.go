package strictyaml_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/strictyaml"
)

// manifest has a field of every type that can be decoded.
type manifest struct {
	Name    string                     `yaml:"name"`
	Model   *model                     `yaml:"model"`
	Prompt  prompt                     `yaml:"system_prompt"`
	Limits  limits                     `yaml:"limits"`
	Tools   []string                   `yaml:"tools" strict:"enum=files|search|shell"`
	Alert   map[string]int             `yaml:"alert"`
	Exit    string                     `yaml:"exit_behavior" strict:"enum=continue|end|error"`
	Config  any                        `yaml:"config"`
	Entries []entry                    `yaml:"middleware"`
	Raw     strictyaml.Node            `yaml:"raw"`
	Order   strictyaml.OrderedMap[int] `yaml:"order"`
	Later   string                     `yaml:"interrupt_before" strict:"unsupported"`
	Window  time.Duration              `yaml:"window" strict:"optional,min=1s,max=1h"`
	Debug   bool                       `yaml:"debug"`
	Ratio   float64                    `yaml:"ratio" strict:"min=0,max=1"`
	Common  `yaml:",inline"`
}

type Common struct {
	Small int8   `yaml:"small"`
	Port  uint16 `yaml:"port" strict:"min=1"`
}

type model struct {
	Provider    string   `yaml:"provider" strict:"required"`
	Name        string   `yaml:"name" strict:"required"`
	Temperature *float64 `yaml:"temperature"`
	MaxTokens   int      `yaml:"max_tokens"`
}

type limits struct {
	Memory strictyaml.Size  `yaml:"memory" strict:"max=1GiB"`
	Fuel   strictyaml.Count `yaml:"fuel"`
}

// prompt is a text, or a mapping that names a file.
type prompt struct {
	Text string
	File string
}

func (p *prompt) UnmarshalStrict(n strictyaml.Node) error {
	if n.Kind() == strictyaml.KindString {
		return n.Decode(&p.Text)
	}
	var from struct {
		File string `yaml:"file" strict:"required"`
	}
	err := n.Decode(&from)
	p.File = from.File
	return err
}

// entry is a name, or a mapping of a name to a config that is decoded by the name.
type entry struct {
	Name   string
	Limit  toolCallLimit
	Config strictyaml.Node
}

type toolCallLimit struct {
	ToolName    string `yaml:"tool_name"`
	RunLimit    int    `yaml:"run_limit"`
	ThreadLimit int    `yaml:"thread_limit"`
}

var errNoLimit = errors.New("no limit is set")

func (l *toolCallLimit) CheckStrict(n strictyaml.Node) error {
	if l.RunLimit == 0 && l.ThreadLimit == 0 {
		return errNoLimit
	}
	if at, ok := n.Get("run_limit"); ok && l.ThreadLimit > 0 && l.RunLimit > l.ThreadLimit {
		return at.Errorf("run_limit %d is above thread_limit %d", l.RunLimit, l.ThreadLimit)
	}
	return nil
}

func (e *entry) UnmarshalStrict(n strictyaml.Node) error {
	name := n
	if n.Kind() == strictyaml.KindMap && n.Len() == 1 {
		name, _ = n.Key(n.Keys()[0])
		e.Config, _ = n.Get(n.Keys()[0])
	}
	if err := name.Decode(&e.Name); err != nil {
		return err
	}
	switch {
	case e.Name != "patch_tool_calls" && e.Name != "tool_call_limit":
		return name.Unknown("middleware", []string{"patch_tool_calls", "tool_call_limit"})
	case e.Config.IsZero():
		return nil
	}
	return e.Config.Decode(&e.Limit)
}

// requireError compares a whole rendered error. The wanted text may start with a line break, for the table's sake.
func requireError(t *testing.T, err error, want string) {
	t.Helper()
	var problems *strictyaml.Error
	require.ErrorAs(t, err, &problems)
	require.Equal(t, strings.TrimPrefix(want, "\n"), err.Error())
}

func decode(t *testing.T, text string, opts ...strictyaml.Option) manifest {
	t.Helper()
	var m manifest
	require.NoError(t, strictyaml.Decode("agenthost.yaml", []byte(text), &m, opts...))
	return m
}

// decodeError decodes a text that has problems.
func decodeError(t *testing.T, text string, opts ...strictyaml.Option) error {
	t.Helper()
	var m manifest
	err := strictyaml.Decode("agenthost.yaml", []byte(text), &m, opts...)
	require.Error(t, err)
	return err
}
