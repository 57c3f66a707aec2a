//go:build !no_extism

package extism_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/extism"
	"github.com/agenthost/agenthost/host/tool"
)

// compileCommand is the argument with which this binary compiles a module.
const compileCommand = "compile-module"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == compileCommand {
		if err := plugin.CompileHere(context.Background(), os.Args[2], os.Stdin); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) == 3 && os.Args[1] == sdkCommand {
		if err := bySDK(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// asks is a model that calls the tool search once.
type asks struct{}

func (asks) Info() model.Info { return model.Info{Name: "asks"} }

func (asks) Generate(_ context.Context, req *model.Request) (*model.Response, error) {
	if m, ok := req.Messages.Last(); ok && m.Role == abi.RoleTool {
		return model.Reply(abi.AI("done")), nil
	}
	return model.Reply(abi.AI("", abi.Call("call-1", "search", map[string]any{"q": "x"}))), nil
}

func newEngine(t *testing.T, config plugin.EngineConfig) *plugin.Engine {
	t.Helper()
	config.Contracts = []plugin.Contract{extism.Extism{}}
	engine, err := plugin.NewEngine(config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close()) })
	return engine
}

// bundle is an agent around one plugin, whose model calls the tool search once.
type bundle struct {
	agent *host.Agent
	log   bytes.Buffer
}

func (b *bundle) open(t *testing.T, w plugin.Wasm) error {
	t.Helper()
	if w.Engine == nil {
		w.Engine = newEngine(t, plugin.EngineConfig{})
	}
	w.ID = "foreign"
	search := tool.Raw(abi.ToolSpec{Name: "search"}, func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		return host.TextOutput("found"), nil
	})
	agent, err := host.New(host.Config{
		Model: asks{}, Tools: []host.Tool{search}, Middleware: []host.Middleware{w},
		Logger: slog.New(slog.NewTextHandler(&b.log, nil)),
		Seed:   func() uint64 { return 7 }, Clock: func() time.Time { return time.Unix(1_700_000_000, 0) },
	})
	if err != nil {
		return err
	}
	b.agent = agent
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return nil
}

// run loads a plugin and runs an agent with it.
func run(t *testing.T, w plugin.Wasm) (*host.Result, *bundle, error) {
	t.Helper()
	b := &bundle{}
	if err := b.open(t, w); err != nil {
		return nil, b, err
	}
	result, err := b.agent.Run(t.Context(), host.Input{Messages: []abi.Message{{Role: abi.RoleHuman, ID: "h1", Content: abi.Text("hi")}}})
	return result, b, err
}

func faultOf(t *testing.T, err error) *plugin.Error {
	t.Helper()
	var fault *plugin.Error
	require.ErrorAs(t, err, &fault)
	return fault
}

const jsonDescription = `{"abi":1,"name":"foreign","version":"1.0.0","hooks":{"before_model":{"messages":"all"}},` +
	`"config_schema":{"type":"object","properties":{"word":{"type":"string","default":"moin"},"many":{"type":"array"}}}}`

func TestAPluginThatSpeaksJSON(t *testing.T) {
	t.Parallel()
	picture := base64.StdEncoding.EncodeToString([]byte{0, 1, 0xff})
	g := describing(jsonDescription)
	g.export("before_model",
		call(callInputOffset), call(callLogInfo), // it logs its input
		g.block("word"), call(callConfigGet), call(callLogInfo),
		g.block("many"), call(callConfigGet), call(callLogInfo),
		g.block("none"), call(callConfigGet), isZero, code{0x45}, when, trap, end,
		g.say(`{"messages":[{"role":"human","id":"added","content":[{"type":"image","data":"`+picture+`","mime_type":"image/png"}]}]}`), i32(0))
	result, b, err := run(t, plugin.Wasm{Bytes: g.bytes(), Config: map[string]any{"many": []any{1, "x"}}})
	require.NoError(t, err)
	added, ok := result.Messages.Find("added")
	require.True(t, ok)
	blocks := added.Content.Blocks()
	require.Len(t, blocks, 1)
	require.Equal(t, []byte{0, 1, 0xff}, blocks[0].Data(), "base64 became bytes")
	said := logged(t, &b.log)
	var input map[string]any
	require.NoError(t, json.Unmarshal([]byte(said[0]), &input), said[0])
	require.Equal(t, "foreign.before_model", input["step"])
	require.Equal(t, []string{"moin", `[1,"x"]`}, said[1:3])
}

// logged returns the texts of the lines that were logged.
func logged(t *testing.T, log *bytes.Buffer) []string {
	t.Helper()
	var texts []string
	for line := range strings.Lines(log.String()) {
		_, rest, _ := strings.Cut(line, "msg=")
		text, _, _ := strings.Cut(rest, " middleware=")
		text, _, _ = strings.Cut(text, " hook=")
		if strings.HasPrefix(text, `"`) {
			require.NoError(t, json.Unmarshal([]byte(text), &text))
		}
		texts = append(texts, text)
	}
	return texts
}

func TestErrorsOfAPlugin(t *testing.T) {
	t.Parallel()
	says := func(body ...code) func(g *guest) []code { return func(*guest) []code { return body } }
	for _, test := range []struct {
		name string
		body func(g *guest) []code
		want string
	}{
		{"an error that was set", func(g *guest) []code { return []code{g.block("no way"), call(callErrorSet), i32(1)} }, "no way"},
		{"an error that was set, and 0", func(g *guest) []code { return []code{g.block("no way"), call(callErrorSet), i32(0)} }, "no way"},
		{"a number alone", says(i32(-3)), "it returned -3 and set no error"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			g := describing(jsonDescription)
			g.export("before_model", test.body(g)...)
			_, _, err := run(t, plugin.Wasm{Bytes: g.bytes()})
			require.ErrorContains(t, err, test.want)
			require.Equal(t, "error", host.ErrorDocument(err).Type)
		})
	}
	g := newGuest()
	g.export("describe", g.block("not today"), call(callErrorSet), i32(1))
	_, _, err := run(t, plugin.Wasm{Bytes: g.bytes()})
	fault := faultOf(t, err)
	require.Equal(t, plugin.KindGuest, fault.Kind)
	require.Equal(t, "not today", fault.Message)
}

// TestLoading loads modules that are not valid Extism plugins.
func TestLoading(t *testing.T) {
	t.Parallel()
	imports := func(module, name string) func() *guest {
		return func() *guest {
			g := describing(jsonDescription).export("before_model", i32(0))
			g.Imports[callNext].Module, g.Imports[callNext].Name = module, name
			return g
		}
	}
	for _, test := range []struct {
		name   string
		module func() *guest
		stage  string
		kind   plugin.Kind
		says   string
	}{
		{"a function of the kernel that is for hosts", imports("extism:host/env", "reset"), "link", plugin.KindLink, "it imports the unknown function extism:host/env.reset"},
		{"another host's function", imports("extism:host/user", "query"), "link", plugin.KindLink, "this host has next, host_call"},
		{"a linked module", imports("helper", "help"), "link", plugin.KindLink, "it imports helper.help"},
		{"what is the host's own", imports("agenthost_extism", "alloc"), "link", plugin.KindLink, "it imports agenthost_extism.alloc"},
		{"another type", func() *guest {
			g := describing(jsonDescription)
			g.Imports[callFree].Results = wasmI64
			return g
		}, "link", plugin.KindLink, "extism:host/env.free with the wrong parameters"},
		{"an export with a parameter", func() *guest {
			return describing(jsonDescription).add("before_model", wasmI32, wasmI32, i32(0))
		}, "link", plugin.KindLink, "it exports before_model with parameters"},
		{"no describe", func() *guest { return newGuest().export("before_model", i32(0)) }, "link", plugin.KindLink, `does not export the function "describe"`},
		{"the meter's own export", func() *guest {
			return describing(jsonDescription).add("agenthost_self", "", "")
		}, "link", plugin.KindLink, "agenthost_self"},
		{"a Description that is not JSON", func() *guest { return describing(`{"abi":1,`) }, "describe", plugin.KindProtocol, "malformed"},
		{"no Description", func() *guest { return newGuest().export("describe", i32(0)) }, "describe", plugin.KindProtocol, "it must write a Description"},
		{"a start that uses blocks", func() *guest {
			g := describing(jsonDescription).export("before_model", i32(0))
			g.Start = g.Next()
			return g.add("", "", "", i64(1<<40), call(callLoad8), drop)
		}, "instantiate", plugin.KindProtocol, "there is no block"},
		{"an initialization that does not end", func() *guest {
			return describing(jsonDescription).export("before_model", i32(0)).add("_initialize", "", "", loop, again, end)
		}, "init", plugin.KindFuel, "used up its fuel"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := run(t, plugin.Wasm{Bytes: test.module().bytes()})
			fault := faultOf(t, err)
			require.Equal(t, test.stage, fault.Stage, fault)
			if test.kind == plugin.KindFuel && fault.Kind == plugin.KindDeadline {
				return // a busy machine let its time end before its fuel
			}
			require.Equal(t, test.kind, fault.Kind, fault)
			require.Contains(t, fault.Message, test.says)
		})
	}
	t.Run("an engine without the contract", func(t *testing.T) {
		t.Parallel()
		engine, err := plugin.NewEngine(plugin.EngineConfig{})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, engine.Close()) })
		_, _, err = run(t, plugin.Wasm{Bytes: describing(jsonDescription).bytes(), Engine: engine})
		require.Contains(t, faultOf(t, err).Message, "it is an Extism plugin")
	})
}

// TestHostileGuests runs guests that attack the host from within a hook.
func TestHostileGuests(t *testing.T) {
	t.Parallel()
	little := plugin.Limits{Fuel: 50_000_000, Deadline: 300 * time.Millisecond, Memory: 8 << 20}
	for _, test := range []struct {
		name  string
		body  func(g *guest) []code
		kinds []plugin.Kind
		says  string
	}{
		{"writes before a block", func(g *guest) []code {
			return []code{g.block("0123456789"), i64(-1), {0x7c}, i32(1), call(callStore8)}
		}, []plugin.Kind{plugin.KindProtocol}, "store_u8: there is no block"},
		{"writes over the end of a block", func(g *guest) []code {
			return []code{g.block("0123456789"), i64(3), {0x7c}, i64(-1), call(callStore64)}
		}, []plugin.Kind{plugin.KindProtocol}, "store_u64: there is no block"},
		{"reads where nothing is", func(*guest) []code { return []code{i64(1), call(callLoad64), drop} }, []plugin.Kind{plugin.KindProtocol}, "load_u64"},
		{"reads at the end of all addresses", func(*guest) []code { return []code{i64(-1), call(callLoad64), drop} }, []plugin.Kind{plugin.KindProtocol}, "load_u64"},
		{"reads behind its input", func(*guest) []code {
			return []code{call(callInputLength), i64(-7), {0x7c}, call(callInputLoad64), drop}
		}, []plugin.Kind{plugin.KindProtocol}, "input_load: the guest reads"},
		{"reads what was freed", func(g *guest) []code {
			return []code{g.block("0123456789"), set(1), get(1), call(callFree), get(1), call(callLoad8), drop}
		}, []plugin.Kind{plugin.KindProtocol}, "load_u8"},
		{"frees anything", func(*guest) []code {
			return []code{i64(0), call(callFree), i64(-1), call(callFree), i64(64), call(callFree)}
		}, nil, ""},
		{"sets an output that is not there", func(g *guest) []code {
			return []code{g.block("short"), i64(6), call(callOutputSet)}
		}, []plugin.Kind{plugin.KindProtocol}, "output_set"},
		{"sets an error that is not there", func(*guest) []code { return []code{i64(77), call(callErrorSet)} }, []plugin.Kind{plugin.KindProtocol}, "error_set: no block begins at 77"},
		{"sets a large output", func(*guest) []code {
			return []code{i64(2 << 20), call(callAlloc), i64(2 << 20), call(callOutputSet)}
		}, []plugin.Kind{plugin.KindLimit}, "the result has 2097152 bytes"},
		{"writes no document", func(g *guest) []code { return []code{g.say(`{"messages":7}`)} }, []plugin.Kind{plugin.KindProtocol}, ""},
		{"wants more than there is", func(*guest) []code {
			return []code{i64(1 << 31), call(callAlloc), isZero, {0x45}, when, trap, end}
		}, nil, ""},
		{"takes all blocks", func(*guest) []code {
			return []code{loop, i64(1 << 16), call(callAlloc), isZero, when, trap, end, again, end}
		}, []plugin.Kind{plugin.KindMemory}, "it needs more memory"},
		{"takes small blocks", func(*guest) []code {
			return []code{loop, i64(1), call(callAlloc), drop, again, end}
		}, []plugin.Kind{plugin.KindFuel, plugin.KindDeadline}, ""},
		{"frees small blocks from the first", func(*guest) []code {
			return []code{
				block, loop, i64(1), call(callAlloc), isZero, breakIf(1), again, end, end,
				i64(64), set(1), loop, get(1), call(callFree), get(1), i64(16),
				{0x7c},
				set(1), again, end,
			}
		}, []plugin.Kind{plugin.KindFuel, plugin.KindDeadline}, ""},
		{"waits for ever", func(*guest) []code { return []code{loop, again, end} }, []plugin.Kind{plugin.KindFuel, plugin.KindDeadline}, ""},
		{"calls next in a node hook", func(*guest) []code { return []code{i64(0), call(callNext), drop} }, []plugin.Kind{plugin.KindProtocol}, "next is for wrap hooks only"},
		{"passes no JSON", func(g *guest) []code {
			return []code{g.block("kv.get"), g.block("{"), call(callHostCall), drop}
		}, []plugin.Kind{plugin.KindProtocol}, "malformed"},
		{"asks for nothing", func(*guest) []code { return []code{i64(0), i64(0), call(callHostCall), drop} }, nil, ""},
		{"logs without end", func(g *guest) []code {
			return []code{loop, g.block(strings.Repeat("x", 1000)), call(callLogInfo), again, end}
		}, []plugin.Kind{plugin.KindFuel, plugin.KindDeadline}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			g := describing(jsonDescription)
			g.export("before_model", append(test.body(g), i32(0))...)
			engine := newEngine(t, plugin.EngineConfig{})
			start := time.Now()
			b := &bundle{}
			require.NoError(t, b.open(t, plugin.Wasm{Bytes: g.bytes(), Engine: engine, Limits: little}))
			held, _ := engine.Memory()
			for range 3 { // a discarded instance is replaced, and nothing of it remains
				_, err := b.agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
				if test.kinds == nil {
					require.NoError(t, err)
				} else {
					fault := faultOf(t, err)
					require.Contains(t, test.kinds, fault.Kind, fault)
					require.Equal(t, "before_model", fault.Stage)
					require.Contains(t, fault.Message, test.says)
				}
				require.Eventually(t, func() bool { // a new instance is made in the background
					used, _ := engine.Memory()
					return used == held
				}, 5*time.Second, time.Millisecond)
			}
			require.Less(t, time.Since(start), 20*time.Second)
		})
	}
}

// TestWhatIsOff shows that Extism's own HTTP and variables are off, and that the error names the capability to use
// instead.
func TestWhatIsOff(t *testing.T) {
	t.Parallel()
	for name, results := range map[string]string{"http_request": wasmI64, "var_set": "", "var_get": wasmI64} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := describing(jsonDescription)
			params, arguments, rest := wasmI64+wasmI64, append(i64(0), i64(0)...), drop
			if name == "var_get" {
				params, arguments = wasmI64, i64(0)
			}
			if results == "" {
				rest = nil
			}
			g.Imports[callNext] = function{Module: "extism:host/env", Name: name, Params: params, Results: results}
			g.export("before_model", arguments, call(callNext), rest, i32(0))
			_, _, err := run(t, plugin.Wasm{Bytes: g.bytes()})
			fault := faultOf(t, err)
			require.Equal(t, plugin.KindDenied, fault.Kind)
			require.Contains(t, fault.Message, "host_call")
		})
	}
}

// TestEqualCallsUseEqualFuel shows that equal calls in the isolation call use equal fuel, whatever the size of the
// slices.
func TestEqualCallsUseEqualFuel(t *testing.T) {
	t.Parallel()
	g := describing(jsonDescription)
	g.export("before_model", loop, get(0), i32(1), code{0x6a}, set(0), get(0), i32(300_000), code{0x49}, breakIf(0), end,
		g.say(`{"state":{}}`), i32(0))
	b := &bundle{}
	require.NoError(t, b.open(t, plugin.Wasm{Bytes: g.bytes(), Isolation: plugin.IsolateCall}))
	var fuel []uint64
	for range 4 {
		_, err := b.agent.RunEvents(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}}, func(e host.Event) error {
			if e.Type == host.EventHook {
				fuel = append(fuel, e.Fuel)
			}
			return nil
		})
		require.NoError(t, err)
	}
	require.Len(t, fuel, 8)
	for _, f := range fuel {
		require.Equal(t, fuel[0], f)
	}
	require.Greater(t, fuel[0], uint64(300_000))
}

// TestCompiledElsewhere shows that the host uses code that another process compiled.
func TestCompiledElsewhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := func() []string {
		found, err := filepath.Glob(filepath.Join(dir, "wazero-*", "*"))
		require.NoError(t, err)
		return found
	}
	var before []string
	self, err := os.Executable()
	require.NoError(t, err)
	inChild := plugin.CompileInChild(self, compileCommand)
	engine := newEngine(t, plugin.EngineConfig{Dir: dir, Compile: func(ctx context.Context, dir string, module []byte) error {
		err := inChild(ctx, dir, module)
		before = files()
		return err
	}})
	g := describing(jsonDescription)
	g.export("before_model", i32(0))
	_, _, err = run(t, plugin.Wasm{Bytes: g.bytes(), Engine: engine})
	require.NoError(t, err)
	require.NotEmpty(t, before)
	require.LessOrEqual(t, len(files()), len(before)+1, "the SDK's kernel alone is new")
}
