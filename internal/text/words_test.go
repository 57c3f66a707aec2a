package text_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/text"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		line  string
		words []string
		ok    bool
	}{
		{"", nil, true},
		{" a\tb\n", []string{"a", "b"}, true},
		{`city="New York" ""`, []string{"city=New York", ""}, true},
		{`a "b c`, []string{"a", "b c"}, false},
	} {
		words, ok := text.Words(test.line)
		require.Equal(t, test.words, words, test.line)
		require.Equal(t, test.ok, ok, test.line)
	}
}
