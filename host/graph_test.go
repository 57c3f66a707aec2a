package host_test

import (
	"fmt"
	"strings"
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
			golden(t, "graph_"+test.name+".golden.mmd", b.build().Program().Mermaid())
		})
	}
}

// TestGraphOfEveryCombination draws all 16 combinations of node hooks, with and without tools, with and without jumps.
func TestGraphOfEveryCombination(t *testing.T) {
	t.Parallel()
	constructors := []struct {
		name string
		make func(name string, fn host.NodeFunc, options ...host.Option) host.Middleware
	}{{"before_agent", host.BeforeAgent}, {"before_model", host.BeforeModel}, {"after_model", host.AfterModel}, {"after_agent", host.AfterAgent}}
	var all strings.Builder
	for mask := range 1 << len(constructors) {
		for _, tools := range []bool{false, true} {
			for _, jumps := range []bool{false, true} {
				b := setup(t)
				var names []string
				for i, c := range constructors {
					if mask&(1<<i) == 0 {
						continue
					}
					names = append(names, c.name)
					var options []host.Option
					if jumps {
						targets := []abi.Target{abi.JumpModel, abi.JumpEnd}
						if tools {
							targets = append(targets, abi.JumpTools)
						}
						options = append(options, host.CanJumpTo(targets...))
					}
					b.use(c.make("m", constant(nil, nil), options...))
				}
				if tools {
					b.answering("work", "")
				}
				fmt.Fprintf(&all, "%%%% hooks: %v, tools: %t, jumps: %t\n%s\n", names, tools, jumps, b.build().Program().Mermaid())
			}
		}
	}
	golden(t, "graphs.golden.mmd", all.String())
}
