package plugin_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/fetch"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// asking are capabilities that a plugin asks for.
func asking(ops ...string) []abi.Capability {
	all := make([]abi.Capability, len(ops))
	for i, op := range ops {
		all[i] = abi.Capability{Op: op, Reason: "to test " + op}
	}
	return all
}

// capable makes a guest with the hook before_agent, which runs once in a run, that asks for operations. It has the field
// f, in which its hook may show a reply.
func capable(ops ...string) *guestkit.Module {
	return guestkit.New(abi.Description{
		Capabilities: asking(ops...), Hooks: abi.HookSpecs{BeforeAgent: &abi.HookSpec{}},
		Fields: []abi.FieldSpec{{Name: "f", Lifetime: "run", Reducer: "append"}},
	})
}

// show calls an operation and leaves a hook's result that has the reply in the field f, as a list of one.
func show(g *guestkit.Module, op string, doc []byte) guestkit.Code {
	return guestkit.Seq(g.Operate(op, doc), showReply(g))
}

// showReply takes what next or host_call returned and leaves such a result. It uses the hook's parameter as a variable.
func showReply(g *guestkit.Module) guestkit.Code {
	prefix := wire.AppendString(wire.AppendMapHeader(nil, 1), "state")
	prefix = wire.AppendArrayHeader(wire.AppendString(wire.AppendMapHeader(prefix, 1), "f"), 1)
	const (
		at     = guestkit.MinPages << 16 // behind the data
		room   = 90_000
		wrap   = 0xa7
		length = 0 // a variable
	)
	g.Memory = guestkit.Pages(guestkit.MinPages + 2)
	return guestkit.Seq(
		guestkit.Code{wrap}, guestkit.Set(length),
		guestkit.I32(at), g.Place(prefix), guestkit.Copy,
		guestkit.I32(at+len(prefix)), guestkit.I32(room), guestkit.Call(guestkit.ReplyRead), guestkit.Drop,
		guestkit.I32(at), guestkit.Get(length), guestkit.I32(len(prefix)), guestkit.Add, guestkit.Call(guestkit.ResultWrite), guestkit.Drop,
		guestkit.I32(1),
	)
}

// shown returns what a run has in the field f, as JSON.
func shown(t *testing.T, events []host.Event) string {
	t.Helper()
	for _, e := range slices.Backward(events) {
		if e.Type == host.EventState && e.State.Has("f") {
			return e.State.Get("f").JSON()
		}
	}
	t.Fatal("the field f was not written")
	return ""
}

// everything grants all operations.
func everything() plugin.Grant {
	return plugin.Grant{
		KV: &plugin.KVGrant{}, HTTPFetch: &fetch.Policy{Hosts: []string{"api.example.com"}},
		ModelGenerate: &plugin.ModelGrant{Model: "small"}, ToolCall: []string{"search"}, ClockNow: true, ClockSleep: true, RandomBytes: true,
	}
}

// withSmall gives the agent a model that is called small.
func withSmall(c *host.Config) {
	c.Models = map[string]model.Model{"small": constantModel(abi.Message{
		Role: abi.RoleAI, Content: abi.Text("small talk"), Usage: &abi.Usage{InputTokens: 5, OutputTokens: 2, TotalTokens: 7},
	})}
}

// grants runs a guest with a grant, and its hook must be content.
func grants(t *testing.T, g *guestkit.Module, grant plugin.Grant, change ...func(*host.Config)) (*testBundle, []host.Event) {
	t.Helper()
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Grant: grant}, append([]func(*host.Config){withSmall}, change...)...)
	events, err := b.run(t)
	require.NoError(t, err)
	return b, events
}

// asker is a model that makes some calls, and is then done.
type asker struct {
	searcher

	calls []abi.ToolCall
}

func (a *asker) Generate(_ context.Context, req *model.Request) (*model.Response, error) {
	if m, ok := req.Messages.Last(); ok && m.Role == abi.RoleTool {
		return model.Reply(abi.AI("done")), nil
	}
	return model.Reply(abi.AI("", a.calls...)), nil
}
