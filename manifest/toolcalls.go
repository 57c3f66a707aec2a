package manifest

import (
	"time"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// toolCallsEntry holds the limits of tool calls. With the defaults of manifests, a run that loops ends by itself.
type toolCallsEntry struct {
	MaxLoops       int `yaml:"max_loops" schema:"default=10"`       // the number of model steps in a run; 0 or less: no limit; default 10
	MaxPerResponse int `yaml:"max_per_response" schema:"default=0"` // the number of tool calls in one response; 0 or less: no limit; default 0
	// the number of tokens that the results of tools add to a run; 0 or less: no limit; default 0
	MaxTotalTokens tokenCount `yaml:"max_total_tokens"`
	// what happens when a run exceeds one of the limits above. true (the default): the run fails. false: calls beyond the limit are
	// answered with an error, and the run goes on or ends
	ErrorOnExceedLimit bool `yaml:"error_on_exceed_limit" schema:"default=true"`
	// how long one execution of a tool may take; 0s (the default): no limit
	ToolTimeout time.Duration `yaml:"tool_timeout" strict:"min=0s"`
	Parallel    int           `yaml:"parallel" strict:"min=1" schema:"default=8"` // how many calls of one response run at once; default 8
	// how many unusable responses in a row are answered before the run fails; default 3
	MaxMalformed int `yaml:"max_malformed" strict:"min=1" schema:"default=3"`
	// how many calls a minute are normal, by tool or under "*" for all tools; more calls cause an alert
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

// callsPerMinute is the number of calls a minute above which there is an alert.
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
