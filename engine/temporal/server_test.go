package temporal_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"

	"github.com/agenthost/agenthost/test/pgtest"
)

// binary is where make temporal installs the command line with the development server.
const binary = "../../.bin/servers/temporal/temporal"

var (
	start   sync.Once
	running *testsuite.DevServer
	failure error
)

// shared returns a server that all tests of the process share. Without AGENTHOST_TEMPORAL the test is skipped: a push takes no server.
func shared(t *testing.T) *testsuite.DevServer {
	t.Helper()
	if os.Getenv("AGENTHOST_TEMPORAL") == "" {
		t.Skip("AGENTHOST_TEMPORAL is not set; make fleet-faults installs a server and sets it")
	}
	path, err := filepath.Abs(binary)
	if err != nil {
		t.Fatal(err)
	}
	start.Do(func() {
		running, failure = testsuite.StartDevServer(context.Background(), testsuite.DevServerOptions{
			ExistingPath: path, LogLevel: "error",
			ClientOptions: &client.Options{Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler))},
			ExtraArgs:     []string{"--dynamic-config-value", "history.transferProcessorMaxPollRPS=2000"},
		})
	})
	if failure != nil {
		t.Fatal(failure)
	}
	return running
}

func TestMain(m *testing.M) {
	if text, ok := os.LookupEnv(processVariable); ok {
		if err := work(text); err != nil {
			fmt.Fprintln(os.Stderr, "worker:", err)
			os.Exit(1)
		}
		return
	}
	code := pgtest.Main(m.Run)
	if running != nil {
		running.Client().Close()
		if err := running.Stop(); err != nil {
			code = 1
		}
	}
	os.Exit(code)
}
