// Package pgtest runs a PostgreSQL server for tests.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Address returns the address of a new, empty database on a server that all tests of the process share. If PostgreSQL is not
// installed, the test is skipped, or fails in CI.
func Address(t *testing.T) string {
	t.Helper()
	server, err := shared()
	require(t, err)
	return server.Database(t)
}

// Own starts a server for one test, which may stop and restart it.
func Own(t *testing.T) *Server {
	t.Helper()
	server, err := Start()
	require(t, err)
	t.Cleanup(server.Stop)
	return server
}

func require(t *testing.T, err error) {
	t.Helper()
	if errors.Is(err, errNone) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Main runs the tests of a package and then stops the server, if one was started.
func Main(run func() int) int {
	defer func() {
		if failure == nil {
			present.Stop()
		}
	}()
	return run()
}

var errNone = errors.New("PostgreSQL is not installed: install Debian's package postgresql")

var (
	once    sync.Once
	present *Server
	failure = errNone
)

func shared() (*Server, error) {
	once.Do(func() { present, failure = Start() })
	return present, failure
}

// Server is a PostgreSQL server for tests, on a port of the loopback interface.
type Server struct {
	dir       string
	bin       string // of the programs
	as        *syscall.SysProcAttr
	port      int
	process   *exec.Cmd
	databases int
	mu        sync.Mutex
}

// Start creates a server with an empty directory and starts it. It does not wait for the disk, because its data is temporary.
func Start() (*Server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pgtest-")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, bin: bin}
	if err := s.initialize(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := s.launch(); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// Careful is the only user whom the server asks for a password. The test must create it.
const Careful = "careful"

// initialize creates the server's directory.
func (s *Server) initialize() (err error) {
	if s.as, err = s.asSomebody(); err != nil {
		return err
	}
	initialize := exec.CommandContext(context.Background(), filepath.Join(s.bin, "initdb"), "-D", s.data(), //nolint:gosec // the server that is installed
		"-U", "test", "-A", "trust", "-E", "UTF8", "--no-locale", "-N")
	initialize.SysProcAttr, initialize.Dir = s.as, s.dir
	if out, err := initialize.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	path := filepath.Join(s.data(), "pg_hba.conf")
	rules, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	rules = append([]byte("host all "+Careful+" 127.0.0.1/32 scram-sha-256\n"), rules...)
	if err := os.WriteFile(path, rules, 0o600); err != nil { //nolint:gosec // it keeps its owner
		return err
	}
	s.port, err = freePort()
	return err
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// launch starts the server's process and waits until it answers.
func (s *Server) launch() error {
	program := filepath.Join(s.bin, "postgres")
	s.process = exec.CommandContext(context.Background(), program, "-D", s.data(), "-p", strconv.Itoa(s.port), //nolint:gosec // as above
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "max_connections=200")
	s.process.SysProcAttr, s.process.Dir = s.as, s.dir
	if err := s.process.Start(); err != nil {
		return err
	}
	return s.wait()
}

// Restart stops the server at once, like a crash, and starts it again on the same port.
func (s *Server) Restart() error {
	s.crash()
	return s.launch()
}

func (s *Server) crash() {
	if s.process == nil || s.process.Process == nil {
		return
	}
	_ = s.process.Process.Signal(syscall.SIGQUIT)
	_ = s.process.Wait()
}

// binaries returns the directory with the programs of the newest server.
func binaries() (string, error) {
	if path, err := exec.LookPath("postgres"); err == nil {
		return filepath.Dir(path), nil
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil || len(found) == 0 {
		return "", errNone
	}
	slices.Sort(found)
	return filepath.Dir(found[len(found)-1]), nil
}

// asSomebody makes the process run as another user, who gets the server's directory, because PostgreSQL refuses to run as root.
func (s *Server) asSomebody() (*syscall.SysProcAttr, error) {
	attributes := &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT}
	if os.Getuid() != 0 {
		return attributes, nil
	}
	somebody, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.Atoi(somebody.Uid)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.Atoi(somebody.Gid)
	if err != nil {
		return nil, err
	}
	attributes.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return attributes, os.Chown(s.dir, uid, gid)
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it does not wait
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil //nolint:forcetypeassert // it listens on TCP
}

// wait waits until the server answers.
func (s *Server) wait() error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, s.Address("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the server does not answer: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Address returns the address of a database of the server.
func (s *Server) Address(database string) string {
	return fmt.Sprintf("postgres://test@127.0.0.1:%d/%s?sslmode=disable", s.port, database)
}

// Port returns the server's TCP port on the loopback interface.
func (s *Server) Port() int { return s.port }

// Database creates an empty database and returns its address.
func (s *Server) Database(t *testing.T) string {
	t.Helper()
	s.mu.Lock()
	s.databases++
	name := "test" + strconv.Itoa(s.databases)
	s.mu.Unlock()
	conn, err := pgx.Connect(t.Context(), s.Address("postgres"))
	require(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	_, err = conn.Exec(t.Context(), "CREATE DATABASE "+name)
	require(t, err)
	return s.Address(name)
}

// Stop stops the server at once and removes its directory.
func (s *Server) Stop() {
	s.crash()
	_ = os.RemoveAll(s.dir)
}
