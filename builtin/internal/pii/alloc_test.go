//go:build !race

package pii_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/builtin/internal/pii"
)

func TestNothingFoundCostsNoMemory(t *testing.T) { //nolint:paralleltest // it counts what the process allocates
	text := strings.Repeat("The quick brown fox jumps over 13 lazy dogs at 12:30, e.g. on 2024-05-01. ", 20)
	for _, kind := range pii.Kinds() {
		rule := newRule(t, kind, pii.Redact, "")
		require.Zero(t, testing.AllocsPerRun(10, func() { _, _, _ = rule.Apply(text) }), kind)
	}
}
