package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func TestRequestIsCopiedOnWrite(t *testing.T) {
	t.Parallel()
	other := scripted.NewTurns()
	original := func() model.Request {
		return model.Request{
			Messages: history.Of(abi.Human("hi")), System: abi.Text("system"), Model: &scripted.Echo{}, ToolChoice: "auto",
			Tools:    []abi.ToolSpec{{Name: "a"}, {Name: "b"}, {Name: "c"}},
			Settings: wire.Map{{Key: "seed", Value: wire.Int(1)}, {Key: "top_p", Value: wire.Int(2)}},
		}
	}
	for _, test := range []struct {
		name   string
		change func(r *model.Request) *model.Request
		want   func(r *model.Request)
	}{
		{
			"WithMessages",
			func(r *model.Request) *model.Request { return r.WithMessages(history.List{}) },
			func(r *model.Request) { r.Messages = history.List{} },
		},
		{
			"WithModel",
			func(r *model.Request) *model.Request { return r.WithModel(other) },
			func(r *model.Request) { r.Model = other },
		},
		{
			"WithSystem",
			func(r *model.Request) *model.Request { return r.WithSystem(abi.Text("x")) },
			func(r *model.Request) { r.System = abi.Text("x") },
		},
		{
			"WithToolChoice",
			func(r *model.Request) *model.Request { return r.WithToolChoice("none") },
			func(r *model.Request) { r.ToolChoice = "none" },
		},
		{
			"WithSettings merges",
			func(r *model.Request) *model.Request {
				return r.WithSettings(wire.Map{{Key: "seed", Value: wire.Int(3)}, {Key: "stop", Value: wire.Int(4)}})
			},
			func(r *model.Request) {
				r.Settings = wire.Map{
					{Key: "seed", Value: wire.Int(3)}, {Key: "stop", Value: wire.Int(4)}, {Key: "top_p", Value: wire.Int(2)},
				}
			},
		},
		{
			"KeepTools keeps the request's order",
			func(r *model.Request) *model.Request { return r.KeepTools([]string{"c", "a", "x"}) },
			func(r *model.Request) { r.Tools = []abi.ToolSpec{{Name: "a"}, {Name: "c"}} },
		},
		{
			"AddTools",
			func(r *model.Request) *model.Request { return r.AddTools([]abi.ToolSpec{{Name: "d"}}) },
			func(r *model.Request) { r.Tools = append(r.Tools, abi.ToolSpec{Name: "d"}) },
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			request, want := original(), original()
			changed := test.change(&request)
			test.want(&want)
			require.Equal(t, want, *changed)
			require.Equal(t, original(), request, "the original stays as it was")
		})
	}
}

func TestResponseAI(t *testing.T) {
	t.Parallel()
	require.Nil(t, (&model.Response{Messages: []abi.Message{abi.Human("x")}}).AI())
	resp := &model.Response{Messages: []abi.Message{abi.AI("a"), abi.AI("b"), abi.Human("x")}}
	require.Same(t, &resp.Messages[1], resp.AI())
	require.Equal(t, abi.RoleAI, model.Reply(abi.Message{}).AI().Role)
}
