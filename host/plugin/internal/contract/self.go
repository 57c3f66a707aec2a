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

// A library that runs a module for us may not give us the api.Module, without which neither the fuel nor the globals can be
// reached. wazero tells the listener of a function which module the function runs in. So the meter adds one function to such
// modules, [meter.Self], which has a listener and is called once. No other function has a listener, so none gets slower.

// Listen returns the context in which a module must be compiled so that [Self] works. The compiled code depends on this
// context, so code that compiles a module for the cache must use it too. It changes nothing for a module without that
// function.
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

// selfKey is the context key of the variable that receives the module.
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
