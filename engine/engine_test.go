package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/engine"
	"github.com/agenthost/agenthost/engine/enginetest"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/runs/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEngine(t *testing.T) {
	t.Parallel()
	enginetest.Run(t, enginetest.Options{Bubble: true, Start: func(t *testing.T, c engine.Config) enginetest.Engine {
		t.Helper()
		e, err := engine.Start(c)
		require.NoError(t, err)
		return e
	}})
}

func TestConfigurationsThatCannotBe(t *testing.T) {
	t.Parallel()
	store, agents := memory.New(memory.Options{}), map[string]runs.Agent{"helper": {}}
	for want, c := range map[string]engine.Config{
		"engine: the store is missing":         {Agents: agents},
		"engine: there are no agents":          {Store: store},
		"engine: a number or time is negative": {Store: store, Agents: agents, Lease: -time.Second},
	} {
		_, err := engine.Start(c)
		require.EqualError(t, err, want)
	}
}
