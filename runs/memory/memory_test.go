package memory_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/memory"
	"github.com/agenthost/agenthost/runs/runstest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	runstest.Run(t, func(*testing.T) runs.Store { return memory.New(memory.Options{}) })
}

func TestItIsNotShared(t *testing.T) {
	t.Parallel()
	require.False(t, memory.New(memory.Options{}).Shared())
}
