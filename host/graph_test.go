package host_test

import (
	"testing"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool"
)

func TestGraph(t *testing.T) {
	t.Parallel()
	jump := host.CanJumpTo
	for _, test := range []struct {
		name  string
		build func(b *bundle)
	}{
		{"bare", func(*bundle) {}},
		{"tools", func(b *bundle) { b.answering("work", "") }},
		{"return_direct", func(b *bundle) { b.answering("work", "", tool.ReturnDirect()) }},
		{"all_hooks", func(b *bundle) { b.answering("work", "").use(b.noting("outer"), b.noting(`inn"er`)) }},
		{"after_model_without_tools", func(b *bundle) {
			b.use(host.AfterModel("a", constant(nil, nil)), host.AfterModel("b", constant(nil, nil)))
		}},
		{"jumps", func(b *bundle) {
			b.answering("work", "").use(
				host.BeforeAgent("a", constant(nil, nil), jump(abi.JumpEnd)),
				host.BeforeModel("b", constant(nil, nil), jump(abi.JumpModel, abi.JumpTools, abi.JumpEnd)),
				host.AfterModel("c", constant(nil, nil), jump(abi.JumpModel, abi.JumpTools, abi.JumpEnd)),
				host.AfterAgent("d", constant(nil, nil), jump(abi.JumpModel, abi.JumpEnd)),
				host.AfterAgent("e", constant(nil, nil)),
			)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			test.build(b)
			golden(t, "graph_"+test.name+".golden.mmd", b.build().Graph())
		})
	}
}
