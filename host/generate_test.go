package host_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// fixed is a model that always answers the same.
type fixed struct {
	message abi.Message
	err     error
}

func (fixed) Info() model.Info { return model.Info{Name: "fixed"} }

func (f fixed) Generate(context.Context, *model.Request) (*model.Response, error) {
	return model.Reply(f.message), f.err
}

func TestGenerateCountsAsTheRuns(t *testing.T) {
	t.Parallel()
	costly := abi.AI("yes")
	costly.Usage = &abi.Usage{InputTokens: 3, OutputTokens: 1, TotalTokens: 4}
	b := setup(t, calls("ask", "ask", "ask", "ask"), scripted.Say("done"))
	b.tool("ask", func(ctx context.Context, rt *host.Runtime, _ *abi.ToolCall) (*host.ToolOutput, error) {
		resp, err := rt.Generate(ctx, fixed{message: costly}, &model.Request{Messages: history.Of(abi.Human("?"))})
		if err != nil {
			return nil, err
		}
		require.Regexp(t, "^msg-[0-9a-f]+-1$", resp.AI().ID)
		return host.TextOutput(resp.AI().Content.Text()), nil
	})
	result := b.mustRun()
	require.Equal(t, abi.Usage{InputTokens: 12, OutputTokens: 4, TotalTokens: 16}, result.Usage)
}

func TestGenerateReportsErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	b := setup(t, scripted.Say("done"))
	b.use(host.BeforeModel("x", func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
		_, err := rt.Generate(ctx, fixed{err: broken}, &model.Request{})
		require.ErrorIs(t, err, broken)
		require.ErrorAs(t, err, new(*host.ModelError))
		_, err = rt.Generate(ctx, fixed{message: abi.Human("no AI")}, &model.Request{})
		require.NoError(t, err, "Reply makes it one")
		return nil, nil
	}))
	b.mustRun()
}

func TestACancelledGenerateGoesOutward(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done"))
	b.use(host.BeforeModel("x", func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
		_, _ = rt.Generate(ctx, fixed{err: context.Canceled}, &model.Request{})
		_, err := rt.Generate(ctx, fixed{}, &model.Request{})
		require.ErrorIs(t, err, context.Canceled, "the frame is closed")
		return nil, nil
	}))
	_, err := b.run()
	require.ErrorIs(t, err, context.Canceled)
}
