package tracecontext_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/tracecontext"
)

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, parent, state string
		want                tracecontext.Context
	}{
		{"a parent", parent, "", tracecontext.Context{Parent: parent}},
		{"with a state", parent, "a=1,b=2", tracecontext.Context{Parent: parent, State: "a=1,b=2"}},
		{"a state that is too long", parent, strings.Repeat("x", 513), tracecontext.Context{Parent: parent}},
		{"a state with a line break", parent, "a=1\r\nX: y", tracecontext.Context{Parent: parent}},
		{"nothing", "", "a=1", tracecontext.Context{}},
		{"upper case", strings.ToUpper(parent), "", tracecontext.Context{}},
		{"another version", "01" + parent[2:], "", tracecontext.Context{}},
		{"no trace", "00-00000000000000000000000000000000-b7ad6b7169203331-01", "", tracecontext.Context{}},
		{"no span", "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", "", tracecontext.Context{}},
		{"too long", parent + "-00", "", tracecontext.Context{}},
		{"wrong separators", strings.ReplaceAll(parent, "-", "_"), "", tracecontext.Context{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, tracecontext.Parse(c.parent, c.state))
		})
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	sent := http.Header{}
	tracecontext.SetHeader(t.Context(), sent)
	require.Empty(t, sent, "without a span, nothing is sent")
	c := tracecontext.Context{Parent: parent, State: "a=1"}
	ctx := tracecontext.With(t.Context(), c)
	tracecontext.SetHeader(ctx, sent)
	require.Equal(t, c, tracecontext.OfHeader(sent))
	require.Equal(t, http.Header{"Traceparent": {parent}, "Tracestate": {"a=1"}}, sent)
	tracecontext.SetHeader(tracecontext.With(ctx, tracecontext.Context{Parent: strings.Replace(parent, "0af", "aaa", 1)}), sent)
	require.Equal(t, parent, sent.Get("Traceparent"), "what somebody has set stays")
}

func FuzzParse(f *testing.F) {
	f.Add(parent, "a=1")
	f.Add("00--01", "\n")
	f.Fuzz(func(t *testing.T, given, state string) {
		c := tracecontext.Parse(given, state)
		if c.Parent != "" && (c.Parent != given || len(given) != len(parent)) {
			t.Fatalf("%q became %q", given, c.Parent)
		}
	})
}
