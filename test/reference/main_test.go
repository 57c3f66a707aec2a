package reference_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/test/pgtest"
)

// testingM closes shared resources after all tests.
type testingM struct{ *testing.M }

func (m testingM) Run() int {
	return pgtest.Main(func() int {
		defer closeDatabases()
		return m.M.Run()
	})
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(testingM{m}) }
