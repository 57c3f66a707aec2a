// Package contract is the seam between the host of plugins and guests that were written for another contract than the
// ABI's own: that import other functions, and pass documents in another way. What a guest may do, and how it is metered,
// limited, recorded and replaced, is the same for all of them, and package plugin's business alone.
package contract

import (
	"context"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/internal/wasmbin"
	"github.com/agenthost/agenthost/host/plugin/preflight"
)

// Contract is a way in which a guest and the host talk.
type Contract interface {
	// Name names it in messages to persons.
	Name() string
	// Unpack returns the module that is in a file: what is not of this contract's kind is the module itself. read reads
	// further files.
	Unpack(file []byte, path string, read func(path string) ([]byte, error)) ([]byte, error)
	// Speaks reports whether a module was written for it, by its imports.
	Speaks(m *preflight.Module) bool
	// CheckImport checks an import that is none of WASI.
	CheckImport(module, name string, t wasmbin.FuncType) error
	// CheckExport checks an export that has a meaning: a hook, describe, configure or call_tool.
	CheckExport(name string, t wasmbin.FuncType) error
	// Import returns the module from which the host lets a guest have an import of the contract: that of a [Function].
	Import(module string) string
	// Compile compiles a module that has a meter and the function [meter.Self]. ctx is from [Listen]; shared are functions
	// that it imports beside those of the contract, under their own modules. The cache is the code's own, and it closes it.
	Compile(ctx context.Context, module []byte, config wazero.RuntimeConfig, cache wazero.CompilationCache, shared []Function) (Code, error)
}

// Function is a function of the host.
type Function struct {
	Module, Name    string
	Params, Results []api.ValueType
	Call            func(ctx context.Context, stack []uint64)
}

// Code is a compiled module.
type Code interface {
	// Instantiate makes an instance. memory is for the guest's own linear memory, ctx leads the functions of the host to the
	// guest. When it fails nothing is left of the instance.
	Instantiate(ctx context.Context, config wazero.ModuleConfig, memory experimental.MemoryAllocator, guest Guest) (Instance, error)
	// Close frees the code, when no instance is left.
	Close(ctx context.Context) error
}

// Instance is an instance of a guest. One goroutine at a time uses it.
type Instance interface {
	// Initialize lets the guest initialize itself, and returns its own module.
	Initialize() (api.Module, error)
	// Call calls an export, gives it the guest's input, and leaves in stack[0] what an export of the ABI returns: whether
	// the guest has a result now.
	Call(export string, f api.Function, stack []uint64) error
	// Close ends the instance.
	Close(ctx context.Context) error
}

// Guest is what the host knows of one instance, and does for it in the present call.
type Guest interface {
	Documents
	Host
	Budget
	// Violate ends the guest, which did what the contract does not allow. It does not return.
	Violate(message string)
	// Deny ends the guest, which wanted what no plugin may. It does not return.
	Deny(message string)
}

// Documents are those of a call.
type Documents interface {
	// Input is the document that the call is about.
	Input() []byte
	// Result takes a document as the call's result.
	Result(doc []byte)
	// Failed takes an error of the guest's own as the call's result. Where no result can say so, it returns the error.
	Failed(message string) error
	// Malformed makes the error of a result that is not what it should be.
	Malformed(message string) error
}

// Host is what a guest may call. Its methods may end the guest, and then do not return.
type Host interface {
	// Next calls the inner layers of a wrap hook, as the import next of the ABI does.
	Next(payload []byte) (abi.Status, []byte)
	// HostCall performs an operation, as the import host_call of the ABI does.
	HostCall(op string, payload []byte) (abi.Status, []byte)
	// Log passes a line on, within the limit of the call.
	Log(level abi.LogLevel, line []byte)
	// Setting is a value of the operator's configuration as text; false if there is none, or not yet.
	Setting(key string) (string, bool)
}

// Budget is what a guest may use. Worked and Bound may end the guest, and then do not return: they are for functions that it
// has called.
type Budget interface {
	// Worked notes work of the host for the guest, by the bytes that could be moved in that time.
	Worked(bytes int)
	// Bound ends the guest if a document of it is larger than it may be.
	Bound(what string, bytes int)
	// Borrow takes so many bytes of the guest's memory for something that the host keeps for it, or reports that there is
	// no room. Return gives them back.
	Borrow(bytes int) bool
	Return(bytes int)
}
