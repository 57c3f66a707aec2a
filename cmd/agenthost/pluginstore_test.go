package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// counting is a script that counts its calls in all scopes of its store.
const counting = `import { plugin } from "agenthost"

export default plugin({
	name: "counting",
	version: "1.0.0",
	capabilities: { "kv.get": { reason: "counts", required: true }, "kv.put": { reason: "counts", required: true } },
	beforeModel(call) {
		for (const scope of ["run", "thread", "plugin"]) {
			const store = call.store(scope)
			store.put("calls", (store.get("calls")?.value ?? 0) + 1)
		}
	},
})
`

// A golden case says what the store of the plugin has before and after.
func TestGoldenCasesOfTheStore(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	b.write("counting.js", counting)
	given := "hook: before_model\ngrant: {kv: true}\nstore: {plugin: {calls: 4, other: [a]}, run: {calls: 1}}\n"
	b.write("testdata/a.yaml", given+"expect: {store: {plugin: {calls: 5, other: [a]}, run: {calls: 2}, thread: {calls: 1}}}\n")
	b.write("testdata/b.yaml", given+"expect: {}\n")
	b.write("testdata/c.yaml", given+"expect:\n  store: {}\n")
	require.Equal(t, exitPlugin, b.test(b.dir), &b.err)
	require.Regexp(t, `^\S+/a.yaml: ok \(fuel \d+\)
\S+/b.yaml: ok \(fuel \d+\)
\S+/c.yaml: FAILED
  [+] store.plugin: .*
(  [+] store.*
)+3 cases, 1 failed
$`, b.out.String())
	require.Equal(t, exitOK, b.test(b.dir, "--update"), &b.err)
	text, err := os.ReadFile(b.path("testdata/c.yaml"))
	require.NoError(t, err)
	require.Equal(t, given+`expect:
  store:
    plugin:
      calls: 5
      other:
        - "a"
    run:
      calls: 2
    thread:
      calls: 1
`, string(text))
	text, err = os.ReadFile(b.path("testdata/b.yaml"))
	require.NoError(t, err)
	require.Equal(t, given+"expect: {}\n", string(text), "only a case that has the key is about the store")

	b.write("testdata/d.yaml", "hook: before_model\nstore: {plugin: {calls: 4}}\n")
	require.Equal(t, exitUsage, b.test(b.dir))
	require.Contains(t, b.err.String(), "d.yaml:2:1: the plugin may not use its store; add grant: {kv: true}, or remove the key")
	b.write("testdata/d.yaml", "hook: before_model\ngrant: {kv: true}\nstore: {everywhere: {calls: 4}}\n")
	require.Equal(t, exitUsage, b.test(b.dir))
	require.Contains(t, b.err.String(), `"everywhere"`)
}

// check and bench load a plugin that needs a grant with one.
func TestCheckAndBenchWithAGrant(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	b.write("counting.js", counting)
	command := func(code int, args ...string) string {
		t.Helper()
		require.Equal(t, code, b.runWith(t.Context(), "", append([]string{"plugin"}, args...)...), "%s%s", &b.out, &b.err)
		return b.out.String() + b.err.String()
	}
	require.Contains(t, command(exitPlugin, "check", b.path("counting.js")), "FAILED")
	require.Contains(t, command(exitOK, "check", b.path("counting.js"), "--grant", "{kv: true}"), "before_model    ok")
	b.write("grant.yaml", "kv: {scopes: [run, thread, plugin]}\nmodel.generate: {model: small}\ntool.call: [search]\nreads: [todos]\n")
	require.Contains(t, command(exitOK, "check", b.path("counting.js"), "--grant", "@"+b.path("grant.yaml")), "before_model    ok")
	said := command(exitOK, "bench", b.path("counting.js"), "--grant", "@"+b.path("grant.yaml"), "--duration", "20ms")
	require.Regexp(t, `(?m)^ +before_model .* nothing`, said)
	for grant, says := range map[string]string{
		"{kv: maybe}": "--grant:1:", "{kb: true}": `did you mean "kv"`, "@" + b.path("none.yaml"): "none.yaml", "[kv]": "mapping",
	} {
		for _, name := range []string{"check", "bench"} {
			require.Contains(t, command(exitUsage, name, b.path("counting.js"), "--grant", grant), says)
		}
	}
}
