package cassette_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/cassette"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// ask returns a request with a message that has what a provider never gets.
func ask(text string) *model.Request {
	m := abi.Human(text)
	m.ID = "msg-" + text
	m.Meta.Set("trace", wire.String(text))
	return &model.Request{
		Messages: history.Of(m), System: abi.Text("Be brief."),
		Tools: []abi.ToolSpec{{Name: "search", Description: "Searches."}}, Settings: wire.Map{{Key: "temperature", Value: wire.Int(0)}},
	}
}

// answering is a model that answers with a text of its own, fails, and judges texts.
type answering struct{ *scripted.Turns }

func (answering) Moderate(_ context.Context, moderation, text string) (*model.Moderation, error) {
	if text == "fail" {
		return nil, &model.Error{Provider: "p", Kind: model.ErrorRateLimit, Status: 429, Retryable: true, Err: errors.New("slow down")}
	}
	return &model.Moderation{Flagged: text == "bad", Categories: []string{moderation}}, nil
}

// again writes and reads a cassette.
func again(t *testing.T, r *cassette.Recorder) (read *cassette.Cassette, text string) {
	t.Helper()
	c, err := r.Cassette()
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, c.Write(&out))
	text = out.String()
	read, err = cassette.Read(&out)
	require.NoError(t, err)
	require.Equal(t, c.Len(), read.Len())
	return read, text
}
