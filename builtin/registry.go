package builtin

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// Entry is a registered middleware.
type Entry struct {
	Name    string                 // the name in manifests, which [host.Middleware.Name] returns
	Aliases []string               // other names that manifests may use
	Summary string                 // one line for help texts
	Example string                 // one item of a manifest's list of middleware
	New     func() host.Middleware // returns a pointer to an empty configuration
}

// registry holds all entries, sorted by name. Each entry is declared in the file of its middleware.
var registry = []Entry{
	anthropicPromptCachingEntry,
	contextEditingEntry,
	dynamicPromptEntry,
	fileSearchEntry,
	filesystemEntry,
	humanInTheLoopEntry,
	llmToolEmulatorEntry,
	llmToolSelectorEntry,
	loopControlEntry,
	memoryEntry,
	modelCallLimitEntry,
	modelFallbackEntry,
	modelRetryEntry,
	patchToolCallsEntry,
	piiEntry,
	shellEntry,
	skillsEntry,
	subagentsEntry,
	summarizationEntry,
	todoListEntry,
	toolCallLimitEntry,
	toolErrorEntry,
	toolRetryEntry,
}

// Registry returns all registered middleware, sorted by name.
func Registry() []Entry { return slices.Clone(registry) }

// Lookup returns the entry of a name or alias.
func Lookup(name string) (Entry, bool) {
	i := slices.IndexFunc(registry, func(e Entry) bool { return e.Name == name || slices.Contains(e.Aliases, name) })
	if i < 0 {
		return Entry{}, false
	}
	return registry[i], true
}

// modelOf returns the model that a key of a configuration names.
func modelOf(env *host.Env, key, name string) (model.Model, error) {
	if m, ok := env.Models[name]; ok {
		return m, nil
	}
	if len(env.Models) == 0 {
		return nil, fmt.Errorf("%s: there is no model %q; add it to the named models, of which the agent has none", key, name)
	}
	return nil, fmt.Errorf("%s: there is no model %q; the agent has %s", key, name, strings.Join(slices.Sorted(maps.Keys(env.Models)), ", "))
}
