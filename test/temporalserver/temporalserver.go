// Package temporalserver runs Temporal's server on PostgreSQL, as in production: the development server has one shard, and SQLite.
package temporalserver

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/agenthost/agenthost/test/pgtest"
)

// Server is a server of Temporal with the namespace default, on ports of the loopback interface.
type Server struct {
	dir, bin string
	database *pgtest.Server
	ports    []int // of the parts of the server, for requests and for the others
	process  *exec.Cmd
}

// databases are those of histories and of what can be searched, with the directories of their tables.
var databases = map[string]string{"temporal": "temporal", "temporal_visibility": "visibility"}

// Start makes the tables in two databases of a server of PostgreSQL and starts Temporal. The programs temporal, temporal-server and temporal-sql are in bin,
// where make temporal-server installs them, and the directory schema beside them.
func Start(ctx context.Context, bin string, database *pgtest.Server) (*Server, error) {
	if _, err := os.Stat(filepath.Join(bin, "temporal-server")); err != nil {
		return nil, fmt.Errorf("make temporal-server installs it: %w", err)
	}
	dir, err := os.MkdirTemp("", "temporalserver-")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, bin: bin, database: database}
	for _, step := range []func(context.Context) error{s.tables, s.configure, s.launch, s.namespace} {
		if err := step(ctx); err != nil {
			s.Stop()
			return nil, err
		}
	}
	return s, nil
}

// Address is where clients reach the server.
func (s *Server) Address() string { return "127.0.0.1:" + strconv.Itoa(s.ports[0]) }

// Pid is the process of the server.
func (s *Server) Pid() int { return s.process.Process.Pid }

// Stop ends the server at once.
func (s *Server) Stop() {
	if s.process != nil && s.process.Process != nil {
		_ = s.process.Process.Kill()
		_ = s.process.Wait()
	}
	_ = os.RemoveAll(s.dir)
}

// tables creates the databases with their tables.
func (s *Server) tables(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.database.Address("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for name, of := range databases {
		if _, err := conn.Exec(ctx, "CREATE DATABASE "+name); err != nil {
			return err
		}
		schema := filepath.Join(s.bin, "schema", "postgresql", "v12", of, "versioned")
		for _, args := range [][]string{{"setup-schema", "-v", "0.0"}, {"update-schema", "-d", schema}} {
			flags := []string{"--plugin", "postgres12", "--ep", "127.0.0.1", "-p", strconv.Itoa(s.database.Port()), "-u", "test", "--pw", "none", "--db", name}
			if err := s.run(ctx, "temporal-sql", append(flags, args...)...); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Server) run(ctx context.Context, program string, args ...string) error {
	out, err := exec.CommandContext(ctx, filepath.Join(s.bin, program), args...).CombinedOutput() //nolint:gosec // it is ours
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", program, strings.Join(args, " "), err, out)
	}
	return nil
}

const configuration = `
log: {stdout: true, level: error}
persistence:
  defaultStore: default
  visibilityStore: visibility
  numHistoryShards: 16
  datastores:
    default: {sql: {pluginName: postgres12, databaseName: temporal, connectAddr: "127.0.0.1:{DB}", connectProtocol: tcp, user: test, password: none,
      maxConns: 20, maxIdleConns: 20, maxConnLifetime: 1h}}
    visibility: {sql: {pluginName: postgres12, databaseName: temporal_visibility, connectAddr: "127.0.0.1:{DB}", connectProtocol: tcp, user: test,
      password: none, maxConns: 10, maxIdleConns: 10, maxConnLifetime: 1h}}
global: {membership: {maxJoinDuration: 30s, broadcastAddress: "127.0.0.1"}}
services:
  frontend: {rpc: {grpcPort: {0}, membershipPort: {1}, bindOnLocalHost: true}}
  matching: {rpc: {grpcPort: {2}, membershipPort: {3}, bindOnLocalHost: true}}
  history: {rpc: {grpcPort: {4}, membershipPort: {5}, bindOnLocalHost: true}}
  worker: {rpc: {grpcPort: {6}, membershipPort: {7}, bindOnLocalHost: true}}
clusterMetadata:
  enableGlobalNamespace: false
  failoverVersionIncrement: 10
  masterClusterName: active
  currentClusterName: active
  clusterInformation: {active: {enabled: true, initialFailoverVersion: 1, rpcName: frontend, rpcAddress: "127.0.0.1:{0}"}}
dcRedirectionPolicy: {policy: noop}
`

// configure writes the configuration.
func (s *Server) configure(ctx context.Context) error {
	pairs := []string{"{DB}", strconv.Itoa(s.database.Port())}
	var open []net.Listener // until the last port is chosen, so they differ
	defer func() {
		for _, l := range open {
			_ = l.Close()
		}
	}()
	for len(s.ports) < 8 {
		port := 20_000 + rand.IntN(12_000) // Temporal's tables have two bytes with a sign for a port
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:"+strconv.Itoa(port))
		if err != nil {
			continue // somebody has it
		}
		open = append(open, l)
		pairs = append(pairs, fmt.Sprintf("{%d}", len(s.ports)), strconv.Itoa(port))
		s.ports = append(s.ports, port)
	}
	text := strings.NewReplacer(pairs...).Replace(configuration)
	return os.WriteFile(filepath.Join(s.dir, "test.yaml"), []byte(text), 0o600)
}

func (s *Server) launch(ctx context.Context) error {
	s.process = exec.CommandContext(context.WithoutCancel(ctx), filepath.Join(s.bin, "temporal-server"), //nolint:gosec // it is ours
		"--root", s.dir, "--config", ".", "--env", "test", "--allow-no-auth", "start")
	log, err := os.Create(s.log())
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the process has it
	s.process.Stdout, s.process.Stderr = log, log
	s.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return s.process.Start()
}

func (s *Server) log() string { return filepath.Join(s.dir, "log") }

// startTime is how long the server may take to answer.
const startTime = 2 * time.Minute

// namespace creates the namespace when the server answers, and waits until it is known everywhere.
func (s *Server) namespace(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for _, args := range [][]string{
		{"operator", "namespace", "create", "--address", s.Address(), "--retention", "72h", "-n", "default"},
		{"workflow", "list", "--address", s.Address(), "--limit", "1"},
	} {
		for {
			if err = s.run(ctx, "temporal", args...); err == nil {
				break
			}
			select {
			case <-ctx.Done():
				said, _ := os.ReadFile(s.log())
				return fmt.Errorf("%w: %w; the server said at last: %s", ctx.Err(), err, said[max(0, len(said)-2000):])
			case <-time.After(200 * time.Millisecond):
			}
		}
	}
	return nil
}
