package reference

import (
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/test/reference/strict"
)

// splitTools parts the tools that the agent runs from those that the provider runs.
func splitTools(all []*strict.Object) (own []*strict.Object, served []wire.Map) {
	for _, o := range all {
		if !o.Has("provider_tool") {
			own = append(own, o)
			continue
		}
		if tool := o.Object("provider_tool"); tool != nil {
			served = append(served, readProviderTool(tool))
		}
		_ = o.Done()
	}
	return own, served
}

func readProviderTool(o *strict.Object) wire.Map {
	o.Need("type")
	tool := wire.Map{{Key: "type", Value: o.Raw("type")}}
	checkText(o, "type")
	if o.Has("name") {
		checkText(o, "name")
		tool = tool.With(wire.Map{{Key: "name", Value: o.Raw("name")}})
	}
	_ = o.Done()
	return tool
}

// fallbackLabel begins the labels of the models of model_fallback.
const fallbackLabel = "fallback"

// serve gives the provider's tools to the models that may answer. In the format the agent has them; here, models do.
func (a *AgentSpec) serve(tools []wire.Map) {
	if a.Model == nil {
		return
	}
	a.Model.ProviderTools = tools
	for _, spec := range a.Models {
		if strings.HasPrefix(spec.Label, fallbackLabel) {
			spec.ProviderTools = tools
		}
	}
}

// searchTools are the tools that search tools, as the providers' clients define them.
var searchTools = map[string]wire.Map{
	"anthropic": {
		{Key: "name", Value: wire.String("tool_search_tool_bm25")}, {Key: "type", Value: wire.String("tool_search_tool_bm25_20251119")},
	},
	"openai": {{Key: "type", Value: wire.String("tool_search")}},
}

// addProviderTools records the provider's tools. Like those of the agent, they stand before the tools of a response format.
func (r *request) addProviderTools(spec *ModelSpec, req *model.Request) {
	r.served = append(r.served, spec.ProviderTools...)
	for _, tool := range req.ProviderTools {
		if tool.Name == model.ToolSearch {
			r.served = append(r.served, searchTools[spec.Provider])
		} else {
			r.served = append(r.served, tool.Definition)
		}
	}
	var names []string
	for _, tool := range r.served {
		key := "name"
		if !tool.Has(key) {
			key = "type"
		}
		name, _ := tool.Get(key).AsString()
		names = append(names, name)
	}
	at := len(r.tools)
	if req.Response != nil && req.Format == nil {
		at = slices.IndexFunc(req.Tools, func(t abi.ToolSpec) bool {
			return slices.ContainsFunc(req.Response.Formats, func(f model.Format) bool { return f.Name == t.Name })
		})
		if at < 0 {
			at = len(r.tools)
		}
	}
	r.tools = slices.Insert(r.tools, at, names...)
}
