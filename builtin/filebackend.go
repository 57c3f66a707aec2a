package builtin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// FileBackend is where the files of a middleware are: any [backend.Backend]. In a manifest it is "state", or a mapping with the
// keys of [FileBackendKeys].
type FileBackend struct{ backend.Backend }

// FileBackendKeys are the keys of a [FileBackend] in a manifest. The types are deepagents' backends.
type FileBackendKeys struct {
	// Type is the kind of the backend. "state": the state of the thread; "filesystem": a directory of the disk; "store": the
	// agent's store, where files outlive the thread; "sandbox": a directory in a sandbox that a shell reaches, see
	// execution_policy; "composite": several backends, by the prefix of the path. Required.
	Type string `yaml:"type" schema:"enum=state|filesystem|store|sandbox|composite"`
	// RootDir is the directory, for the types filesystem and sandbox. It must exist; nothing outside it can be reached. Of the
	// disk, in a manifest, it is relative to the manifest; in a sandbox it is absolute.
	RootDir string `yaml:"root_dir"`
	// ExecutionPolicy is where the shell runs that reads and writes the files, for the type sandbox, as in the middleware shell. All
	// runs share the sandbox, and each middleware starts a shell of its own. So the command must enter a sandbox that lasts: [docker,
	// exec, -i, NAME] does, and [docker, run, …] starts a new one each time. command_timeout is the time for one operation.
	ExecutionPolicy *ShellPolicy `yaml:"execution_policy"`
	// ShellCommand is the shell with its arguments, for the type sandbox; none: /bin/sh. It must be a POSIX shell, in a system with
	// base64, find, stat and the other tools of coreutils or busybox.
	ShellCommand ShellCommands `yaml:"shell_command"`
	// Env is the environment of the shell, or of the policy's command, for the type sandbox. It contains nothing of this process's
	// environment.
	Env ShellEnv `yaml:"env"`
	// Namespace is where the files are in the store, for the type store: a list of names, such as [users, "{{.context.user}}"]. A
	// name is a template of dynamic_prompt that may use .context, and has letters, digits and -_.@+:~ only.
	Namespace []string `yaml:"namespace"`
	// Default is the backend of the paths that fit no route, for the type composite.
	Default *FileBackend `yaml:"default"`
	// Routes are the other backends, for the type composite, by the directory that they have in the tree, such as /memories/. The
	// longest one that fits a path wins. None of them is a composite.
	Routes map[string]FileBackend `yaml:"routes"`
	// ArtifactsRoot is the directory for large results and messages, for the type composite. "": the root.
	ArtifactsRoot string `yaml:"artifacts_root"`
}

// The types of backends.
const (
	stateBackend      = "state"
	filesystemBackend = "filesystem"
	storeBackend      = "store"
	sandboxBackend    = "sandbox"
	compositeBackend  = "composite"
)

var backendTypes = []string{stateBackend, filesystemBackend, storeBackend, sandboxBackend, compositeBackend}

// UnmarshalYAML decodes "state" or the keys.
func (b *FileBackend) UnmarshalYAML(decode func(into any) error) error {
	var form any
	if err := decode(&form); err != nil {
		return err
	}
	var keys FileBackendKeys
	if name, ok := form.(string); ok {
		keys.Type = name
	} else if err := decode(&keys); err != nil {
		return err
	}
	var err error
	b.Backend, err = keys.backend()
	return err
}

// JSONSchema describes both forms.
func (FileBackend) JSONSchema() map[string]any {
	return map[string]any{"anyOf": []any{map[string]any{"const": stateBackend}, reflect.TypeFor[FileBackendKeys]()}}
}

// backend checks the keys.
func (k *FileBackendKeys) backend() (backend.Backend, error) {
	if err := k.check(); err != nil {
		return nil, err
	}
	switch k.Type {
	case filesystemBackend:
		return backend.Disk{Root: k.RootDir}, nil
	case storeBackend:
		namespace, err := namespaceOf(k.Namespace)
		return backend.Store{Namespace: namespace}, err
	case sandboxBackend:
		return ShellSandbox{RootDir: k.RootDir, ExecutionPolicy: *k.ExecutionPolicy, ShellCommand: k.ShellCommand, Env: k.Env}, nil
	case compositeBackend:
		return k.composite()
	}
	return backend.State{}, nil
}

// check checks that each key fits the type.
func (k *FileBackendKeys) check() error {
	if !slices.Contains(backendTypes, k.Type) {
		return fmt.Errorf("type is %q; use %s", k.Type, strings.Join(backendTypes, ", "))
	}
	for _, key := range []struct {
		name     string
		of       []string
		given    bool
		required bool
	}{
		{"root_dir", []string{filesystemBackend, sandboxBackend}, k.RootDir != "", true},
		{"namespace", []string{storeBackend}, len(k.Namespace) > 0, true},
		{"execution_policy", []string{sandboxBackend}, k.ExecutionPolicy != nil, true},
		{"shell_command", []string{sandboxBackend}, k.ShellCommand != nil, false},
		{"env", []string{sandboxBackend}, k.Env != nil, false},
		{"default", []string{compositeBackend}, k.Default != nil, true},
		{"routes", []string{compositeBackend}, len(k.Routes) > 0, true},
		{"artifacts_root", []string{compositeBackend}, k.ArtifactsRoot != "", false},
	} {
		fits := slices.Contains(key.of, k.Type)
		switch {
		case key.given && !fits:
			return fmt.Errorf("%s is only for the type %s", key.name, strings.Join(key.of, " or "))
		case key.required && !key.given && fits:
			return fmt.Errorf("the type %s needs %s", k.Type, key.name)
		}
	}
	return nil
}

func (k *FileBackendKeys) composite() (backend.Backend, error) {
	made := backend.Composite{Default: k.Default.Backend, Routes: make(map[string]backend.Backend, len(k.Routes)), ArtifactsRoot: k.ArtifactsRoot}
	for route, inner := range k.Routes {
		made.Routes[route] = inner.Backend
	}
	for _, inner := range append(slices.Collect(maps.Values(made.Routes)), made.Default) {
		if _, nested := inner.(backend.Composite); nested {
			return nil, errors.New("a composite contains no composite; add its routes to the outer one")
		}
	}
	return made, nil
}

// namespaceName matches the names that deepagents allows. A name may come from the caller of a run.
var namespaceName = lazyregexp.New(`^[A-Za-z0-9\-_.@+:~]+$`)

// namespaceOf returns the namespace that a list of templates makes for a run.
func namespaceOf(names []string) (func(rt *host.Runtime) (store.Namespace, error), error) {
	templates := make([]*promptTemplate, len(names))
	for i, name := range names {
		t, err := newPromptTemplate(name)
		if err == nil && (len(t.fields) > 0 || slices.ContainsFunc(slices.Collect(maps.Keys(t.names)), func(n string) bool { return n != "context" })) {
			err = errors.New("it may use .context only")
		}
		if err == nil && len(t.names) == 0 && !namespaceName().MatchString(name) {
			err = fmt.Errorf("%q has characters other than letters, digits and -_.@+:~", name)
		}
		if err != nil {
			return nil, fmt.Errorf("namespace[%d]: %w", i, err)
		}
		templates[i] = t
	}
	return func(rt *host.Runtime) (store.Namespace, error) {
		out := make(store.Namespace, len(templates))
		for i, t := range templates {
			value, err := promptValue(rt, nil, "context")
			if err == nil {
				out[i], err = t.execute(context.Background(), map[string]any{"context": value})
			}
			if err == nil && !namespaceName().MatchString(out[i]) {
				err = fmt.Errorf("%.100q is empty or has characters other than letters, digits and -_.@+:~", out[i])
			}
			if err != nil {
				return nil, fmt.Errorf("namespace[%d]: %w", i, err)
			}
		}
		return out, nil
	}, nil
}

// resolved returns the backend with resolved directories of the disk.
func (b FileBackend) resolved(resolve func(path string) string) FileBackend {
	switch inner := b.Backend.(type) {
	case backend.Disk:
		return FileBackend{backend.Disk{Root: resolve(inner.Root)}}
	case ShellSandbox:
		return FileBackend{inner.resolved(resolve)}
	case backend.Composite:
		out := backend.Composite{
			Default: FileBackend{inner.Default}.resolved(resolve).Backend, Routes: make(map[string]backend.Backend, len(inner.Routes)),
			ArtifactsRoot: inner.ArtifactsRoot,
		}
		for route, routed := range inner.Routes {
			out.Routes[route] = FileBackend{routed}.resolved(resolve).Backend
		}
		return FileBackend{out}
	}
	return b
}
