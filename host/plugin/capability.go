package plugin

import (
	"context"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin/fetch"
	"github.com/agenthost/agenthost/host/plugin/kv"
	storememory "github.com/agenthost/agenthost/host/store/memory"
)

// capabilities holds the operations that a plugin asks for and is granted, and what they work with.
type capabilities struct {
	allowed    map[string]bool // by operation
	store      *kv.Store
	client     *fetch.Client
	model      model.Model
	modelCalls runBudget // of model.generate
}

// store returns the store that holds the plugin's entries.
func (w *Wasm) store(env host.Env) *kv.Store {
	switch {
	case w.KV != nil:
		return w.KV
	case env.Store != nil:
		return kv.New(env.Store, env.Agent)
	default:
		return kv.New(storememory.New(), env.Agent)
	}
}

// equip checks the grant and creates what it needs.
func (p *Plugin) equip() error {
	if err := p.grant.check(p.models); err != nil {
		return err
	}
	c := &p.capabilities
	if g := p.grant.ModelGenerate; g != nil {
		c.model = p.models[g.Model]
	}
	if p.grant.HTTPFetch == nil {
		return nil
	}
	client, err := fetch.New(*p.grant.HTTPFetch)
	if err != nil {
		return fmt.Errorf("grant.%w", err)
	}
	c.client = client
	return nil
}

// close closes what belongs to this plugin alone.
func (c *capabilities) close() error {
	if c.client == nil {
		return nil
	}
	return c.client.Close()
}

// endRun discards everything kept for a run that is over.
func (p *Plugin) endRun(ctx context.Context, run string) {
	p.written.forget(run)
	p.capabilities.modelCalls.forget(run)
	if p.grant.KV == nil {
		return
	}
	if err := p.capabilities.store.Drop(ctx, abi.ScopeRun, run); err != nil {
		p.logger.Error("what the plugin kept for a run stays in its store", "run", run, "error", err)
	}
}

// checkRequired refuses a plugin that requires a capability that was not granted.
func (p *Plugin) checkRequired() error {
	for _, asked := range p.described.Capabilities {
		key := grantOf(asked.Op)
		if !asked.Required || key.given(&p.grant) {
			continue
		}
		remedy := "this host does not know it"
		if key != nil {
			remedy = "add grant." + key.name + " if you want to allow it"
		}
		return p.fault(abi.ExportDescribe, KindDenied, fmt.Sprintf("it needs the capability %q (%s), which is not granted; %s",
			clean(asked.Op, 64), clean(asked.Reason, 200), remedy), nil)
	}
	return nil
}

// allow decides what the plugin may do: what it asks for with this configuration and is granted. A grant without effect is
// logged, since it may be a mistake.
func (p *Plugin) allow() {
	p.capabilities.allowed = map[string]bool{}
	for _, asked := range p.spec.Capabilities {
		if grantOf(asked.Op).given(&p.grant) {
			p.capabilities.allowed[asked.Op] = true
		}
	}
	for _, key := range grantKeys {
		asks := slices.ContainsFunc(p.described.Capabilities, func(c abi.Capability) bool { return grantOf(c.Op) == key })
		if key.given(&p.grant) && !asks {
			p.logger.Warn(fmt.Sprintf("grant.%s has no effect: the plugin does not ask for it", key.name))
		}
	}
}

// report describes for a person what the plugin asks for and what it got.
func (p *Plugin) report() []host.Capability {
	out := make([]host.Capability, 0, len(p.spec.Capabilities))
	for _, asked := range p.spec.Capabilities {
		c := host.Capability{
			Op: clean(asked.Op, 64), Reason: clean(asked.Reason, 500), Required: asked.Required,
			Granted: p.capabilities.allowed[asked.Op],
		}
		if c.Granted {
			c.Detail = grantOf(asked.Op).shown(&p.grant)
		}
		out = append(out, c)
	}
	return out
}

// failed converts an operation's error to what the guest sees. An interrupt or a cancellation closes the frame and
// propagates outward, whatever the guest does with it.
func (i *instance) failed(err error) (abi.Status, []byte) {
	status, reply := statusOf(i.frame.ctx, err)
	if status == abi.StatusInterrupted || status == abi.StatusCancelled {
		i.frame.closed, i.frame.closedBy = status, err
	}
	return status, reply
}
