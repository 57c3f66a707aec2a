//go:build !no_scripts

package main

import (
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/script"
)

// loaders returns what makes plugins of other files than modules.
func loaders() []plugin.Loader { return []plugin.Loader{script.Loader{}} }
