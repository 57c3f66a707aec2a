package reference

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/test/reference/probe"
	"github.com/agenthost/agenthost/test/reference/strict"
)

// AgentSpec is the agent that a vector describes.
type AgentSpec struct {
	Name            string
	SystemPrompt    string
	Model           *ModelSpec
	Models          map[string]*ModelSpec     // models of the middleware, by the names in their configurations
	Deciders        map[string]*DeciderSpec   // decision models of the middleware, by the names in their configurations
	Moderators      map[string]*ModeratorSpec // moderators of the middleware, by the names in their configurations
	Tools           []*probe.Tool
	Middleware      []MiddlewareSpec
	State           []probe.Field
	ResponseFormat  *ResponseFormat
	Checkpointer    bool
	RecursionLimit  int // 0: the default
	InterruptBefore []string
	InterruptAfter  []string
	MaxConcurrency  int
}

// MiddlewareSpec is a probe, or a built-in middleware with its configuration.
type MiddlewareSpec struct {
	Type   string
	Probe  *probe.Probe
	Config wire.Raw    // of a probe: the whole object
	Server *ServerSpec // of async_subagents
}

// ResponseFormat asks for structured answers.
type ResponseFormat struct {
	Strategy           string // "tool", "provider" or "auto"
	Schemas            []wire.Raw
	HandleErrors       wire.Raw
	ToolMessageContent string
}

func readAgent(o *strict.Object) AgentSpec {
	a := AgentSpec{
		Name: o.Text("name"), SystemPrompt: o.Text("system_prompt"), Models: map[string]*ModelSpec{},
		Deciders: map[string]*DeciderSpec{}, Moderators: map[string]*ModeratorSpec{},
		State:        probe.Fields(o.Object("state")),
		Checkpointer: o.Bool("checkpointer"), RecursionLimit: o.Int("recursion_limit", 1),
		InterruptBefore: readBreakpoints(o, "interrupt_before"), InterruptAfter: readBreakpoints(o, "interrupt_after"),
		MaxConcurrency: max(1, o.Int("max_concurrency", 1)),
	}
	o.Need("model")
	if m := o.Object("model"); m != nil {
		a.Model = readModel(m, "main")
	}
	own, served := splitTools(o.Objects("tools"))
	a.Tools = probe.Tools(own)
	for i, item := range o.Items("middleware") {
		a.readMiddleware(o, item, fmt.Sprintf("%s.middleware[%d]", o.Path(), i))
	}
	a.serve(served)
	if format := o.Object("response_format"); format != nil {
		a.ResponseFormat = readResponseFormat(format)
	}
	_ = o.Done()
	return a
}

func readBreakpoints(o *strict.Object, key string) []string {
	names := o.Texts(key)
	for _, name := range names {
		if name != "model" && name != "tools" {
			o.Fail(key, `must name "model" or "tools"`)
		}
	}
	return names
}

func (a *AgentSpec) readMiddleware(agent *strict.Object, raw wire.Raw, path string) {
	o := strict.Open(raw, path)
	o.Need("type")
	m := MiddlewareSpec{Type: o.Text("type")}
	var err error
	if m.Type == "probe" {
		if m.Config, err = a.nameModels(raw, path); err == nil {
			m.Probe, err = probe.Parse(m.Config, path)
		}
	} else {
		config := wire.Map{}.Raw()
		if o.Has("config") {
			config = o.Map("config").Raw()
		}
		switch m.Type {
		case asyncSubagentsType:
			config, m.Server, err = takeServer(config, path+".config")
		case rubricType:
			config = labelGrader(config)
		case "openai_model_router", "openai_auto_mode":
			config, err = a.nameConfig(config, "model", "model", func(raw wire.Raw) (wire.Raw, error) {
				return a.addDecider(raw, path+".config.model", true)
			})
		case "openai_moderation":
			config, err = a.nameConfig(config, "moderator", "client", func(raw wire.Raw) (wire.Raw, error) {
				return a.addModerator(raw, path+".config.moderator")
			})
		}
		if err = errors.Join(err, o.Done()); err == nil {
			m.Config, err = a.nameModels(config, path+".config")
		}
	}
	if err != nil {
		agent.Fail("middleware", err.Error())
	}
	a.Middleware = append(a.Middleware, m)
}

func readResponseFormat(o *strict.Object) *ResponseFormat {
	o.Need("strategy")
	f := &ResponseFormat{
		Strategy: o.OneOf("strategy", "tool", "provider", "auto"), Schemas: o.Items("schemas"),
		HandleErrors: o.Raw("handle_errors"), ToolMessageContent: o.Text("tool_message_content"),
	}
	if o.Has("schema") == o.Has("schemas") {
		o.Fail("schema", "a response format needs either schema or schemas, and not both")
	}
	if o.Has("schema") {
		f.Schemas = []wire.Raw{o.Map("schema").Raw()}
	}
	if kind := f.HandleErrors.Type(); kind != "" && kind != "boolean" && kind != "string" {
		o.Fail("handle_errors", "must be true, false or a text")
	}
	_ = o.Done()
	return f
}

// format returns the host's form of the response format.
func (f *ResponseFormat) format() *model.ResponseFormat {
	if f == nil {
		return nil
	}
	out := &model.ResponseFormat{Strategy: model.Strategy(f.Strategy), ToolMessage: f.ToolMessageContent}
	for _, schema := range f.Schemas {
		out.Formats = append(out.Formats, model.Format{Schema: schema})
	}
	if text, ok := f.HandleErrors.AsString(); ok {
		out.OnError = host.AnswerErrors(text)
	} else if handle, ok := f.HandleErrors.AsBool(); ok && !handle {
		out.OnError = host.AnswerErrorKinds()
	}
	return out
}

// nameModels replaces the models that a configuration describes by names, so that the configuration is plain data. It
// adds the models to those of the agent.
func (a *AgentSpec) nameModels(raw wire.Raw, path string) (wire.Raw, error) {
	switch {
	case raw.IsArray():
		out := wire.AppendArrayHeader(nil, raw.Len())
		for element := range raw.Elements() {
			named, err := a.nameModels(element, path)
			if err != nil {
				return nil, err
			}
			out = append(out, named...)
		}
		return out, nil
	case raw.IsMap():
		var out wire.Map
		for key, value := range raw.Pairs() {
			named, err := a.nameModel(string(key), value, path+"."+string(key))
			if err != nil {
				return nil, err
			}
			out.Set(string(key), named)
		}
		return out.Raw(), nil
	default:
		return raw, nil
	}
}

func (a *AgentSpec) nameModel(key string, value wire.Raw, path string) (wire.Raw, error) {
	switch {
	case key == "model" && value.IsMap():
		return a.addModel(value, path, "main")
	case key == "classifier" && value.IsMap():
		return a.addDecider(value, path, false)
	case key == "choices" && value.IsMap():
		var out wire.Map
		for label, choice := range value.Pairs() {
			named, err := a.nameChoice(string(label), choice, path)
			if err != nil {
				return nil, err
			}
			out.Set(string(label), named)
		}
		return out.Raw(), nil
	case key == "models" && value.IsArray():
		out := wire.AppendArrayHeader(nil, value.Len())
		i := 0
		for element := range value.Elements() {
			i++
			name, err := a.addModel(element, path, fallbackLabel+strconv.Itoa(i))
			if err != nil {
				return nil, err
			}
			out = append(out, name...)
		}
		return out, nil
	case key == "tools" || key == "dynamic_tools" || key == "args" || key == "update" || key == "parameters":
		return value, nil // data in which "model" means something else
	default:
		return a.nameModels(value, path)
	}
}

// nameChoice replaces the model of a route by its name. The label of the route is that of the model.
func (a *AgentSpec) nameChoice(label string, choice wire.Raw, path string) (wire.Raw, error) {
	o := strict.Open(choice, path+"."+label)
	o.Need("model", "criteria")
	named, err := a.addModel(o.Raw("model"), path, label)
	if err != nil {
		return nil, err
	}
	out := wire.Map{{Key: "criteria", Value: o.Raw("criteria")}, {Key: "model", Value: named}}
	return out.Raw(), o.Done()
}

// nameConfig replaces the object at a key of a configuration by a name at another key.
func (a *AgentSpec) nameConfig(config wire.Raw, from, to string, add func(wire.Raw) (wire.Raw, error)) (wire.Raw, error) {
	var fields wire.Map
	if _, err := fields.UnmarshalMsg(config); err != nil || !fields.Has(from) {
		return config, err
	}
	name, err := add(fields.Get(from))
	fields.Delete(from)
	fields.Set(to, name)
	return fields.Raw(), err
}

func (a *AgentSpec) addModerator(raw wire.Raw, path string) (wire.Raw, error) {
	o := strict.Open(raw, path)
	spec := readModerator(o)
	if err := o.Err(); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("moderator%d", len(a.Moderators)+1)
	a.Moderators[name] = spec
	return wire.String(name), nil
}

func (a *AgentSpec) addDecider(raw wire.Raw, path string, openAI bool) (wire.Raw, error) {
	o := strict.Open(raw, path)
	spec := readDecider(o)
	spec.OpenAI = openAI
	if err := o.Err(); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%s%d", classifierLabel, len(a.Deciders)+1)
	a.Deciders[name] = spec
	return wire.String(name), nil
}

func (a *AgentSpec) addModel(raw wire.Raw, path, label string) (wire.Raw, error) {
	o := strict.Open(raw, path)
	spec := readModel(o, label)
	if err := o.Err(); err != nil {
		return nil, err
	}
	name := spec.Label
	for n := 2; a.Models[name] != nil; n++ {
		name = fmt.Sprintf("%s#%d", spec.Label, n)
	}
	a.Models[name] = spec
	return wire.String(name), nil
}
