package host_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// changing returns a middleware that changes requests.
func changing(name string, change func(req *model.Request) *model.Request) host.Middleware {
	return &middleware{name: name, hooks: host.Hooks{WrapModelCall: host.WrapModelHook{Func: func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		resp, err := next(ctx, change(req))
		return resp, nil, err
	}}}}
}

// requests returns the events that tell what the models of a run were sent, as a step and a request in JSON.
func requests(t *testing.T, a *host.Agent, in host.Input) (out [][2]string) {
	t.Helper()
	for e, err := range a.Stream(t.Context(), in) {
		require.NoError(t, err)
		if e.Type == host.EventModelRequest {
			text, err := json.Marshal(e.Request)
			require.NoError(t, err)
			out = append(out, [2]string{e.Step, string(text)})
		}
	}
	return out
}

// What each hook changes in a request is told, and only that.
func TestEventsOfRequests(t *testing.T) {
	t.Parallel()
	done := scripted.Turn{Message: abi.AI("done")}
	b := setup(t, calls("look"), done, calls("look"), done).answering("look", "seen").answering("other", "else").use(
		changing("adds", func(req *model.Request) *model.Request {
			return req.WithSystem(abi.Text(req.System.Text() + " Be brief."))
		}),
		changing("same", func(req *model.Request) *model.Request { return req }),
		changing("equal", func(req *model.Request) *model.Request { return req.WithSystem(req.System) }),
		changing("less", func(req *model.Request) *model.Request {
			return req.KeepTools([]string{"look"}).WithSettings(wire.Map{{Key: "n", Value: wire.Int(1)}}).WithToolChoice("any")
		}),
		changing("first", func(req *model.Request) *model.Request {
			return req.WithMessages(req.Messages.Slice(0, 0).Append(abi.Message{Role: abi.RoleHuman, Content: abi.Text("before"), ID: "x"}))
		}),
	)
	b.SystemPrompt = abi.Text("Be kind.")
	agent := b.build()
	in := hi()
	require.Empty(t, requests(t, agent, in), "nobody asked for them")
	in.Requests = true

	told := requests(t, agent, in)

	changes := [][2]string{
		{"adds.wrap_model_call", `{"system":"Be kind. Be brief."}`},
		{"less.wrap_model_call", `{"tool_names":["look"],"tool_choice":"any","settings":{"n":1}}`},
		{"first.wrap_model_call", `{"messages":[{"from":0,"to":0,"message":{"content":"before","id":"x","role":"human"}}]}`},
	}
	require.Equal(t, "model", told[0][0])
	require.Contains(t, told[0][1], `"system":"Be kind."`)
	require.Contains(t, told[0][1], `"tool_names":["look","other"]`)
	require.NotContains(t, told[0][1], "messages", "those are of the state")
	require.Len(t, told, 1+2*len(changes), "the agent asks the same in each step, so it is told once")
	for i, change := range append(changes, changes...) {
		require.Equal(t, change[0], told[1+i][0])
		require.JSONEq(t, change[1], told[1+i][1])
	}
}

// Messages that a hook passes on are told by their places.
func TestEventsOfMessagesOfRequests(t *testing.T) {
	t.Parallel()
	b := setup(t, calls("look"), calls("look"), scripted.Turn{Message: abi.AI("done")}).answering("look", "seen").use(
		changing("window", func(req *model.Request) *model.Request {
			if req.Messages.Len() < 5 {
				return req
			}
			return req.WithMessages(req.Messages.Slice(3, 5))
		}),
	)
	in := hi()
	in.Requests = true
	told := requests(t, b.build(), in)
	require.Len(t, told, 2)
	require.JSONEq(t, `{"messages":[{"from":3,"to":5}]}`, told[1][1])
}
