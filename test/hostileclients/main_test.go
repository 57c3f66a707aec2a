//go:build linux

package hostileclients_test

import (
	"os"
	"testing"

	"github.com/agenthost/agenthost/test/serverprocess"
)

func TestMain(m *testing.M) { os.Exit(serverprocess.Main(m.Run)) }

// slow skips a test that is too slow for every commit.
func slow(t *testing.T) {
	t.Helper()
	if os.Getenv("AGENTHOST_HOSTILE") == "" {
		t.Skip("takes long: AGENTHOST_HOSTILE=1 runs it")
	}
}
