package plugin_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
	"github.com/agenthost/agenthost/host/tool"
)

// load makes the hooks of a plugin, outside of an agent.
func load(b *testing.B, code []byte) *host.Hooks {
	b.Helper()
	return loadWith(b, plugin.Wasm{ID: "bench", Bytes: code, Engine: compiled})
}

func loadWith(b *testing.B, w plugin.Wasm) *host.Hooks {
	b.Helper()
	hooks, err := w.Hooks(b.Context(), host.Env{Name: "bench", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = hooks.Close() })
	return hooks
}

// measureNode calls a node hook over and over, see [inRun].
func measureNode(b *testing.B, hook host.NodeHook, history int, text string) {
	b.Helper()
	inRun(b, hook, history, text, func(call func() error) {
		b.ReportAllocs()
		for b.Loop() {
			if err := call(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// inRun lets do call a node hook inside of a run: in the Runtime of a hook with the same view, at its second call, behind
// a history of so many messages.
func inRun(tb testing.TB, hook host.NodeHook, history int, text string, do func(call func() error)) {
	tb.Helper()
	calls := 0
	loop := host.AfterModel("loop", func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
		calls++
		if calls == 1 {
			return &host.Update{JumpTo: abi.JumpModel}, nil
		}
		do(func() error {
			_, err := hook.Func(ctx, rt)
			return err
		})
		return nil, nil
	}, host.WithView(hook.View), host.CanJumpTo(abi.JumpModel))
	messages := make([]abi.Message, history)
	for i := range messages {
		messages[i] = abi.Human(text)
	}
	chars := host.Field{Name: "chars", Reducer: host.Add()} // what the guest bench writes
	config := host.Config{Model: constantModel(abi.AI(text)), State: []host.Field{chars}, Middleware: []host.Middleware{loop}}
	runBench(tb, config, messages...)
}

// inWrap lets do call a layer around a model call over and over, inside of a run.
func inWrap(tb testing.TB, wrap host.WrapModelHook, do func(call func() error)) {
	tb.Helper()
	resp := model.Reply(abi.AI("done"))
	resp.Messages[0].ID = "m1"
	var inner host.ModelHandler = func(context.Context, *model.Request) (*model.Response, error) { return resp, nil }
	loop := host.WrapModelCall("loop", func(
		ctx context.Context, rt *host.Runtime, req *model.Request, _ host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		do(func() error {
			_, _, err := wrap.Func(ctx, rt, req, inner)
			return err
		})
		return resp, nil, nil
	})
	runBench(tb, host.Config{Model: constantModel(abi.AI("done")), Middleware: []host.Middleware{loop}}, abi.Human("hi"))
}

// kilobyte is a text of 1 KB.
var kilobyte = strings.Repeat("0123456789abcdef", 64)

func runBench(b testing.TB, config host.Config, messages ...abi.Message) {
	b.Helper()
	config.Clock = func() time.Time { return time.Unix(1_700_000_000, 0) }
	agent, err := host.New(config)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := agent.Run(b.Context(), host.Input{Messages: messages}); err != nil {
		b.Fatal(err)
	}
	if err := agent.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkHookFloor is a hook that is shown nothing and says nothing: what a call costs the host.
func BenchmarkHookFloor(b *testing.B) {
	floor := guestkit.Fine()
	b.Run("wat", func(b *testing.B) { measureNode(b, load(b, floor.Bytes()).BeforeModel, 1, "hi") })
	b.Run("tinygo", func(b *testing.B) { measureNode(b, load(b, tinyGuest(b, "bench")).BeforeAgent, 1, "hi") })
	b.Run("rust", func(b *testing.B) { measureNode(b, load(b, rustGuest(b)).BeforeAgent, 1, "hi") })
	b.Run("go", func(b *testing.B) { measureNode(b, load(b, goGuest(b, "bench")).BeforeAgent, 1, "hi") })
	b.Run("js", func(b *testing.B) { measureNode(b, load(b, script(b, "js")).BeforeAgent, 1, "hi") })
	b.Run("python", func(b *testing.B) { measureNode(b, load(b, script(b, "python")).BeforeAgent, 1, "hi") })
}

// script is the guest bench as a script in this language, with its engine.
func script(t testing.TB, language string) []byte {
	t.Helper()
	return plugin.BenchGuests(t)[language]
}

// BenchmarkHook1KB is a hook that reads a message of 1 KB and returns an update, as a multiple of what it costs to
// encode and decode the two documents natively.
func BenchmarkHook1KB(b *testing.B) {
	var native float64
	b.Run("native", func(b *testing.B) {
		b.ReportAllocs()
		natively := nativeDocuments(kilobyte)
		for b.Loop() {
			if err := natively(); err != nil {
				b.Fatal(err)
			}
		}
		native = float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	})
	for _, guest := range []struct {
		name string
		code []byte
	}{
		{"tinygo", tinyGuest(b, "bench")}, {"leaking", tinyGuest(b, "bench-leaking")}, {"rust", rustGuest(b)}, {"go", goGuest(b, "bench")}, {"js", script(b, "js")}, {"python", script(b, "python")},
	} {
		b.Run(guest.name, func(b *testing.B) {
			measureNode(b, load(b, guest.code).BeforeModel, 1, kilobyte)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/native, "x_native")
		})
	}
}

// nativeDocuments encodes and decodes input and result of BenchmarkHook1KB with the generated codecs.
func nativeDocuments(text string) func() error {
	m := abi.AI(text)
	m.ID = "msg-5577006700d5fa6d-2"
	in := abi.HookInput{
		Messages: &abi.View{From: 1, Items: []abi.Message{m}, Total: 2}, N: 1, Now: 1_700_000_000_000_000_000,
		Run: "run-5577006700d5fa6d", Seed: 0x5577006700d5fa6d, Step: "loop.after_model",
	}
	out := abi.Result{State: wire.Map{{Key: "chars", Value: wire.Int(1024)}}}
	var buf []byte
	return func() error {
		var readIn abi.HookInput
		var readOut abi.Result
		buf, _ = in.MarshalMsg(buf[:0])
		_, inErr := readIn.UnmarshalMsg(buf)
		buf, _ = out.MarshalMsg(buf[:0])
		_, outErr := readOut.UnmarshalMsg(buf)
		return errors.Join(inErr, outErr)
	}
}

// BenchmarkHistory shows that the cost of a hook does not follow from the length of the history: x_10 is the cost as a multiple of
// that at 10 messages.
func BenchmarkHistory(b *testing.B) {
	hooks := load(b, tinyGuest(b, "bench"))
	for _, view := range []struct {
		name string
		hook host.NodeHook
	}{{"last_1", hooks.BeforeModel}, {"new", hooks.AfterModel}} {
		var ten float64
		for _, n := range []int{10, 1_000, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", view.name, n), func(b *testing.B) {
				measureNode(b, view.hook, n, "some words")
				took := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
				if n == 10 {
					ten = took
				}
				b.ReportMetric(took/ten, "x_10")
			})
		}
	}
}

// passByHand is a layer that only calls next, written by hand.
func passByHand() []byte {
	pass := guestkit.Hooked(abi.WrapModelCall, abi.HookSpec{})
	pass.On("wrap_model_call", pass.Forward(nil, abi.StatusOK), guestkit.Nothing)
	return pass.Bytes()
}

// BenchmarkWrapModel is a layer that only calls next.
func BenchmarkWrapModel(b *testing.B) {
	for _, guest := range []struct {
		name string
		code func() []byte
	}{
		{"wat", passByHand},
		{"tinygo", func() []byte { return tinyGuest(b, "bench") }},
		{"leaking", func() []byte { return tinyGuest(b, "bench-leaking") }},
		{"rust", func() []byte { return rustGuest(b) }},
		{"go", func() []byte { return goGuest(b, "bench") }},
		{"js", func() []byte { return script(b, "js") }},
		{"python", func() []byte { return script(b, "python") }},
	} {
		b.Run(guest.name, func(b *testing.B) {
			inWrap(b, load(b, guest.code()).WrapModelCall, func(call func() error) {
				b.ReportAllocs()
				for b.Loop() {
					if err := call(); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

// BenchmarkParallelTools is a batch of 8 tool calls that run at once through one wrap, with the whole round around it.
func BenchmarkParallelTools(b *testing.B) {
	pass := guestkit.Hooked(abi.WrapToolCall, abi.HookSpec{})
	pass.On("wrap_tool_call", pass.Forward(nil, abi.StatusOK), guestkit.Nothing)
	for _, guest := range []struct {
		name       string
		middleware []host.Middleware
	}{
		{"none", nil},
		{"wat", []host.Middleware{plugin.Wasm{ID: "bench", Bytes: pass.Bytes(), Engine: compiled}}},
		{"tinygo", []host.Middleware{plugin.Wasm{
			ID: "bench", Bytes: tinyGuest(b, "bench"), Engine: compiled, Config: map[string]any{"only": "wrap_tool_call"},
		}}},
	} {
		b.Run(guest.name, func(b *testing.B) {
			batches := &batchModel{calls: make([]abi.ToolCall, 8)}
			for i := range batches.calls {
				batches.calls[i] = abi.Call(fmt.Sprint(i), "search", map[string]any{"q": "x"})
			}
			output := host.TextOutput("found")
			search := tool.Raw(abi.ToolSpec{Name: "search"}, func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
				return output, nil
			})
			b.ReportAllocs()
			agent, err := host.New(host.Config{Model: batches, Tools: []host.Tool{search}, Middleware: guest.middleware})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = agent.Close() }()
			const rounds = 50
			for b.Loop() {
				batches.left = rounds
				if _, err := agent.Run(b.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rounds), "ns/batch")
		})
	}
}

// batchModel asks for the same calls so many times and then says done.
type batchModel struct {
	calls []abi.ToolCall
	left  int
}

func (m *batchModel) Info() model.Info { return model.Info{Name: "batches"} }

func (m *batchModel) Generate(context.Context, *model.Request) (*model.Response, error) {
	if m.left == 0 {
		return model.Reply(abi.AI("done")), nil
	}
	m.left--
	return model.Reply(abi.AI("", m.calls...)), nil
}

// BenchmarkStop shows how long after its deadline a guest stops, and how long it holds up a garbage collection.
func BenchmarkStop(b *testing.B) {
	for name, g := range map[string]*guestkit.Module{"loop": endless(), "tree_of_calls": callTree()} {
		b.Run(name, func(b *testing.B) {
			var late, collection time.Duration
			for b.Loop() {
				l, c := stopped(b, g, 100*time.Millisecond)
				late, collection = max(late, l), max(collection, c)
			}
			b.ReportMetric(late.Seconds()*1e3, "ms-late")
			b.ReportMetric(collection.Seconds()*1e3, "ms-gc")
		})
	}
}

// BenchmarkIsolation shows what it costs to make memory and globals what they were.
func BenchmarkIsolation(b *testing.B) {
	for name, code := range map[string][]byte{
		"tinygo": tinyGuest(b, "bench"), "rust": rustGuest(b), "go": goGuest(b, "bench"), "js": script(b, "js"), "python": script(b, "python"),
	} {
		for _, isolation := range []plugin.Isolation{plugin.IsolatePool, plugin.IsolateCall} {
			b.Run(name+"/"+string(isolation), func(b *testing.B) {
				hook := loadWith(b, plugin.Wasm{ID: "bench", Bytes: code, Engine: compiled, Isolation: isolation}).BeforeAgent
				measureNode(b, hook, 1, "hi")
			})
		}
	}
}
