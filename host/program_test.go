package host_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func TestProgramAsData(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done")).keeps().answering("work", "").use(
		host.BeforeAgent("a", constant(nil, nil), host.CanJumpTo(abi.JumpEnd)),
		host.WrapModelCall("outer", passing(nothing)), host.WrapModelCall("inner", passing(nothing)),
	)
	agent := b.build()
	program := agent.Program()
	require.Equal(t, []host.ProgramStep{
		{Name: "a.before_agent", Middleware: "a", Hook: abi.BeforeAgent},
		{Name: "model", Wraps: []string{"outer", "inner"}},
		{Name: "tools"},
	}, program.Steps)
	require.Equal(t, []host.Way{
		{To: "a.before_agent"},
		{From: "a.before_agent", To: "model"},
		{From: "a.before_agent", Label: "jump end"},
		{From: "model", To: "tools", Label: "tool calls"},
		{From: "model", To: "model", Label: "all answered"},
		{From: "model", Label: "no tool calls"},
		{From: "tools", To: "model"},
	}, program.Ways)

	completed(t, agent, say("hi"))
	held, err := b.Checkpointer.Load(t.Context(), "t", 0)
	require.NoError(t, err)
	require.Equal(t, held.Program.Digest, program.Digest, "it names the program in the thread's checkpoints")

	document, err := json.Marshal(program)
	require.NoError(t, err)
	var read host.Program
	require.NoError(t, json.Unmarshal(document, &read))
	require.Equal(t, program.Mermaid(), read.Mermaid(), "the chart has nothing that the document lacks")
}

func nothing(*host.Runtime) *host.Update { return nil }
