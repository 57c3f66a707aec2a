package plugin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin/kv"
	"github.com/agenthost/agenthost/internal/regularfile"
)

// Wasm is a middleware that a WebAssembly module implements.
type Wasm struct {
	ID        string         // names the middleware; "": the base name of Path without its extension
	Path      string         // the module's file, or a source of one of the engine's loaders
	Bytes     []byte         // the module, instead of Path
	SHA256    string         // the module's expected digest, in hexadecimal; "": any
	Minisign  []string       // minisign public keys, one of which must have signed the module; none: signatures are not checked
	Signature []byte         // signature of the module; nil: read from the file Path + ".minisig"
	Config    map[string]any // configuration, which must match the plugin's schema
	Grant     Grant
	Asks      *Asks     // the most that the module may ask for in its Description, granted or not; nil: anything
	KV        *kv.Store // keeps the entries that the plugin stores, if granted; nil: the agent's store, or memory if it has none
	Limits    Limits
	Isolation Isolation
	OnFailure FailurePolicy
	// AcceptOpen permits a failure policy or a breaker that lets the run go on without a plugin whose Description says that it guards
	// something.
	AcceptOpen bool
	// Optional permits such a plugin whose wrap_tool_call hook names tools that the agent does not have.
	Optional bool
	Breaker  Breaker
	Watch    bool    // reload the plugin when its file changes, for runs that begin afterwards
	Engine   *Engine // shared with other plugins; nil: an engine of its own

	// Recorder receives every call of a hook or tool; nil records nothing. A recorded plugin has the isolation call,
	// whatever Isolation says, so that its calls can be repeated one by one. A recording contains everything that the
	// plugin sees: see package cassette.
	Recorder Recorder
	// Operations replaces the host in tests: it answers an operation that the plugin asks for and is granted, if it returns
	// true. The payload is one msgpack document, or empty.
	Operations func(op string, payload []byte) (status abi.Status, reply []byte, ok bool)
}

// FailurePolicy says how a fault of the plugin affects the run.
type FailurePolicy string

// The failure policies.
const (
	Closed FailurePolicy = "closed" // the run fails; "" means the same
	Open   FailurePolicy = "open"   // the run goes on as if the plugin had returned nothing
)

// Name returns the ID, or its default.
func (w Wasm) Name() string {
	if w.ID != "" {
		return w.ID
	}
	name := filepath.Base(w.Path)
	return cmp.Or(strings.Trim(strings.TrimSuffix(name, filepath.Ext(name)), "./"), "plugin") // the path of a directory may have no name
}

// Hooks loads the module and makes its hooks.
func (w Wasm) Hooks(ctx context.Context, env host.Env) (*host.Hooks, error) {
	changed := w.watch()
	p, err := w.Load(ctx, env)
	if err != nil {
		return nil, err
	}
	hooks, err := p.Hooks()
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	hooks.Changed = changed
	return hooks, nil
}

// Module checks the settings, and returns the module after checking its digest and signature.
func (w Wasm) Module() ([]byte, error) {
	code, _, err := w.module()
	return code, err
}

// module returns the module, and the key that signed it if a signature is wanted.
func (w Wasm) module() (code []byte, signer string, err error) {
	switch w.OnFailure {
	case "", Closed, Open:
	default:
		return nil, "", fmt.Errorf(`on_failure is %q; use "closed" or "open"`, w.OnFailure)
	}
	switch w.Isolation {
	case "", IsolatePool, IsolateCall:
	default:
		return nil, "", fmt.Errorf(`isolation is %q; use "pool" or "call"`, w.Isolation)
	}
	if err := w.Breaker.check(); err != nil {
		return nil, "", err
	}
	code = w.Bytes
	if code == nil {
		if code, err = w.read(); err != nil {
			return nil, "", err
		}
	}
	if err := checkDigest(code, w.SHA256); err != nil {
		return nil, "", err
	}
	signer, err = w.checkSignature(code)
	return code, signer, err
}

// read returns the module that the plugin's path names.
func (w Wasm) read() ([]byte, error) {
	if l := w.loader(); l != nil {
		return l.Load(w.Path)
	}
	file, err := readModule(w.Path)
	if err != nil {
		return nil, err
	}
	return w.unpack(file)
}

// loader returns the loader for the plugin's path, or nil if the path is that of a module.
func (w Wasm) loader() Loader {
	if w.Engine == nil {
		return nil
	}
	for _, l := range w.Engine.loaders {
		if l.Loads(w.Path) {
			return l
		}
	}
	return nil
}

// unpack returns the module in the plugin's file, which some contracts wrap in another format.
func (w Wasm) unpack(file []byte) ([]byte, error) {
	if w.Engine == nil {
		return file, nil
	}
	for _, c := range w.Engine.speaks {
		var err error
		if file, err = c.Unpack(file, w.Path, readModule); err != nil {
			return nil, err
		}
	}
	return file, nil
}

// MaxModuleSize is the largest module that is loaded, in bytes.
const MaxModuleSize = 32 << 20

func readModule(path string) ([]byte, error) {
	code, err := regularfile.Read(path, MaxModuleSize)
	if kind, ok := errors.AsType[*regularfile.KindError](err); ok && kind.Mode.IsDir() {
		return nil, fmt.Errorf("plugin file: %w; name the module (.wasm) or the script (.ts, .js, .py) in it", err)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("plugin file: %w; build the plugin, or correct the path", err)
	}
	if err != nil {
		return nil, fmt.Errorf("plugin file: %w", err)
	}
	return code, nil
}
