package hosts

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

//go:embed cases
var files embed.FS

// Case is an agent with plugins, some of its runs, and their expected outcome.
type Case struct {
	Name    string   `json:"name"`
	Says    []string `json:"says"` // the sentences of SPEC.md that the case tests
	Plugins []Plugin `json:"plugins"`
	Agent   Agent    `json:"agent"`
	Runs    []Run    `json:"runs"`
	Expect  Outcome  `json:"expect"`
}

// Plugin is a plugin of the agent's list; the first is the outermost.
type Plugin struct {
	Name      string   `json:"name"`
	Module    string   `json:"module"` // a file next to the case
	Config    wire.Map `json:"config,omitzero"`
	Grant     Grant    `json:"grant,omitzero"`
	Limits    Limits   `json:"limits,omitzero"`
	OnFailure string   `json:"on_failure,omitempty"` // "open"; absent: closed
	Isolation string   `json:"isolation,omitempty"`  // "call"; absent: either
}

// Grant is what the operator grants, by the keys of the manifest.
type Grant struct {
	Reads         []string    `json:"reads,omitempty"`
	Writes        []string    `json:"writes,omitempty"`
	Context       []string    `json:"context,omitempty"`
	KV            *KVGrant    `json:"kv,omitempty"`
	ModelGenerate *ModelGrant `json:"model.generate,omitempty"`
	ToolCall      []string    `json:"tool.call,omitempty"`
	HTTPFetch     []string    `json:"http.fetch,omitempty"`
	ClockNow      bool        `json:"clock.now,omitempty"`
	ClockSleep    bool        `json:"clock.sleep,omitempty"`
	RandomBytes   bool        `json:"random.bytes,omitempty"`
}

// KVGrant grants a store.
type KVGrant struct {
	Bytes   int64    `json:"quota,omitempty"` // size of each store; 0: the default
	Entries int      `json:"entries,omitempty"`
	Scopes  []string `json:"scopes,omitempty"` // empty: all
}

// ModelGrant grants calls of a model.
type ModelGrant struct {
	Model string `json:"model"`
	Calls int    `json:"calls,omitempty"`
}

// Limits are the limits of a plugin. 0 means the default of SPEC.md.
type Limits struct {
	Memory    int64 `json:"memory,omitempty"`
	Fuel      int64 `json:"fuel,omitempty"`
	Input     int   `json:"input,omitempty"`
	Result    int   `json:"result,omitempty"`
	HostCalls int   `json:"host_calls,omitempty"`
	Next      int   `json:"next,omitempty"`
	Events    int   `json:"events,omitempty"`
	Instances int   `json:"instances,omitempty"`
}

// Agent is the agent that the plugins extend. Its model and tools follow a script.
type Agent struct {
	Name   string            `json:"name,omitempty"`
	System string            `json:"system,omitempty"`
	Model  []Turn            `json:"model"`            // the n-th turn answers the n-th call of the model, whose name is "model"
	Models map[string][]Turn `json:"models,omitempty"` // further models, by name
	Tools  []Tool            `json:"tools,omitempty"`
	State  []Field           `json:"fields,omitempty"`
}

// Turn is one answer of a model: a message, an error, or the end of the run.
type Turn struct {
	Message *abi.Message `json:"message,omitempty"`
	Error   string       `json:"error,omitempty"`  // the call fails, with this message
	Cancel  bool         `json:"cancel,omitempty"` // the caller cancels the run now
}

// Tool is a tool of the agent itself. It gives the same answer to every call.
type Tool struct {
	Name       string   `json:"name"`
	Parameters wire.Raw `json:"parameters,omitzero"`
	Answer     string   `json:"answer,omitempty"`
	Error      string   `json:"error,omitempty"` // the tool fails, with this message
}

// Field is a field that the agent declares.
type Field struct {
	Name     string `json:"name"`
	Lifetime string `json:"lifetime"`
	Reducer  string `json:"reducer,omitempty"`
}

// Run is one input of the agent: a new run, or answers to pending interrupts.
type Run struct {
	Thread   string        `json:"thread,omitempty"`
	Messages []abi.Message `json:"messages,omitempty"`
	State    wire.Map      `json:"state,omitzero"`
	Context  wire.Map      `json:"context,omitzero"`
	Parent   string        `json:"parent,omitempty"` // the run whose tool or hook started this one
	Resume   wire.Map      `json:"resume,omitzero"`  // answers, by the keys of the interrupts
}

// Cases returns all cases, by name.
func Cases() ([]Case, error) {
	entries, err := files.ReadDir("cases")
	if err != nil {
		return nil, err
	}
	var out []Case
	for _, entry := range entries {
		if path.Ext(entry.Name()) != ".json" {
			continue
		}
		text, err := files.ReadFile("cases/" + entry.Name())
		if err != nil {
			return nil, err
		}
		var c Case
		if err := json.Unmarshal(text, &c); err != nil {
			return nil, fmt.Errorf("case %s: %w", entry.Name(), err)
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b Case) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// Bytes returns the bytes of a plugin's module.
func (p *Plugin) Bytes() ([]byte, error) { return files.ReadFile("cases/" + p.Module) }
