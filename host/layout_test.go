package host_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func TestLayout(t *testing.T) {
	t.Parallel()
	b := setup(t, scripted.Say("done"))
	b.answering("work", "worked").use(b.noting("A"), b.noting("B"))

	l := b.build().Layout()

	require.Equal(t, host.Layout{
		BeforeAgent: []string{"A", "B"}, BeforeModel: []string{"A", "B"}, WrapModelCall: []string{"A", "B"},
		AfterModel: []string{"B", "A"}, WrapToolCall: []string{"A", "B"}, AfterAgent: []string{"B", "A"}, Advice: []string{},
	}, l)
}

func TestAdvice(t *testing.T) {
	t.Parallel()
	at := func(name string, order ...host.Order) *middleware {
		return &middleware{name: name, hooks: host.Hooks{Order: order}}
	}
	outside := host.Order{Outside: "cache", Reason: "the cache is spoilt"}
	inside := host.Order{Inside: "limit", Reason: "the limit counts too much"}
	names := func(tools ...string) *middleware {
		return &middleware{name: "limit", hooks: host.Hooks{Expects: tools}}
	}
	renamed := &middleware{name: "mine", hooks: host.Hooks{Kind: "cache"}}
	for _, test := range []struct {
		name string
		list []host.Middleware
		want []string
	}{
		{"as it should be", []host.Middleware{at("summary", outside), at("cache")}, []string{}},
		{
			"inside of what it should be outside of",
			[]host.Middleware{at("cache"), at("summary", outside)},
			[]string{`middleware "summary" should stand outside of "cache": the cache is spoilt`},
		},
		{
			"outside of what it should be inside of",
			[]host.Middleware{at("retry", inside), at("limit[search]")},
			[]string{`middleware "retry" should stand inside of "limit[search]": the limit counts too much`},
		},
		{"inside of it", []host.Middleware{at("limit[search]"), at("retry", inside)}, []string{}},
		{"of another name", []host.Middleware{renamed, at("summary", outside)}, []string{
			`middleware "summary" should stand outside of "mine": the cache is spoilt`,
		}},
		{"of two of a kind", []host.Middleware{at("cache"), at("cache"), at("summary", outside)}, []string{
			`middleware "summary" should stand outside of "cache": the cache is spoilt`,
			`middleware "summary" should stand outside of "cache#2": the cache is spoilt`,
		}},
		{"said twice", []host.Middleware{at("cache"), at("summary", outside, outside)}, []string{
			`middleware "summary" should stand outside of "cache": the cache is spoilt`,
		}},
		{"of tools that there are", []host.Middleware{names("search", "calc")}, []string{}},
		{"of tools that there are not", []host.Middleware{names("search", "clac", "serach", "clac")}, []string{
			`middleware "limit" names tools that the agent does not have: clac, serach; it has [search, calc]`,
		}},
		{"of nothing", []host.Middleware{at("cache"), at("summary", host.Order{Reason: "?"})}, []string{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, scripted.Say("done")).use(test.list...).tool("search", nil).tool("calc", nil)
			require.Equal(t, test.want, b.build().Layout().Advice)

			events, err := b.stream()

			require.NoError(t, err)
			warned := []string{}
			for _, e := range events {
				if e.Type == host.EventWarn {
					warned = append(warned, e.Text)
				}
			}
			require.Equal(t, test.want, warned)
		})
	}
}
