package scripted_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
)

func request(messages ...abi.Message) *model.Request {
	return &model.Request{Messages: history.Of(messages...)}
}

// ask returns the model's answer.
func ask(t *testing.T, m model.Model, messages ...abi.Message) *abi.Message {
	t.Helper()
	resp, err := m.Generate(t.Context(), request(messages...))
	require.NoError(t, err)
	require.Len(t, resp.Messages, 1)
	return resp.AI()
}

// cancelled is a context that has ended.
func cancelled(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
