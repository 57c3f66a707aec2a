package plugin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin/cassette"
	"github.com/agenthost/agenthost/host/plugin/internal/contract"
)

// Plugin is a loaded module with its configuration.
type Plugin struct {
	name      string
	path      string // of its file
	digest    string
	limits    Limits
	engine    *Engine
	policy    FailurePolicy
	accepts   bool // a policy that lets the run go on without a plugin that guards something
	optional  bool // tools that it guards may be missing
	isolation Isolation
	breaker   *breaker
	sum       [sha256.Size]byte // of the module
	signer    string            // the key that signed the module; "": no signature was wanted
	grant     Grant
	accepted  *Asks          // the most that it may ask for; nil: anything
	code      []byte         // the module; nil: it has been compiled
	source    []byte         // the script that the module's engine runs; nil: none
	settings  map[string]any // what the operator configures
	config    wire.Raw       // the settings with the schema's defaults
	wrote     []byte         // what describe returned
	logger    *slog.Logger
	models    map[string]model.Model
	contract  contract.Contract // the one that the module is written for; nil: the ABI's own
	compiled  compiledCode      // an *abiCode or, with a contract, a contract.Code
	pool      *pool

	firstMemory int64  // initial size of its memory, in bytes
	overhead    int64  // what an instance takes besides its memory, in bytes
	codeDigest  string // of the metered module
	codeSize    int64  // the compiled code's estimated share of the engine's memory
	globals     []int  // the mutable ones, which an image holds
	restorable  bool   // an image captures the whole state of an instance
	starts      bool   // the module has a start function
	wasi        bool   // the module imports from WASI
	image       *image // from which instances start; nil: each is initialized and configured
	blanks      sync.Pool
	exports     []string // functions that the ABI defines
	loadFuel    uint64   // used up to the first configured instance

	described abi.Description // the upper bound
	spec      abi.Description // what it does with this configuration
	specBytes []byte          // what every instance must return from configure
	ownFields []string
	context   []string // keys of the run's context that it is shown, in ascending order
	dynamic   map[string]*pluginTool

	capabilities capabilities
	written      runBudget   // bytes of results
	faultLimit   wire.Limits // for results

	recorder   Recorder
	recorded   *cassette.Plugin // what the recorder is told about the plugin
	operations func(op string, payload []byte) (abi.Status, []byte, bool)
}

// Open reads the module and checks its digest and signature. The caller then calls [Plugin.Load] or [Plugin.Describe], and
// Close in any case. Agents do all this with their plugins, so Open is only for tools that examine a plugin, such as those of
// package author. In env, the name defaults to the name of the middleware, and the logger to one that discards everything.
func (w Wasm) Open(env host.Env) (*Plugin, error) {
	code, signer, err := w.module()
	if err != nil {
		return nil, err
	}
	if env.Name == "" {
		env.Name = w.Name()
	}
	if env.Logger == nil {
		env.Logger = slog.New(slog.DiscardHandler)
	}
	sum := sha256.Sum256(code)
	p := &Plugin{
		name: env.Name, path: w.Path, digest: "sha256:" + hex.EncodeToString(sum[:])[:12], limits: w.Limits.withDefaults(), engine: w.Engine,
		policy: w.OnFailure, accepts: w.AcceptOpen, optional: w.Optional, isolation: w.Isolation, breaker: newBreaker(w.Breaker),
		signer: signer, grant: w.Grant, accepted: w.Asks, logger: env.Logger,
		models: env.Models, dynamic: map[string]*pluginTool{}, sum: sum, recorder: w.Recorder, operations: w.Operations,
		capabilities: capabilities{store: w.store(env)}, code: code, settings: w.Config,
	}
	if p.recorder != nil && p.isolation != IsolateCall {
		p.isolation = IsolateCall
		p.logger.Debug("the plugin is recorded, so its isolation is call")
	}
	p.faultLimit = wire.Limits{MaxBytes: p.limits.Result}
	if p.engine == nil {
		p.engine, _ = NewEngine(EngineConfig{}) // without a directory this cannot fail
		p.engine.fallback = true
	}
	p.pool = newPool(p)
	p.engine.memory.register(p.pool)
	return p, nil
}

// Load opens the plugin and loads it. The caller must close it.
func (w Wasm) Load(ctx context.Context, env host.Env) (*Plugin, error) {
	p, err := w.Open(env)
	if err != nil {
		return nil, err
	}
	if err := p.Load(ctx); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// Load takes the module through its life up to the first configured instance. It is called once. An error is an [*Error] if
// the plugin is to blame.
func (p *Plugin) Load(ctx context.Context) error {
	if err := p.equip(); err != nil {
		return err
	}
	if err := p.compile(ctx); err != nil {
		return err
	}
	if err := p.describe(ctx); err != nil {
		return err
	}
	if err := p.setConfig(p.settings); err != nil {
		return err
	}
	first, err := p.pool.take(ctx)
	if err != nil {
		return err
	}
	p.pool.returned(first)
	if err := p.checkGuards(); err != nil {
		return err
	}
	p.allow()
	if p.recorder != nil {
		p.recorded = p.Cassette()
	}
	return nil
}

// setConfig checks the operator's configuration and completes it with the schema's defaults.
func (p *Plugin) setConfig(values map[string]any) error {
	config, err := wire.MapOf(values)
	if err != nil {
		return fmt.Errorf("config%w", err)
	}
	compiled, err := compileConfigSchema(p.described.ConfigSchema)
	if err != nil {
		return p.fault(abi.ExportDescribe, KindProtocol, err.Error(), err)
	}
	if compiled == nil && len(config) > 0 {
		message := fmt.Sprintf("the plugin takes no configuration, but %q is given", config[0].Key)
		return &ConfigError{Message: message, Problem: message}
	}
	config = compiled.WithDefaults(config)
	p.config = config.Raw()
	return configError(compiled, p.config)
}

// fault makes the error of a guest that misbehaved.
func (p *Plugin) fault(stage string, kind Kind, message string, cause error) *Error {
	return &Error{Plugin: p.name, Digest: p.digest, Stage: stage, Kind: kind, Message: clean(message, 1000), Err: cause}
}

// Close waits for active calls, and closes all instances.
func (p *Plugin) Close() error {
	err := errors.Join(p.pool.close(), p.capabilities.close())
	p.dropImage()
	p.engine.memory.unregister(p.pool)
	if p.compiled != nil {
		err = errors.Join(err, p.engine.codes.leave(p.codeDigest, p.codeSize))
	} else {
		p.engine.memory.release(p.codeSize)
	}
	p.compiled, p.codeSize = nil, 0
	if p.engine.fallback {
		err = errors.Join(err, p.engine.Close())
	}
	return err
}

// Hooks makes the hooks that the configured Description lists. Their Close closes the plugin.
func (p *Plugin) Hooks() (*host.Hooks, error) {
	h := &host.Hooks{
		Close: p.Close, End: p.endRun, Capabilities: p.report(),
		Sandbox: p.sandbox,
		Version: p.spec.Version, Digest: "sha256:" + hex.EncodeToString(p.sum[:]),
	}
	if spec := p.spec.Hooks.WrapToolCall; spec != nil && p.spec.Guards {
		if p.optional {
			h.MayGuard = spec.Tools
		} else {
			h.Guards = spec.Tools
		}
	}
	if p.capabilities.allowed[abi.OpToolCall] {
		h.Calls = p.grant.ToolCall
	}
	node := func(name abi.Hook, spec *abi.HookSpec) host.NodeHook {
		if spec == nil {
			return host.NodeHook{}
		}
		hook := p.nodeHook(name, spec)
		for _, target := range spec.CanJumpTo {
			hook.CanJumpTo = append(hook.CanJumpTo, abi.Target(target))
		}
		return hook
	}
	specs := &p.spec.Hooks
	h.BeforeAgent = node(abi.BeforeAgent, specs.BeforeAgent)
	h.BeforeModel = node(abi.BeforeModel, specs.BeforeModel)
	h.AfterModel = node(abi.AfterModel, specs.AfterModel)
	h.AfterAgent = node(abi.AfterAgent, specs.AfterAgent)
	if spec := specs.WrapModelCall; spec != nil {
		h.WrapModelCall = host.WrapModelHook{Func: p.wrapModel(spec), PassesTokens: spec.PassesTokens, Pool: p.pool.leases}
	}
	if spec := specs.WrapToolCall; spec != nil {
		h.WrapToolCall = host.WrapToolHook{Func: p.wrapTool(spec), Tools: spec.Tools, Pool: p.pool.leases}
	}
	for _, name := range abi.Hooks() {
		if spec := p.spec.Hooks.Spec(name); spec != nil {
			h.Uses = append(append(h.Uses, spec.Reads...), spec.Writes...)
		}
	}
	for i := range p.spec.Fields {
		field, err := fieldOf(&p.spec.Fields[i])
		if err != nil {
			return nil, p.fault("configure", KindProtocol, err.Error(), err)
		}
		field.Exclusive = !slices.Contains(p.grant.Reads, field.Name) || !slices.Contains(p.grant.Writes, field.Name)
		h.State = append(h.State, field)
	}
	for i := range p.spec.Tools {
		t := &pluginTool{plugin: p, spec: p.spec.Tools[i]}
		h.Tools = append(h.Tools, t)
		if t.spec.Dynamic {
			p.dynamic[t.spec.Name] = t
		}
	}
	return h, nil
}

// sandbox returns how the plugin is held.
func (p *Plugin) sandbox(now time.Time) *host.Sandbox {
	return &host.Sandbox{
		Limits:   host.CallLimits{Fuel: p.limits.Fuel, Memory: p.limits.Memory, HostCalls: p.limits.HostCalls},
		SignedBy: p.signer, Breaker: p.breaker.status(now), Instances: p.pool.count(),
	}
}

// fieldOf makes the host's field from a declaration that was already checked.
func fieldOf(spec *abi.FieldSpec) (host.Field, error) {
	f := host.Field{Name: spec.Name, HideInput: spec.HideInput, HideOutput: spec.HideOutput, Schema: spec.Schema}
	lifetime := slices.Index([]string{"thread", "run", "step"}, spec.Lifetime)
	if lifetime < 0 {
		return f, fmt.Errorf(`field %q: lifetime is %q; use "thread", "run" or "step"`, clean(spec.Name, 64), clean(spec.Lifetime, 64))
	}
	f.Lifetime = host.Lifetime(lifetime)
	reducer, ok := host.ReducerByName(spec.Reducer)
	if !ok {
		return f, fmt.Errorf(`field %q: reducer is %q; use "last", "add" or "append"`, clean(spec.Name, 64), clean(spec.Reducer, 64))
	}
	f.Reducer = reducer
	return f, nil
}
