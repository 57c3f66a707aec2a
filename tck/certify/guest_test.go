package certify_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/wasmbin"
	"github.com/agenthost/agenthost/sdk/js"
	"github.com/agenthost/agenthost/sdk/python"
	"github.com/agenthost/agenthost/tck/certify"
	"github.com/agenthost/agenthost/tck/internal/emit"
)

// builtGuests are guests of the repository, and the checks that they fail.
func builtGuests() map[string][]string {
	return map[string][]string{
		"../../host/plugin/testdata/bench.tinygo.wasm":  nil,
		"../../host/plugin/testdata/lab.tinygo.wasm":    {"instance.interchangeable"}, // TinyGo seeds its generator once
		"../../host/plugin/testdata/parity.tinygo.wasm": {"call.empty-history"},       // its after_model requires a last message
	}
}

// citizens are guests that do the things right that are easily done wrong.
func citizens() map[string][]byte {
	every := func(doc any) func(m *emit.Module) emit.Code {
		return func(m *emit.Module) emit.Code { return emit.Seq(m.Say(emit.Value(doc)), emit.Return) }
	}
	overwrite := object{"overwrite": true, "messages": []any{
		object{"role": "human", "content": "x"},
		object{"role": "ai", "tool_calls": []any{object{"id": "c", "name": "search", "args": object{}}}},
		object{"role": "tool", "tool_call_id": "c", "content": "y"},
	}}
	return map[string][]byte{
		"overwrite": says(overwrite),
		"answers a call of its own": says(object{"messages": []any{
			object{"role": "ai", "tool_calls": []any{object{"id": "own", "name": "search", "args": object{}}}},
			object{"role": "tool", "tool_call_id": "own", "content": "y"},
		}}),
		"a new response":     hookOf(abi.WrapModelCall, abi.HookSpec{}, every(object{"response": object{"messages": []any{object{"content": "x"}}}})),
		"a changed response": nextsAndSays(abi.WrapModelCall, object{"response": object{"model": "x"}}),
		"a changed request": nexts(abi.WrapModelCall, object{
			"add_tools": []any{object{"name": "own", "description": "", "parameters": object{"type": "object"}}}, "tools": []any{},
			"messages": []any{object{"role": "human", "content": "more"}},
		}),
		"fewer tools": hookOf(abi.WrapModelCall, abi.HookSpec{}, func(m *emit.Module) emit.Code {
			return emit.Seq(m.InputHas([]byte("\xa6search")), emit.When(m.Forward(emit.Value(object{"tools": []any{"search"}})), emit.Drop))
		}),
		"a changed answer":              nextsAndSays(abi.WrapToolCall, object{"tool_message": object{"content": "x", "status": "error", "role": "tool"}}),
		"questions":                     says(object{"interrupts": []any{object{"key": "a", "value": 1}, object{"key": "b", "value": nil}}}),
		"log":                           hookOf(abi.BeforeModel, abi.HookSpec{}, func(m *emit.Module) emit.Code { return m.Print(3, "\x1b[31m\xff") }),
		"an operation to come":          operates("time.travel", []byte{0xc0}, nil),
		"the free operations":           operates(abi.OpStateRead, emit.Document(&abi.StateQuery{Count: 1}), nil),
		"a batch":                       operates(abi.OpBatch, fetches(), httpFetch()),
		"the run":                       operates(abi.OpRunInfo, nil, nil),
		"a model":                       operates(abi.OpModelInfo, emit.Document(&abi.ModelQuery{}), nil),
		"tokens":                        operates(abi.OpTokensCount, emit.Document(&abi.TokenQuery{Messages: []abi.Message{abi.Human("hi")}}), nil),
		"tools":                         operates(abi.OpToolsRead, nil, nil),
		"a nap":                         operates(abi.OpClockSleep, emit.Document(&abi.SleepRequest{DurationMS: 5}), &abi.Capability{Op: abi.OpClockSleep, Reason: "to wait"}),
		"a context":                     shownContext("no tenant is called so"),
		"a denied capability":           operates(abi.OpKVGet, emit.Document(&abi.KVGet{Key: "k", Scope: abi.ScopeRun}), &abi.Capability{Op: abi.OpKVGet, Reason: "x"}),
		"a Description beside describe": withSection(),
		"a tool":                        withTool(),
		"a narrowed Description":        configures(narrowed(object{"fields": []any{object{"name": "f", "lifetime": "run"}}})),
		"a choice":                      configuredTool(),
		"a tool that follows the configuration": configuresTool(object{
			"name": "own", "description": "another one", "idempotent": true, "parameters": object{"type": "object", "required": []any{"x"}},
		}),
		"a message of a tool in a response": hookOf(abi.WrapModelCall, abi.HookSpec{}, every(object{"response": object{"messages": []any{
			object{"tool_calls": []any{object{"id": "c", "name": "search", "args": object{}}}}, object{"role": "tool", "tool_call_id": "c"},
		}}})),
		"a tool that is offered anew": nexts(abi.WrapModelCall, object{
			"tools": []any{}, "add_tools": []any{object{"name": "search", "description": "another one"}},
		}),
		"a document that nobody reads":  operates("time.travel", []byte{0xc1}, nil),
		"an operation that is not text": operates("\xff", nil, nil),
		"a line without an end": hookOf(abi.BeforeModel, abi.HookSpec{}, func(*emit.Module) emit.Code {
			return emit.Seq(emit.Number(0), emit.Number(emit.Reply), emit.Number(-1), emit.Call(emit.Log))
		}),
	}
}

// withSection is a guest that carries its Description in a custom section.
func withSection() []byte {
	d := emit.Describing(abi.BeforeModel, abi.HookSpec{})
	d.ABI, d.Name, d.Version = abi.Major, "guest", "1.0.0"
	m := emit.New(d).On("before_model", emit.Number(0))
	m.After = wasmbin.Custom("agenthost.description", emit.Document(&d)...)
	return m.Bytes()
}

// withTool is a guest that has a dynamic tool and calls it.
func withTool() []byte {
	d := emit.Describing(abi.WrapToolCall, abi.HookSpec{})
	d.Tools = []abi.ToolSpec{{Name: "own", Dynamic: true, Parameters: emit.Value(object{
		"type": "object", "required": []any{"n", "kind"},
		"properties": object{"n": object{"type": "integer", "minimum": 3}, "kind": object{"enum": []any{"a", "b"}}},
	})}}
	m := emit.New(d)
	m.On("wrap_tool_call", m.Forward(emit.Value(object{"tool": "own"})), emit.Drop, emit.Number(0))
	return m.On("call_tool", m.Say(emit.Value(object{"tool_message": object{"content": "x"}}))).Bytes()
}

// configuredTool is a guest that must be configured, and that refuses bad configurations.
func configuredTool() []byte {
	d := emit.Describing(abi.BeforeModel, abi.HookSpec{})
	d.ConfigSchema = emit.Value(object{"type": "object", "required": []any{"x"}, "properties": object{"x": object{"enum": []any{"good", "bad"}}}})
	m := emit.New(d).On("before_model", emit.Number(0))
	no := m.Say(emit.Value(object{"error": object{"type": "config", "message": "not this one"}}))
	return m.On("configure", m.InputHas([]byte("\xa3bad")), emit.When(no, emit.Return), emit.Number(0)).Bytes()
}

// TestScripts certifies a plugin in JavaScript: an engine and its script in one module.
func TestScripts(t *testing.T) {
	t.Parallel()
	module, err := js.Plugin(js.Script{File: "all.js", Source: `
		import { plugin, tool, HookError } from "agenthost"
		const own = tool((args, call) => "own " + args.n + call.idempotencyKey, {
			name: "own", description: "", dynamic: true, schema: { type: "object", properties: { n: { type: "integer" } } },
		})
		export default plugin({
			name: "all", version: "1.0.0", tools: [own], capabilities: { "kv.get": "to remember" },
			configSchema: { type: "object", properties: { most: { type: "integer", default: 3 } } },
			configure(config) { if (config.most < 0) throw new HookError("config", "most is negative") },
			fields: { count: { reducer: "add" } },
			beforeAgent: () => ({ state: { count: 1 } }),
			beforeModel: { messages: "all", canJumpTo: ["end"], hook(call) {
				if (call.state.count > call.config.most) return { jumpTo: "end" }
				call.store("run").get("key")
			} },
			wrapModelCall: (call) => ({ response: { ...call.next({ appendSystem: "!" }), model: "x" } }),
			afterModel: { messages: "new", hook: (call) => ({ state: { count: call.messages.length } }) },
			async wrapToolCall(call) {
				if (call.call.name === "ask" && await call.interrupt("?") !== true) return { content: "no", status: "error" }
				return call.next({ tool: "own" })
			},
			afterAgent: (call) => call.emit("done", { n: 1.5, big: 2n ** 63n }),
		})`})
	require.NoError(t, err)
	certifiedScript(t, module)
}

// TestScriptsInPython certifies a plugin in Python.
func TestScriptsInPython(t *testing.T) {
	t.Parallel()
	module, err := python.Plugin(python.Script{File: "all.py", Files: map[string]string{"all.py": `
from agenthost import *

def check(config):
    if config["most"] < 0: raise HookError("config", "most is negative")

plugin(
    name="all", version="1.0.0", capabilities={"kv.get": "to remember"}, configure=check, fields=[Field("count", int, reducer="add")],
    config_schema={"type": "object", "properties": {"most": {"type": "integer", "default": 3}}},
)

@tool(dynamic=True)
def own(n: int = 0, runtime=None):
    return f"own {n} {runtime.idempotency_key}"

@before_agent
def begin(state):
    return {"count": 1}

@before_model(can_jump_to=["end"])
def limit(state, runtime):
    if state.get("count", 0) > runtime.config["most"]:
        return {"jump_to": "end"}
    runtime.store("run").get("key")

@wrap_model_call
def shout(request, handler):
    response = handler(request.override(system="Be brief.", add_messages=["more"]))
    return ExtendedModelResponse(ModelResponse([AIMessage(response.message.text + "!")]), Command(update={"count": 1}))

@after_model(messages="new")
def count(state):
    return {"count": len(state["messages"])}

@wrap_tool_call
async def ask(request, handler):
    if request.name == "ask" and interrupt("?") is not True:
        return ToolMessage("no", status="error")
    return await handler(request.override(tool=own))

@after_agent
def done(state, runtime):
    runtime.emit("done", {"n": 1.5, "big": 2 ** 63})
`}})
	require.NoError(t, err)
	certifiedScript(t, module)
}

// certifiedScript certifies a plugin that refuses configurations with a negative most.
func certifiedScript(t *testing.T, module []byte) {
	t.Helper()
	r := certify.Guest(t.Context(), module, certify.Options{Random: few, Refused: []wire.Map{{{Key: "most", Value: wire.Int(-1)}}}})
	require.True(t, r.Certified, report(r))
	require.Empty(t, r.Failed(true), report(r))
}

// TestEveryCheckCanPass certifies guests that keep the rules. Each check passes for at least one of them.
func TestEveryCheckCanPass(t *testing.T) {
	t.Parallel()
	passed := map[string]bool{}
	note := func(r *certify.Report) {
		for i := range r.Outcomes {
			if r.Outcomes[i].Verdict == certify.Pass {
				passed[r.Outcomes[i].ID] = true
			}
		}
	}
	guests := citizens()
	for _, name := range slices.Sorted(maps.Keys(guests)) {
		options := certify.Options{Random: few}
		if name == "a choice" {
			options.Config = wire.Map{{Key: "x", Value: wire.String("good")}}
			options.Refused = []wire.Map{{{Key: "x", Value: wire.String("bad")}}}
		}
		r := certify.Guest(t.Context(), guests[name], options)
		require.True(t, r.Certified, "%s: %s", name, report(r))
		require.Empty(t, r.Failed(true), "%s: %s", name, report(r))
		note(r)
	}
	for path, fails := range builtGuests() {
		r := certified(t, guestFile(t, path))
		require.Equal(t, fails, r.Failed(true), "%s: %s", path, report(r))
		require.Equal(t, len(fails) == 0, r.Certified)
		note(r)
	}
	for _, check := range certify.Checks() {
		require.True(t, passed[check.ID], "no guest passes the check %s", check.ID)
	}
}

// pluginConfigs holds, for each plugin that needs a configuration, one that it accepts and one that it refuses.
func pluginConfigs() map[string][2]object {
	return map[string][2]object{
		"budget.wasm": {
			{"run": object{"tokens": 200_000, "money": 0.5}, "prices": object{"*": object{"input": 1, "output": 5}}},
			{"warn_at": 0.5},
		},
	}
}

// TestPluginsAreCertified certifies the plugins of the repository, with the defaults of their configuration where those
// are sufficient.
func TestPluginsAreCertified(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../../plugins/*/*.wasm")
	require.NoError(t, err)
	require.NotEmpty(t, paths, "run make plugins")
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			r := certified(t, guestFile(t, path))
			if configs, ok := pluginConfigs()[filepath.Base(path)]; ok {
				require.NotEmpty(t, r.Refused, report(r))
				require.Empty(t, r.Failed(true), report(r))
				r = certifiedWith(t, guestFile(t, path), configs[0], configs[1])
			}
			require.True(t, r.Certified, report(r))
		})
	}
}

// TestTheGuestInCIsCertified certifies a guest that was written only from SPEC.md, without an SDK.
func TestTheGuestInCIsCertified(t *testing.T) {
	t.Parallel()
	code := guestFile(t, "../guests/c/logbook.wasm")
	for name, config := range map[string]object{
		"no configuration": nil,
		"asks":             {"confirm": true, "limit": 3},
		"changes calls":    {"confirm": true, "limit": 3, "set_args": object{"limit": 80}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := certifiedWith(t, code, config)
			require.True(t, r.Certified, report(r))
		})
	}
}

// TestTheGuestInZigIsCertified certifies a guest of version 1.1 that was written only from SPEC.md, without an SDK.
func TestTheGuestInZigIsCertified(t *testing.T) {
	t.Parallel()
	code := guestFile(t, "../guests/zig/steward.wasm")
	for name, config := range map[string]object{
		"no configuration": nil,
		"all of it":        {"ask": []any{"search", "fetch"}, "max_tokens": 50, "max_tools": 1, "retries": 3, "tenant": true},
		"few tools":        {"max_tools": 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := certifiedWith(t, code, config, object{"ask": []any{"no name"}})
			require.True(t, r.Certified, report(r))
			require.Empty(t, r.Failed(true), report(r))
			for _, check := range []string{"call.context", "op.batch", "op.batch-statuses", "op.least", "op.missing"} {
				require.Equal(t, certify.Pass, r.Outcome(check).Verdict, check)
			}
		})
	}
}

// TestTheGuestInZigIsBuilt compiles the guest, if there is a suitable Zig, and compares it with the one that is committed.
func TestTheGuestInZigIsBuilt(t *testing.T) {
	t.Parallel()
	zig := zigCompiler(t)
	dir := t.TempDir()
	for _, name := range []string{"plugin.zig", "abi.zig", "msgpack.zig", "Makefile"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), guestFile(t, "../guests/zig/"+name), 0o600))
	}
	build := exec.CommandContext(t.Context(), "make", "-C", dir, "ZIG="+zig)
	build.Env = append(os.Environ(), "ZIG_GLOBAL_CACHE_DIR="+filepath.Join(dir, "cache"))
	said, err := build.CombinedOutput()
	require.NoError(t, err, string(said))
	require.Equal(t, guestFile(t, "../guests/zig/steward.wasm"), guestFile(t, filepath.Join(dir, "steward.wasm")), "make builds another module than the committed one")
}

// zigVersion is the version of Zig that the guest is built with; its sources do not compile with all others.
const zigVersion = "0.13.0"

// zigCompiler returns the command of Zig, as a program or a package of Python, or skips the test.
func zigCompiler(t *testing.T) string {
	t.Helper()
	installed, err := filepath.Abs("../../.bin/zig/bin/python")
	require.NoError(t, err)
	for _, command := range []string{installed + " -m ziglang", "zig", "python3 -m ziglang"} {
		words := strings.Fields(command)
		version, err := exec.CommandContext(t.Context(), words[0], append(words[1:], "version")...).Output()
		if err == nil && strings.TrimSpace(string(version)) == zigVersion {
			return command
		}
	}
	t.Skip("there is no Zig " + zigVersion + "; make zig installs it")
	return ""
}

// TestModulesOfVersion10AreCertified certifies modules that were built for version 1.0, which no check of a later version may fail.
func TestModulesOfVersion10AreCertified(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string][]string{
		"bench.tinygo.wasm": nil, "bench.rust.wasm": nil, "logbook.c.wasm": nil,
		"parity.tinygo.wasm": {"call.empty-history"}, // its after_model requires a last message
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := certified(t, guestFile(t, "../../abi/testdata/v1.0/"+name))
			require.Equal(t, fails, r.Failed(true), report(r))
			for _, check := range []string{"call.context", "op.batch", "op.batch-statuses", "op.least", "op.missing"} {
				require.Equal(t, certify.NotApplicable, r.Outcome(check).Verdict, check)
			}
		})
	}
}

// TestARefusedConfigurationBreaksNoRule shows that a guest that refuses its configuration is not certified, but
// fails no check.
func TestARefusedConfigurationBreaksNoRule(t *testing.T) {
	t.Parallel()
	no := object{"error": object{"message": ""}, "name": "whatever else stands there"}
	r := certifiedWith(t, configures(no), nil, object{})
	require.Empty(t, r.Failed(true), report(r))
	require.False(t, r.Certified)
	require.NotEmpty(t, r.Refused)
	require.Equal(t, certify.Pass, r.Outcome("configure.refuses").Verdict)

	picky := certifiedWith(t, configuredTool(), object{"x": "good"}, object{"x": "ugly"})
	require.Contains(t, picky.Outcome("configure.refuses").Detail, "configure is never asked")
	require.False(t, picky.Certified)
}

func TestEqualSeedsGiveEqualReports(t *testing.T) {
	t.Parallel()
	code := guestFile(t, "../../plugins/redact/redact.wasm")
	options := certify.Options{Random: few, Seed: 9}
	first := certify.Guest(t.Context(), code, options)
	second := certify.Guest(t.Context(), code, options)
	require.Equal(t, first, second)
}
