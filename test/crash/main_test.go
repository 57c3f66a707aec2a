//go:build unix

package crash_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/agenthost/agenthost/test/pgtest"
)

func TestMain(m *testing.M) {
	if text, ok := os.LookupEnv(childVariable); ok {
		if err := runChild(text); err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(pgtest.Main(m.Run))
}
