package host

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// ToolCallConfig limits the tool calls of a run. When a run ends by one of the limits, every call is answered, so that its thread
// can go on.
type ToolCallConfig struct {
	// MaxLoops is how many model steps a run may have. Retries inside a step do not count, and interrupts do not reset the count. A
	// jump of a before_model hook to the model or the tools counts as a model step, since it starts the loop again without one.
	// The limit is exceeded when the answer of the last model step asks for tools. 0 or less: unlimited.
	MaxLoops int
	// MaxPerResponse is how many tool calls one response of the model may have. 0 or less: unlimited.
	MaxPerResponse int
	// MaxTotalTokens is how many tokens the results of tools may add to the history in a run, as the model counts them (see
	// model.CountTokens). A result that does not fit is replaced by an answer that says so. When no tokens are left, calls are
	// answered without running. 0 or less: unlimited.
	MaxTotalTokens int
	// ErrorOnExceedLimit says what happens when one of the limits above is exceeded. true or nil: no call of the response runs,
	// each is answered with an error, and the run fails with a LimitError of the code CodeToolCallLimit. false: the first
	// MaxPerResponse calls run and the others are answered with an error; at MaxLoops the calls run, and the model is called once
	// more without tools, so that it can answer.
	ErrorOnExceedLimit *bool
	// ToolTimeout is how long one execution of a tool may take. If a tool fails because its context ended at the timeout, its call
	// is answered with an error, unless a middleware handles the TimeoutError; other calls of the batch go on. The run waits for
	// a tool that ignores its context. 0: no timeout.
	ToolTimeout time.Duration
	Parallel    int // how many calls of one response run at once; 1: strictly in order; 0 means DefaultParallel
	// MaxMalformed is how many responses in a row may be unusable: with malformed tool calls, which are answered with the parse
	// error, or without a usable value of the agent's ResponseFormat. After each of them the model is called again; after one
	// more the run fails with a ModelError. 0 means DefaultMaxMalformed.
	MaxMalformed int
	// Alert maps the name of a tool, or "*" for all tools, to the number of calls a minute that is normal. More calls, counted
	// over all runs of the agent by its clock, cause an event of the type alert and a warning in the log.
	Alert map[string]int
}

// DefaultParallel is the number of tool calls of one response that run at once if the Config sets no number.
const DefaultParallel = 8

// maxAlert bounds the memory of an alert, which holds the time of each call of a minute.
const maxAlert = 10_000

// AllTools is the key of ToolCallConfig.Alert that counts all tools together.
const AllTools = "*"

// withDefaults returns the configuration with defaults filled in, or an error if a value is invalid.
func (c ToolCallConfig) withDefaults() (ToolCallConfig, error) {
	switch {
	case c.MaxMalformed < 0:
		return c, fmt.Errorf("field MaxMalformed is %d; it must be positive, or 0 for %d", c.MaxMalformed, DefaultMaxMalformed)
	case c.Parallel < 0:
		return c, fmt.Errorf("field Parallel is %d; it must be positive, or 0 for %d", c.Parallel, DefaultParallel)
	case c.ToolTimeout < 0:
		return c, fmt.Errorf("field ToolTimeout is %v; it must be positive, or 0 for none", c.ToolTimeout)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Alert)) {
		if name == "" {
			return c, errors.New(`field Alert has a limit without a name; use a tool's, or "*" for all tools`)
		}
		if c.Alert[name] <= 0 || c.Alert[name] > maxAlert {
			return c, fmt.Errorf("field Alert of %q is %d; it must be from 1 to %d", name, c.Alert[name], maxAlert)
		}
	}
	if c.MaxMalformed == 0 {
		c.MaxMalformed = DefaultMaxMalformed
	}
	if c.Parallel == 0 {
		c.Parallel = DefaultParallel
	}
	return c, nil
}

// fails reports whether a run that exceeds a limit fails.
func (c *ToolCallConfig) fails() bool { return c.ErrorOnExceedLimit == nil || *c.ErrorOnExceedLimit }
