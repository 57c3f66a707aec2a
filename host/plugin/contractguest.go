package plugin

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin/internal/contract"
	"github.com/agenthost/agenthost/host/plugin/meter"
)

// This file runs guests that were written for another contract than the ABI: see package contract.

// hostWASI is the module name under which such guests import the host's own WASI functions. wazero's WASI functions are
// already registered.
const hostWASI = "agenthost_wasi"

// importFrom returns the host module that provides an import of the guest.
func (p *Plugin) importFrom(module, name string) string {
	if module != wasiModule {
		return p.contract.Import(module)
	}
	for _, f := range ownWASI() {
		if f.Name == name {
			return hostWASI
		}
	}
	return module
}

// compileForContract compiles a module for its contract. It shares the engine's directory but not its cache: only sharedCodes
// knows when the code is no longer needed.
func (p *Plugin) compileForContract(ctx context.Context, metered []byte, cached bool) (code contract.Code, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the compiler panicked: %v", v)
		}
	}()
	cache := wazero.NewCompilationCache()
	if cached {
		if cache, err = p.engine.ownCache(); err != nil {
			return nil, err
		}
	}
	shared := append(ownWASI(), tickFunction())
	for n := range shared {
		if shared[n].Module == wasiModule {
			shared[n].Module = hostWASI
		}
	}
	code, err = p.contract.Compile(contract.Listen(ctx, metered), metered, runtimeConfig(), cache, shared)
	if err != nil {
		return nil, errors.Join(err, cache.Close(ctx))
	}
	return code, nil
}

// startForContract makes the instance a guest of its contract.
func (i *instance) startForContract(code contract.Code, config wazero.ModuleConfig) error {
	running, err := code.Instantiate(i.ctx, config, &i.memory, guest{i})
	if err != nil {
		i.memory.release()
		return i.faultOf(stageInstantiate, err)
	}
	i.contractInstance = running
	i.frame.export = stageInit // its use before this point is not reported separately
	i.module, err = running.Initialize()
	if err == nil {
		if i.fuel, _ = i.module.ExportedGlobal(meter.Fuel).(api.MutableGlobal); i.frame.fault != nil || i.frame.cancelled != nil {
			err = errors.New("it was stopped") // and its contract's SDK did not report it
		}
	}
	i.loaded()
	if err != nil {
		closing := running.Close(context.Background())
		i.memory.release()
		i.module = nil
		return errors.Join(i.faultOf(stageInit, err), closing)
	}
	i.findExports()
	return nil
}

// guest is the instance as its contract sees it.
type guest struct{ i *instance }

func (g guest) Input() []byte { return g.i.frame.input }

func (g guest) Result(doc []byte) {
	g.i.frame.result = append(g.i.frame.result[:0], doc...)
	g.i.frame.wrote = true
}

func (g guest) Failed(message string) error {
	message = cleanLines(message, maxLine)
	if g.i.frame.export == abi.ExportDescribe {
		return g.i.plugin.fault(abi.ExportDescribe, KindGuest, message, nil)
	}
	doc, _ := (&abi.Result{Error: &abi.Error{Type: "error", Message: message}}).MarshalMsg(nil) // never fails
	g.Result(doc)
	return nil
}

func (g guest) Next(payload []byte) (abi.Status, []byte) {
	if status := g.i.mayNext(); status != abi.StatusOK {
		return status, nil
	}
	return g.i.next(payload)
}

func (g guest) HostCall(op string, payload []byte) (abi.Status, []byte) {
	if status := g.i.mayHostCall(); status != abi.StatusOK {
		return status, nil
	}
	return g.i.hostCall(op, payload)
}

func (g guest) Log(level abi.LogLevel, line []byte) { g.i.log(level, line[:min(len(line), maxLine)]) }

func (g guest) Setting(key string) (string, bool) {
	var config wire.Map
	if _, err := config.UnmarshalMsg(g.i.plugin.config); err != nil || !config.Has(key) {
		return "", false
	}
	value := config.Get(key)
	if text, ok := value.AsString(); ok {
		return text, true
	}
	return value.JSON(), true
}

func (g guest) Worked(bytes int) { g.i.worked(bytes) }

func (g guest) Reserve(bytes int) bool { return g.i.memory.reserveExtra(int64(bytes)) }

func (g guest) Release(bytes int) { g.i.memory.releaseExtra(int64(bytes)) }

func (g guest) Bound(what string, bytes int) {
	if bytes > g.i.plugin.limits.Result {
		g.i.stop(KindLimit, fmt.Sprintf("%s has %d bytes, the limit is %d", what, bytes, g.i.plugin.limits.Result))
	}
}

func (g guest) Violate(message string) { g.i.stop(KindProtocol, message) }

func (g guest) Deny(message string) { g.i.stop(KindDenied, message) }

func (g guest) Malformed(message string) error {
	return g.i.plugin.fault(g.i.frame.export, KindProtocol, "the document is malformed: "+clean(message, 200), nil)
}
