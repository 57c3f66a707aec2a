package studio_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/sdk/js"
)

// A plugin faults: the run fails, and the page says which hook of which plugin it was.
func TestAPluginThatFaults(t *testing.T) {
	t.Parallel()
	module, err := js.Plugin(js.Script{File: "bomb.js", Source: `import { plugin } from "agenthost"
export default plugin({
	name: "bomb", version: "0.9.0",
	capabilities: { "kv.get": "remembers <b>what</b> it blew up", "http.fetch": { reason: "calls home", required: false } },
	beforeModel() { throw new Error("boom") },
})`})
	require.NoError(t, err)
	r := setup(t, "{}", plugin.Wasm{ID: "bomb", Bytes: module, Grant: plugin.Grant{KV: &plugin.KVGrant{}}})
	r.say("hello")
	r.see("The run failed")
	r.see("boom")
	r.shoot("fault")
	r.view("Timeline")
	r.wait(`all('.spanrow.failed').some((n) => n.textContent.includes('bomb.before_model'))`)
	r.view("Plugins")
	r.wait(`all('.part').some((n) => n.textContent.includes('bomb') && n.textContent.includes('1 fault'))`)
	r.see("granted")
	r.wait(`has('fuel of a call, at most') && has('of 1 000 000 000') || has('of 1\u2009000\u2009000\u2009000')`)
	r.shoot("plugins-fault")
}
