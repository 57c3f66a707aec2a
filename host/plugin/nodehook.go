package plugin

import (
	"context"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
)

// nodeHook makes a before_agent, before_model, after_model or after_agent hook.
func (p *Plugin) nodeHook(name abi.Hook, spec *abi.HookSpec) host.NodeHook {
	reads := sorted(spec.Reads)
	fn := func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
		result, err := p.call(ctx, rt, nil, func(c *hookCall) {
			c.export, c.hook, c.input.reads = string(name), spec, reads
			c.reads = access{reads, !spec.Messages.IsZero()}
			if c.reads.messages {
				c.input.view, c.input.shows = rt.View(), true
			}
		})
		if err != nil && p.forgiven(rt, err) {
			return nil, nil //nolint:nilnil // nothing to say
		}
		if err != nil || result == nil {
			return nil, err
		}
		if err := outcome(result); err != nil {
			return nil, err
		}
		update := result.Update()
		return &update, nil
	}
	return host.NodeHook{Func: fn, View: spec.Messages, Pool: p.pool.leases}
}

func sorted(names []string) []string {
	out := slices.Clone(names)
	slices.Sort(out)
	return slices.Compact(out)
}
