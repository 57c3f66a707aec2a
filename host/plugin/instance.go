package plugin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// instance is one instance of a plugin's module. One goroutine at a time uses it, for one call at a time.
type instance struct {
	plugin *Plugin
	id     uint64
	module api.Module
	memory api.Memory
	ctx    context.Context // leads the host functions to the instance; it is never done
	frame  frame           // of the present call
	clock  clock
	random random
	stack  [1]uint64
	input  []byte // buffer for inputs, reused
	funcs  map[string]api.Function
}

// instanceKey is the key under which host functions find the instance.
type instanceKey struct{}

func instanceOf(ctx context.Context) *instance { return ctx.Value(instanceKey{}).(*instance) }

// instantiate makes an instance that has not been asked anything.
func (p *Plugin) instantiate(ctx context.Context) (*instance, error) {
	i := &instance{plugin: p, id: p.pool.nextID(), funcs: map[string]api.Function{}}
	i.ctx = context.WithValue(context.Background(), instanceKey{}, i)
	i.frame.reset(ctx, "load")
	output := &outputLog{instance: i}
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions().
		WithStdout(output).WithStderr(output).
		WithWalltime(i.clock.walltime, 1).WithNanotime(i.clock.nanotime, 1).WithNanosleep(i.clock.sleep).
		WithOsyield(func() {}).WithRandSource(&i.random)
	module, err := p.runtime.InstantiateModule(i.ctx, p.module, config)
	if err != nil {
		return nil, i.faultOf("load", err)
	}
	i.module, i.memory = module, module.ExportedMemory(abi.Memory)
	if initialize := module.ExportedFunction(abi.Initialize); initialize != nil {
		if _, err := initialize.Call(i.ctx); err != nil {
			return nil, errors.Join(i.faultOf("load", err), i.close())
		}
	}
	for name := range p.module.ExportedFunctions() {
		i.funcs[name] = module.ExportedFunction(name)
	}
	return i, nil
}

// newInstance makes an instance that is configured and ready to serve hooks.
func (p *Plugin) newInstance(ctx context.Context) (*instance, error) {
	i, err := p.instantiate(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.configure(ctx, i); err != nil {
		return nil, errors.Join(err, i.close())
	}
	return i, nil
}

// call calls an export with the frame's input. It returns whether a result was written. Any error is an [*Error], and
// the instance must then be closed.
func (i *instance) call(export string) (wrote bool, err error) {
	f := i.funcs[export]
	if f == nil {
		return false, i.plugin.fault(export, KindProtocol, "the function is not exported", nil)
	}
	i.stack[0] = uint64(len(i.frame.input))
	if err := f.CallWithStack(i.ctx, i.stack[:]); err != nil {
		return false, i.faultOf(export, err)
	}
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

// faultOf tells what went wrong in a call: by the host's own record, since a guest can fake what wazero reports.
func (i *instance) faultOf(stage string, err error) *Error {
	if fault := i.frame.fault; fault != nil {
		fault.Stage = stage
		return fault
	}
	kind, message := KindTrap, firstLine(err.Error())
	var exit *sys.ExitError
	switch {
	case errors.As(err, &exit):
		kind, message = KindExit, fmt.Sprintf("it exited with the code %d", exit.ExitCode())
	case strings.Contains(message, "memory") && strings.Contains(message, "limit"), strings.Contains(message, "min") && strings.Contains(message, "pages"):
		kind = KindMemory
	}
	if said := i.frame.lastError; said != "" {
		message += ": " + said
	}
	return i.plugin.fault(stage, kind, message, err)
}

// firstLine is the reason without the stack that wazero puts behind it.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return clean(strings.TrimSuffix(line, " (recovered by wazero)"), 300)
}

func (i *instance) close() error {
	if i.module == nil {
		return nil
	}
	return i.module.Close(context.Background())
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
