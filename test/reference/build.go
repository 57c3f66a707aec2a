package reference

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/test/reference/probe"
)

// Flavor is a way to perform probes: the same scripts as native middleware, or inside a plugin.
type Flavor struct {
	Name string
	// make makes a probe's middleware for an agent that declares these fields.
	make func(m *MiddlewareSpec, record *recorder, declared []string) (host.Middleware, error)
}

// Native performs probes as native middleware.
func Native() Flavor { return Flavor{"native", newNativeProbe} }

// Subject is an agent built as a vector describes it.
type Subject struct {
	agent  *host.Agent
	record *recorder
	spec   *AgentSpec
	asked  map[string][]host.Interrupt // pending interrupts of each thread
}

// Build builds the agent. Close the subject after use. An error that a vector may expect is a [*host.ConfigError]. Any
// other error means that the vector cannot be run. The adjustments set options that the format cannot express.
func (v *Vector) Build(flavor Flavor, adjust ...func(*host.Config)) (*Subject, error) {
	a := &v.Agent
	s := &Subject{record: newRecorder(), spec: a, asked: map[string][]host.Interrupt{}}
	s.record.atOnce = a.MaxConcurrency > 1
	config := host.Config{
		Name: a.Name, SystemPrompt: abi.Text(a.SystemPrompt), Model: s.model(a.Model), Models: a.models(s.record),
		Tools: hostTools(a.Tools, s.record), RecursionLimit: a.RecursionLimit,
		ToolCalls: host.ToolCallConfig{Parallel: a.MaxConcurrency}, Seed: counter(),
		InterruptBefore: a.InterruptBefore, InterruptAfter: a.InterruptAfter, ResponseFormat: a.ResponseFormat.format(),
	}
	if a.Checkpointer {
		config.Checkpointer = memory.New()
	}
	var err error
	if config.State, err = hostFields(a.State); err != nil {
		return nil, err
	}
	declared := v.declared()
	for i := range a.Middleware {
		m, err := makeMiddleware(&a.Middleware[i], flavor, s.record, declared)
		if err != nil {
			return nil, err
		}
		config.Middleware = append(config.Middleware, m)
	}
	config.MayHaveTool = func(string) bool { return true } // the original does not check the names of tools
	for _, change := range adjust {
		change(&config)
	}
	s.agent, err = host.New(config)
	return s, err
}

// Close closes the agent.
func (s *Subject) Close() error { return s.agent.Close() }

func (s *Subject) model(spec *ModelSpec) model.Model { return &fileModel{spec: spec, record: s.record} }

// models returns the models of the middleware.
func (a *AgentSpec) models(record *recorder) map[string]model.Model {
	models := make(map[string]model.Model, len(a.Models)+len(a.Deciders))
	for name, spec := range a.Models {
		models[name] = &fileModel{spec: spec, record: record}
	}
	for name, spec := range a.Deciders {
		models[name] = &fileDecider{spec: spec, record: record}
	}
	for name, spec := range a.Moderators {
		models[name] = &fileModerator{spec: spec, record: record}
	}
	return models
}

// counter numbers the runs. Their seeds, and with them the ids of messages, are derived from the number.
func counter() func() uint64 {
	var n uint64
	return func() uint64 { n++; return n }
}

func makeMiddleware(m *MiddlewareSpec, flavor Flavor, record *recorder, declared []string) (host.Middleware, error) {
	if m.Probe != nil {
		return flavor.make(m, record, declared)
	}
	entry, ok := builtin.Lookup(m.Type)
	if !ok {
		return nil, fmt.Errorf("there is no middleware %q", m.Type)
	}
	switch m.Type {
	case rubricType:
		return makeRubric(m, record)
	case asyncSubagentsType:
		return makeAsyncSubagents(m, record)
	}
	config := entry.New()
	if auto, ok := config.(*builtin.AutoMode); ok { // by default, the reference's criteria do not reach the classifier
		auto.Criteria = &builtin.RiskCriteria{}
	}
	if err := strictyaml.Decode(m.Type, []byte(m.Config.JSON()), config); err != nil {
		return nil, err
	}
	return config, nil
}

// declared returns the names of all state fields of the agent.
func (v *Vector) declared() []string {
	var names []string
	add := func(fields []probe.Field) {
		for i := range fields {
			names = append(names, fields[i].Name)
		}
	}
	add(v.Agent.State)
	for i := range v.Agent.Middleware {
		m := &v.Agent.Middleware[i]
		if m.Probe != nil {
			add(m.Probe.Fields)
			continue
		}
		names = append(names, v.fieldsOfBuiltin(m)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// fieldsOfBuiltin asks a built-in middleware for its fields. It returns none if the middleware cannot be built; Build
// reports that error.
func (v *Vector) fieldsOfBuiltin(m *MiddlewareSpec) []string {
	middleware, err := makeMiddleware(m, Flavor{}, nil, nil)
	if err != nil {
		return nil
	}
	env := host.Env{Name: m.Type, Logger: slog.New(slog.DiscardHandler), Models: v.Agent.models(newRecorder())}
	hooks, err := middleware.Hooks(context.Background(), env)
	if err != nil || hooks == nil {
		return nil
	}
	var names []string
	for i := range hooks.State {
		names = append(names, hooks.State[i].Name)
	}
	if hooks.Close != nil {
		_ = hooks.Close()
	}
	return names
}

// hostFields makes the host's declarations of fields.
func hostFields(fields []probe.Field) ([]host.Field, error) {
	var out []host.Field
	for i := range fields {
		f := &fields[i]
		reducer, ok := host.ReducerByName(f.Reducer)
		if !ok {
			return nil, fmt.Errorf("field %q: there is no reducer %q", f.Name, f.Reducer)
		}
		out = append(out, host.Field{
			Name: f.Name, Lifetime: lifetimes[f.Lifetime], HideInput: f.HideInput, HideOutput: f.HideOutput, Reducer: reducer,
			Schema: f.Schema,
		})
	}
	return out, nil
}

var lifetimes = map[string]host.Lifetime{"thread": host.LifetimeThread, "run": host.LifetimeRun, "step": host.LifetimeStep}

// inputState returns the state of an input in the host's form.
func inputState(fields wire.Map) map[string]any {
	if len(fields) == 0 {
		return nil
	}
	out := make(map[string]any, len(fields))
	for _, pair := range fields {
		out[pair.Key] = pair.Value
	}
	return out
}
