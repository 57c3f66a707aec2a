package plugin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin/internal/contract"
	"github.com/agenthost/agenthost/host/plugin/meter"
)

// instance is one instance of a plugin's module. Only one goroutine uses it at a time, for one call.
type instance struct {
	plugin           *Plugin
	id               uint64
	module           api.Module
	memory           memory
	fuel             api.MutableGlobal // the fuel left; nil until the module is instantiated
	output           output
	ctx              context.Context // leads the host functions to the instance; it is never done
	frame            frame           // of the current call
	call             hookCall        // the current call; empty while the plugin is loaded
	clock            clock
	random           random
	account          account
	image            *image              // its state after configure; nil: it is not restored
	began            *image              // the shared image that it started from; nil: it was initialized
	globals          []api.MutableGlobal // in the order of Plugin.globals; nil until an image needs them
	made             time.Time
	calls            int    // served so far
	sized            uint64 // size of its memory after the last of them, in bytes
	stack            [1]uint64
	input            []byte // buffer for inputs, reused
	last             CallUsage
	funcs            map[string]api.Function
	contractInstance contract.Instance // of another contract; nil: the guest uses the ABI's own
}

// instanceKey is the key under which host functions find the instance.
type instanceKey struct{}

func instanceOf(ctx context.Context) *instance {
	i, _ := ctx.Value(instanceKey{}).(*instance)
	return i
}

// instantiate makes an instance on which nothing has been called yet.
func (p *Plugin) instantiate(ctx context.Context) (*instance, error) {
	i := &instance{plugin: p, id: p.pool.nextID(), funcs: map[string]api.Function{}}
	i.ctx = context.WithValue(context.Background(), instanceKey{}, i)
	i.beginLoad(ctx, stageInstantiate)
	i.made = time.Now()
	i.memory.limit, i.memory.budget = uint64(p.limits.Memory), p.engine.memory
	i.memory.overhead = p.overhead
	i.memory.first = uint64(p.firstMemory)
	if p.image != nil {
		i.memory.first = uint64(p.image.size)
		if p.image.file != nil {
			blank := p.blank()
			i.memory.blank = *blank
			defer func() {
				i.memory.blank = nil
				p.blanks.Put(blank)
			}()
		}
	}
	first := int64(i.memory.first) + p.overhead
	if err := p.engine.memory.wait(ctx, first); err != nil {
		return nil, p.crowded(stageInstantiate, err)
	}
	i.memory.held = first
	i.output.instance = i
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions().
		WithWalltime(i.clock.walltime, 1).WithNanotime(i.clock.nanotime, 1).WithNanosleep(i.clock.sleep).
		WithOsyield(func() {}).WithRandSource(&i.random)
	var err error
	switch code := p.compiled.(type) {
	case *abiCode:
		err = i.startForABI(ctx, code, config)
	case contract.Code:
		err = i.startForContract(code, config)
	}
	if err != nil {
		return nil, err
	}
	return i, nil
}

// startForABI makes the instance a guest of the ABI.
func (i *instance) startForABI(ctx context.Context, code *abiCode, config wazero.ModuleConfig) error {
	module, err := code.runtime.InstantiateModule(experimental.WithMemoryAllocator(i.ctx, &i.memory), code.module, config)
	if err != nil {
		i.memory.release()
		return i.faultOf(stageInstantiate, err)
	}
	i.module = module
	i.fuel, _ = module.ExportedGlobal(meter.Fuel).(api.MutableGlobal)
	initialize := module.ExportedFunction(abi.Initialize)
	switch {
	case i.plugin.image != nil:
		i.began = i.plugin.image
		if err := i.startFrom(i.began); err != nil {
			return errors.Join(err, i.close())
		}
	case initialize != nil:
		i.beginLoad(ctx, stageInit)
		i.frame.input = i.plugin.source
		_, err := initialize.Call(i.ctx)
		i.loaded()
		if err != nil {
			return errors.Join(i.faultOf(stageInit, err), i.close())
		}
	}
	i.findExports()
	return nil
}

// findExports finds the functions that the host calls. Each has a stack, so functions that are never called are left out.
func (i *instance) findExports() {
	for _, name := range i.plugin.exports {
		i.funcs[name] = i.module.ExportedFunction(name)
	}
}

// newInstance makes an instance that is configured and ready to serve hooks.
func (p *Plugin) newInstance(ctx context.Context) (*instance, error) {
	i, err := p.instantiate(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.prepare(ctx, i); err != nil {
		return nil, errors.Join(err, i.close())
	}
	if p.image != nil && p.image.file != nil && i.began != p.image { // its memory does not map this image
		if err := i.close(); err != nil {
			return nil, err
		}
		if i, err = p.instantiate(ctx); err != nil {
			return nil, err
		}
	}
	if p.isolation == IsolateCall && i.image == nil {
		i.image = p.image
	}
	delete(i.funcs, abi.ExportDescribe)
	delete(i.funcs, abi.ExportConfigure) // along with their stacks
	return i, nil
}

// prepare configures an instance, unless the image that it started from is of one that was configured.
func (p *Plugin) prepare(ctx context.Context, i *instance) error {
	shares := p.sharesImage()
	if !shares || !p.image.configured {
		if err := p.configure(ctx, i); err != nil {
			return err
		}
	}
	switch {
	case shares && !p.image.configured:
		if err := i.shareImage(ctx, true); err != nil {
			return err
		}
	case !shares && p.isolation == IsolateCall && p.restorable:
		return i.ownImage(ctx)
	}
	return nil
}

// invoke calls an export with the frame's input and reports whether a result was written. Any error is an [*Error], or says
// that the run's context ended; the instance must then be closed.
func (i *instance) invoke(export string) (wrote bool, err error) {
	f := i.funcs[export]
	if f == nil {
		return false, i.plugin.fault(export, KindProtocol, "the function is not exported", nil)
	}
	i.stack[0] = uint64(len(i.frame.input))
	if i.contractInstance == nil {
		err = f.CallWithStack(i.ctx, i.stack[:])
	} else {
		err = i.contractInstance.Call(export, f, i.stack[:])
	}
	if i.frame.rt == nil {
		i.loaded()
	}
	if err != nil {
		return false, i.faultOf(export, err)
	}
	i.frame.returned = true
	i.output.flush()
	switch code := int32(i.stack[0]); {
	case code == abi.ReturnNothing:
		return false, nil
	case code != abi.ReturnResult:
		return false, i.plugin.fault(export, KindProtocol, fmt.Sprintf("it returned %d; 0 and 1 are allowed", code), nil)
	case !i.frame.wrote:
		return false, i.plugin.fault(export, KindProtocol, "it returned 1 without writing a result", nil)
	default:
		return true, nil
	}
}

// faultOf determines what went wrong in a call, from the host's own record because a guest can fake what wazero reports.
func (i *instance) faultOf(stage string, err error) error {
	if i.frame.cancelled != nil {
		return i.frame.cancelled
	}
	i.output.flush()
	fault := i.frame.fault
	if fault == nil {
		fault, _ = errors.AsType[*Error](err)
	}
	if fault == nil {
		fault = i.plugin.fault(stage, KindTrap, firstLine(err.Error()), err)
	}
	fault.Stage = stage
	if fault.Kind != KindTrap && fault.Kind != KindExit {
		return fault
	}
	switch {
	case i.memory.crowded:
		_, limit := i.memory.budget.use()
		fault.Kind, fault.Message = KindMemory, fmt.Sprintf("no memory is left for plugins, which may use %d bytes together; %s", limit, fault.Message)
	case i.memory.refused:
		fault.Kind, fault.Message = KindMemory, fmt.Sprintf("it needs more memory than its limit of %d bytes; %s", i.memory.limit, fault.Message)
	}
	if said := i.frame.lastWords(); said != "" {
		fault.Message += ": " + said
	}
	return fault
}

// firstLine returns the reason without the stack trace that wazero appends.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return clean(strings.TrimSuffix(line, " (recovered by wazero)"), 300)
}

func (i *instance) close() error {
	if i.module == nil {
		return nil
	}
	i.plugin.pool.measure(i)
	closing := i.module.Close
	if i.contractInstance != nil {
		closing = i.contractInstance.Close
	}
	err := closing(context.Background())
	i.memory.release()
	return err
}

// worn reports whether the instance has served long enough: guests leak, and memory does not shrink. An instance whose memory has grown
// beyond half of its limit is replaced before a growth fails, unless it has grown in its first call: the guest needs that much then.
func (i *instance) worn() bool {
	i.calls++
	used := uint64(len(i.memory.bytes))
	leaks := i.calls > 1 && used > i.sized && used > i.memory.limit/2
	i.sized = used
	return leaks || i.calls >= mostCalls || (i.calls%64 == 0 && time.Since(i.made) > mostAge)
}

// document is one of abi's types.
type document interface {
	UnmarshalMsg(b []byte) ([]byte, error)
}

// decode validates a document of the guest and decodes it.
func (i *instance) decode(stage string, b []byte, into document) error {
	canonical, err := wire.Canonical(b, i.plugin.faultLimit)
	if err != nil {
		return i.plugin.fault(stage, KindProtocol, "the document is malformed: "+clean(err.Error(), 200), err)
	}
	if _, err := into.UnmarshalMsg(canonical); err != nil {
		return i.plugin.fault(stage, KindProtocol, "the document is not what SPEC.md asks for: "+clean(err.Error(), 200), err)
	}
	return nil
}
