package plugin_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/author"
	"github.com/agenthost/agenthost/host/plugin/cassette"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// taped is a recording in memory.
type taped struct {
	*cassette.Writer

	bytes bytes.Buffer
}

func tape(t testing.TB) *taped {
	t.Helper()
	out := &taped{}
	var err error
	out.Writer, err = cassette.NewWriter(&out.bytes)
	require.NoError(t, err)
	return out
}

// frames reads what was recorded.
func (r *taped) frames(t testing.TB) []*cassette.Frame {
	t.Helper()
	require.NoError(t, r.Close())
	reader, err := cassette.NewReader(bytes.NewReader(r.bytes.Bytes()))
	require.NoError(t, err)
	var out []*cassette.Frame
	for frame, err := range reader.Frames() {
		require.NoError(t, err)
		out = append(out, frame)
	}
	require.NotEmpty(t, out)
	return out
}

// replayed performs calls again, all in one replay.
func replayed(t testing.TB, w plugin.Wasm, frames ...*cassette.Frame) []*cassette.Frame {
	t.Helper()
	w.Engine = compiled
	r, err := author.NewReplay(t.Context(), w, frames[0].Plugin, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	out := make([]*cassette.Frame, len(frames))
	for i, frame := range frames {
		out[i], err = r.Call(t.Context(), frame)
		require.NoError(t, err)
	}
	return out
}

// differences performs one call again, and says how it differs.
func differences(t testing.TB, w plugin.Wasm, frame *cassette.Frame) []string {
	t.Helper()
	var lines []string
	for _, d := range cassette.Compare(frame, replayed(t, w, frame)[0], false) {
		lines = append(lines, d.Lines()...)
	}
	return lines
}

// requireEqual performs the calls again, together and each alone, with equal outcomes and equal fuel.
func requireEqual(t testing.TB, module []byte, frames []*cassette.Frame) {
	t.Helper()
	byPlugin := map[*cassette.Plugin][]*cassette.Frame{}
	for _, frame := range frames {
		byPlugin[frame.Plugin] = append(byPlugin[frame.Plugin], frame)
	}
	for _, frames := range byPlugin {
		for i, again := range replayed(t, plugin.Wasm{Bytes: module}, frames...) {
			require.Empty(t, cassette.Compare(frames[i], again, true), "call %d", frames[i].Number)
		}
		for _, frame := range frames {
			alone := replayed(t, plugin.Wasm{Bytes: module}, frame)[0]
			require.Empty(t, cassette.Compare(frame, alone, true), "call %d alone", frame.Number)
			if frame.Returned {
				require.Equal(t, frame.Fuel, alone.Fuel)
				require.Equal(t, frame.Result, alone.Result)
			}
			require.Len(t, alone.Exchanges, len(frame.Exchanges))
		}
	}
}

// TestReplayEqualsTheRun records agents with all hooks, tools, errors, jumps and interrupts, and performs every call again.
func TestReplayEqualsTheRun(t *testing.T) {
	t.Parallel()
	for _, test := range parityRuns() {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			record := tape(t)
			w := plugin.Wasm{ID: "parity", Bytes: tinyGuest(t, "parity"), Engine: compiled}
			plain := test.events(t, w)
			w.Recorder = record
			require.Equal(t, plain, test.events(t, w), "recording changes nothing")
			requireEqual(t, w.Bytes, record.frames(t))
		})
	}
}

// TestReplayOfStandardGo performs calls of a guest again whose runtime has much of its own to do.
func TestReplayOfStandardGo(t *testing.T) {
	t.Parallel()
	module := goGuest(t, "bench")
	record := tape(t)
	_, err := setup(t, plugin.Wasm{ID: "bench", Bytes: module, Recorder: record}).run(t)
	require.NoError(t, err)
	requireEqual(t, module, record.frames(t)[:4])
}

// TestReplayOfFaults performs again what every kind of guest did that breaks a rule.
func TestReplayOfFaults(t *testing.T) {
	t.Parallel()
	for _, test := range slices.Concat(trapFaults(), pointerFaults(), resultFaults(), updateFaults(), callFaults()) {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			g := guestkit.Hooked(test.hook, test.spec, test.fields...)
			g.On(string(test.hook), test.body(g))
			record := tape(t)
			_, err := setup(t, plugin.Wasm{Bytes: g.Bytes(), Limits: test.limits, Recorder: record}).run(t)
			frames := record.frames(t)
			require.Equal(t, faultIn(t, err).Message, frames[len(frames)-1].Fault.Message)
			requireEqual(t, g.Bytes(), frames)
		})
	}
}

func TestReplayOfFuelAndTime(t *testing.T) {
	t.Parallel()
	module := endless().Bytes()
	record := tape(t)
	_, err := setup(t, plugin.Wasm{Bytes: module, Limits: plugin.Limits{Fuel: 1_000_000}, Recorder: record}).run(t)
	require.Equal(t, plugin.KindFuel, faultIn(t, err).Kind)
	frames := record.frames(t)
	require.False(t, frames[0].Fault.Chance)
	require.Equal(t, frames[0].Fuel, replayed(t, plugin.Wasm{Bytes: module}, frames[0])[0].Fuel)
	requireEqual(t, module, frames)

	record = tape(t)
	limits := plugin.Limits{Fuel: 400_000_000, Deadline: time.Millisecond}
	_, err = setup(t, plugin.Wasm{Bytes: module, Limits: limits, Recorder: record}).run(t)
	require.Equal(t, plugin.KindDeadline, faultIn(t, err).Kind)
	frames = record.frames(t)
	require.True(t, frames[0].Fault.Chance)
	require.Equal(t, "fuel", replayed(t, plugin.Wasm{Bytes: module}, frames[0])[0].Fault.Kind, "it has the time now")
	requireEqual(t, module, frames)

	record = tape(t)
	b := setup(t, plugin.Wasm{Bytes: module, Limits: plugin.Limits{Fuel: 400_000_000, Deadline: time.Minute}, Recorder: record})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	_, err = b.agent.Run(ctx, host.Input{Messages: []abi.Message{abi.Human("hi")}})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	frames = record.frames(t)
	require.True(t, frames[0].Cancelled)
	requireEqual(t, module, frames)
}

// TestReplayOfOperations performs again what asked for every capability: the answers are those of the recording.
func TestReplayOfOperations(t *testing.T) {
	t.Parallel()
	for op, doc := range map[string][]byte{
		abi.OpKVPut:         guestkit.Document(&abi.KVPut{Key: "k", Scope: abi.ScopePlugin, Value: wire.Int(1)}),
		abi.OpModelGenerate: guestkit.Document(&abi.GenerateRequest{Messages: []abi.Message{abi.Human("hi")}}),
		abi.OpToolCall:      guestkit.Document(&abi.ToolRequest{Name: "search", Args: wire.Map{}.Raw()}),
		abi.OpClockNow:      nil,
		abi.OpRandomBytes:   guestkit.Document(&abi.RandomRequest{Count: 16}),
		abi.OpHTTPFetch:     guestkit.Document(&abi.FetchRequest{URL: "https://elsewhere.example/"}),
	} {
		t.Run(op, func(t *testing.T) {
			t.Parallel()
			g := capable(op)
			g.On("before_agent", show(g, op, doc))
			if op == abi.OpHTTPFetch {
				g = capable(op)
				g.On("before_agent", g.HostCall(op, doc, abi.EDENIED), guestkit.Nothing)
			}
			record := tape(t)
			b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: everything(), Recorder: record}, withSmall)
			_, err := b.run(t)
			require.NoError(t, err)
			frames := record.frames(t)
			require.Equal(t, op, frames[0].Exchanges[0].Op)
			requireEqual(t, g.Bytes(), frames)
		})
	}
}

// TestSecretsAreNotRecorded lets a plugin send a secret that comes back.
func TestSecretsAreNotRecorded(t *testing.T) {
	t.Parallel()
	url, grant := served(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "key was "+r.Header.Get("Authorization"))
	})
	g := capable(abi.OpHTTPFetch)
	g.On("before_agent", show(g, abi.OpHTTPFetch, guestkit.Document(&abi.FetchRequest{
		URL: url, Headers: []abi.Header{{Name: "Authorization", Value: "Bearer ${secret:KEY}"}},
	})))
	record := tape(t)
	_, err := setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: grant, Recorder: record}).run(t)
	require.NoError(t, err)
	frames := record.frames(t)
	require.Contains(t, string(frames[0].Exchanges[0].Reply), "key was Bearer ***")
	require.NotContains(t, record.bytes.String(), "hunter2")
	requireEqual(t, g.Bytes(), frames)
}

// benchTwice is an agent that has the guest bench twice, which share their field.
func benchTwice(t *testing.T, module []byte, record plugin.Recorder) *testBundle {
	t.Helper()
	grant := plugin.Grant{Reads: []string{"chars"}, Writes: []string{"chars"}}
	return setup(t, plugin.Wasm{ID: "outer", Bytes: module, Recorder: record, Grant: grant}, func(c *host.Config) {
		c.Middleware = append(c.Middleware, plugin.Wasm{ID: "inner", Bytes: module, Engine: compiled, Recorder: record, Grant: grant})
	})
}

// TestReplayOfNestedCalls has two plugins around each other, and one of them twice.
func TestReplayOfNestedCalls(t *testing.T) {
	t.Parallel()
	module := tinyGuest(t, "bench")
	record := tape(t)
	b := benchTwice(t, module, record)
	_, err := b.run(t)
	require.NoError(t, err)
	frames := record.frames(t)
	var wraps []string
	for _, frame := range frames {
		if frame.Export == string(abi.WrapModelCall) {
			wraps = append(wraps, frame.Step)
			require.Len(t, frame.Exchanges, 1)
			require.Equal(t, "next", frame.Exchanges[0].Name())
		}
	}
	require.Equal(t, []string{"inner.wrap_model_call", "outer.wrap_model_call", "inner.wrap_model_call", "outer.wrap_model_call"}, wraps)
	requireEqual(t, module, frames)
}

func TestReplayOfAnotherConfigurationTellsWhatDiffers(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "plugins", "redact", "redact.wasm")
	record := tape(t)
	b := setup(t, plugin.Wasm{ID: "redact", Path: path, Config: map[string]any{"strategy": "mask"}, Recorder: record})
	_, err := b.run(t, abi.Message{Role: abi.RoleHuman, ID: "h1", Content: abi.Text("I am ann@mail.shop.example")})
	require.NoError(t, err)
	frame := record.frames(t)[0]
	require.Equal(t, path, frame.Plugin.Path)
	require.Contains(t, wire.Raw(frame.Plugin.Config).JSON(), `"apply_to_input":true`, "with its defaults")
	require.Empty(t, differences(t, plugin.Wasm{Path: path}, frame))
	require.Equal(t, []string{`result: patch[0].content: "I am ann@****.example" → "I am [REDACTED_EMAIL]"`},
		differences(t, plugin.Wasm{Path: path, Config: map[string]any{}}, frame))
	require.Equal(t, []string{
		`call 1: event.emit is not made: - {"data":{"email":1},"name":"redacted"}`,
		`result: + error: {"message":"Detected 1 instance(s) of email in text content","type":"pii_detected"}`,
		`result: - patch: [{"content":"I am ann@****.example","id":"h1"}]`,
		`result: - state: {"redactions":1}`,
	}, differences(t, plugin.Wasm{Path: path, Config: map[string]any{"strategy": "block"}}, frame))
}

// TestReplayOfAnotherModule shows each way in which a changed plugin can differ.
func TestReplayOfAnotherModule(t *testing.T) {
	t.Parallel()
	emit := func(g *guestkit.Module, name string) guestkit.Code {
		return g.HostCall(abi.OpEventEmit, guestkit.Document(&abi.EventEmit{Name: name}), 0)
	}
	budget := func(g *guestkit.Module) guestkit.Code { return g.HostCall(abi.OpBudget, nil, 0) }
	wrap := func(body func(g *guestkit.Module) []guestkit.Code) []byte {
		g := guestkit.Hooked(abi.WrapModelCall, abi.HookSpec{})
		return g.On("wrap_model_call", body(g)...).Bytes()
	}
	choice := "auto"
	change := guestkit.Document(&abi.RequestChange{ToolChoice: &choice})
	module := wrap(func(g *guestkit.Module) []guestkit.Code {
		return []guestkit.Code{emit(g, "a"), budget(g), emit(g, "b"), g.Forward(nil, 0), guestkit.Nothing}
	})
	record := tape(t)
	_, err := setup(t, plugin.Wasm{Bytes: module, Recorder: record}).run(t)
	require.NoError(t, err)
	frame := record.frames(t)[0]
	for name, test := range map[string]struct {
		body  func(g *guestkit.Module) []guestkit.Code
		lines []string
	}{
		"same": {func(g *guestkit.Module) []guestkit.Code {
			return []guestkit.Code{emit(g, "a"), budget(g), emit(g, "b"), g.Forward(nil, 0), guestkit.Nothing}
		}, nil},
		"other document": {
			func(g *guestkit.Module) []guestkit.Code {
				return []guestkit.Code{emit(g, "x"), budget(g), emit(g, "b"), g.Forward(change, 0), guestkit.Nothing}
			},
			[]string{`call 1: event.emit: name: "a" → "x"`, `call 4: next: + {"tool_choice":"auto"}`},
		},
		"no event": {
			func(g *guestkit.Module) []guestkit.Code {
				return []guestkit.Code{budget(g), g.Forward(nil, 0), guestkit.Nothing}
			},
			[]string{`call 1: event.emit is not made: - {"name":"a"}`, `call 3: event.emit is not made: - {"name":"b"}`},
		},
		"more events": {
			func(g *guestkit.Module) []guestkit.Code {
				return []guestkit.Code{emit(g, "a"), emit(g, "c"), budget(g), emit(g, "b"), g.Forward(nil, 0), emit(g, "d"), guestkit.Nothing}
			},
			[]string{`call 2: event.emit is not recorded: + {"name":"c"}`, `call 6: event.emit is not recorded: + {"name":"d"}`},
		},
		"fewer calls": {
			func(g *guestkit.Module) []guestkit.Code {
				return []guestkit.Code{emit(g, "a"), budget(g), guestkit.Nothing}
			},
			[]string{`call 3: event.emit is not made: - {"name":"b"}`, `call 4: next is not made`},
		},
		"more calls": {
			func(g *guestkit.Module) []guestkit.Code {
				return []guestkit.Code{emit(g, "a"), budget(g), emit(g, "b"), g.Forward(nil, 0), g.Forward(nil, 0), guestkit.Nothing}
			},
			[]string{`call 5: next is not recorded, where nothing more is`},
		},
		"another call": {
			func(g *guestkit.Module) []guestkit.Code {
				return []guestkit.Code{emit(g, "a"), g.Forward(nil, 0), guestkit.Nothing}
			},
			[]string{`call 2: next is not recorded, where budget is`},
		},
		"trap": {
			func(g *guestkit.Module) []guestkit.Code {
				return []guestkit.Code{emit(g, "a"), budget(g), emit(g, "b"), g.Forward(nil, 0), guestkit.Trap}
			},
			[]string{`fault: none → trap: wasm error: unreachable`},
		},
		"result": {
			func(g *guestkit.Module) []guestkit.Code {
				answer := guestkit.Document(&abi.Result{Error: &abi.Error{Type: "no", Message: "not now"}})
				return []guestkit.Code{emit(g, "a"), budget(g), emit(g, "b"), g.Forward(nil, 0), g.Say(answer)}
			},
			[]string{`returned: 0 → 1`, `result: + {"error":{"message":"not now","type":"no"}}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.lines, differences(t, plugin.Wasm{Bytes: wrap(test.body)}, frame))
		})
	}
}

func TestReplayRefusesWhatIsNoRecording(t *testing.T) {
	t.Parallel()
	module := tinyGuest(t, "bench")
	record := tape(t)
	_, err := setup(t, plugin.Wasm{Bytes: module, Recorder: record}).run(t)
	require.NoError(t, err)
	frame := record.frames(t)[0]
	r, err := author.NewReplay(t.Context(), plugin.Wasm{Bytes: module, Engine: compiled}, frame.Plugin, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	require.True(t, r.Same())
	for says, change := range map[string]func(f *cassette.Frame){
		"too large":                         func(f *cassette.Frame) { f.Cut = true },
		"not a document that a host writes": func(f *cassette.Frame) { f.Input = []byte{0xc1} },
		`does not export "describe"`:        func(f *cassette.Frame) { f.Export = "describe" },
		`does not export "after_agen"`:      func(f *cassette.Frame) { f.Export = "after_agen" },
		"its input":                         func(f *cassette.Frame) { f.Input = wire.Map{{Key: "now", Value: wire.String("x")}}.Raw() },
	} {
		hostile := *frame
		change(&hostile)
		_, err := r.Call(t.Context(), &hostile)
		require.ErrorContains(t, err, says)
	}
	hostile := *frame.Plugin
	hostile.SHA256 = "00"
	other, err := author.NewReplay(t.Context(), plugin.Wasm{Bytes: module, Engine: compiled}, &hostile, nil)
	require.NoError(t, err)
	require.False(t, other.Same())
	require.NoError(t, other.Close())
	hostile.Config = wire.Map{{Key: "only", Value: wire.Int(1)}}.Raw()
	_, err = author.NewReplay(t.Context(), plugin.Wasm{Bytes: module, Engine: compiled}, &hostile, nil)
	require.ErrorContains(t, err, "config")
}

// TestConcurrentRunsAreRecorded records several runs and plugins at once.
func TestConcurrentRunsAreRecorded(t *testing.T) {
	t.Parallel()
	module := tinyGuest(t, "bench")
	record := tape(t)
	b := benchTwice(t, module, record)
	var runs sync.WaitGroup
	for i := range 8 {
		runs.Go(func() {
			_, err := b.agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human(fmt.Sprint(i))}})
			require.NoError(t, err)
		})
	}
	runs.Wait()
	frames := record.frames(t)
	for i, frame := range frames {
		require.Equal(t, i+1, frame.Number)
	}
	require.Zero(t, len(frames)%16, "each run has the same calls")
	requireEqual(t, module, frames[:12])
}
