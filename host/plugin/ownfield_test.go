package plugin_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// A plugin that declares a field as another middleware does would read it without a grant.
func TestAPluginSharesItsFieldsOnlyIfGranted(t *testing.T) {
	t.Parallel()
	secret := abi.FieldSpec{Name: "secret", Lifetime: "thread"}
	code := guestkit.New(abi.Description{
		Fields: []abi.FieldSpec{secret},
		Hooks:  abi.HookSpecs{BeforeModel: &abi.HookSpec{Reads: []string{"secret"}}},
	}).On("before_model", guestkit.Nothing).Bytes()
	native := host.BeforeModel("native", func(context.Context, *host.Runtime) (*host.Update, error) { return nil, nil },
		host.WithFields(host.Field{Name: "secret"}))
	for name, test := range map[string]struct {
		grant plugin.Grant
		add   func(c *host.Config)
		want  string
	}{
		"native first": {add: func(c *host.Config) { c.Middleware = append([]host.Middleware{native}, c.Middleware...) }, want: `middleware "native" declares it too`},
		"native last":  {add: func(c *host.Config) { c.Middleware = append(c.Middleware, native) }, want: "declares it too"},
		"the agent":    {add: func(c *host.Config) { c.State = []host.Field{{Name: "secret"}} }, want: "the agent's State declares it too"},
		"read alone": {
			grant: plugin.Grant{Reads: []string{"secret"}}, want: "declares it too",
			add: func(c *host.Config) { c.Middleware = append(c.Middleware, native) },
		},
		"granted": {
			grant: plugin.Grant{Reads: []string{"secret"}, Writes: []string{"secret"}},
			add:   func(c *host.Config) { c.Middleware = append(c.Middleware, native) },
		},
		"alone": {add: func(*host.Config) {}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, config := newBundle(plugin.Wasm{Bytes: code, Grant: test.grant})
			test.add(&config)
			agent, err := host.New(config)
			if test.want != "" {
				require.ErrorContains(t, err, test.want)
				return
			}
			require.NoError(t, err)
			require.NoError(t, agent.Close())
		})
	}
}
