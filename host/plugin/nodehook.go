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
		shows := !spec.Messages.IsZero()
		c := &hookCall{export: string(name), hook: spec, reads: access{reads, shows}, input: hookInput{rt: rt, reads: reads}}
		if shows {
			c.input.view, c.input.shows = rt.View(), true
		}
		result, err := p.call(ctx, c)
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
