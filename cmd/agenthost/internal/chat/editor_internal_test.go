package chat

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCommonPrefix(t *testing.T) {
	t.Parallel()
	for want, texts := range map[string][]string{
		"ab": {"abc", "abd"}, "": {"a", "b"}, "é": {"éa", "éb"}, "x": {"x\x80", "x\uFFFD"}, "y\x80": {"y\x80a", "y\x80b"}, "whole": {"whole"},
	} {
		require.Equal(t, want, commonPrefix(texts))
	}
}
