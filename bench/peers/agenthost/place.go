package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/bench/peer"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/extism"
	"github.com/agenthost/agenthost/host/plugin/script"
)

// place is the middleware with its hook in the place that a case names, and what ends it.
func place(name string) (m host.Middleware, stop func(), err error) {
	switch name {
	case "native:hook":
		return native(), func() {}, nil
	case "tinygo:hook":
		return inPlugin("bench.tinygo.wasm")
	case "leaking:hook":
		return inPlugin("bench-leaking.tinygo.wasm")
	case "rust:hook":
		return inPlugin("bench.rust.wasm")
	case "go:hook":
		return inPlugin("bench.go.wasm")
	case "typescript:hook":
		return inScript("hook.ts")
	case "python:hook":
		return inScript("hook.py")
	case "extism:hook":
		return inPlugin("bench.extism.wasm")
	case "extism-sdk:hook":
		return carriedBy(extismSDK())
	case "go-plugin:hook":
		return carriedBy(goPlugin())
	case "http:hook":
		return carriedBy(overHTTP())
	case "shell:hook":
		return inShell(), func() {}, nil
	default:
		return nil, nil, peer.AbsentError("it has no case " + name)
	}
}

// inPlugin is a plugin of agenthost.
func inPlugin(file string) (host.Middleware, func(), error) {
	engine, err := plugin.NewEngine(plugin.EngineConfig{Contracts: []plugin.Contract{extism.Extism{}}})
	if err != nil {
		return nil, nil, err
	}
	return plugin.Wasm{Path: guestFile(file), Engine: engine, Config: onlyHook()}, func() { _ = engine.Close() }, nil
}

// inScript is a plugin of agenthost in a language that it interprets.
func inScript(file string) (host.Middleware, func(), error) {
	engine, err := plugin.NewEngine(plugin.EngineConfig{Loaders: []plugin.Loader{script.Loader{}}})
	if err != nil {
		return nil, nil, err
	}
	return plugin.Wasm{Path: file, Engine: engine}, func() { _ = engine.Close() }, nil
}

// guestFile is where build.sh has put a guest.
func guestFile(name string) string { return filepath.Join(".out", name) }

// onlyHook is the configuration with which the guest bench has one hook.
func onlyHook() map[string]any { return map[string]any{"only": "before_model"} }

// carry takes the document of a hook's input to where the hook is, and brings that of its result.
type carry func(ctx context.Context, document []byte) ([]byte, error)

// carriedBy is a native middleware whose hook is elsewhere: it gets the documents that a plugin gets.
func carriedBy(call carry, stop func(), err error) (host.Middleware, func(), error) {
	if err != nil {
		return nil, nil, err
	}
	hook := func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
		view := rt.View()
		in := abi.HookInput{
			Messages: &abi.View{From: uint64(view.From), Items: []abi.Message{view.Items.At(0)}, Total: uint64(view.Total)},
			N:        rt.N(), Now: uint64(rt.Now().UnixNano()), Run: rt.RunID(), Seed: rt.Seed(), Step: rt.Step(),
		}
		document, err := in.MarshalMsg(nil)
		if err != nil {
			return nil, err
		}
		if document, err = call(ctx, document); err != nil {
			return nil, err
		}
		var out abi.Result
		if _, err := out.UnmarshalMsg(document); err != nil {
			return nil, err
		}
		return &host.Update{State: out.State}, nil
	}
	return host.BeforeModel("carried", hook, host.WithView(abi.ViewLast(1))), stop, nil
}

// answered is the hook on the other side: it reads the document, and writes the document of its result.
func answered(document []byte) ([]byte, error) {
	var in abi.HookInput
	if _, err := in.UnmarshalMsg(document); err != nil {
		return nil, err
	}
	out := abi.Result{State: counted(in.Messages.Items[0])}
	return out.MarshalMsg(nil)
}

// serve is what this program does when it is the other side of a case, if the argument says that it is.
func serve(argument string) bool {
	switch argument {
	case serveGRPC:
		serveGoPlugin()
	case serveHTTP:
		if err := listenHTTP(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		return false
	}
	return true
}
