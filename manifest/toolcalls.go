package manifest

import (
	"time"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// toolCallsEntry is the limits of tool calls. With the defaults of manifests, a run that loops ends by itself.
type toolCallsEntry struct {
	MaxLoops       int        `yaml:"max_loops"`        // model steps that a run may have; 0: no limit
	MaxPerResponse int        `yaml:"max_per_response"` // tool calls that one response may have; 0: no limit
	MaxTotalTokens tokenCount `yaml:"max_total_tokens"` // tokens that the results of tools may have in a run; 0: no limit
	// a run that exceeds a limit fails; false: the calls are answered with an error
	ErrorOnExceedLimit bool          `yaml:"error_on_exceed_limit"`
	ToolTimeout        time.Duration `yaml:"tool_timeout" strict:"min=0s"` // how long one execution of a tool may take; 0s: no limit
	Parallel           int           `yaml:"parallel" strict:"min=1"`      // calls of one response that run at once
	// unusable responses in a row that are answered before the run fails
	MaxMalformed int `yaml:"max_malformed" strict:"min=1"`
	// calls a minute of a tool, or of all under "*", beyond which there is an alert
	Alert map[string]callsPerMinute `yaml:"alert"`

	node strictyaml.Node
}

// defaultMaxLoops is how many model steps a run of a manifest may have if the manifest sets no limit.
const defaultMaxLoops = 10

func defaultToolCalls() toolCallsEntry {
	return toolCallsEntry{
		MaxLoops: defaultMaxLoops, ErrorOnExceedLimit: true, Parallel: host.DefaultParallel, MaxMalformed: host.DefaultMaxMalformed,
	}
}

// UnmarshalStrict keeps the places of the keys.
func (e *toolCallsEntry) UnmarshalStrict(n strictyaml.Node) error {
	e.node = n
	type fields toolCallsEntry
	return n.Decode((*fields)(e))
}

// tokenCount is a number of tokens, such as 200k; 0 or less means that there is no limit.
type tokenCount int

// UnmarshalStrict decodes a plain number, which may be negative, or a count.
func (c *tokenCount) UnmarshalStrict(n strictyaml.Node) error {
	if n.Decode((*int)(c)) == nil {
		return nil
	}
	var count strictyaml.Count
	err := n.Decode(&count)
	*c = tokenCount(count)
	return err
}

// callsPerMinute is a number of calls that is normal.
type callsPerMinute int

// CheckStrict requires at least one.
func (c *callsPerMinute) CheckStrict(n strictyaml.Node) error {
	if *c < 1 {
		return n.Errorf("must be at least 1, found %d", *c)
	}
	return nil
}

// build makes the configuration of the entry.
func (e *toolCallsEntry) build() host.ToolCallConfig {
	config := host.ToolCallConfig{
		MaxLoops: e.MaxLoops, MaxPerResponse: e.MaxPerResponse, MaxTotalTokens: int(e.MaxTotalTokens),
		ErrorOnExceedLimit: new(e.ErrorOnExceedLimit), ToolTimeout: e.ToolTimeout, Parallel: e.Parallel, MaxMalformed: e.MaxMalformed,
		Alert: make(map[string]int, len(e.Alert)),
	}
	for tool, calls := range e.Alert {
		config.Alert[tool] = int(calls)
	}
	return config
}

// doubtful returns the key that may still be wrong when the agent is built; the zero Node if the key is missing. The decoder has
// checked the other keys.
func (e *toolCallsEntry) doubtful() strictyaml.Node {
	alert, _ := e.node.Key("alert")
	return alert
}
