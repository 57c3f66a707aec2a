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
	Needs   string                 // the other keys of a manifest that Example needs: its models and tools; may be ""
	New     func() host.Middleware // returns a pointer to an empty configuration
}

// registry holds all entries, sorted by name. Each entry is declared in the file of its middleware.
var registry = []Entry{
	anthropicPromptCachingEntry,
	asyncSubagentsEntry,
	autoModeEntry,
	claudeBashEntry,
	claudeMemoryEntry,
	claudeTextEditorEntry,
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
	modelRefusalEntry,
	modelRetryEntry,
	modelRouterEntry,
	openAIAutoModeEntry,
	openAIModelRouterEntry,
	openAIModerationEntry,
	patchToolCallsEntry,
	piiEntry,
	providerToolSearchEntry,
	rubricEntry,
	shellEntry,
	skillsEntry,
	subagentsEntry,
	summarizationEntry,
	todoListEntry,
	toolCallLimitEntry,
	toolErrorEntry,
	toolRetryEntry,
	unsupportedContentEntry,
}

// Excerpt returns the example as the keys of a manifest: the middleware, and the models and tools that it names. With apiVersion and
// model, it is a complete manifest.
func (e *Entry) Excerpt() string {
	var out strings.Builder
	out.WriteString(e.Needs + "middleware:\n")
	for line := range strings.Lines(e.Example) {
		out.WriteString("  " + line)
	}
	return out.String()
}

// What several examples need.
const (
	needsSmallModel = `models:
  small: anthropic:claude-haiku-4-5
`
	needsSearch = `tools:
  - http: {name: search, description: Searches the web., url: "https://search.example.com/", query: {q: "{q}"}}
`
	needsMail = `  - http:
      name: send_mail
      description: Sends a mail.
      method: POST
      url: "https://mail.example.com/send"
      body: {to: "{to}", text: "{text}"}
`
)

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
