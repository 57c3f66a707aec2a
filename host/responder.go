package host

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/internal/schema"
	"github.com/agenthost/agenthost/internal/text"
)

// responder applies an agent's response format to model calls, and reads structured answers.
type responder struct {
	format  *model.ResponseFormat // all its formats have names, and none is a oneOf
	schemas map[string]*schema.Schema
	onError func(error) (string, bool)
}

// newResponder checks a response format. For nil it returns a nil responder, which does nothing.
func newResponder(given *model.ResponseFormat, tools *toolSet) (*responder, error) {
	if given == nil {
		return nil, nil //nolint:nilnil // an agent without one
	}
	format := *given
	format.Strategy = cmp.Or(format.Strategy, model.StrategyAuto)
	switch format.Strategy {
	case model.StrategyAuto, model.StrategyTool, model.StrategyProvider:
	default:
		return nil, fmt.Errorf("the strategy is %q; use %q, %q or %q", format.Strategy,
			model.StrategyAuto, model.StrategyTool, model.StrategyProvider)
	}
	r := &responder{format: &format, schemas: map[string]*schema.Schema{}, onError: format.OnError}
	if r.onError == nil {
		r.onError = askAgain
	}
	format.Formats = nil
	for i := range given.Formats {
		alternatives, err := alternativesOf(&given.Formats[i])
		if err != nil {
			return nil, fmt.Errorf("format %d: %w", i+1, err)
		}
		for j := range alternatives {
			if err := r.add(&alternatives[j], tools); err != nil {
				return nil, err
			}
		}
	}
	switch {
	case len(format.Formats) == 0:
		return nil, errors.New("it has no formats")
	case format.Strategy == model.StrategyProvider && len(format.Formats) > 1:
		return nil, fmt.Errorf("the strategy %q takes one format, not %d; use %q", format.Strategy, len(format.Formats), model.StrategyTool)
	}
	return r, nil
}

// add adds a format.
func (r *responder) add(f *model.Format, tools *toolSet) error {
	name := formatName(cmp.Or(f.Name, textAt(f.Schema, "title")))
	if name == "" {
		name = "response_format"
		for n := 2; r.schemas[name] != nil; n++ {
			name = fmt.Sprintf("response_format_%d", n)
		}
	}
	if f.Schema.IsNil() {
		return fmt.Errorf("format %q has no schema", name)
	}
	compiled, err := schema.Compile(f.Schema)
	if err == nil {
		err = compiled.CheckTypes()
	}
	if err != nil {
		return fmt.Errorf("format %q: %w", name, err)
	}
	switch {
	case r.schemas[name] != nil:
		return fmt.Errorf("two formats have the name %q; give their schemas other titles", name)
	case tools.byName[name] != nil || tools.dynamic[name] != nil:
		return fmt.Errorf("the format %q has the name of a tool; give its schema another title", name)
	}
	r.schemas[name] = compiled
	named := *f
	named.Name, named.Description = name, cmp.Or(f.Description, textAt(f.Schema, "description"))
	r.format.Formats = append(r.format.Formats, named)
	return nil
}

// has reports whether a format has this name.
func (r *responder) has(name string) bool { return r != nil && r.schemas[name] != nil }

// alternativesOf returns the alternatives of a format whose schema is a oneOf; any other format is its only alternative.
func alternativesOf(f *model.Format) ([]model.Format, error) {
	var s wire.Map
	if !f.Schema.IsMap() { // the schema compiler reports it
		return []model.Format{*f}, nil
	}
	if _, err := s.UnmarshalMsg(f.Schema); err != nil {
		return nil, err
	}
	oneOf := s.Get("oneOf")
	if !oneOf.IsArray() {
		return []model.Format{*f}, nil
	}
	var out []model.Format
	for alternative := range oneOf.Elements() {
		out = append(out, model.Format{Schema: alternative, Strict: f.Strict, Check: f.Check})
	}
	return out, nil
}

// notInName matches characters that are not allowed in the name of a tool.
var notInName = lazyregexp.New(`[^A-Za-z0-9_-]+`)

// formatName makes a name that providers accept.
func formatName(name string) string {
	name = strings.Trim(notInName().ReplaceAllString(name, "_"), "_")
	return name[:min(len(name), 64)]
}

// textAt returns the text at a key of a schema, or "".
func textAt(raw wire.Raw, key string) string {
	var s wire.Map
	if _, err := s.UnmarshalMsg(raw); err != nil {
		return ""
	}
	text, _ := s.Get(key).AsString()
	return text
}

// bind turns the response format of a request into what its model supports: tools, one of which must be called, or a native format.
func (r *responder) bind(req *model.Request, m model.Model) (*model.Request, error) {
	if r == nil || req.Response == nil {
		return req, nil
	}
	formats := req.Response.Formats
	if len(formats) == 0 {
		return req, nil
	}
	for i := range formats {
		if r.schemas[formats[i].Name] == nil {
			//nolint:staticcheck // the text is LangChain's
			return nil, fmt.Errorf("ToolStrategy specifies tool '%s' which wasn't declared in the original response format "+
				"when creating the agent.", formats[i].Name)
		}
	}
	if native(req.Response, m.Info(), len(req.Tools) > 0) {
		return req.WithFormat(&formats[0]), nil
	}
	tools := slices.Clone(req.Tools)
	for i := range formats {
		tools = append(tools, abi.ToolSpec{Name: formats[i].Name, Description: formats[i].Description, Parameters: formats[i].Schema})
	}
	return req.WithTools(tools).WithToolChoice("any"), nil
}

// native reports whether the model's provider enforces the format itself.
func native(response *model.ResponseFormat, info model.Info, tools bool) bool {
	switch {
	case len(response.Formats) != 1 || response.Strategy == model.StrategyTool:
		return false
	case response.Strategy == model.StrategyProvider:
		return true
	case info.Provider == "gemini" && tools && oldGemini().MatchString(info.Name): // it accepts tools or a format, not both
		return false
	default:
		return info.StructuredOutput
	}
}

var oldGemini = lazyregexp.New(`(^|/)gemini-[12]\b`)

// offersTools reports whether answers may come as tool calls; a model that makes none is asked again.
func (r *responder) offersTools() bool {
	return r != nil && r.format.Strategy != model.StrategyProvider
}

// read extracts the value from a model's response: from its text if format is set, otherwise from a tool call without an answer.
// A call with an unusable value is answered, so that the model tries again, or else an error.
func (r *responder) read(resp *model.Response, format *model.Format) (*model.Response, error) {
	if r == nil {
		return resp, nil
	}
	ai := resp.AI()
	if format != nil {
		return r.readText(resp, ai, format)
	}
	var calls []*abi.ToolCall
	var names []string
	for i := range ai.ToolCalls {
		call := &ai.ToolCalls[i]
		if r.schemas[call.Name] != nil && answerAmong(resp.Messages, call.ID) == nil {
			calls, names = append(calls, call), append(names, call.Name)
		}
	}
	if len(calls) == 0 {
		return resp, nil
	}
	out := *resp
	out.Messages = slices.Clone(resp.Messages)
	var wrong *StructuredError
	if len(calls) > 1 {
		wrong = &StructuredError{Kind: StructuredMultiple, Formats: names}
	} else if err := r.validate(names[0], calls[0].Args); err != nil {
		wrong = &StructuredError{Kind: StructuredInvalid, Formats: names, Err: parseFailure(names[0], err)}
	}
	if wrong == nil {
		out.Structured = calls[0].Args
		text := cmp.Or(r.format.ToolMessage, "Returning structured response: "+calls[0].Args.JSON())
		out.Messages = append(out.Messages, abi.ToolResult(*calls[0], text))
		return &out, nil
	}
	answer, again := r.onError(wrong)
	if !again {
		return nil, wrong
	}
	for _, call := range calls {
		out.Messages = append(out.Messages, abi.ToolResult(*call, answer))
	}
	return &out, nil
}

// readText reads the value from the text of a message without calls.
func (r *responder) readText(resp *model.Response, ai *abi.Message, format *model.Format) (*model.Response, error) {
	if len(ai.ToolCalls) > 0 {
		return resp, nil
	}
	out := *resp
	value, err := resp.Structured, error(nil)
	if value.IsZero() {
		value, err = wire.FromJSON([]byte(ai.Content.Text()), wire.DefaultLimits)
	}
	if err != nil {
		//nolint:staticcheck // the text is LangChain's
		err = fmt.Errorf("Native structured output expected valid JSON for %s, but parsing failed: %w", format.Name, err)
	} else if err = r.validate(format.Name, value); err != nil {
		err = parseFailure(format.Name, err)
	}
	if err != nil {
		return nil, &StructuredError{Kind: StructuredInvalid, Formats: []string{format.Name}, Err: err, Answer: ai}
	}
	out.Structured = value
	return &out, nil
}

// validate checks a value against the format with a name.
func (r *responder) validate(name string, value wire.Raw) error {
	if err := r.schemas[name].Validate(value); err != nil {
		return err
	}
	at := slices.IndexFunc(r.format.Formats, func(f model.Format) bool { return f.Name == name })
	if check := r.format.Formats[at].Check; check != nil {
		return check(value)
	}
	return nil
}

func parseFailure(name string, err error) error {
	return fmt.Errorf("Failed to parse data to %s: %w", name, err) //nolint:staticcheck // the text is LangChain's
}

// asks returns the response format of the agent's requests.
func (r *responder) asks() *model.ResponseFormat {
	if r == nil {
		return nil
	}
	return r.format
}

// structured returns the structured answer of the run's last model call; nil if it gave none.
func (s *State) structured() wire.Raw {
	value := s.Get(structuredField.Name)
	if value.IsNil() {
		return nil
	}
	return value
}

// setStructured adds the structured answer of a model call, or that it gave none, to its update.
func (r *responder) setStructured(u *Update, s *State, value wire.Raw) error {
	if r == nil || value.IsZero() && s.structured().IsZero() {
		return nil
	}
	if value.IsZero() {
		value = wire.AppendNil(nil)
	}
	return structuredField.Set(u, value)
}

// unusable reports whether a response lacks the value that the agent asks for, so that the model is asked again: all its calls of
// formats were refused, or it made no call although mustRespond says that it can call nothing else.
func (r *responder) unusable(resp *model.Response, mustRespond bool) bool {
	if !r.offersTools() || !resp.Structured.IsZero() {
		return false
	}
	calls := resp.AI().ToolCalls
	if len(calls) == 0 {
		return mustRespond
	}
	return slices.ContainsFunc(calls, func(c abi.ToolCall) bool { return r.schemas[c.Name] != nil })
}

// missingValue is the error of a model that gave no value; it quotes the last answer.
func missingValue(resp *model.Response) error {
	err := &StructuredError{Kind: StructuredMissing}
	if said := resp.AI().Content.Text(); said != "" {
		err.Err = fmt.Errorf("its last answer was %q", text.Head(said, 300))
	}
	return err
}
