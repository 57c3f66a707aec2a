package builtin_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func TestModelRefusal(t *testing.T) {
	t.Parallel()
	refusing := func(blocks ...abi.Block) model.Model {
		m := abi.AI("")
		m.Content = abi.Blocks(blocks...)
		return scripted.NewTurns(scripted.Turn{Message: m})
	}
	refused := refusing(abi.TextBlock("Well."), abi.RefusalBlock("No.", "bio"))
	_, err := try(t.Context(), t, host.Config{Model: refused, Middleware: []host.Middleware{builtin.ModelRefusal{}}})
	var refusal *builtin.ModelRefusalError
	require.ErrorAs(t, err, &refusal)
	require.EqualError(t, refusal, "Model refused to produce the requested output (category='bio'): No.")
	require.Equal(t, "model_refusal", host.ErrorDocument(err).Type)
	var said *model.Error
	require.ErrorAs(t, err, &said)
	require.Equal(t, model.ErrorContentFilter, said.Kind)

	out, err := try(t.Context(), t, host.Config{
		Model: refusing(abi.RefusalBlock("", "")), Models: map[string]model.Model{"b": failing("b")},
		Middleware: []host.Middleware{builtin.ModelFallback{Models: []string{"b"}}, builtin.ModelRefusal{}},
	})
	require.NoError(t, err)
	require.Equal(t, "b answers", out.result.Text())

	_, err = try(t.Context(), t, host.Config{Model: failing("m", errBoom), Middleware: []host.Middleware{builtin.ModelRefusal{}}})
	require.ErrorIs(t, err, errBoom, "other errors pass")
}
