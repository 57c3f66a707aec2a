package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// agentServer is a started server of agents, which speaks LangGraph's API.
type agentServer struct {
	url     string
	client  *http.Client
	process *exec.Cmd
	ended   chan struct{} // closed when the process has ended
	dir     string
	store   *postgres // nil: it does not use one
}

// The flavours of rows that are servers.
const (
	inSQLite   = "sqlite"
	inMemory   = "memory"
	inPostgres = "postgres"
)

// serverCommand returns the command of a row's server, and what it adds to the environment.
func serverCommand(row Row, port, dir, database string) (argv, env []string) {
	switch row.Peer {
	case "langgraph-server":
		return slices.Concat(programs[row.Peer], []string{
			"--host", "127.0.0.1", "--port", port, "--no-browser", "--no-reload", "--allow-blocking", "--n-jobs-per-worker", "16",
		}), []string{"LANGSMITH_TRACING=false", "LANGGRAPH_NO_VERSION_CHECK=true", "LANGGRAPH_CLI_NO_ANALYTICS=1", "LOG_LEVEL=warning"}
	case "aegra":
		return slices.Concat(programs[row.Peer], []string{"--host", "127.0.0.1", "--port", port, "--config", "aegra.json"}),
			[]string{"DATABASE_URL=" + database, "LANGSMITH_TRACING=false", "LOG_LEVEL=WARNING"}
	}
	storage := map[string]string{inSQLite: "sqlite:" + filepath.Join(dir, "agents.db"), inMemory: inMemory, inPostgres: database}[row.Flavor]
	argv = []string{
		".out/agenthost", "serve", "-f", "server/agent.yaml", "-f", "server/clock.yaml", "--config", "server/serve.yaml",
		"--listen", "127.0.0.1:" + port,
	}
	if row.Flavor != inMemory {
		argv = append(argv, "--storage", storage)
	}
	return argv, nil
}

// startAgents starts the server of a row, with a model for the agent clock at an address, and waits until it answers.
func startAgents(ctx context.Context, row Row, model string) (_ *agentServer, err error) {
	s := &agentServer{ended: make(chan struct{})}
	s.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.stop())
		}
	}()
	if s.dir, err = os.MkdirTemp("", "bench-server-"); err != nil {
		return nil, err
	}
	database := ""
	if row.Flavor == inPostgres {
		if s.store, err = startPostgres(ctx); err != nil {
			return nil, err
		}
		database = s.store.address()
	}
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	argv, env := serverCommand(row, strconv.Itoa(port), s.dir, database)
	s.url = fmt.Sprintf("http://127.0.0.1:%d", port)
	s.process = exec.CommandContext(context.WithoutCancel(ctx), argv[0], argv[1:]...)
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	s.process.Dir, s.process.Stdout, s.process.Stderr = filepath.Join("peers", row.Peer), log, log
	s.process.Env = append(append(os.Environ(), "MODEL_URL="+model, "OPENAI_API_KEY=none"), env...)
	s.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.process.Start(); err != nil {
		s.process = nil
		return nil, err
	}
	go func() {
		_ = s.process.Wait()
		close(s.ended)
	}()
	starting, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		<-s.ended
		cancel()
	}()
	err = eventually(starting, time.Minute, func() error {
		_, err := s.do(starting, http.MethodPost, "/assistants/search", `{}`)
		return err
	})
	if err != nil {
		said, _ := os.ReadFile(log.Name())
		return nil, fmt.Errorf("it does not answer: %w: ... %s", err, said[max(0, len(said)-600):])
	}
	return s, nil
}

// stop ends the server and what it started.
func (s *agentServer) stop() (err error) {
	s.client.CloseIdleConnections()
	if s.process != nil {
		_ = syscall.Kill(-s.process.Process.Pid, syscall.SIGTERM)
		select {
		case <-s.ended:
		case <-time.After(10 * time.Second):
			_ = syscall.Kill(-s.process.Process.Pid, syscall.SIGKILL)
			<-s.ended
		}
	}
	if s.store != nil {
		err = s.store.stop()
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

// open sends a request and returns the body of its answer.
func (s *agentServer) open(ctx context.Context, method, path, body string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1<<12))
		_ = response.Body.Close()
		return nil, fmt.Errorf("%s %s: %s: %s", method, path, response.Status, text)
	}
	return response.Body, nil
}

func (s *agentServer) do(ctx context.Context, method, path, body string) ([]byte, error) {
	answer, err := s.open(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Close() }()
	return io.ReadAll(answer)
}

// memory returns the resident memory of the server's processes, in bytes.
func (s *agentServer) memory() (float64, error) {
	processes, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, err
	}
	total := 0.0
	for _, name := range processes {
		stat, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(stat), ") ") // state, parent, group, ...; the name may have spaces
		fields := strings.Fields(rest)
		if len(fields) > 21 && fields[2] == strconv.Itoa(s.process.Process.Pid) {
			pages, err := strconv.ParseFloat(fields[21], 64)
			if err != nil {
				return 0, err
			}
			total += pages * float64(os.Getpagesize())
		}
	}
	if total == 0 {
		return 0, errors.New("the server has ended")
	}
	return total, nil
}
