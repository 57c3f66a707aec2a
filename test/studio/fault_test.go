package studio_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/sdk/js"
)

// bomb is a plugin that faults each time, until its breaker keeps calls away from it.
func bomb(t *testing.T) host.Middleware {
	t.Helper()
	module, err := js.Plugin(js.Script{File: "bomb.js", Source: `import { plugin } from "agenthost"
export default plugin({
	name: "bomb", version: "0.9.0",
	capabilities: { "kv.get": "remembers <b>what</b> it blew up", "http.fetch": { reason: "calls home", required: false } },
	beforeModel() { return { state: { other: 1 } } },
})`})
	require.NoError(t, err)
	return plugin.Wasm{ID: "bomb", Bytes: module, Grant: plugin.Grant{KV: &plugin.KVGrant{}}, Breaker: plugin.Breaker{Faults: 2, Window: time.Hour}}
}

// A plugin faults: the run fails, and the page says which hook of which plugin it was. After a second fault its breaker opens, and runs go on
// without it.
func TestAPluginThatFaults(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}", bomb(t))
	r.say("hello")
	r.see("The run failed in bomb.before_model")
	r.see("plugin_protocol")
	r.shoot("fault")
	r.view("Timeline")
	r.wait(`all('.spanrow.failed').some((n) => n.textContent.includes('bomb.before_model'))`)
	r.view("Plugins")
	bombed := func(text string) {
		r.wait("all('.part').some((n) => n.textContent.includes('bomb') && n.textContent.includes(" + text + "))")
	}
	bombed(`'1 fault'`)
	bombed(`'it is closed, with 1 recent fault'`)
	require.Equal(t, []string{"granted kv.get remembers <b>what</b> it blew up", "refused http.fetch calls home"},
		eval[[]string](r.page, `[...all('.part').find((n) => n.textContent.includes('bomb')).querySelectorAll('.caps li')].map((n) => n.textContent.replace(/\s+/g, ' ').replace(/ \d+ bytes.*/, ''))`))
	r.wait(`all('.limit').some((n) => n.textContent.includes('fuel of a call, at most') && n.textContent.includes('of 1\u2009000\u2009000\u2009000'))`)
	r.wait(`all('.part').some((n) => n.textContent.includes('redact') && /checked, by the key RW/.test(n.textContent))`)
	r.view("Chat")
	r.say("hello again")
	r.wait(`[...document.querySelectorAll('.message.human')].length === 2 && has('The run failed')`)
	r.say("once more")
	r.see("You said: once more")
	r.view("Plugins")
	bombed(`'bypassed for'`)
	bombed(`'2 faults'`)
	r.wait(`(all('.part').find((n) => n.textContent.includes('bomb')).scrollIntoView(), document.querySelector('.view .page').scrollTop > 100)`)
	r.shoot("plugins-fault")
	r.view("Timeline")
	r.wait(`all('.spanrow.note').some((n) => n.textContent.includes('is bypassed after repeated faults'))`)
}

// An agent runs as a tool of another. The page shows what it says while it runs, and its hooks and models within the tool.
func TestAnAgentWithinAnAgent(t *testing.T) {
	t.Parallel()
	r := setup(t, "{}")
	r.say("research Rome")
	r.see("The tool said: The tool said: sunny in Rome")
	r.view("Timeline")
	within := func(name, agent string) {
		r.wait(`all('.spanrow').some((n) => n.querySelector('.text')?.textContent === '` + name + `' && n.textContent.includes('` + agent + `'))`)
	}
	within("rules", "scout")
	within("get_weather", "scout")
	depth := `(name) => parseFloat(all('.spanrow').find((n) => n.querySelector('.text')?.textContent === name).querySelector('.name').style.paddingLeft)`
	require.Greater(t, eval[float64](r.page, `(`+depth+`)('get_weather')`), eval[float64](r.page, `(`+depth+`)('research')`))
	r.shoot("timeline-agent")
}

// The graph of an assistant says how its plugins are held: their limits, who signed them, and when they are bypassed.
func TestTheGraphTellsOfSandboxes(t *testing.T) {
	t.Parallel()
	middleware := usual(t)
	redact, ok := middleware[2].(plugin.Wasm)
	require.True(t, ok)
	redact.Breaker, redact.AcceptOpen = plugin.Breaker{Faults: 3}, true
	r := newServer(t, "{}", french{}, redact)
	var graph struct {
		Nodes []struct {
			Metadata struct {
				Middleware []struct {
					Name    string        `json:"name"`
					Sandbox *host.Sandbox `json:"sandbox"`
				} `json:"middleware"`
			} `json:"metadata"`
		} `json:"nodes"`
	}
	r.read("GET", "/assistants/helper/graph", nil, &graph)
	parts := graph.Nodes[0].Metadata.Middleware
	require.Equal(t, []string{"french", "redact"}, []string{parts[0].Name, parts[1].Name})
	require.Nil(t, parts[0].Sandbox)
	require.Equal(t, redact.Minisign[0], parts[1].Sandbox.SignedBy)
	require.Equal(t, &host.Breaker{Faults: 3, Window: time.Minute}, parts[1].Sandbox.Breaker)
	require.Equal(t, plugin.DefaultLimits.Fuel, parts[1].Sandbox.Limits.Fuel)
}
