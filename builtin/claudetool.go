package builtin

import (
	"context"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// claudeTool is a tool whose use Anthropic has trained its models for. Anthropic knows its parameters by its type; the agent runs it.
type claudeTool struct {
	middleware string // the name of the middleware that has it
	name       string
	kind       string // Anthropic's type of the tool
	instead    string // what a model of another provider can use
}

// claudeProviders are the providers whose models are Anthropic's.
var claudeProviders = []string{anthropic, "bedrock", "google_anthropic_vertex"}

// hook returns the hook that declares the tool with its type, and adds a text to the system prompt.
func (c *claudeTool) hook(prompt string) host.WrapModelHook {
	return host.WrapModelHook{PassesTokens: true, Func: func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		declared, err := c.declared(req)
		switch {
		case err != nil:
			return nil, nil, err
		case declared != nil:
			req = declared.WithSystem(appendSystem(req.System, prompt))
		}
		resp, err := next(ctx, req)
		return resp, nil, err
	}}
}

// order says where the middleware belongs.
func (*claudeTool) order() []host.Order {
	const reason = "it has to know which model is asked"
	const late = "otherwise its tool is already one of the provider's, which the other middleware does not see"
	return append(insideModelChoice(reason),
		host.Order{Inside: harnessProfileEntry.Name, Reason: late},
		host.Order{Inside: skillsEntry.Name, Reason: late},
		host.Order{Inside: llmToolSelectorEntry.Name, Reason: late},
	)
}

// declared returns the request with Anthropic's own definition of the tool in place of the agent's. It returns nil for a
// request that does not offer the tool.
func (c *claudeTool) declared(req *model.Request) (*model.Request, error) {
	own := func(spec abi.ToolSpec) bool { return spec.Name == c.name }
	if !slices.ContainsFunc(req.Tools, own) {
		return nil, nil
	}
	if info := req.Model.Info(); !slices.Contains(claudeProviders, providerKey(info.Provider)) {
		return nil, fmt.Errorf("%s: the tool %s is for Anthropic's models, and the model %q is of the provider %q; use %s for it",
			c.middleware, c.kind, info.Name, info.Provider, c.instead)
	}
	definition := wire.Map{{Key: "name", Value: wire.String(c.name)}, {Key: "type", Value: wire.String(c.kind)}}
	return req.WithTools(slices.DeleteFunc(slices.Clone(req.Tools), own)).AddProviderTools(model.ProviderTool{Definition: definition}), nil
}
