// Package sdktest tests plugins natively, without WebAssembly. A test fills a [Host] with a history, state fields and
// replies. The methods of the Host call the hooks of the plugin that the package under test registers.
//
//	func TestLimit(t *testing.T) {
//		h := sdktest.New(t)
//		h.Configure(map[string]any{"limit": 2})
//		h.State.Set("calls", sdk.Int(2))
//		require.Equal(t, "end", h.BeforeModel().JumpTo)
//	}
//
// A Host does not replace the real host. Run `agenthost plugin test` to see what a plugin does in the sandbox and how the
// host reacts. A process has only one plugin, so tests that use a Host must not be parallel.
package sdktest

import (
	"strconv"
	"testing"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/schema"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

// Host is a host of one plugin and one thread. Its fields may be changed between calls.
type Host struct {
	Messages []sdk.Message // the history; see Host.Say
	State    sdk.Map       // fields, including those of other middleware
	Answers  sdk.Map       // answers to interrupts of the next call, by key
	Replies  []Reply       // replies that Next returns, in order
	Now      time.Time     // start of the clock in the next call; default: 2026-01-01
	Seed     uint64
	Run      string  // the id of the run; default: "run-1"
	Thread   string  // the id of the thread, or "" for none; default: "thread-1"
	Context  sdk.Map // the run's context; the plugin is shown the keys that its Description lists

	RunInfo sdk.RunInfo     // what run.info returns; the default names the agent "agent"
	Models  []sdk.ModelInfo // the configured models, by their Name; the first is the agent's. The default is one called "model"
	Tools   []sdk.ToolSpec  // the agent's tools; tools.read returns those that the request offers
	Slept   time.Duration   // how long the plugin has slept

	// The operations that need a capability. If one is nil, the test fails when the plugin calls it. The entries of kv.* are
	// kept in memory.
	Fetch    func(*sdk.FetchRequest) (*sdk.FetchResponse, error)
	Generate func(*sdk.GenerateRequest) (*sdk.ModelResponse, error)
	CallTool func(name string, args sdk.Map) (*sdk.Message, error)
	Denied   []string // capabilities that the operator did not grant

	t           testing.TB
	description sdk.Description
	configured  bool
	calls       map[abi.Hook]uint64
	cursors     map[abi.Hook][]sdk.Message // the messages that a hook with the view new has seen
	stores      map[abi.Scope]*store
	ids         int
	before      []sdk.Message // the history when the present call began
	current     *call
}

// New returns a host for the registered plugin. Unless the test calls [Host.Configure], the plugin gets an empty
// configuration before its first hook is called.
func New(t testing.TB) *Host {
	t.Helper()
	h := &Host{
		RunInfo: sdk.RunInfo{Agent: "agent"}, Models: []sdk.ModelInfo{{Name: "model"}},
		Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Run: "run-1", Thread: "thread-1", t: t,
		calls: map[abi.Hook]uint64{}, cursors: map[abi.Hook][]sdk.Message{}, stores: map[abi.Scope]*store{},
	}
	h.describe()
	return h
}

func (h *Host) describe() {
	h.t.Helper()
	h.current = &call{export: abi.ExportDescribe}
	b, code := sdk.Invoke(abi.ExportDescribe, nil, h)
	h.description = sdk.Description{}
	if _, err := h.description.UnmarshalMsg(b); code != abi.ReturnResult || err != nil || h.description.Name == "" {
		h.t.Fatal("sdktest: there is no plugin: the package under test must call sdk.Register in an init function")
	}
}

// Description returns the plugin's description of itself with its present configuration.
func (h *Host) Description() sdk.Description { return h.description }

// Configure fills the defaults of the schema's properties into a configuration and passes it to the plugin.
func (h *Host) Configure(config map[string]any) {
	h.t.Helper()
	if err := h.TryConfigure(config); err != nil {
		h.t.Fatalf("sdktest: the plugin refuses its configuration: %v", err)
	}
}

// TryConfigure is Configure for a configuration that the plugin may refuse, either by its schema or with an
// [*sdk.Error].
func (h *Host) TryConfigure(config map[string]any) error {
	h.t.Helper()
	h.describe()
	h.configured = true
	m, err := wire.MapOf(config)
	if err != nil {
		h.t.Fatalf("sdktest: the configuration: %v", err)
	}
	if m, err = checked(h.description.ConfigSchema, m); err != nil {
		return err
	}
	h.current = &call{export: abi.ExportConfigure}
	b, code := sdk.Invoke(abi.ExportConfigure, m.Raw(), h)
	if code == abi.ReturnNothing {
		return nil
	}
	var refused abi.Result
	if _, err := refused.UnmarshalMsg(b); err == nil && refused.Error != nil {
		return refused.Error
	}
	narrowed := sdk.Description{}
	if _, err := narrowed.UnmarshalMsg(b); err != nil {
		h.t.Fatalf("sdktest: configure wrote what is not a Description: %v", err)
	}
	h.description = narrowed
	return nil
}

// checked fills the defaults of the schema into a configuration, and checks it against the schema.
func checked(configSchema sdk.Raw, config sdk.Map) (sdk.Map, error) {
	if configSchema.IsZero() {
		if len(config) > 0 {
			return nil, &sdk.Error{Type: "config", Message: "the plugin takes no configuration"}
		}
		return nil, nil
	}
	compiled, err := schema.CompileUntrusted(configSchema)
	if err != nil {
		return nil, err
	}
	full := compiled.WithDefaults(config)
	return full, compiled.Validate(full.Raw())
}

// Say appends messages to the history. Those without an id get one: m1, m2 and so on.
func (h *Host) Say(messages ...sdk.Message) {
	for _, m := range messages {
		h.Messages = append(h.Messages, h.named(m))
	}
}

// named gives a message an id if it has none.
func (h *Host) named(m sdk.Message) sdk.Message {
	if m.ID == "" {
		h.ids++
		m.ID = "m" + strconv.Itoa(h.ids)
	}
	return m
}
