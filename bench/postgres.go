package main

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
	"strings"
	"syscall"
	"time"
)

// postgres is a server of PostgreSQL for one measurement. It counts statements.
type postgres struct {
	dir, bin string
	port     int
	as       *syscall.SysProcAttr
	process  *exec.Cmd
}

// startPostgres starts the newest PostgreSQL that is installed, with an empty directory. It waits for the disk, as in production.
func startPostgres(ctx context.Context) (*postgres, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil || len(found) == 0 {
		return nil, absentError("PostgreSQL is not installed: install Debian's package postgresql")
	}
	slices.Sort(found)
	dir, err := os.MkdirTemp("", "bench-postgres-")
	if err != nil {
		return nil, err
	}
	p := &postgres{dir: dir, bin: filepath.Dir(found[len(found)-1]), as: &syscall.SysProcAttr{}}
	if err := p.start(ctx); err != nil {
		return nil, errors.Join(err, p.stop())
	}
	return p, nil
}

func (p *postgres) start(ctx context.Context) (err error) {
	if err := p.leaveRoot(); err != nil {
		return err
	}
	if p.port, err = freePort(ctx); err != nil {
		return err
	}
	data := filepath.Join(p.dir, "data")
	initialize := exec.CommandContext(ctx, filepath.Join(p.bin, "initdb"), "-D", data, "-U", "bench", "-A", "trust", "-E", "UTF8", "--no-locale")
	initialize.SysProcAttr, initialize.Dir = p.as, p.dir
	if out, err := initialize.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	p.process = exec.CommandContext(context.WithoutCancel(ctx), filepath.Join(p.bin, "postgres"), "-D", data, "-p", strconv.Itoa(p.port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "max_connections=200",
		"-c", "shared_preload_libraries=pg_stat_statements", "-c", "full_page_writes=off") // what a checkpoint adds would hide the rest
	p.process.SysProcAttr, p.process.Dir = p.as, p.dir
	if err := p.process.Start(); err != nil {
		return err
	}
	return eventually(ctx, time.Minute, func() error {
		_, err := p.query(ctx, "CREATE EXTENSION IF NOT EXISTS pg_stat_statements; SELECT 1")
		return err
	})
}

// leaveRoot makes the server run as another user, who gets its directory, because PostgreSQL refuses to run as root.
func (p *postgres) leaveRoot() error {
	if os.Getuid() != 0 {
		return nil
	}
	somebody, err := user.Lookup("postgres")
	if err != nil {
		return err
	}
	uid, err := strconv.ParseUint(somebody.Uid, 10, 32)
	if err != nil {
		return err
	}
	gid, err := strconv.ParseUint(somebody.Gid, 10, 32)
	if err != nil {
		return err
	}
	p.as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return os.Chown(p.dir, int(uid), int(gid))
}

func (p *postgres) address() string {
	return fmt.Sprintf("postgres://bench@127.0.0.1:%d/postgres", p.port)
}

// query returns the last line that psql prints for statements.
func (p *postgres) query(ctx context.Context, statements string) (string, error) {
	out, err := output(ctx, p.dir, time.Minute, filepath.Join(p.bin, "psql"), "-qAtX", "-v", "ON_ERROR_STOP=1", "-d", p.address(), "-c", statements)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1], err
}

// reset begins the count of statements anew, and returns how much was written to the log so far.
func (p *postgres) reset(ctx context.Context) (float64, error) {
	out, err := p.query(ctx, "SELECT pg_stat_statements_reset(); SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(out, 64)
}

// count returns the statements since the last reset, and the bytes that were written to the log in the server's whole life.
func (p *postgres) count(ctx context.Context) (statements, written float64, err error) {
	out, err := p.query(ctx, "SELECT sum(calls), pg_current_wal_insert_lsn() - '0/0'::pg_lsn FROM pg_stat_statements")
	if err != nil {
		return 0, 0, err
	}
	_, err = fmt.Sscanf(strings.ReplaceAll(out, "|", " "), "%g %g", &statements, &written)
	return statements, written, err
}

// stop ends the server and removes its directory.
func (p *postgres) stop() error {
	if p.process != nil && p.process.Process != nil {
		_ = p.process.Process.Signal(syscall.SIGINT)
		_ = p.process.Wait()
	}
	return os.RemoveAll(p.dir)
}

func freePort(ctx context.Context) (int, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil //nolint:forcetypeassert // it listens on TCP
}

// eventually calls a function until it succeeds, for at most a time.
func eventually(ctx context.Context, limit time.Duration, try func() error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, context.Cause(ctx))
		case <-time.After(50 * time.Millisecond):
		}
	}
}
