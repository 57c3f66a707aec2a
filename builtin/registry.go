package builtin

import (
	"slices"

	"github.com/agenthost/agenthost/host"
)

// Entry is a registered middleware.
type Entry struct {
	Name    string                 // as manifests and [host.Middleware.Name] have it
	Summary string                 // one line, for help texts
	New     func() host.Middleware // a pointer to the configuration, to be filled in
}

// registry holds all entries, sorted by name.
var registry = []Entry{
	{"human_in_the_loop", "asks a human before tools run", func() host.Middleware { return &HumanInTheLoop{} }},
	{"model_call_limit", "limits the model calls of a run or thread", func() host.Middleware { return &ModelCallLimit{} }},
	{"patch_tool_calls", "repairs tool calls that a failed or abandoned run left open", func() host.Middleware { return &PatchToolCalls{} }},
	{"tool_call_limit", "limits the tool calls of a run or thread, of all tools or of one", func() host.Middleware { return &ToolCallLimit{} }},
	{"tool_error", "answers the model with the error of a tool, in place of a failed run", func() host.Middleware { return &ToolError{} }},
}

// Registry returns all registered middleware, sorted by name.
func Registry() []Entry { return slices.Clone(registry) }

// Lookup returns the entry of a name.
func Lookup(name string) (Entry, bool) {
	i := slices.IndexFunc(registry, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return Entry{}, false
	}
	return registry[i], true
}
