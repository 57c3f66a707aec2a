package hosts_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/extism"
	"github.com/agenthost/agenthost/host/plugin/extism/extismtest"
	"github.com/agenthost/agenthost/tck/hosts"
)

// notForExtism lists the cases whose outcome differs for Extism plugins, and why.
var notForExtism = map[string]string{
	"input-pointer":            "there are no pointers: what copies the input traps in the guest",
	"pointer":                  "there are no pointers: what copies the result traps in the guest",
	"log-past-the-end":         "there are no pointers: what copies the line traps in the guest",
	"log-level":                "each level is a function",
	"module-no-marker":         "there is no marker",
	"module-no-memory":         "the memory need not be exported",
	"return-1-without-a-write": "an empty output says nothing",
	"result-of-no-bytes":       "an empty output says nothing",
	"return-7":                 "a number is an error of the plugin's own",
}

// TestCasesAsPluginsOfExtism performs the cases with Extism plugins that do the same.
func TestCasesAsPluginsOfExtism(t *testing.T) { //nolint:tparallel // each case takes milliseconds
	t.Parallel()
	cases, err := hosts.Cases()
	require.NoError(t, err)
	engine, err := plugin.NewEngine(plugin.EngineConfig{Contracts: []plugin.Contract{extism.Extism{}}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close()) })
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			module := func(p *hosts.Plugin) []byte {
				code, err := p.Bytes()
				require.NoError(t, err)
				adapted, err := extismtest.Adapt(code)
				if err != nil { // no host would load the module
					return code
				}
				return adapted
			}
			err := hosts.Compare(&c.Expect, perform(t, &c, engine, module))
			if why, ok := notForExtism[c.Name]; ok {
				require.Error(t, err, "it is not an exception any more: %s", why)
				return
			}
			require.NoError(t, err)
		})
	}
}
