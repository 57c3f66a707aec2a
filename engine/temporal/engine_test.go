package temporal_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/engine"
	"github.com/agenthost/agenthost/engine/enginetest"
	"github.com/agenthost/agenthost/engine/temporal"
)

// queueOf returns a task queue for a test.
func queueOf(t *testing.T) string {
	t.Helper()
	sum := sha256.Sum256([]byte(t.Name()))
	return "test-" + hex.EncodeToString(sum[:8])
}

func TestEngine(t *testing.T) {
	t.Parallel()
	s := shared(t)
	enginetest.Run(t, enginetest.Options{Start: func(t *testing.T, c engine.Config) enginetest.Engine {
		t.Helper()
		w, err := temporal.StartWorker(t.Context(), temporal.Config{Client: s.Client(), Queue: queueOf(t), Namespace: "default"}, c)
		require.NoError(t, err)
		return w
	}})
}
