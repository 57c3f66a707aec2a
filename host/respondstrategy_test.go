package host_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// A middleware may also ask for tool calls in place of the provider's format: the value ends the run all the same.
func TestRespondWithAnotherStrategy(t *testing.T) {
	t.Parallel()
	m := newProviding(true, scripted.CallTools(reports("1", "a")))
	b := setup(t).answering("work", "worked").use(host.WrapModelCall("tools", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		resp, err := next(ctx, req.WithResponse(&model.ResponseFormat{Formats: req.Response.Formats, Strategy: model.StrategyTool}))
		return resp, nil, err
	}))
	b.Model, b.ResponseFormat = m, &model.ResponseFormat{Formats: formats(), Strategy: model.StrategyProvider}
	require.JSONEq(t, `{"title":"a"}`, b.mustRun().Structured.JSON())
}

type list[T any] struct {
	Items []T `json:"items"`
}

// A generic type has a name of its own, and not that of its argument.
func TestRespondWithAGenericType(t *testing.T) {
	t.Parallel()
	require.Equal(t, "list", host.FormatOf[list[report]]().Name)
	require.Equal(t, "report", host.FormatOf[report]().Name)
	require.Equal(t, "map_string_int", host.FormatOf[map[string]int]().Name)
}
