// Package script makes plugins of scripts in TypeScript and JavaScript, without a build step: give a [Loader] to an engine of
// plugins, and a plugin's path may be a .ts, .mts, .js or .mjs file, or a directory with a package.json.
//
//	engine, err := plugin.NewEngine(plugin.EngineConfig{Loaders: []plugin.Loader{script.Loader{}}})
//
// The loader strips types and bundles what the script imports, with esbuild in this process, and appends the result to the engine
// of package sdk/js. That module is the plugin: its digest covers the engine and the bundle. Types are not checked. The modules
// of Node.js are refused. Errors name the file and line of the source.
//
// Only programs that import this package link esbuild and the engine, which add several megabytes.
package script
