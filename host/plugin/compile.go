package plugin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/agenthost/agenthost/host/plugin/internal/contract"
	"github.com/agenthost/agenthost/host/plugin/meter"
	"github.com/agenthost/agenthost/host/plugin/preflight"
)

// compile checks the module, adds a meter to it, and compiles it in a runtime of the plugin's own.
func (p *Plugin) compile(ctx context.Context) error {
	code, sum, err := p.takeScript()
	if err != nil {
		return err
	}
	limits := preflight.Default()
	limits.Module = MaxModuleSize
	key := preparedKey{sum, p.takesImages()}
	leave, err := p.engine.compiling.enter(ctx, key) // another plugin may be doing the same
	if err != nil {
		return err
	}
	defer leave()
	ready := p.engine.found(key, code, limits)
	var module *preflight.Module
	if ready != nil {
		module = ready.module
	} else if checked, err := preflight.Check(code, limits); err == nil {
		module = checked
	} else {
		return p.refused(err)
	}
	p.contract = p.engine.contractOf(module)
	if err := p.checkInterface(module); err != nil {
		return err
	}
	if err := p.learn(module, limits.Table); err != nil {
		return err
	}
	if ready == nil {
		options := meter.Options{Table: limits.Table, Globals: key.globals}
		if p.contract != nil {
			options.Self, options.Imports = true, p.importFrom
		}
		metered, err := meter.Rewrite(code, module, options)
		if err != nil {
			return p.fault(stageLink, KindLink, err.Error(), err)
		}
		// Check the metered module too: the meter makes it larger, and the cost of its loops only shows now.
		if _, err := preflight.Check(metered, limits.Metered()); err != nil {
			return p.refused(err)
		}
		ready = newPrepared(key, module, metered)
		p.engine.prepared.put(ready)
		p.engine.files.put(ready)
	}
	return p.compileMetered(ctx, ready)
}

// learn records what instances of the module need.
func (p *Plugin) learn(module *preflight.Module, tableMax uint32) error {
	for _, e := range module.Exports {
		if e.Kind == preflight.KindFunction && hasMeaning(e.Name) {
			p.exports = append(p.exports, e.Name)
		}
	}
	if p.firstMemory = int64(module.Memory.Min) * pageSize; p.firstMemory > p.limits.Memory {
		return p.fault(stagePreflight, KindMemory, fmt.Sprintf("it starts with %d bytes of memory, the limit is %d",
			p.firstMemory, p.limits.Memory), nil)
	}
	p.overhead = instanceOverhead + tableSize(module, tableMax)
	p.restorable, p.starts = restorable(module), module.Start != nil
	p.wasi = slices.ContainsFunc(module.Imports, func(i preflight.Import) bool { return i.Module == wasiModule })
	for i, g := range module.Globals {
		if g.Mutable {
			p.globals = append(p.globals, i)
		}
	}
	return nil
}

// tableSize returns how many bytes an instance's tables may take: if code can grow them, their maximum counts.
func tableSize(m *preflight.Module, most uint32) int64 {
	const element = 8
	var size int64
	for _, t := range m.Tables {
		n := t.Min
		if m.Lasting {
			if n = most; t.HasMax {
				n = max(t.Min, min(t.Max, most))
			}
		}
		size += element * int64(n)
	}
	return size
}

// compileMetered compiles the metered module when its turn comes, unless a plugin of the engine has already done so.
func (p *Plugin) compileMetered(ctx context.Context, ready *preparedModule) error {
	size := int64(len(ready.metered)) * codePerByte
	if err := p.engine.memory.wait(ctx, size); err != nil {
		return p.crowded(stageCompile, err)
	}
	p.codeSize, p.codeDigest = size, ready.digest
	if p.compiled = p.engine.codes.use(ready.digest); p.compiled != nil {
		return nil
	}
	if err := p.engine.turns.Acquire(ctx, 1); err != nil {
		return context.Cause(ctx)
	}
	defer p.engine.turns.Release(1)
	if err := p.engine.compileElsewhere(ctx, ready); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return p.fault(stageCompile, KindLimit, clean(err.Error(), 400), err)
	}
	p.engine.compilations.Add(1)
	code, err := p.build(ctx, ready.metered, true)
	if err != nil && p.engine.dir != "" { // if only the file could not be read or written, the code is still compiled
		forget(p.engine.dir, err)
		code, err = p.build(ctx, ready.metered, true)
	}
	if _, broken := errors.AsType[*fs.PathError](err); broken {
		code, err = p.build(ctx, ready.metered, false)
	}
	if err == nil {
		p.compiled, err = p.engine.codes.add(ready.digest, code)
	}
	if err != nil {
		return p.fault(stageCompile, KindMalformed, "not a WebAssembly module that can run here: "+clean(err.Error(), 300), err)
	}
	return nil
}

// build compiles a module, with a cache if cached is set.
func (p *Plugin) build(ctx context.Context, metered []byte, cached bool) (compiledCode, error) {
	if p.contract != nil {
		return p.compileForContract(ctx, metered, cached)
	}
	if !cached {
		return compileABI(ctx, metered, p.wasi, nil)
	}
	return compileABI(ctx, metered, p.wasi, p.engine.cache)
}

// codePerByte estimates how many bytes of memory the compiled code takes for each byte of the module.
const codePerByte = 4

// runtimeConfig returns how every guest is compiled. A context's end does not close a guest: the meter stops it.
func runtimeConfig() wazero.RuntimeConfig {
	return wazero.NewRuntimeConfigCompiler().WithCoreFeatures(api.CoreFeaturesV2).WithCloseOnContextDone(false)
}

// refused converts an error of the preflight to a fault.
func (p *Plugin) refused(err error) error {
	refused, ok := errors.AsType[*preflight.Error](err)
	if !ok {
		return p.fault(stagePreflight, KindMalformed, clean(err.Error(), 400), err)
	}
	kind, text := KindMalformed, "not a WebAssembly module that can run here: "
	switch refused.Rule {
	case preflight.Limit:
		kind, text = KindLimit, ""
	case preflight.Link:
		kind, text = KindLink, ""
	case preflight.Malformed, preflight.Unsupported:
	}
	return p.fault(stagePreflight, kind, text+clean(fmt.Sprintf("offset %#x: %s", refused.Offset, refused.Text), 400), refused)
}

// compileModule compiles a module. wazero's compiler can panic on invalid modules.
func compileModule(ctx context.Context, r wazero.Runtime, code []byte) (module wazero.CompiledModule, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the compiler panicked: %v", v)
		}
	}()
	return r.CompileModule(contract.Listen(ctx, code), code)
}
