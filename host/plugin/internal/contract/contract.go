// Package contract lets package plugin run guests that were not written for the ABI: guests that import other functions and
// pass documents in another way, such as Extism plugins. A contract only translates. What a guest may do, and how it is
// metered, limited, recorded and replaced, is the same for all guests, and package plugin decides it.
package contract

import (
	"context"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/preflight"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// Contract defines how a guest and the host exchange documents.
type Contract interface {
	// Name returns the name of the contract for messages.
	Name() string
	// Unpack returns the module that a file contains. A file that is not in a format of this contract is returned as it is.
	// read reads further files.
	Unpack(file []byte, path string, read func(path string) ([]byte, error)) ([]byte, error)
	// Speaks reports whether the imports of a module show that it was written for this contract.
	Speaks(m *preflight.Module) bool
	// CheckImport checks an import that does not belong to WASI.
	CheckImport(module, name string, t wasmbin.FuncType) error
	// CheckExport checks an export that has a meaning: a hook, describe, configure or call_tool.
	CheckExport(name string, t wasmbin.FuncType) error
	// Import returns the name of the host module, as in a [Function], that provides an import of the contract.
	Import(module string) string
	// Compile compiles a module that has a meter and the function [meter.Self]. ctx comes from [Listen]. The module imports
	// the shared functions in addition to those of the contract, under the shared functions' own module names. The Code owns
	// the cache and closes it.
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
	// Instantiate makes an instance. memory allocates the guest's own linear memory. Functions of the host find the guest
	// through ctx. After an error, nothing is left of the instance.
	Instantiate(ctx context.Context, config wazero.ModuleConfig, memory experimental.MemoryAllocator, guest Guest) (Instance, error)
	// Close frees the code. No instance may be left.
	Close(ctx context.Context) error
}

// Instance is an instance of a guest. Only one goroutine uses it at a time.
type Instance interface {
	// Initialize lets the guest initialize itself, and returns its own module.
	Initialize() (api.Module, error)
	// Call calls an export with the guest's input. It leaves in stack[0] what an export of the ABI returns, which says whether
	// the guest has written a result.
	Call(export string, f api.Function, stack []uint64) error
	// Close ends the instance.
	Close(ctx context.Context) error
}

// Guest gives a contract access to one instance and to what the host does for it during a call.
type Guest interface {
	Documents
	Host
	Budget
	// Violate ends the guest because it broke the contract. It does not return.
	Violate(message string)
	// Deny ends the guest because it asked for something that no plugin may have. It does not return.
	Deny(message string)
}

// Documents are the documents of a call.
type Documents interface {
	// Input returns the document that the guest receives.
	Input() []byte
	// Result sets the call's result.
	Result(doc []byte)
	// Failed makes an error that the guest reports the call's result. It returns the error if the result of this call cannot
	// hold one.
	Failed(message string) error
	// Malformed returns the error for a result that is not a valid document.
	Malformed(message string) error
}

// Host is what a guest may call. Its methods may end the guest, and then do not return.
type Host interface {
	// Next calls the inner layers of a wrap hook, as the import next of the ABI does.
	Next(payload []byte) (abi.Status, []byte)
	// HostCall performs an operation, as the import host_call of the ABI does.
	HostCall(op string, payload []byte) (abi.Status, []byte)
	// Log writes a line to the log, within the limit of the call.
	Log(level abi.LogLevel, line []byte)
	// Setting returns a value of the operator's configuration as text. It returns false if there is no such value, or if the
	// guest is not configured yet.
	Setting(key string) (string, bool)
}

// Budget limits what a guest uses. Worked and Bound may end the guest, and then do not return, so only functions that the
// guest has called may use them.
type Budget interface {
	// Worked records work that the host did for the guest, as the number of bytes that could be moved in the same time.
	Worked(bytes int)
	// Bound ends the guest if one of its documents exceeds the limit for results.
	Bound(what string, bytes int)
	// Reserve takes bytes of the guest's memory limit for something that the host keeps for the guest. It returns false if
	// there is no room.
	Reserve(bytes int) bool
	// Release returns what Reserve took.
	Release(bytes int)
}
