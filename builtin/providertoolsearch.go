package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// ProviderToolSearch keeps the schemas of tools out of the model's context until the model looks for them, with the tool search that
// Anthropic and OpenAI run on their servers. An agent can then have hundreds of tools, and the model still chooses well. A tool that
// the model has found is called like any other: all middleware sees the call.
//
// A tool is searchable if searchable_tools names it, or if its own extras have defer_loading: true, as all tools of an MCP server can
// have. Without such a tool the request stays as it is, whatever the provider. With one, a model of another provider fails the call,
// so that a model_fallback outside tries the next model. OpenAI's search needs the API "responses".
//
// List it last: it looks at the model that model_router or model_fallback has chosen, and at the tools that a selector has left.
//
// Behaviour and texts are those of LangChain 1.5.0's ProviderToolSearchMiddleware.
type ProviderToolSearch struct {
	// SearchableTools are the names of tools that the model has to look for. It is an error if a request does not offer one of them.
	SearchableTools []string `yaml:"searchable_tools"`
}

var providerToolSearchEntry = Entry{
	Name:    "provider_tool_search",
	Summary: "lets the model search many tools at its provider, in place of reading all their schemas",
	Example: `- provider_tool_search:
    searchable_tools: [search]
`,
	Needs: needsSearch,
	New:   func() host.Middleware { return &ProviderToolSearch{} },
}

// searchProviders are the providers with a search for tools.
var searchProviders = []string{"anthropic", "openai"}

// deferLoading is the key of a tool that the model has to look for, in the APIs of both providers.
const deferLoading = "defer_loading"

// Name returns "provider_tool_search".
func (*ProviderToolSearch) Name() string { return providerToolSearchEntry.Name }

// Hooks returns the hook.
func (p *ProviderToolSearch) Hooks(context.Context, host.Env) (*host.Hooks, error) {
	const reason = "it has to know which model is asked, and with which tools"
	return &host.Hooks{
		WrapModelCall: host.WrapModelHook{PassesTokens: true, Func: func(
			ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
		) (*model.Response, *host.Update, error) {
			req, err := p.prepared(req)
			if err != nil {
				return nil, nil, err
			}
			resp, err := next(ctx, req)
			return resp, nil, err
		}},
		Order: append(insideModelChoice(reason), host.Order{Inside: llmToolSelectorEntry.Name, Reason: reason}),
	}, nil
}

// prepared returns the request with its deferred tools and the provider's tool that searches them.
func (p *ProviderToolSearch) prepared(req *model.Request) (*model.Request, error) {
	if unknown := p.unknown(req.Tools); len(unknown) > 0 {
		return nil, fmt.Errorf("ProviderToolSearchMiddleware: searchable_tools references tool(s) not bound to the model: %s",
			strings.Join(unknown, ", "))
	}
	deferred := false
	tools := slices.Clone(req.Tools)
	for i := range tools {
		if p.searchable(&tools[i]) {
			tools[i].Extras = tools[i].Extras.With(wire.Map{{Key: deferLoading, Value: wire.Bool(true)}})
			deferred = true
		}
	}
	if !deferred {
		return req, nil
	}
	info := req.Model.Info()
	switch provider := providerKey(info.Provider); {
	case provider == "":
		return nil, fmt.Errorf("ProviderToolSearchMiddleware could not determine the provider for model '%s'; "+
			"server-side tool search supports: %s", info.Name, strings.Join(searchProviders, ", "))
	case !slices.Contains(searchProviders, provider):
		return nil, fmt.Errorf("ProviderToolSearchMiddleware requires a provider with server-side tool search, but got '%s'; "+
			"supported providers: %s", provider, strings.Join(searchProviders, ", "))
	}
	return req.WithTools(tools).AddProviderTools(model.ProviderTool{Name: model.ToolSearch}), nil
}

// unknown returns the searchable tools that a request does not offer, sorted.
func (p *ProviderToolSearch) unknown(offered []abi.ToolSpec) []string {
	var out []string
	for _, name := range p.SearchableTools {
		if !slices.ContainsFunc(offered, func(spec abi.ToolSpec) bool { return spec.Name == name }) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (p *ProviderToolSearch) searchable(spec *abi.ToolSpec) bool {
	if slices.Contains(p.SearchableTools, spec.Name) {
		return true
	}
	deferred, ok := spec.Extras.Get(deferLoading).AsBool()
	return ok && deferred
}
