// Package plugintest is what the tests of plugins share.
package plugintest

import "github.com/agenthost/agenthost/host/plugin"

// Engine keeps compiled plugins for all tests of a process, which it lasts as long as.
var Engine = func() *plugin.Engine {
	e, err := plugin.NewEngine(plugin.EngineConfig{})
	if err != nil {
		panic(err)
	}
	return e
}()
