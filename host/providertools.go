package host

import (
	"fmt"
	"maps"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
)

// checkProviderTools refuses an agent one of whose middleware guards a tool that the provider of a model runs: the provider's calls do not
// pass through the middleware, so the guard would protect nothing.
func (a *build) checkProviderTools() error {
	if err := a.checkToolsOf(a.config.Model, a.tools.specs); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(a.config.Models)) {
		if err := a.checkToolsOf(a.config.Models[name], nil); err != nil { // perhaps only subagents use it, which have other tools
			return err
		}
	}
	return nil
}

// checkToolsOf does so for one model. It also refuses a tool of the agent, among those that the model is offered, with the name of one of
// the provider's.
func (a *build) checkToolsOf(m model.Model, offered []abi.ToolSpec) error {
	user, ok := model.As[model.ProviderToolUser](m)
	if !ok {
		return nil
	}
	for _, name := range user.ProviderToolNames() {
		if err := a.checkGuardsOf(name, m); err != nil {
			return err
		}
		if slices.ContainsFunc(offered, func(spec abi.ToolSpec) bool { return spec.Name == name }) {
			return &ConfigError{ConfigSubject{}, fmt.Errorf("the agent has a tool %q, and so has the provider of the model %s; rename the agent's, "+
				"or remove the other from the provider_tools of the model", name, m.Info().Name)}
		}
	}
	return nil
}

func (a *build) checkGuardsOf(tool string, m model.Model) error {
	for i, middleware := range a.middleware {
		if slices.Contains(middleware.hooks.Guards, tool) || slices.Contains(middleware.hooks.MayGuard, tool) {
			return &ConfigError{a.subject(i), fmt.Errorf("it guards the tool %q, which the provider of the model %s runs itself, so that no "+
				"middleware can review or stop its calls; remove the tool from the provider_tools of the model, or from this middleware", tool, m.Info().Name)}
		}
	}
	if slices.ContainsFunc(a.alerts, func(watched *alert) bool { return watched.tool == tool }) {
		return &ConfigError{ConfigSubject{Kind: SubjectToolCalls}, fmt.Errorf("field Alert names the tool %q, which the provider of the "+
			"model %s runs itself, so that its calls are not counted; remove it", tool, m.Info().Name)}
	}
	return nil
}
