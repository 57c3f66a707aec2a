package host_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

func namedTool(name string) host.Tool {
	return tool.Func(name, "", func(context.Context, struct{}) (string, error) { return name + " ran", nil })
}

// refreshed is an agent whose tools a test changes, and the names of the tools that its model was offered last.
type refreshed struct {
	*host.Agent

	tools   []host.Tool
	err     error
	offered []string
}

func refreshing(t *testing.T, middleware []host.Middleware, tools ...host.Tool) *refreshed {
	t.Helper()
	r := &refreshed{tools: tools}
	look := host.WrapModelCall("look", func(ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler) (*model.Response, *host.Update, error) {
		r.offered = nil
		for _, spec := range req.Tools {
			r.offered = append(r.offered, spec.Name)
		}
		resp, err := next(ctx, req)
		return resp, nil, err
	})
	var err error
	r.Agent, err = host.New(host.Config{
		Model: &scripted.Echo{}, Tools: tools, Middleware: append(middleware, look),
		RefreshTools: func(context.Context) ([]host.Tool, error) { return r.tools, r.err },
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

func TestToolsThatChangeAreThoseOfTheNextRun(t *testing.T) {
	t.Parallel()
	var closed, made atomic.Int64
	uses := &renewed{make: func() (*host.Hooks, error) { made.Add(1); return &host.Hooks{UsesTools: true}, nil }}
	a, b, c := namedTool("a"), namedTool("b"), namedTool("c")
	r := refreshing(t, []host.Middleware{stamp{name: "stays", version: "1", closed: &closed}, uses}, a, b)
	said, warned := versions(t, r.Agent)
	require.Equal(t, []string{"1"}, said)
	require.Empty(t, warned)
	require.Equal(t, []string{"a", "b"}, r.offered)
	require.EqualValues(t, 1, made.Load())

	r.tools = []host.Tool{c, b}
	_, warned = versions(t, r.Agent)
	require.Empty(t, warned)
	require.Equal(t, []string{"c", "b"}, r.offered)
	require.EqualValues(t, 2, made.Load(), "it depends on the tools")
	require.Zero(t, closed.Load(), "the other middleware goes on")
	_, _ = versions(t, r.Agent)
	require.EqualValues(t, 2, made.Load(), "nothing has changed")
}

func TestToolsThatDoNotFitTheAgentAreRefusedWithAWarningOfEachRun(t *testing.T) {
	t.Parallel()
	guards := &renewed{make: func() (*host.Hooks, error) { return &host.Hooks{Guards: []string{"b"}}, nil }}
	a, b := namedTool("a"), namedTool("b")
	r := refreshing(t, []host.Middleware{guards}, a, b)
	r.tools = []host.Tool{a}
	for range 2 {
		_, warned := versions(t, r.Agent)
		require.Len(t, warned, 1)
		require.Contains(t, warned[0], `the agent's tools changed, and the run goes on without the change: middleware "a": it guards the tool "b", which the agent does not have`)
		require.Equal(t, []string{"a", "b"}, r.offered)
	}
	r.tools, r.err = nil, errors.New("no answer")
	_, warned := versions(t, r.Agent)
	require.Equal(t, []string{"the agent's tools could not be read again, and the run goes on with those that are known: no answer"}, warned)
	require.Equal(t, []string{"a", "b"}, r.offered)
	r.tools = []host.Tool{nil}
	_, warned = versions(t, r.Agent)
	require.Len(t, warned, 2)
	require.Contains(t, warned[1], "a tool is nil")
	r.tools, r.err = []host.Tool{b}, nil
	_, warned = versions(t, r.Agent)
	require.Empty(t, warned)
	require.Equal(t, []string{"b"}, r.offered)
}

// A run that waits for its model keeps its tools, while another run begins with others.
func TestARunKeepsItsToolsWhileTheyChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, b := namedTool("a"), namedTool("b")
		tools := []host.Tool{a}
		open := make(chan struct{})
		wait := host.BeforeModel("wait", func(context.Context, *host.Runtime) (*host.Update, error) { <-open; return nil, nil })
		m := scripted.NewTurns(scripted.CallTools(abi.Call("1", "a", map[string]any{})), scripted.Say("done"))
		agent, err := host.New(host.Config{
			Model: m, Tools: tools, Middleware: []host.Middleware{wait},
			RefreshTools: func(context.Context) ([]host.Tool, error) { return tools, nil },
		})
		require.NoError(t, err)
		done := make(chan *host.Result, 1)
		go func() {
			result, _ := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
			done <- result
		}()
		synctest.Wait()
		tools = []host.Tool{b}
		ctx, cancel := context.WithCancel(t.Context())
		other := make(chan error, 1)
		go func() {
			_, err := agent.Run(ctx, host.Input{Messages: []abi.Message{abi.Human("hi")}})
			other <- err
		}()
		synctest.Wait()
		cancel()
		close(open)
		result := <-done
		require.Equal(t, host.Completed, result.Status)
		require.Equal(t, "a ran", result.Messages.At(2).Content.Text())
		require.ErrorIs(t, <-other, context.Canceled)
		require.NoError(t, agent.Close())
	})
}
