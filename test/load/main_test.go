//go:build linux

package load_test

import (
	"os"
	"testing"

	"github.com/agenthost/agenthost/test/pgtest"
	"github.com/agenthost/agenthost/test/serverprocess"
)

func TestMain(m *testing.M) {
	os.Exit(serverprocess.Main(func() int { return pgtest.Main(m.Run) }))
}
