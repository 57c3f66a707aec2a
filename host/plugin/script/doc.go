// Package script makes plugins of scripts in TypeScript, JavaScript and Python, without a build step: give a [Loader] to an engine of
// plugins, and a plugin's path may be a .ts, .mts, .js, .mjs or .py file, or a directory with a package.json or an __init__.py.
//
//	engine, err := plugin.NewEngine(plugin.EngineConfig{Loaders: []plugin.Loader{script.Loader{}}})
//
// The loader strips types and bundles what the script imports, with esbuild in this process, and appends the result to the engine
// of package sdk/js. That module is the plugin: its digest covers the engine and the bundle. Types are not checked. The modules
// of Node.js are refused. Errors name the file and line of the source.
//
// A script in Python is one file or a package, with the packages in a directory vendor beside it, and runs on the engine of package
// sdk/python.
//
// Only programs that import this package link esbuild and the engines, which add more than ten megabytes.
package script
