package author

import (
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/internal/unknownkeys"
)

// Warning is something that an author can improve, or that an operator should know.
type Warning struct {
	Code string `json:"code"` // one of the Warn constants
	Text string `json:"text"`
}

// The codes of warnings.
const (
	WarnAsyncify    = "asyncify"    // the module uses TinyGo's default scheduler
	WarnMemory      = "memory"      // the initial memory is large
	WarnStack       = "stack"       // the stack is large
	WarnDebug       = "debug"       // the module has debug sections
	WarnDescription = "description" // the embedded Description differs from the one that describe returns
	WarnKeys        = "keys"        // the Description or a result has keys that the ABI does not define
	WarnLeak        = "leak"        // the memory keeps growing
	WarnGrowth      = "growth"      // the memory has grown much, and settled
	WarnDearer      = "dearer"      // calls take more and more fuel
	WarnFailure     = "failure"     // a fault would let the tool calls run unchecked that the plugin wraps, if on_failure is open
)

// Sizes from which something is worth a warning, in bytes.
const (
	muchMemory = 4 << 20
	muchStack  = 512 << 10
)

// warn records what could be better.
func (in *Inspection) warn() {
	add := func(code, format string, args ...any) {
		in.Warnings = append(in.Warnings, Warning{code, fmt.Sprintf(format, args...)})
	}
	for _, key := range unknownkeys.Find[abi.Description](in.Description) {
		add(WarnKeys, "its Description: %s", key)
	}
	if d := in.Described; d != nil && d.Hooks.WrapToolCall != nil && !d.Guards {
		add(WarnFailure, "it wraps tool calls: with on_failure: open they run unchecked after a fault; if it guards them, set guards in its Description")
	}
	m := in.Module
	if m == nil {
		return
	}
	if m.Asyncify() {
		add(WarnAsyncify, "it is built with TinyGo's default scheduler, which costs hundreds of microseconds in each call: "+
			"build it with -scheduler=none, as agenthost plugin build does")
	}
	if m.Memory != nil && m.Memory.Initial > muchMemory {
		add(WarnMemory, "each instance starts with %d KiB of memory, all of which is counted", m.Memory.Initial>>10)
	}
	if m.Stack >= muchStack {
		add(WarnStack, "its stack takes %d KiB of each instance's memory: link it with -zstack-size=65536, as agenthost plugin build does",
			m.Stack>>10)
	}
	if m.Debug > 0 {
		add(WarnDebug, "%d bytes of it are for debuggers alone: agenthost plugin pack takes them out", m.Debug)
	}
	if in.Embedded == EmbeddedDiffers {
		add(WarnDescription, "the Description that is embedded in the file is not what describe returns: do not trust what was read from it; "+
			"agenthost plugin pack embeds the right one")
	}
}
