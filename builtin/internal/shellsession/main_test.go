package shellsession_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// asHost is set in a process that is to be a host, which is killed.
const asHost = "SHELLSESSION_TEST_AS_HOST"

func TestMain(m *testing.M) {
	if os.Getenv(asHost) != "" {
		beHost()
		return
	}
	goleak.VerifyTestMain(m)
}
