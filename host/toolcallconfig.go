package host

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// ToolCallConfig bounds what the tool calls of a run may do. When a run ends by one of its limits every call is answered,
// so that its thread can go on.
type ToolCallConfig struct {
	// MaxLoops is how many model steps a run may have; retries inside a step do not count, and the count goes on over
	// interrupts. It is exceeded when the answer of the last one asks for tools. 0 or less: unlimited.
	MaxLoops int
	// MaxPerResponse is how many tool calls one response of the model may have. 0 or less: unlimited.
	MaxPerResponse int
	// MaxTotalTokens is how many tokens the results of tools may bring into the history in a run, as the model counts
	// them (see model.CountTokens). A result that does not fit is left out, which its answer says; when none are left,
	// calls are answered without running. 0 or less: unlimited.
	MaxTotalTokens int
	// ErrorOnExceedLimit says what follows when one of the limits above is exceeded. true, or nil: no call of the response
	// runs, each is answered with an error, and the run fails with a LimitError of the code CodeToolCallLimit. false: the
	// first MaxPerResponse calls run and the others are answered with an error; at MaxLoops the calls run and the model
	// is called once more without tools, so that it can give an answer.
	ErrorOnExceedLimit *bool
	// ToolTimeout is how long one execution of a tool may take. A tool that fails because its context ended by then is
	// answered with an error, unless a middleware handles the TimeoutError; the others of its batch go on. A tool that
	// does not heed its context is waited for. 0: no timeout.
	ToolTimeout time.Duration
	Parallel    int // calls of one response that run at once; 1: strictly in order; 0 means DefaultParallel
	// MaxMalformed is how many responses in a row may be unusable: have malformed tool calls, which are answered with the
	// parse error, or no usable value of the agent's ResponseFormat. After each the model is called again; then the run fails
	// with a ModelError. 0 means DefaultMaxMalformed.
	MaxMalformed int
	// Alert is how many calls a minute of a tool, or of all tools under the name "*", are unremarkable. More of them, over
	// all runs of the agent and by its clock, make an event of the type alert and a warning in the log.
	Alert map[string]int
}

// DefaultParallel is how many tool calls of one response run at once if the Config does not say.
const DefaultParallel = 8

// maxAlert bounds what an alert remembers: the time of each call of a minute.
const maxAlert = 10_000

// AllTools is the name under which ToolCallConfig.Alert counts all tools together.
const AllTools = "*"

// withDefaults returns the configuration with its defaults, or what is wrong with it.
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

// fails reports whether a run fails that exceeds a limit.
func (c *ToolCallConfig) fails() bool { return c.ErrorOnExceedLimit == nil || *c.ErrorOnExceedLimit }
