package sqlstore_test

import (
	"os"
	"testing"

	"github.com/agenthost/agenthost/internal/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m.Run)) }
