package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/text"
)

// LLMToolSelector has a model select the tools for each model call. An agent with many tools then sends the descriptions of
// only a few. Only the model sees fewer tools; if it calls another tool of the agent, that tool runs.
//
// The selecting model reads its instructions and the last human message. Its tokens count as the run's, and its answers are
// not shown. A model that enforces JSON Schemas is asked for a structured answer, and any other model is made to call a
// tool; JSON in a text is accepted, too.
//
// The call then has the selected tools, in the order of the agent, followed by those that are always included. A tool that
// the request forces the model to call stays. A call without tools to select from does not change.
//
// Behaviour and texts are those of LangChain's LLMToolSelectorMiddleware: selecting a tool that does not exist fails the
// run, whatever on_parsing_failure says.
type LLMToolSelector struct {
	// Model is the name of the agent's model that selects; "": the model that is about to be called.
	Model string `yaml:"model"`
	// SystemPrompt holds the instructions for the selecting model; "": LangChain's instructions. If max_tools is set, a line with
	// the number is added.
	SystemPrompt string `yaml:"system_prompt"`
	// MaxTools is the largest number of tools to select; if the model names more, the first ones are taken. nil: all that it
	// names.
	MaxTools *int `yaml:"max_tools" schema:"min=0"`
	// AlwaysInclude are the names of tools that are always offered, and do not count. It is an error if one does not exist.
	AlwaysInclude []string `yaml:"always_include"`
	// MaxRetries is how often the model is asked again after an answer without a list of tools; nil: once.
	MaxRetries *int `yaml:"max_retries" schema:"default=1,min=0"`
	// OnParsingFailure is what happens if no answer has a list: error (the default), none, all, or names of tools. max_tools does
	// not apply then.
	OnParsingFailure SelectionFallback `yaml:"on_parsing_failure"`
}

var llmToolSelectorEntry = Entry{
	Name:    "llm_tool_selector",
	Summary: "offers the model only the tools that another model selects for the question",
	Example: `- llm_tool_selector:
    model: small
    max_tools: 5
    always_include: [search]
    on_parsing_failure: all
`,
	Needs: needsSmallModel + needsSearch,
	New:   func() host.Middleware { return &LLMToolSelector{} },
}

const (
	selectorPrompt = "Your goal is to select the most relevant tools for answering the user's query."
	maxToolsPrompt = "\nIMPORTANT: List the tool names in order of relevance, with the most relevant first. " +
		"If you exceed the maximum number of tools, only the first %d will be used."
	// selectionFormat is the name of the answer's format, and of the tool that may take its place.
	selectionFormat = "ToolSelectionResponse"
)

// Name returns "llm_tool_selector".
func (s LLMToolSelector) Name() string { return "llm_tool_selector" }

// Hooks checks the configuration and finds the model.
func (s LLMToolSelector) Hooks(_ context.Context, env host.Env) (*host.Hooks, error) {
	selector := &toolSelector{LLMToolSelector: s, retries: 1}
	if s.MaxRetries != nil {
		selector.retries = *s.MaxRetries
	}
	if selector.retries < 0 {
		return nil, errors.New("max_retries must be >= 0")
	}
	if s.MaxTools != nil && *s.MaxTools < 0 {
		return nil, fmt.Errorf("max_tools is %d; it must not be negative", *s.MaxTools)
	}
	if err := s.OnParsingFailure.check(); err != nil {
		return nil, err
	}
	selector.prompt = cmp.Or(s.SystemPrompt, selectorPrompt)
	if s.MaxTools != nil {
		selector.prompt += fmt.Sprintf(maxToolsPrompt, *s.MaxTools)
	}
	selector.agents = env.Model
	if s.Model != "" {
		var err error
		if selector.own, err = modelOf(&env, "model", s.Model); err != nil {
			return nil, err
		}
	}
	return &host.Hooks{WrapModelCall: host.WrapModelHook{Func: selector.wrap, PassesTokens: true}, Expects: s.AlwaysInclude}, nil
}

// toolSelector is a checked [LLMToolSelector].
type toolSelector struct {
	LLMToolSelector

	prompt  string
	retries int
	own     model.Model // nil means the model of the request
	agents  model.Model
}

func (s *toolSelector) wrap(
	ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler,
) (*model.Response, *host.Update, error) {
	selected, err := s.selected(ctx, rt, req)
	if err != nil {
		return nil, nil, err
	}
	resp, err := next(ctx, selected)
	return resp, nil, err
}

// selected returns the request with the selected tools.
func (s *toolSelector) selected(ctx context.Context, rt *host.Runtime, req *model.Request) (*model.Request, error) {
	if len(req.Tools) == 0 {
		return req, nil
	}
	always, available, err := s.divided(req.Tools)
	if err != nil || len(available) == 0 {
		return req, err
	}
	question, ok := lastHuman(req.Messages)
	if !ok {
		return nil, errors.New("No user message found in request messages") //nolint:staticcheck // the text is LangChain's
	}
	var answer wire.Raw
	for attempt := 0; ; attempt++ {
		if answer, err = s.ask(ctx, rt, req, available, question); err != nil {
			return nil, err
		}
		if list := answer.Get("tools"); list.IsArray() {
			names, err := s.taken(list, available)
			if err != nil {
				return nil, err
			}
			return offering(req, available, names, always), nil
		}
		if attempt == s.retries {
			break
		}
	}
	names, err := s.fallback(answer, available)
	if err != nil {
		return nil, err
	}
	return offering(req, available, names, always), nil
}

// divided separates the tools that are always included from those to select from.
func (s *toolSelector) divided(tools []abi.ToolSpec) (always, available []abi.ToolSpec, err error) {
	var missing []string
	for _, name := range s.AlwaysInclude {
		if !has(tools, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		names := namesOf(tools)
		slices.Sort(names)
		//nolint:staticcheck // the text is LangChain's
		return nil, nil, fmt.Errorf("Tools in always_include not found in request: %s. Available tools: %s", jsonList(missing), jsonList(names))
	}
	for i := range tools {
		if slices.Contains(s.AlwaysInclude, tools[i].Name) {
			always = append(always, tools[i])
		} else {
			available = append(available, tools[i])
		}
	}
	return always, available, nil
}

// taken returns the valid names of a list, up to the largest number.
func (s *toolSelector) taken(list wire.Raw, available []abi.ToolSpec) ([]string, error) {
	var names []string
	var invalid []wire.Raw
	for item := range list.Elements() {
		name, ok := item.AsString()
		switch {
		case !ok || !has(available, name):
			invalid = append(invalid, item)
		case !slices.Contains(names, name) && (s.MaxTools == nil || len(names) < *s.MaxTools):
			names = append(names, name)
		}
	}
	if len(invalid) > 0 {
		return nil, invalidSelection(invalid)
	}
	return names, nil
}

// invalidSelection is the error of a selection of unknown tools.
func invalidSelection(invalid []wire.Raw) error {
	list := wire.AppendArrayHeader(nil, len(invalid))
	for _, item := range invalid {
		list = append(list, item...)
	}
	return fmt.Errorf("Model selected invalid tools: %s", excerpt(wire.Raw(list).JSON())) //nolint:staticcheck // the text is LangChain's
}

// offering returns the request with the tools of these names, followed by those that are always included. A tool that the
// request forces the model to call stays.
func offering(req *model.Request, available []abi.ToolSpec, names []string, always []abi.ToolSpec) *model.Request {
	tools := make([]abi.ToolSpec, 0, len(names)+len(always)+1)
	for i := range available {
		if slices.Contains(names, available[i].Name) || req.ToolChoice == available[i].Name {
			tools = append(tools, available[i])
		}
	}
	return req.WithTools(append(tools, always...))
}

func lastHuman(messages history.List) (abi.Message, bool) {
	for i := messages.Len() - 1; i >= 0; i-- {
		if m := messages.At(i); m.Role == abi.RoleHuman {
			return m, true
		}
	}
	return abi.Message{}, false
}

func has(tools []abi.ToolSpec, name string) bool {
	return slices.ContainsFunc(tools, func(t abi.ToolSpec) bool { return t.Name == name })
}

func namesOf(tools []abi.ToolSpec) []string {
	names := make([]string, len(tools))
	for i := range tools {
		names[i] = tools[i].Name
	}
	return names
}

func jsonList(names []string) string {
	raw, _ := wire.Of(names) // a list of strings can always be encoded
	return raw.JSON()
}

// excerpt returns the beginning of a model's answer, for errors.
func excerpt(answer string) string { return text.Cut(answer, 500) }
