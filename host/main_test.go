package host_test

import (
	"testing"

	"go.uber.org/goleak"
)

// A run ends all goroutines that it starts, however it ends.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
