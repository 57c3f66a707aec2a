package builtin_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/gemini"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// sighted is a scripted model with a profile. It keeps the last request.
type sighted struct {
	model.Model

	info model.Info
	last *model.Request
}

func (s *sighted) Info() model.Info { return s.info }

func (s *sighted) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	s.last = req
	return s.Model.Generate(ctx, req)
}

func TestUnsupportedContentNamesTheFile(t *testing.T) {
	t.Parallel()
	fields := abi.ImageBlock("image/png", []byte("x")).Fields().With(wire.Map{{Key: "path", Value: wire.String("/shots/a.png")}})
	blind := &sighted{Model: scripted.NewTurns(scripted.Say("ok")), info: model.Info{ToolImages: model.SupportNo}}
	agent, err := host.New(host.Config{Model: blind, Middleware: []host.Middleware{builtin.UnsupportedContent{}}})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	call := abi.AI("")
	call.ToolCalls = []abi.ToolCall{{ID: "1", Name: "read_file"}}
	_, err = agent.Run(t.Context(), host.Input{Messages: []abi.Message{
		abi.Human("go"), call, {Role: abi.RoleTool, ToolCallID: "1", Name: "read_file", Content: abi.Blocks(abi.BlockOf(fields))},
	}})
	require.NoError(t, err)
	sent := blind.last.Messages.At(2)
	require.Equal(t, "[read_file: /shots/a.png was not attached because this model does not support image content (image/png).]", sent.Content.Text())
}

func TestDocumentsThatModelsTake(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		model model.DocumentTaker
		takes bool
	}{
		"anthropic": {anthropic.New("claude-opus-5"), true},
		"gemini":    {gemini.New("gemini-2.5-pro"), true},
		"chat":      {openai.New("gpt-5.2"), false},
		"responses": {&openai.Model{Name: "gpt-5.2", API: openai.Responses}, true},
	} {
		require.Equal(t, test.takes, test.model.TakesDocument("text/csv; charset=utf-8"), name)
		require.False(t, test.model.TakesDocument("application/zip"), name)
	}
}
