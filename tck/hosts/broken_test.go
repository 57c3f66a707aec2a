package hosts_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/tck/hosts"
)

// broken is what a host does wrong.
type broken struct {
	input   func(in *host.Input)
	grants  func(g *plugin.Grant)
	forgets []string // operations that it does not have
}

// module returns a guest that calls what the host forgot by names that no host has.
func (b *broken) module(code []byte) []byte {
	for _, op := range b.forgets {
		code = bytes.ReplaceAll(code, []byte(op), []byte(op[:len(op)-1]+"?"))
	}
	return code
}

// operation returns the name that the guest would have called.
func (b *broken) operation(called string) string {
	for _, op := range b.forgets {
		if called == op[:len(op)-1]+"?" {
			return op
		}
	}
	return called
}

// TestHostsThatAreBrokenFail shows that each case of version 1.1 can fail, and which cases notice what a host does wrong.
func TestHostsThatAreBrokenFail(t *testing.T) {
	t.Parallel()
	later := []string{abi.OpRunInfo, abi.OpModelInfo, abi.OpToolsRead, abi.OpTokensCount, abi.OpBatch, abi.OpClockSleep}
	var first any
	engine := newEngine(t)
	failed := map[string]bool{}
	all := slices.Concat(contextCases(), informCases(), batchCases())
	for name, test := range map[string]struct {
		host  broken
		cases string // those that fail
	}{
		"of version 1.0": {
			broken{input: func(in *host.Input) { in.Context = nil }, forgets: later},
			"batch batch-cancelled batch-failed batch-of-calls batch-of-nothing batch-too-big clock-sleep clock-sleep-not-granted context context-everywhere " +
				"context-of-a-run-that-goes-on model-info model-info-of-a-request run-info run-info-counts-generate run-info-least tokens-count " +
				"tools-read tools-read-elsewhere tools-read-of-a-request",
		},
		"that grants everything": {
			broken{grants: func(g *plugin.Grant) { g.Context, g.ClockSleep = []string{"plan", "tenant", "user"}, true }},
			"clock-sleep-not-granted context-not-granted",
		},
		"that makes up a context": {
			broken{input: func(in *host.Input) {
				in.Context = map[string]any{"plan": 1, "tenant": 2, "user": 3}
			}},
			"context context-everywhere context-none context-not-listed context-of-a-run-that-goes-on",
		},
		"that keeps the first context": {
			broken{input: func(in *host.Input) {
				if in.Resume == nil {
					first = in.Context
				}
				in.Context = first
			}},
			"context-of-a-run-that-goes-on",
		},
	} {
		var got []string
		for _, d := range all {
			written := readCase(t, d.Name)
			out := performBy(t, &test.host, written, engine, func(p *hosts.Plugin) []byte { return test.host.module(d.modules[p.Module]) })
			if hosts.Compare(&written.Expect, out) != nil {
				got = append(got, d.Name)
				failed[d.Name] = true
			}
		}
		slices.Sort(got)
		require.Equal(t, test.cases, strings.Join(got, " "), "a host %s", name)
	}
	for _, d := range all {
		_, is := cannotFail[d.Name]
		require.NotEqual(t, is, failed[d.Name], "whether a broken host fails %s", d.Name)
	}
}

// cannotFail lists the cases that none of the broken hosts fails, and why.
var cannotFail = map[string]string{
	"context-narrowed": "it passes where the next one fails",
	"context-no-name":  "the host would have to load what it refuses",
	"context-widened":  "the host would have to load what it refuses",
}

// readCase returns a case as it was written.
func readCase(t *testing.T, name string) *hosts.Case {
	t.Helper()
	cases, err := hosts.Cases()
	require.NoError(t, err)
	at := slices.IndexFunc(cases, func(c hosts.Case) bool { return c.Name == name })
	require.GreaterOrEqual(t, at, 0, name)
	return &cases[at]
}
