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
	"github.com/agenthost/agenthost/test/temporalserver"
)

// programs is where make temporal installs the command line with the development server, and make temporal-server the other one.
const programs = "../../.bin/servers/temporal"

// server is a server of Temporal that all tests of the process share.
type server struct {
	client  client.Client
	address string
	stop    func() error
}

func (s *server) Client() client.Client    { return s.client }
func (s *server) FrontendHostPort() string { return s.address }

var (
	start   sync.Once
	running *server
	failure error
)

// serverVariable asks for tests with a server: the development server, or "postgres" for the one that is used in production.
const serverVariable = "AGENTHOST_TEMPORAL"

// shared returns the server that all tests of the process share. Without the variable the test is skipped: a push takes no server.
func shared(t *testing.T) *server {
	t.Helper()
	kind := os.Getenv(serverVariable)
	if kind == "" {
		t.Skip(serverVariable + " is not set; make fleet-faults installs a server and sets it")
	}
	start.Do(func() {
		if kind == "postgres" {
			running, failure = inProduction(context.Background())
			return
		}
		running, failure = inDevelopment(context.Background())
	})
	if failure != nil {
		t.Fatal(failure)
	}
	return running
}

func inDevelopment(ctx context.Context) (*server, error) {
	path, err := filepath.Abs(filepath.Join(programs, "temporal"))
	if err != nil {
		return nil, err
	}
	s, err := testsuite.StartDevServer(ctx, testsuite.DevServerOptions{
		ExistingPath: path, LogLevel: "error", ClientOptions: clientOptions(""),
		ExtraArgs: []string{"--dynamic-config-value", "history.transferProcessorMaxPollRPS=2000"},
	})
	if err != nil {
		return nil, err
	}
	return &server{s.Client(), s.FrontendHostPort(), s.Stop}, nil
}

func clientOptions(address string) *client.Options {
	return &client.Options{HostPort: address, Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler))}
}

func inProduction(ctx context.Context) (*server, error) {
	database, err := pgtest.Start()
	if err != nil {
		return nil, err
	}
	s, err := temporalserver.Start(ctx, programs, database)
	if err != nil {
		database.Stop()
		return nil, err
	}
	c, err := client.DialContext(ctx, *clientOptions(s.Address()))
	if err != nil {
		s.Stop()
		database.Stop()
		return nil, err
	}
	return &server{c, s.Address(), func() error {
		s.Stop()
		database.Stop()
		return nil
	}}, nil
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
		running.client.Close()
		if err := running.stop(); err != nil {
			code = 1
		}
	}
	os.Exit(code)
}
