package builtin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/text"
)

// HarnessProfile adapts the agent to the model of each call: what the system prompt adds, how tools are described, and which tools the
// model is not offered. Models differ in what helps them, and the agent may have several, by model_fallback or model_router. List
// it last, so that it knows the model and the tools, and so that its text ends the prompt; only claude_bash, claude_text_editor and
// claude_memory come after it. Subagents need a profile of their own.
//
// A profile is for a provider, such as anthropic, or for one model, such as anthropic:claude-haiku-4-5. If both fit, the texts of the
// model's profile win, descriptions are merged, and the tools that either excludes are excluded.
//
// It is not a guard: excluded tools are kept from the model to help it choose. A call of one is answered with an error, but human_in_the_loop or
// auto_mode decide what may run.
//
// Keys and texts are those of deepagents 0.7.32's HarnessProfile, which is chosen once, when the agent is built. Its
// excluded_middleware, extra_middleware and general_purpose_subagent are missing: the manifest lists the agent's middleware and subagents, and
// a profile cannot remove what protects. Nor are there profiles that come with the program.
type HarnessProfile struct {
	// Profiles are the profiles, by provider or by PROVIDER:MODEL, in upper or lower case. A name that is close to that of one of the
	// agent's models, but fits none, is a warning. Required.
	Profiles map[string]ModelProfile `yaml:"profiles"`
}

// ModelProfile is a profile of a [HarnessProfile].
type ModelProfile struct {
	// BaseSystemPrompt is added after the system prompt, before the suffix. "": nothing is added.
	BaseSystemPrompt string `yaml:"base_system_prompt"`
	// SystemPromptSuffix ends the system prompt. "": nothing is added.
	SystemPromptSuffix string `yaml:"system_prompt_suffix"`
	// ToolDescriptionOverrides are the descriptions of tools, by name.
	ToolDescriptionOverrides map[string]string `yaml:"tool_description_overrides"`
	// ExcludedTools are the tools that the model is not offered.
	ExcludedTools []string `yaml:"excluded_tools"`
}

var harnessProfileEntry = Entry{
	Name:    "harness_profile",
	Summary: "adapts the system prompt and the tools to the model of each call",
	Example: `- harness_profile:
    profiles:
      anthropic: {system_prompt_suffix: Call independent tools at once.}
      anthropic:claude-haiku-4-5: {excluded_tools: [search]}
`,
	Needs: needsSearch,
	New:   func() host.Middleware { return &HarnessProfile{} },
}

// Name returns "harness_profile".
func (HarnessProfile) Name() string { return "harness_profile" }

// Hooks checks the configuration.
func (p HarnessProfile) Hooks(_ context.Context, env host.Env) (*host.Hooks, error) {
	if len(p.Profiles) == 0 {
		return nil, errors.New("profiles is missing; name at least one provider, such as anthropic")
	}
	h := &harness{
		profiles: map[string]ModelProfile{},
		excluded: host.NewField[[]string](ownField("harness_excluded_tools", "harness_profile", env.Name), host.Hidden, host.Lives(host.LifetimeRun)),
	}
	var tools []string
	for _, key := range slices.Sorted(maps.Keys(p.Profiles)) {
		provider, name, exact := strings.Cut(key, ":")
		profile, known := p.Profiles[key], providerKey(provider)
		if provider == "" || exact && name == "" {
			return nil, fmt.Errorf("profiles: %q is neither a provider nor PROVIDER:MODEL, such as anthropic or anthropic:claude-haiku-4-5", key)
		}
		if exact {
			known += ":" + strings.ToLower(name)
		}
		if _, twice := h.profiles[known]; twice {
			return nil, fmt.Errorf("profiles: %q is the same as another key", key)
		}
		h.profiles[known] = profile
		tools = slices.Concat(tools, profile.ExcludedTools, slices.Collect(maps.Keys(profile.ToolDescriptionOverrides)))
	}
	h.advise(&env)
	slices.Sort(tools)
	const reason = "it has to know which model is asked, and with which tools"
	hooks := &host.Hooks{
		WrapModelCall: host.WrapModelHook{Func: h.adapt, PassesTokens: true}, State: []host.Field{h.excluded.Field},
		Guards: slices.Compact(tools), // so that a misspelt name is found, and one that the provider runs itself
		Order:  insideModelChoice(reason),
	}
	if slices.ContainsFunc(slices.Collect(maps.Values(h.profiles)), func(p ModelProfile) bool { return len(p.ExcludedTools) > 0 }) {
		hooks.WrapToolCall = host.WrapToolHook{Func: h.refuse}
	}
	return hooks, nil
}

// harness is a [HarnessProfile] in its agent.
type harness struct {
	profiles map[string]ModelProfile
	excluded host.TypedField[[]string] // by the profile of the run's last model
}

// advise tells of profiles that fit none of the agent's models. It warns if one of them was probably meant; a profile of quite another
// model may wait for the day when the agent gets that.
func (h *harness) advise(env *host.Env) {
	var fit []string
	for _, m := range append(slices.Collect(maps.Values(env.Models)), env.Model) {
		if m != nil {
			info := m.Info()
			fit = append(fit, providerKey(info.Provider), modelKey(&info))
		}
	}
	slices.Sort(fit)
	for _, key := range slices.Sorted(maps.Keys(h.profiles)) {
		if slices.Contains(fit, key) {
			continue
		}
		if near, ok := text.Nearest(key, fit); ok {
			env.Logger.Warn(fmt.Sprintf("the profile %q fits none of the agent's models; did you mean %q?", key, near))
		} else {
			env.Logger.Info(fmt.Sprintf("the profile %q fits none of the agent's models", key))
		}
	}
}

// modelKey returns the key of a model's own profile.
func modelKey(info *model.Info) string {
	return providerKey(info.Provider) + ":" + strings.ToLower(info.Name)
}

// of returns the profile of a model: that of its provider, with its own on top.
func (h *harness) of(m model.Model) ModelProfile {
	info := m.Info()
	out, own := h.profiles[providerKey(info.Provider)], h.profiles[modelKey(&info)]
	if own.BaseSystemPrompt != "" {
		out.BaseSystemPrompt = own.BaseSystemPrompt
	}
	if own.SystemPromptSuffix != "" {
		out.SystemPromptSuffix = own.SystemPromptSuffix
	}
	overrides := maps.Clone(out.ToolDescriptionOverrides)
	if overrides == nil {
		overrides = map[string]string{}
	}
	maps.Copy(overrides, own.ToolDescriptionOverrides)
	out.ToolDescriptionOverrides = overrides
	out.ExcludedTools = slices.Concat(out.ExcludedTools, own.ExcludedTools)
	slices.Sort(out.ExcludedTools)
	out.ExcludedTools = slices.Compact(out.ExcludedTools)
	return out
}

// adapt changes the request, and notes which tools the model is not offered.
func (h *harness) adapt(
	ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler,
) (*model.Response, *host.Update, error) {
	profile := h.of(req.Model)
	before, _, err := h.excluded.Get(rt.State())
	if err != nil {
		return nil, nil, err
	}
	tools := slices.DeleteFunc(slices.Clone(req.Tools), func(t abi.ToolSpec) bool { return slices.Contains(profile.ExcludedTools, t.Name) })
	for i := range tools {
		if description, ok := profile.ToolDescriptionOverrides[tools[i].Name]; ok {
			tools[i].Description = description
		}
	}
	system := appendSystem(appendSystem(req.System, profile.BaseSystemPrompt), profile.SystemPromptSuffix)
	resp, err := next(ctx, req.WithTools(tools).WithSystem(system))
	if err != nil || slices.Equal(before, profile.ExcludedTools) {
		return resp, nil, err
	}
	update := &host.Update{}
	return resp, update, h.excluded.Set(update, profile.ExcludedTools)
}

// refuse answers calls of tools that the model was not offered. The text is deepagents'.
func (h *harness) refuse(
	ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
) (*abi.Message, *host.Update, error) {
	excluded, _, err := h.excluded.Get(rt.State())
	switch {
	case err != nil:
		return nil, nil, err
	case slices.Contains(excluded, req.Call.Name) && !rt.Nested():
		answer := abi.ToolFailure(req.Call, "Error: "+req.Call.Name+" is not available.")
		return &answer, nil, nil
	}
	message, err := next(ctx, req)
	return message, nil, err
}
