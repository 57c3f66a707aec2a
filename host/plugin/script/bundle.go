package script

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/agenthost/agenthost/sdk/js"
)

// build makes one JavaScript module of a file and all that it imports. The same files give the same bytes in any directory.
func build(entry string, change func(*api.BuildOptions)) (api.BuildResult, error) {
	dir := filepath.Dir(entry)
	options := api.BuildOptions{
		EntryPoints: []string{entry}, AbsWorkingDir: dir, Outfile: filepath.Join(dir, "plugin.js"),
		Bundle: true, Format: api.FormatESModule, Platform: api.PlatformNeutral, Target: api.ES2023, Charset: api.CharsetUTF8,
		MainFields: []string{"module", "main"}, LegalComments: api.LegalCommentsNone,
		TsconfigRaw: "{}", // settings of directories further up must not change the plugin
		LogLevel:    api.LogLevelSilent, Plugins: []api.Plugin{imports()},
	}
	change(&options)
	built := api.Build(options)
	if len(built.Errors) > 0 {
		return built, errorOf(built.Errors)
	}
	return built, nil
}

// bundle returns the script of a file and all that it imports.
func bundle(entry string) (js.Script, error) {
	built, err := build(entry, func(o *api.BuildOptions) {
		o.Sourcemap, o.SourcesContent = api.SourceMapExternal, api.SourcesContentExclude
	})
	if err != nil {
		return js.Script{}, err
	}
	s := js.Script{File: filepath.Base(entry)}
	for _, f := range built.OutputFiles {
		if !strings.HasSuffix(f.Path, ".map") {
			s.Source = string(f.Contents)
			continue
		}
		var err error
		if s.Files, s.Lines, err = readMap(f.Contents); err != nil {
			return js.Script{}, fmt.Errorf("source map of %s: %w", s.File, err)
		}
	}
	return s, nil
}

// bundled returns the files in the bundle of a file. A plugin that is watched needs them before it is loaded: a change while it is loaded would be
// missed otherwise.
func bundled(entry string) ([]string, error) {
	built, err := build(entry, func(o *api.BuildOptions) { o.Metafile = true })
	if err != nil {
		return nil, err
	}
	var meta struct {
		Inputs map[string]struct{} `json:"inputs"` // by their paths, relative to the directory of the entry
	}
	if err := json.Unmarshal([]byte(built.Metafile), &meta); err != nil {
		return nil, fmt.Errorf("inputs of %s: %w", entry, err)
	}
	var files []string
	for _, name := range slices.Sorted(maps.Keys(meta.Inputs)) {
		files = append(files, filepath.Join(filepath.Dir(entry), filepath.FromSlash(name)))
	}
	return files, nil
}

// nodeModules matches the modules of Node.js that scripts import most, with and without their prefix.
const nodeModules = `^node:|^(assert|buffer|child_process|cluster|crypto|dns|events|fs|http|http2|https|module|net|os|path|perf_hooks|` +
	`process|querystring|readline|stream|timers|tls|tty|url|util|v8|vm|worker_threads|zlib)(/promises)?$`

// imports decides about imports that are not files: the module "agenthost" is the engine's own, and those of Node.js do not exist.
func imports() api.Plugin {
	return api.Plugin{Name: "agenthost", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: `^agenthost$`}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: "agenthost", External: true}, nil
		})
		b.OnResolve(api.OnResolveOptions{Filter: nodeModules}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			if a.PluginData == resolving || found(b, a) {
				return api.OnResolveResult{}, nil // a package of that name, such as events
			}
			text := fmt.Sprintf("the module %q of Node.js does not exist in a plugin, which has no files, processes or sockets; "+
				"use what the hook's argument offers, such as fetch and store", a.Path)
			return api.OnResolveResult{Errors: []api.Message{{Text: text}}}, nil
		})
	}}
}

// resolving marks a question to esbuild itself.
const resolving = "resolving"

// found reports whether an import is a file or an installed package.
func found(b api.PluginBuild, a api.OnResolveArgs) bool {
	r := b.Resolve(a.Path, api.ResolveOptions{Importer: a.Importer, ResolveDir: a.ResolveDir, Kind: a.Kind, PluginData: resolving})
	return len(r.Errors) == 0 && !r.External
}
