package sqlstore_test

import (
	"os"
	"testing"

	"github.com/agenthost/agenthost/test/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m.Run)) }
