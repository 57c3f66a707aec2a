package abi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

func TestRequestChangesAreBuilt(t *testing.T) {
	t.Parallel()
	change := new(abi.RequestChange).WithModel("small").WithSystem("Be.").WithAppendedSystem(" Be").WithAppendedSystem(" brief.").
		WithMessages(abi.Human("a")).WithMessages(abi.Human("b")).WithPatch(abi.NewPatch("m1")).WithoutMessages("m2", "m3").
		WithOnlyTools("search").WithTools(abi.ToolSpec{Name: "added"}).WithToolChoice("any").WithSetting("seed", wire.Int(1))
	b, err := change.MarshalMsg(nil)
	require.NoError(t, err)
	require.JSONEq(t, `{"model":"small","system":"Be.","append_system":" Be brief.","messages":[{"role":"human","content":"a"},{"role":"human","content":"b"}],
		"patch":[{"id":"m1"}],"remove":["m2","m3"],"tools":["search"],"add_tools":[{"name":"added","description":""}],"tool_choice":"any","settings":{"seed":1}}`,
		wire.Raw(b).JSON())

	none := new(abi.RequestChange).WithOnlyMessages(abi.Human("c")).WithOnlyTools()
	b, err = none.MarshalMsg(nil)
	require.NoError(t, err)
	require.JSONEq(t, `{"messages":[{"role":"human","content":"c"}],"overwrite":true,"tools":[]}`, wire.Raw(b).JSON())
}

func TestCallChangesAreBuilt(t *testing.T) {
	t.Parallel()
	change := new(abi.CallChange).WithArgs(wire.Map{{Key: "q", Value: wire.String("x")}}).WithArg("n", wire.Int(2)).WithArg("n", wire.Int(3)).
		WithTool("other").WithName("shown")
	b, err := change.MarshalMsg(nil)
	require.NoError(t, err)
	require.JSONEq(t, `{"args":{"q":"x"},"set_args":{"n":3},"tool":"other","name":"shown"}`, wire.Raw(b).JSON())
}
