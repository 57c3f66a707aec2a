package protocol_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/langgraph/internal/protocol"
)

func TestFilters(t *testing.T) {
	t.Parallel()
	one := 1
	for name, test := range map[string]struct {
		filter  protocol.Filter
		channel string
		at      []string
		want    bool
	}{
		"the channel":             {protocol.Filter{Channels: []string{"values"}}, "values", nil, true},
		"another channel":         {protocol.Filter{Channels: []string{"values"}}, "updates", nil, false},
		"all custom events":       {protocol.Filter{Channels: []string{"custom"}}, "custom:a", nil, true},
		"a name":                  {protocol.Filter{Channels: []string{"custom:a"}}, "custom:a", nil, true},
		"another name":            {protocol.Filter{Channels: []string{"custom:a"}}, "custom:b", nil, false},
		"every namespace":         {protocol.Filter{Channels: []string{"values"}}, "values", []string{"a:1", "b"}, true},
		"a depth means nothing":   {protocol.Filter{Channels: []string{"values"}, Depth: &one}, "values", []string{"a", "b", "c"}, true},
		"a prefix":                {protocol.Filter{Channels: []string{"values"}, Namespaces: [][]string{{"a:1"}}}, "values", []string{"a:1", "b"}, true},
		"a prefix without an id":  {protocol.Filter{Channels: []string{"values"}, Namespaces: [][]string{{"a"}}}, "values", []string{"a:1", "b"}, true},
		"another id":              {protocol.Filter{Channels: []string{"values"}, Namespaces: [][]string{{"a:2"}}}, "values", []string{"a:1"}, false},
		"a longer prefix":         {protocol.Filter{Channels: []string{"values"}, Namespaces: [][]string{{"a", "b"}}}, "values", []string{"a:1"}, false},
		"within the depth":        {protocol.Filter{Channels: []string{"values"}, Namespaces: [][]string{{}}, Depth: &one}, "values", []string{"a"}, true},
		"too deep":                {protocol.Filter{Channels: []string{"values"}, Namespaces: [][]string{{}}, Depth: &one}, "values", []string{"a", "b"}, false},
		"one of several prefixes": {protocol.Filter{Channels: []string{"values"}, Namespaces: [][]string{{"x"}, {"a"}}}, "values", []string{"a"}, true},
	} {
		require.NoError(t, test.filter.Check(), name)
		require.Equal(t, test.want, test.filter.Wants(test.channel, test.at), name)
		union := protocol.Union{{Channels: []string{"tools"}}, &test.filter}
		require.Equal(t, test.want, union.Wants(test.channel, test.at), name)
	}
}

func TestFiltersThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	minus := -1
	for says, filter := range map[string]protocol.Filter{
		"channels is required":               {},
		`unsupported entries: "nope"`:        {Channels: []string{"values", "nope"}},
		`unsupported entries: "custom:"`:     {Channels: []string{"custom:"}},
		"channels has 101 entries":           {Channels: strings.Fields(strings.Repeat("values ", 101))},
		"namespaces has 1001 entries":        {Channels: []string{"values"}, Namespaces: make([][]string, 1001)},
		"a namespace has 101 segments":       {Channels: []string{"values"}, Namespaces: [][]string{make([]string, 101)}},
		"depth is -1; it must be at least 0": {Channels: []string{"values"}, Depth: &minus},
	} {
		require.ErrorContains(t, filter.Check(), says)
	}
}
