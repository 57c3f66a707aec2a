package hosts_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/cassette"
	"github.com/agenthost/agenthost/host/plugin/fetch"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/tck/hosts"
)

// subject is this repository's host while it performs one case.
type subject struct {
	*hosts.Shower

	c      *hosts.Case
	agent  *host.Agent
	broken *broken

	mu     sync.Mutex
	ended  *hosts.RunOutcome  // the present run
	cancel context.CancelFunc // of the present run
	asked  []host.Interrupt   // pending interrupts
}

// perform performs a case.
func perform(t *testing.T, c *hosts.Case, engine *plugin.Engine, module func(*hosts.Plugin) []byte) *hosts.Outcome {
	t.Helper()
	return performBy(t, &broken{}, c, engine, module)
}

// performBy performs a case with a host that does something wrong.
func performBy(t *testing.T, broken *broken, c *hosts.Case, engine *plugin.Engine, module func(*hosts.Plugin) []byte) *hosts.Outcome {
	t.Helper()
	s := &subject{Shower: c.Shower(), c: c, broken: broken, ended: &hosts.RunOutcome{}}
	agent, err := host.New(s.config(engine, module))
	if err != nil {
		return &hosts.Outcome{Refused: true}
	}
	s.agent = agent
	defer func() { require.NoError(t, agent.Close()) }()
	out := &hosts.Outcome{}
	for i := range c.Runs {
		out.Runs = append(out.Runs, s.run(t.Context(), &c.Runs[i]))
	}
	return out
}

func (s *subject) config(engine *plugin.Engine, module func(*hosts.Plugin) []byte) host.Config {
	var seeds atomic.Uint64
	config := host.Config{
		Name: s.c.Agent.Name, Model: s.model("model", s.c.Agent.Model), Models: map[string]model.Model{}, SystemPrompt: abi.Text(s.c.Agent.System),
		Checkpointer: memory.New(), Logger: slog.New((*lines)(s)), ToolCalls: host.ToolCallConfig{Parallel: 1}, RecursionLimit: 50,
		Seed: func() uint64 { return seeds.Add(1) }, Clock: func() time.Time { return time.Unix(1_767_225_600, 0) },
	}
	for name, turns := range s.c.Agent.Models {
		config.Models[name] = s.model(name, turns)
	}
	for i := range s.c.Agent.Tools {
		config.Tools = append(config.Tools, s.tool(&s.c.Agent.Tools[i]))
	}
	for _, f := range s.c.Agent.State {
		reducer, _ := host.ReducerByName(f.Reducer)
		lifetime := host.Lifetime(slices.Index([]string{"thread", "run", "step"}, f.Lifetime))
		config.State = append(config.State, host.Field{Name: f.Name, Lifetime: lifetime, Reducer: reducer})
	}
	for i := range s.c.Plugins {
		config.Middleware = append(config.Middleware, s.plugin(&s.c.Plugins[i], engine, module))
	}
	return config
}

func (s *subject) plugin(p *hosts.Plugin, engine *plugin.Engine, module func(*hosts.Plugin) []byte) plugin.Wasm {
	grant := plugin.Grant{
		Reads: p.Grant.Reads, Writes: p.Grant.Writes, Context: p.Grant.Context, ToolCall: p.Grant.ToolCall, ClockNow: p.Grant.ClockNow,
		ClockSleep: p.Grant.ClockSleep, RandomBytes: p.Grant.RandomBytes,
	}
	if g := p.Grant.KV; g != nil {
		grant.KV = &plugin.KVGrant{Quota: store.Quota{Bytes: g.Bytes, Entries: g.Entries}}
		for _, scope := range g.Scopes {
			grant.KV.Scopes = append(grant.KV.Scopes, abi.Scope(scope))
		}
	}
	if g := p.Grant.ModelGenerate; g != nil {
		grant.ModelGenerate = &plugin.ModelGrant{Model: g.Model, Calls: g.Calls}
	}
	if len(p.Grant.HTTPFetch) > 0 {
		grant.HTTPFetch = &fetch.Policy{Hosts: p.Grant.HTTPFetch}
	}
	l := p.Limits
	config := map[string]any{}
	for _, pair := range p.Config {
		config[pair.Key], _ = pair.Value.Value()
	}
	if s.broken.grants != nil {
		s.broken.grants(&grant)
	}
	return plugin.Wasm{
		ID: p.Name, Bytes: module(p), Config: config, Grant: grant, Engine: engine, Recorder: s,
		OnFailure: plugin.FailurePolicy(p.OnFailure), Isolation: plugin.Isolation(p.Isolation),
		Limits: plugin.Limits{
			Memory: l.Memory, Fuel: l.Fuel, Input: l.Input, Result: l.Result, HostCalls: l.HostCalls, Next: l.Next, Events: l.Events,
			Instances: l.Instances, Deadline: time.Minute,
		},
	}
}

// run performs one run.
func (s *subject) run(ctx context.Context, r *hosts.Run) hosts.RunOutcome {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	s.ended, s.cancel = &hosts.RunOutcome{Messages: []json.RawMessage{}}, cancel
	s.mu.Unlock()
	in := host.Input{Thread: r.Thread, Messages: r.Messages, Parent: r.Parent}
	if r.Context != nil {
		in.Context = r.Context
	}
	if r.State != nil {
		in.State = map[string]any{}
		for _, pair := range r.State {
			in.State[pair.Key] = pair.Value
		}
	}
	for _, pair := range r.Resume {
		at := slices.IndexFunc(s.asked, func(i host.Interrupt) bool { return i.Key == pair.Key })
		in.Resume = append(in.Resume, host.Answer{Interrupt: s.asked[at].ID, Value: pair.Value})
	}
	if s.broken.input != nil {
		s.broken.input(&in)
	}
	result, err := s.agent.RunEvents(ctx, in, func(e host.Event) error {
		if e.Type == host.EventCustom {
			s.note(func(out *hosts.RunOutcome) {
				out.Events = append(out.Events, s.show(map[string]any{"step": e.Step, "name": e.Name, "data": e.Data}))
			})
		}
		return nil
	})
	out := s.ended
	out.Status = string(result.Status)
	for i := range result.Messages.Len() {
		out.Messages = append(out.Messages, s.Show(result.Messages.Entry(i).Encoded()))
	}
	if len(result.State) > 0 {
		out.State = s.Show(result.State.Raw())
	}
	s.asked = result.Interrupts
	for _, i := range result.Interrupts {
		out.Interrupts = append(out.Interrupts, s.show(map[string]any{"key": i.Key, "value": i.Value}))
	}
	if err != nil && result.Status == host.Failed {
		out.Error = s.failure(err)
	}
	return *out
}

// failure says why a run failed, without the words that are specific to this host.
func (s *subject) failure(err error) *hosts.Failure {
	if fault, ok := errors.AsType[*plugin.Error](err); ok {
		return &hosts.Failure{Kind: string(fault.Kind), Hook: fault.Stage}
	}
	e := host.ErrorDocument(err)
	if s.OfScript(e.Message) {
		return &hosts.Failure{Type: hosts.Any}
	}
	return &hosts.Failure{Type: e.Type}
}

func (s *subject) note(f func(*hosts.RunOutcome)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s.ended)
}

// show shows a document of values.
func (s *subject) show(values map[string]any) json.RawMessage {
	for key, value := range values {
		if raw, ok := value.(wire.Raw); ok && raw.IsZero() {
			delete(values, key)
		}
	}
	raw, err := wire.Of(values)
	if err != nil {
		panic(err)
	}
	return s.Show(raw)
}

// Record takes a frame.
func (s *subject) Record(p *cassette.Plugin, f *cassette.Frame) {
	out := hosts.Frame{Plugin: p.Name, Export: f.Export, Input: s.Show(f.Input)}
	for i := range f.Exchanges {
		x := &f.Exchanges[i]
		e := hosts.Exchange{Next: x.Op == "", Op: s.broken.operation(x.Op), Document: s.Show(x.Payload)}
		if x.Answered {
			e.Status, e.Reply = new(int32(x.Status)), s.Show(x.Reply)
		}
		out.Exchanges = append(out.Exchanges, e)
	}
	if f.Returned {
		out.Code, out.Result = new(f.Code), s.Show(f.Result)
	}
	if f.Fault != nil {
		out.Fault = f.Fault.Kind
	}
	if f.Closed != 0 {
		out.Closed = f.Closed.String()
	}
	s.note(func(ended *hosts.RunOutcome) { ended.Frames = append(ended.Frames, out) })
}

// turns is a model that follows a script.
type turns struct {
	subject *subject
	name    string
	script  []hosts.Turn
	calls   atomic.Int64
}

func (s *subject) model(name string, script []hosts.Turn) model.Model {
	return &turns{subject: s, name: name, script: script}
}

func (m *turns) Info() model.Info { return model.Info{Name: m.name} }

func (m *turns) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	messages := make([]any, req.Messages.Len())
	for i := range messages {
		messages[i] = wire.Raw(req.Messages.Entry(i).Encoded())
	}
	names := []any{}
	for _, t := range req.Tools {
		names = append(names, t.Name)
	}
	shown := map[string]any{"model": m.name, "messages": messages, "tools": names}
	if !req.System.IsZero() {
		system, _ := req.System.MarshalMsg(nil)
		shown["system"] = wire.Raw(system)
	}
	if req.ToolChoice != "" {
		shown["tool_choice"] = req.ToolChoice
	}
	if len(req.Settings) > 0 {
		shown["settings"] = req.Settings.Raw()
	}
	m.subject.note(func(out *hosts.RunOutcome) { out.Requests = append(out.Requests, m.subject.show(shown)) })
	n := int(m.calls.Add(1)) - 1
	if n >= len(m.script) {
		return nil, errors.New("the script is over")
	}
	switch turn := &m.script[n]; {
	case turn.Cancel:
		m.subject.cancel()
		return nil, context.Cause(ctx)
	case turn.Message == nil:
		return nil, errors.New(turn.Error)
	default:
		return model.Reply(*turn.Message), nil
	}
}

func (s *subject) tool(t *hosts.Tool) host.Tool {
	spec := abi.ToolSpec{Name: t.Name, Parameters: t.Parameters}
	if spec.Parameters.IsZero() {
		spec.Parameters, _ = wire.Of(map[string]any{"type": "object"})
	}
	return tool.Raw(spec, func(_ context.Context, _ *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
		s.note(func(out *hosts.RunOutcome) {
			out.ToolCalls = append(out.ToolCalls, s.show(map[string]any{"name": call.Name, "args": call.Args}))
		})
		if t.Error != "" {
			return nil, errors.New(t.Error)
		}
		return host.TextOutput(t.Answer), nil
	})
}

// lines collects the lines of guests from the log.
type lines subject

func (l *lines) Enabled(context.Context, slog.Level) bool { return true }
func (l *lines) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *lines) WithGroup(string) slog.Handler            { return l }

func (l *lines) Handle(_ context.Context, r slog.Record) error {
	ofGuest := false
	r.Attrs(func(a slog.Attr) bool {
		ofGuest = ofGuest || a.Key == "hook"
		return true
	})
	if ofGuest {
		level := map[slog.Level]int{slog.LevelDebug: 0, slog.LevelInfo: 1, slog.LevelWarn: 2, slog.LevelError: 3}[r.Level]
		(*subject)(l).note(func(out *hosts.RunOutcome) { out.Log = append(out.Log, hosts.Line{Level: level, Text: r.Message}) })
	}
	return nil
}
