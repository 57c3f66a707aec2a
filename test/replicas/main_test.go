//go:build unix

package replicas_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/agenthost/agenthost/test/pgtest"
)

func TestMain(m *testing.M) {
	if database, ok := os.LookupEnv(replicaVariable); ok {
		if err := runReplica(database); err != nil {
			fmt.Fprintln(os.Stderr, "replica:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(pgtest.Main(m.Run))
}
