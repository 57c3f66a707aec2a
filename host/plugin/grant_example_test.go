package plugin_test

import (
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
	"github.com/agenthost/agenthost/host/store"
)

// What a plugin asks for shows with what became of it.
func ExampleGrant() {
	weather := capable(abi.OpKVPut, abi.OpClockNow).On("before_agent", guestkit.Nothing)
	agent, err := host.New(host.Config{Model: &searcher{}, Middleware: []host.Middleware{plugin.Wasm{
		ID: "weather", Bytes: weather.Bytes(), Engine: compiled,
		Grant: plugin.Grant{KV: &plugin.KVGrant{Quota: store.Quota{Bytes: 4096}, Scopes: []abi.Scope{abi.ScopeRun}}},
	}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	for _, c := range agent.Capabilities() {
		fmt.Println(c.Middleware, c.Op, c.Granted, c.Detail)
	}
	// Output:
	// weather kv.put true 4096 bytes and 10000 entries for each run
	// weather clock.now false
}
