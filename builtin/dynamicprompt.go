package builtin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// DynamicPrompt makes the system prompt of each model call from a template and the current state.
//
// The template has the syntax of Go's package text/template. It may use
//
//   - .state.NAME, the state field of that name, or nothing if it is not set. A name that neither the agent nor any
//     middleware declares is refused when the agent is built.
//   - .context, the value that the caller gave to the run, as data; nothing if there is none
//   - .message_count, the number of messages that the model gets, without the system prompt
//   - .tools, the names of the tools that the model is offered
//   - .system, the text of the previous system prompt
//   - .now and .date, by the agent's clock: "2006-01-02T15:04:05Z" and "2006-01-02". A provider cannot cache a prompt that
//     changes with each call, so .date is usually better.
//
// Its functions are and, or, not, eq, ne, lt, le, gt, ge, len, index, default ({{default "English" .state.language}}), join
// ({{join ", " .tools}}), lower, upper, trim and json. Lists and mappings are shown as compact JSON. A missing key of a
// mapping is an error, which fails the model call; (index .state.user "name") gives nothing instead.
//
// Values are data: braces in them are text. Values that a tool or a user has written may still contain instructions that the
// model should not follow. The result has at most 256 KiB, and loops have at most 100,000 iterations; more is an error.
//
// This is LangChain's dynamic_prompt, which is a function, in a form for manifests. Go programs may use
// [host.DynamicPrompt].
type DynamicPrompt struct {
	// Template is the text of the prompt. Required.
	Template string `yaml:"template"`
	// Mode is where the text goes: "replace" (or ""), as in LangChain, replaces the whole system prompt, including the parts that
	// outer middleware added; "append" puts it after the system prompt and "prepend" before it, as a block of its own. An empty
	// text adds nothing; in the mode replace it removes the system prompt.
	Mode string `yaml:"mode" schema:"default=replace,enum=replace|append|prepend"`
}

var dynamicPromptEntry = Entry{
	Name:    "dynamic_prompt",
	Summary: "makes the system prompt of each model call from a template and the state",
	Example: `- dynamic_prompt:
    mode: append
    template: |
      Today is {{.date}}.
      {{if gt .message_count 20}}The conversation is long already: be brief.{{end}}
`,
	New: func() host.Middleware { return &DynamicPrompt{} },
}

// Name returns "dynamic_prompt".
func (p DynamicPrompt) Name() string { return "dynamic_prompt" }

// Hooks parses the template.
func (p DynamicPrompt) Hooks(context.Context, host.Env) (*host.Hooks, error) {
	if p.Template == "" {
		return nil, errors.New(`template is missing; give it a text such as "Today is {{.date}}."`)
	}
	place, ok := promptPlaces[p.Mode]
	if !ok {
		return nil, fmt.Errorf("mode is %q; use replace, append or prepend", p.Mode)
	}
	text, err := newPromptTemplate(p.Template)
	if err != nil {
		return nil, err
	}
	prompt := func(
		ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		data, err := promptData(rt, req, text)
		if err != nil {
			return nil, nil, err
		}
		made, err := text.execute(ctx, data)
		if err != nil {
			return nil, nil, err
		}
		resp, err := next(ctx, req.WithSystem(place(req.System, made)))
		return resp, nil, err
	}
	return &host.Hooks{WrapModelCall: host.WrapModelHook{Func: prompt, PassesTokens: true}, Uses: text.fields}, nil
}

// promptPlaces maps a mode to the function that places the text.
var promptPlaces = map[string]func(system abi.Content, text string) abi.Content{
	"":        replaceSystem,
	"replace": replaceSystem,
	"append":  appendSystem,
	"prepend": prependSystem,
}

func replaceSystem(_ abi.Content, text string) abi.Content { return abi.Text(text) }

// promptData returns the data that the template uses.
func promptData(rt *host.Runtime, req *model.Request, t *promptTemplate) (map[string]any, error) {
	data := map[string]any{}
	for name := range t.names {
		value, err := promptValue(rt, req, name)
		if err != nil {
			return nil, err
		}
		data[name] = value
	}
	if len(t.fields) == 0 {
		return data, nil
	}
	state := make(map[string]any, len(t.fields))
	for _, field := range t.fields {
		state[field] = nil
		if raw := rt.State().Get(field); !raw.IsZero() {
			value, err := raw.Value()
			if err != nil {
				return nil, fmt.Errorf("state field %q: %w", field, err)
			}
			state[field] = value
		}
	}
	data["state"] = state
	return data, nil
}

// promptNames are the names for [promptValue].
var promptNames = []string{"context", "date", "message_count", "now", "state", "system", "tools"}

func promptValue(rt *host.Runtime, req *model.Request, name string) (any, error) {
	switch name {
	case "context":
		raw, err := host.Encode(rt.ContextValue())
		if err != nil {
			return nil, fmt.Errorf("the run's context value: %w", err)
		}
		return raw.Value()
	case "date":
		return rt.Now().Format(time.DateOnly), nil
	case "message_count":
		return req.Messages.Len(), nil
	case "now":
		return rt.Now().Format(time.RFC3339), nil
	case "system":
		return req.System.Text(), nil
	case "tools":
		names := make([]any, len(req.Tools))
		for i := range req.Tools {
			names[i] = req.Tools[i].Name
		}
		return names, nil
	default: // state, which the caller adds
		return nil, nil
	}
}
