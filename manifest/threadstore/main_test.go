package threadstore_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/test/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(tests{m}) }

// tests are those of the package, and the end of the server that they share.
type tests struct{ *testing.M }

// Run runs them.
func (t tests) Run() int { return pgtest.Main(t.M.Run) }
