package contract

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/agenthost/agenthost/host/plugin/meter"
)

// Who runs a module by the means of others may not be given it: neither its fuel nor its globals can then be reached. But
// wazero tells a listener of a function which module it runs in, so the meter adds a function to such modules, [meter.Self],
// which is listened to, and called once. No other function has a listener, and none costs anything.

// Listen returns a context in which modules must be compiled, so that [Self] works. What a module is compiled to depends on
// it, so who compiles a module for the cache must use it too; a module without the function is compiled as without it.
func Listen(ctx context.Context, module []byte) context.Context {
	if !bytes.Contains(module, []byte(meter.Self)) {
		return ctx
	}
	return experimental.WithFunctionListenerFactory(ctx, experimental.FunctionListenerFactoryFunc(listenerOf))
}

func listenerOf(f api.FunctionDefinition) experimental.FunctionListener {
	if !slices.Contains(f.ExportNames(), meter.Self) {
		return nil
	}
	return experimental.FunctionListenerFunc(func(ctx context.Context, m api.Module, _ api.FunctionDefinition, _ []uint64, _ experimental.StackIterator) {
		if self, ok := ctx.Value(selfKey{}).(*api.Module); ok {
			*self = m
		}
	})
}

// selfKey is the key of where the module is noted.
type selfKey struct{}

// errNoSelf says that a module does not have the function, or was not compiled in a context of [Listen].
var errNoSelf = errors.New("the module does not tell which it is")

// Self returns the module whose function [meter.Self] is called by call, with the context that it is given.
func Self(ctx context.Context, call func(ctx context.Context) error) (api.Module, error) {
	var self api.Module
	if err := call(context.WithValue(ctx, selfKey{}, &self)); err != nil {
		return nil, err
	}
	if self == nil {
		return nil, errNoSelf
	}
	return self, nil
}
