package memory_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/checkpointtest"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStore(t *testing.T) {
	t.Parallel()
	checkpointtest.Run(t, func(*testing.T) checkpoint.Store { return memory.New() })
}
