package golden

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/cases"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// Case is one golden case.
type Case struct {
	Path string `yaml:"-"` // of the file

	Description string                  `yaml:"description"`
	Hook        hookName                `yaml:"hook" strict:"required"`
	Config      map[string]any          `yaml:"config" strict:"optional"`
	Grant       grantEntry              `yaml:"grant"`
	Context     map[string]any          `yaml:"context" strict:"optional"` // of the run
	Models      []string                `yaml:"models"`                    // names of the models of the agent
	State       map[string]any          `yaml:"state"`
	Messages    []messageEntry          `yaml:"messages"`
	Seen        int                     `yaml:"seen" strict:"min=0"` // number of messages that the hook saw in an earlier call
	Call        *callEntry              `yaml:"call"`
	Known       *bool                   `yaml:"known"` // whether the agent has a tool with the call's name; nil means true
	Request     requestEntry            `yaml:"request"`
	Answers     map[string]any          `yaml:"answers"` // to the hook's interrupts, by key
	Next        []nextEntry             `yaml:"next"`
	HostCalls   map[string][]replyEntry `yaml:"host_calls"`
	Store       storeEntry              `yaml:"store"`
	Now         cases.Instant           `yaml:"now"`
	Expect      expectation             `yaml:"expect" strict:"optional"`

	text []byte // of the file
	root strictyaml.Node
}

// hookName is the name of a hook, or call_tool.
type hookName string

const callTool hookName = abi.ExportCallTool

// CheckStrict refuses unknown names.
func (h *hookName) CheckStrict(n strictyaml.Node) error {
	names := make([]string, 0, len(abi.Hooks())+1)
	for _, hook := range abi.Hooks() {
		names = append(names, string(hook))
	}
	names = append(names, string(callTool))
	if !slices.Contains(names, string(*h)) {
		return n.Unknown("hook", names)
	}
	return nil
}

// maxSize is the maximum size of the file of a case, in bytes.
const maxSize = 1 << 20

// Dir returns the directory with the cases of a plugin: testdata beside its file, or in its directory.
func Dir(plugin string) string {
	if info, err := os.Stat(plugin); err != nil || !info.IsDir() {
		plugin = filepath.Dir(plugin)
	}
	return filepath.Join(plugin, "testdata")
}

// Find returns the sorted files of the cases of a module: *.yaml in the directory testdata next to it.
func Find(module string) ([]string, error) {
	dir := Dir(module)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []string
	for _, entry := range entries {
		if !entry.IsDir() && filepath.Ext(entry.Name()) == ".yaml" {
			out = append(out, filepath.Join(dir, entry.Name()))
		}
	}
	return out, nil
}

// Load reads a case. An error shows the place in the file.
func Load(path string) (*Case, error) {
	text, err := regularfile.Read(path, maxSize)
	if err != nil {
		return nil, err
	}
	return parse(path, text)
}

func parse(path string, text []byte) (*Case, error) {
	c := &Case{Path: path, text: text}
	var err error
	if c.root, err = strictyaml.Parse(path, text); err != nil {
		return nil, err
	}
	if err := c.root.Decode(c); err != nil {
		return nil, err
	}
	return c, nil
}

// Name returns the name of the file without directory and extension.
func (c *Case) Name() string { return strings.TrimSuffix(filepath.Base(c.Path), filepath.Ext(c.Path)) }

// CheckStrict demands the keys that the hook needs and refuses those that it ignores.
func (c *Case) CheckStrict(n strictyaml.Node) error {
	isTool := c.Hook == hookName(abi.WrapToolCall) || c.Hook == callTool
	wraps := c.Hook == hookName(abi.WrapToolCall) || c.Hook == hookName(abi.WrapModelCall)
	var errs []error
	for _, rule := range []struct {
		key     string
		applies bool
		hooks   string
	}{
		{"call", isTool, "wrap_tool_call and call_tool"},
		{"known", c.Hook == hookName(abi.WrapToolCall), "wrap_tool_call"},
		{"request", c.Hook == hookName(abi.WrapModelCall), "wrap_model_call"},
		{"next", wraps, "wrap_model_call and wrap_tool_call"},
		{"seen", abi.Hook(c.Hook).IsNode() && !isTool, "before_agent, before_model, after_model and after_agent"},
	} {
		if key, given := n.Key(rule.key); given && !rule.applies {
			errs = append(errs, key.Errorf("the key %q is only for %s, and this case is for %s; remove the key", rule.key, rule.hooks, c.Hook))
		}
	}
	if isTool && c.Call == nil {
		errs = append(errs, n.Errorf("the hook %s needs the key \"call\", such as {name: search, args: {q: go}}", c.Hook))
	}
	if c.Seen > len(c.Messages) {
		errs = append(errs, n.Errorf("seen is %d, but there are only %d messages; lower it", c.Seen, len(c.Messages)))
	}
	if key, given := n.Key("store"); given && !c.Grant.KV {
		errs = append(errs, key.Errorf("the plugin may not use its store; add grant: {kv: true}, or remove the key"))
	}
	operations := plugin.GrantedOperations() // the ones that leave the sandbox
	for _, op := range slices.Sorted(maps.Keys(c.HostCalls)) {
		if !slices.Contains(operations, op) {
			at, _ := n.Get("host_calls")
			key, _ := at.Key(op)
			errs = append(errs, key.Unknown("operation", operations))
		}
	}
	return strictyaml.Join(errs...)
}

// grantEntry holds the grants of the plugin, as in a manifest.
type grantEntry struct {
	Reads         []string `yaml:"reads"`
	Writes        []string `yaml:"writes"`
	Context       []string `yaml:"context"`
	KV            bool     `yaml:"kv"`
	HTTPFetch     bool     `yaml:"http.fetch"`
	ModelGenerate bool     `yaml:"model.generate"`
	ToolCall      []string `yaml:"tool.call"`
	ClockNow      bool     `yaml:"clock.now"`
	ClockSleep    bool     `yaml:"clock.sleep"`
	RandomBytes   bool     `yaml:"random.bytes"`
}

// requestEntry is a model request without its messages.
type requestEntry struct {
	Model      string         `yaml:"model"` // name
	System     any            `yaml:"system"`
	Tools      []string       `yaml:"tools"` // names
	ToolChoice string         `yaml:"tool_choice"`
	Settings   map[string]any `yaml:"settings"`
}

// expectation is the expected outcome of a case; see [Outcome].
type expectation struct{ keys wire.Map }

// UnmarshalStrict accepts the known keys with any documents as values.
func (e *expectation) UnmarshalStrict(n strictyaml.Node) error {
	var given struct {
		Result map[string]any   `yaml:"result" strict:"optional"`
		Error  map[string]any   `yaml:"error"`
		Next   []map[string]any `yaml:"next"`
		Events []map[string]any `yaml:"events"`
		Log    []string         `yaml:"log"`
		Store  map[string]any   `yaml:"store" strict:"optional"`
		Fault  string           `yaml:"fault"`
		Fuel   uint64           `yaml:"fuel"`
	}
	if err := n.Decode(&given); err != nil {
		return err
	}
	var values map[string]any
	if err := n.Decode(&values); err != nil {
		return err
	}
	keys, err := wire.MapOf(values)
	if err != nil {
		return n.Errorf("%w", err)
	}
	e.keys = keys
	return nil
}
