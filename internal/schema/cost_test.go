package schema_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/schema"
)

// TestExpensivePatternsOfPluginsAreRefused looks for patterns at every depth of a schema.
func TestExpensivePatternsOfPluginsAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"pattern":"(a?){1000}"}`, `{"items":{"pattern":"(a?){1000}"}}`, `{"patternProperties":{"(a?){1000}":true}}`,
		`{"pattern":"` + strings.Repeat("(a?){1000}", 5_000) + `"}`, `{"pattern":"` + strings.Repeat("a", 3_000) + `"}`,
		`{"allOf":[{"pattern":"(a?){400}"},{"not":{"pattern":"(a?){400}"}}]}`,
	} {
		_, err := schema.CompileUntrusted(raw(t, text))
		require.ErrorContains(t, err, "2000 are allowed", text[:min(len(text), 50)])
	}
	_, err := schema.CompileUntrusted(raw(t, `{"pattern":"^[a-z0-9]{8}(-[a-z0-9]{4}){3}-[a-z0-9]{12}$"}`))
	require.NoError(t, err)
}

// TestExpensiveValuesDoNotFit checks values that would take minutes, and that large ones of other schemas are checked.
func TestExpensiveValuesDoNotFit(t *testing.T) {
	t.Parallel()
	branches := make([]string, 1_500)
	for i := range branches {
		branches[i] = fmt.Sprintf(`{"const":"%d"}`, i)
	}
	words := make([]any, 100_000)
	for i := range words {
		words[i] = "1499"
	}
	list, err := wire.Of(words)
	require.NoError(t, err)
	text := wire.String(strings.Repeat("a", 1<<20))
	for _, test := range []struct {
		schema string
		value  wire.Raw
		says   string
	}{
		{`{"items":{"anyOf":[` + strings.Join(branches, ",") + `]}}`, list, "too many to check against a schema of 1502 parts"},
		{`{"pattern":"^(a?){150}(a?){150}b$"}`, text, "too many to check against patterns"},
		{`{"items":{"type":"string","maxLength":9}}`, list, ""},
		{`{"type":"string","pattern":"^a+$"}`, text, ""},
	} {
		start := time.Now()
		err := compile(t, test.schema).Validate(test.value)
		require.Less(t, time.Since(start), 5*time.Second)
		if test.says == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, test.says)
	}
}
