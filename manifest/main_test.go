package manifest_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/test/pgtest"
)

// The SDK of Gemini brings a package that starts a goroutine and never ends it.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(tests{m}, goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"))
}

// tests are those of the package, and the end of the database server that they share.
type tests struct{ *testing.M }

// Run runs them.
func (t tests) Run() int { return pgtest.Main(t.M.Run) }
