package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A Peer is a directory in peers/ with build.sh and a program. build.sh installs or compiles exact versions of what is missing, and
// prints a line with the relevant versions. The program gets a suite, a case and a length in seconds. It warms up, measures for
// about that long, verifies its work, and prints a [Measurement] as JSON. If it cannot do the case, it exits with 2 and gives the
// reason on standard error.
type Peer struct {
	Name     string
	Versions string
	Absent   string // why it could not be built
}

// programs are the names of the peers' programs in their directories.
var programs = map[string][]string{
	"agenthost":        {".out/peer"},
	"eino":             {".out/peer"},
	"adk":              {".out/peer"},
	"langchain-python": {".venv/bin/python", "peer.py"},
	"langchain-js":     {"node", "peer.mjs"},
	"langgraph-server": {".venv/bin/langgraph", "dev"},
	"aegra":            {".venv/bin/aegra", "serve"},
}

// A Measurement is a peer's report of one case.
type Measurement struct {
	NS     float64            `json:"ns"`              // nanoseconds per unit of the suite
	Allocs *float64           `json:"allocs"`          // per unit
	Bytes  *float64           `json:"bytes"`           // allocated per unit
	Check  string             `json:"check"`           // the work that was done, in words that all peers share
	Extra  map[string]float64 `json:"extra,omitempty"` // other numbers
}

// absentError says why a peer has no such case.
type absentError string

func (e absentError) Error() string { return string(e) }

func (p *Peer) directory() string { return filepath.Join("peers", p.Name) }

// build prepares the peer, or records why it is absent.
func (p *Peer) build(ctx context.Context) error {
	out, err := output(ctx, p.directory(), 20*time.Minute, "bash", "build.sh")
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if p.Versions = strings.TrimSpace(string(out)); err != nil {
		p.Absent = err.Error()
	}
	return nil
}

// measure performs a case once.
func (p *Peer) measure(ctx context.Context, o *Options, suite *Suite, argument string) (*Measurement, error) {
	command := append(pinned(o, suite.Free), programs[p.Name]...)
	command = append(command, suite.Name, argument, strconv.FormatFloat(o.Seconds, 'f', -1, 64))
	out, err := output(ctx, p.directory(), 10*time.Minute, command[0], command[1:]...)
	if err != nil {
		return nil, err
	}
	m := &Measurement{}
	if err := json.Unmarshal(out, m); err != nil {
		return nil, fmt.Errorf("its output %q: %w", out, err)
	}
	if m.NS <= 0 || m.Check == "" {
		return nil, fmt.Errorf("its output %q lacks ns or check", out)
	}
	return m, nil
}

// pinned returns the command that runs another one on one core.
func pinned(o *Options, free bool) []string {
	if free {
		return nil
	}
	return []string{"taskset", "-c", strconv.Itoa(o.Core)}
}

// output returns a program's standard output. The error contains its standard error.
func output(ctx context.Context, directory string, limit time.Duration, name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var out, said bytes.Buffer
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Stdout, c.Stderr = directory, &out, &said
	err := c.Run()
	text := strings.TrimSpace(said.String())
	var exit *exec.ExitError
	switch {
	case err == nil:
		return out.Bytes(), nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s: %w", name, context.Cause(ctx))
	case errors.As(err, &exit) && exit.ExitCode() == 2:
		return nil, absentError(text)
	default:
		return nil, fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, text)
	}
}
