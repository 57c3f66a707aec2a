package plugin_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/fetch"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// useOf is a use of each capability that succeeds where it is granted everything, or that the host refuses only because
// of what is asked in it.
var useOf = []struct {
	op   string
	doc  []byte
	want abi.Status
}{
	{abi.OpKVPut, guestkit.Document(&abi.KVPut{Key: "k", Scope: abi.ScopeRun, Value: wire.Int(1)}), abi.StatusOK},
	{abi.OpKVGet, guestkit.Document(&abi.KVGet{Key: "missing", Scope: abi.ScopeRun}), abi.ENOENT},
	{abi.OpKVDelete, guestkit.Document(&abi.KVDelete{Key: "k", Scope: abi.ScopeRun}), abi.StatusOK},
	{abi.OpKVList, guestkit.Document(&abi.KVList{Scope: abi.ScopeRun}), abi.StatusOK},
	{abi.OpHTTPFetch, guestkit.Document(&abi.FetchRequest{URL: "https://user@api.example.com/"}), abi.EINVAL},
	{abi.OpModelGenerate, guestkit.Document(&abi.GenerateRequest{Messages: []abi.Message{abi.Human("hi")}}), abi.StatusOK},
	{abi.OpToolCall, guestkit.Document(&abi.ToolRequest{Name: "search"}), abi.StatusOK},
	{abi.OpClockNow, nil, abi.StatusOK},
	{abi.OpRandomBytes, guestkit.Document(&abi.RandomRequest{Count: 7}), abi.StatusOK},
}

func TestCapabilityIsWhatIsAskedForAndGranted(t *testing.T) {
	t.Parallel()
	for _, use := range useOf {
		for _, asked := range []bool{true, false} {
			for _, granted := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s, asked %t, granted %t", use.op, asked, granted), func(t *testing.T) {
					t.Parallel()
					want := use.want
					if !asked || !granted {
						want = abi.EDENIED
					}
					g := capable()
					if asked {
						g = capable(use.op)
					}
					g.On("before_agent", g.HostCall(use.op, use.doc, want), guestkit.Nothing)
					var grant plugin.Grant
					if granted {
						grant = everything()
					}
					grants(t, g, grant)
				})
			}
		}
	}
}

func TestCapabilityRefusesBadDocuments(t *testing.T) {
	t.Parallel()
	system := abi.Message{Role: "wizard", Content: abi.Text("abracadabra")}
	for name, test := range map[string]struct {
		op  string
		doc []byte
	}{
		"kv.get without document":                 {abi.OpKVGet, nil},
		"kv.get of an unknown scope":              {abi.OpKVGet, guestkit.Document(&abi.KVGet{Key: "k", Scope: "all"})},
		"kv.put of an empty key":                  {abi.OpKVPut, guestkit.Document(&abi.KVPut{Scope: abi.ScopeRun, Value: wire.Int(1)})},
		"kv.put of a key of control letters":      {abi.OpKVPut, guestkit.Document(&abi.KVPut{Key: "a\x00", Scope: abi.ScopeRun, Value: wire.Int(1)})},
		"kv.delete with a version of letters":     {abi.OpKVDelete, guestkit.MapOf(map[string]any{"key": "k", "scope": "run", "if_version": "1"})},
		"kv.list that is a number":                {abi.OpKVList, []byte{0x01}},
		"http.fetch without document":             {abi.OpHTTPFetch, nil},
		"http.fetch of no URL":                    {abi.OpHTTPFetch, guestkit.Document(&abi.FetchRequest{URL: "nonsense"})},
		"model.generate without messages":         {abi.OpModelGenerate, []byte{0x80}},
		"model.generate with an unknown role":     {abi.OpModelGenerate, guestkit.Document(&abi.GenerateRequest{Messages: []abi.Message{system}})},
		"model.generate with a bad message":       {abi.OpModelGenerate, guestkit.MapOf(map[string]any{"messages": []any{7}})},
		"tool.call with a list of arguments":      {abi.OpToolCall, guestkit.MapOf(map[string]any{"name": "search", "args": []any{1}})},
		"tool.call with a name of the wrong type": {abi.OpToolCall, guestkit.MapOf(map[string]any{"name": 1})},
		"random.bytes without document":           {abi.OpRandomBytes, nil},
		"random.bytes of too many":                {abi.OpRandomBytes, guestkit.Document(&abi.RandomRequest{Count: abi.MaxRandomBytes + 1})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := capable(test.op)
			g.On("before_agent", g.HostCall(test.op, test.doc, abi.EINVAL), guestkit.Nothing)
			b, _ := grants(t, g, everything())
			require.EqualValues(t, 1, b.ran.Load(), "the tool runs for the model alone")
		})
	}
	t.Run("malformed", func(t *testing.T) {
		t.Parallel()
		g := capable(abi.OpKVGet)
		g.On("before_agent", g.HostCall(abi.OpKVGet, []byte{0x82, 0xc1}, abi.EINVAL), guestkit.Nothing)
		b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: everything()}, withSmall)
		_, err := b.run(t)
		require.Equal(t, plugin.KindProtocol, faultIn(t, err).Kind)
	})
}

func TestCapabilityThatIsRequired(t *testing.T) {
	t.Parallel()
	needs := func(op string) []byte {
		return guestkit.New(abi.Description{Capabilities: []abi.Capability{{Op: op, Reason: "without it\x1b[2J nothing works", Required: true}}}).Bytes()
	}
	for _, op := range []string{abi.OpKVList, abi.OpHTTPFetch, abi.OpModelGenerate, abi.OpToolCall, abi.OpClockNow, abi.OpRandomBytes} {
		fault := loadError(t, plugin.Wasm{Bytes: needs(op)})
		require.Equal(t, plugin.KindDenied, fault.Kind)
		key := op
		if op == abi.OpKVList {
			key = "kv"
		}
		require.Contains(t, fault.Message, fmt.Sprintf(`needs the capability %q (without it [2J nothing works), which is not granted; add grant.%s `, op, key))
		setup(t, plugin.Wasm{Bytes: needs(op), Grant: everything()}, withSmall)
	}
	fault := loadError(t, plugin.Wasm{Bytes: needs("disk.format"), Grant: plugin.Grant{ClockNow: true}})
	require.Equal(t, plugin.KindDenied, fault.Kind)
	require.Contains(t, fault.Message, "this host does not know it")
}

func TestCapabilityThatNobodyKnowsIsNeverGranted(t *testing.T) {
	t.Parallel()
	g := capable("disk.format")
	g.On("before_agent", g.HostCall("disk.format", nil, abi.ENOENT), guestkit.Nothing)
	b, _ := grants(t, g, everything())
	require.False(t, b.agent.Capabilities()[0].Granted)
}

func TestCapabilityThatNobodyAskedForIsLogged(t *testing.T) {
	t.Parallel()
	g := capable(abi.OpKVGet)
	g.On("before_agent", guestkit.Nothing)
	b, _ := grants(t, g, plugin.Grant{KV: &plugin.KVGrant{}, ClockNow: true})
	require.Equal(t, []string{"WARN grant.clock.now has no effect: the plugin does not ask for it"}, b.logged.texts())
}

// A plugin that needs less with its configuration has less.
func TestCapabilityIsNarrowedByTheConfiguration(t *testing.T) {
	t.Parallel()
	narrowed := abi.Description{
		ABI: abi.Major, Name: "guest", Version: "1.0.0", Capabilities: asking(abi.OpClockNow),
		Hooks: abi.HookSpecs{BeforeAgent: &abi.HookSpec{}}, Fields: []abi.FieldSpec{{Name: "f", Lifetime: "run", Reducer: "append"}},
	}
	g := capable(abi.OpClockNow, abi.OpRandomBytes)
	g.On("configure", g.Say(guestkit.Document(&narrowed)))
	g.On("before_agent",
		g.HostCall(abi.OpClockNow, nil, abi.StatusOK),
		g.HostCall(abi.OpRandomBytes, guestkit.Document(&abi.RandomRequest{Count: 1}), abi.EDENIED), guestkit.Nothing)
	b, _ := grants(t, g, plugin.Grant{ClockNow: true, RandomBytes: true})
	require.Empty(t, b.logged.texts(), "both were asked for")
	require.Len(t, b.agent.Capabilities(), 1)
}

func TestCapabilitiesAreReported(t *testing.T) {
	t.Parallel()
	g := capable(abi.OpKVGet, abi.OpHTTPFetch, abi.OpModelGenerate, abi.OpToolCall, abi.OpRandomBytes)
	g.On("before_agent", guestkit.Nothing)
	grant := everything()
	grant.KV.Scopes = []abi.Scope{abi.ScopeRun, abi.ScopeThread}
	grant.HTTPFetch.Secrets = map[string]fetch.Secret{"KEY": {Value: "12345678", Hosts: []string{"api.example.com"}}}
	grant.RandomBytes, grant.ClockNow = false, false
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: grant}, withSmall)
	report := func(op, detail string) host.Capability {
		return host.Capability{Middleware: "bad", Op: op, Reason: "to test " + op, Granted: detail != "", Detail: detail}
	}
	require.Equal(t, []host.Capability{
		report(abi.OpKVGet, "1048576 bytes and 10000 entries for each run and thread"),
		report(abi.OpHTTPFetch, "api.example.com; secret KEY for api.example.com"),
		report(abi.OpModelGenerate, "model small, 10 calls in a run"),
		report(abi.OpToolCall, "tools search"),
		report(abi.OpRandomBytes, ""),
	}, b.agent.Capabilities())
}

func TestGrantsThatCannotBeMeant(t *testing.T) {
	t.Parallel()
	g := capable(abi.OpToolCall).On("before_agent", guestkit.Nothing).Bytes()
	for want, grant := range map[string]plugin.Grant{
		`grant.model.generate: the agent has no model "large" under models; it has [small]`:                   {ModelGenerate: &plugin.ModelGrant{Model: "large"}},
		`grant.model.generate: calls is -1`:                                                                   {ModelGenerate: &plugin.ModelGrant{Model: "small", Calls: -1}},
		`grant.kv: the scope is "forever"`:                                                                    {KV: &plugin.KVGrant{Scopes: []abi.Scope{"forever"}}},
		`grant.http.fetch: it grants no hosts`:                                                                {HTTPFetch: &fetch.Policy{}},
		`grant.tool.call: a tool without a name`:                                                              {ToolCall: []string{""}},
		`it may call the tool "serch", which the agent does not have; did you mean "search"? It has [search]`: {ToolCall: []string{"serch"}},
	} {
		_, config := newBundle(plugin.Wasm{Bytes: g, Grant: grant}, withSmall)
		_, err := host.New(config)
		require.ErrorContains(t, err, want)
	}
}

func TestClockAndRandomBytes(t *testing.T) {
	t.Parallel()
	clock := capable(abi.OpClockNow)
	clock.On("before_agent", show(clock, abi.OpClockNow, nil))
	_, events := grants(t, clock, plugin.Grant{ClockNow: true})
	require.Equal(t, `[{"unix_ns":1700000000000000000}]`, shown(t, events))

	random := capable(abi.OpRandomBytes)
	random.On("before_agent", show(random, abi.OpRandomBytes, guestkit.Document(&abi.RandomRequest{Count: 32})))
	_, events = grants(t, random, plugin.Grant{RandomBytes: true})
	_, again := grants(t, random, plugin.Grant{RandomBytes: true})
	require.NotEqual(t, shown(t, events), shown(t, again), "equal seeds do not give equal bytes")
}

func TestCapabilityWhoseReplyIsTooLarge(t *testing.T) {
	t.Parallel()
	g := capable(abi.OpRandomBytes)
	g.On("before_agent", g.HostCall(abi.OpRandomBytes, guestkit.Document(&abi.RandomRequest{Count: abi.MaxRandomBytes}), abi.ETOOBIG), guestkit.Nothing)
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: everything(), Limits: plugin.Limits{Input: 1 << 10}}, withSmall)
	_, err := b.run(t)
	require.NoError(t, err)
}
