// Package testservers runs third-party servers for tests. make servers installs them.
package testservers

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Variable is the environment variable with the folder of the installed servers, which holds node_modules and venv. The default is
// .bin/servers in the repository of the test.
const Variable = "AGENTHOST_TESTSERVERS"

var errNone = errors.New("the test servers are not installed: run make servers, which needs Node.js 20 or later, and Python 3.11 with venv")

// find returns the path of an installed file, if it and its interpreter exist.
func find(path, interpreter string) (string, error) {
	dir := os.Getenv(Variable)
	if dir == "" {
		root, err := repository()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(root, ".bin", "servers")
	}
	path = filepath.Join(dir, filepath.FromSlash(path))
	if _, err := os.Stat(path); err != nil { //nolint:gosec // the folder is the developer's
		return "", fmt.Errorf("%w (%w)", errNone, err)
	}
	if _, err := exec.LookPath(interpreter); err != nil {
		return "", fmt.Errorf("%w (%w)", errNone, err)
	}
	return path, nil
}

// repository returns the folder above the test's that holds go.mod.
func repository() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errNone
		}
		dir = up
	}
	return "", err
}

// installed returns the path of a server's file, which an interpreter runs. If the servers are not installed, the test is skipped,
// or fails in CI.
func installed(t *testing.T, path, interpreter string) string {
	t.Helper()
	found, err := find(path, interpreter)
	if errors.Is(err, errNone) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// node starts a script of a package: see start.
func node(t *testing.T, path string, args, env []string, ready func(line string) (string, bool)) string {
	t.Helper()
	return start(t, append([]string{"node", installed(t, "node_modules/"+path, "node")}, args...), env, ready)
}

// start starts a server, and returns the result of ready for the first line of output that ready accepts. The process ends with
// the test.
func start(t *testing.T, command, env []string, ready func(line string) (string, bool)) string {
	t.Helper()
	return startIn(t, "", command, env, ready)
}

// startIn is start in a folder; "" is that of the test.
func startIn(t *testing.T, dir string, command, env []string, ready func(line string) (string, bool)) string {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())       // it ends after the test's clean-ups
	cmd := exec.CommandContext(ctx, command[0], command[1:]...) //nolint:gosec // make servers has installed it
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "NO_COLOR=1"), env...)
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var reading sync.WaitGroup
	t.Cleanup(func() {
		stop()
		reading.Wait()
		_ = cmd.Wait() // it was killed
	})
	lines := bufio.NewScanner(output)
	var said []string
	for lines.Scan() {
		if address, ok := ready(lines.Text()); ok {
			reading.Go(func() { _, _ = io.Copy(io.Discard, output) }) // a full pipe would stop it
			return address
		}
		said = append(said, lines.Text())
	}
	t.Fatalf("%s ended before it was ready:\n%s", strings.Join(command, " "), strings.Join(said, "\n"))
	return ""
}

// Aimock starts aimock, a server that imitates OpenAI, Anthropic and Gemini, with the fixtures of a file or folder. It returns the
// server's address, such as "http://127.0.0.1:1234".
func Aimock(t *testing.T, fixtures string) string {
	t.Helper()
	const listening = "listening on "
	return node(t, "@copilotkit/aimock/dist/cli.js", []string{"-p", "0", "-f", fixtures}, nil, func(line string) (string, bool) {
		_, address, ok := strings.Cut(line, listening)
		return strings.TrimSpace(address), ok
	})
}

// Inspector returns the command of the MCP inspector's client. The command of a server and what to ask it are its arguments.
func Inspector(t *testing.T) []string {
	t.Helper()
	return []string{"node", installed(t, "node_modules/@modelcontextprotocol/inspector-cli/build/cli.js", "node"), "--cli"}
}

const everything = "@modelcontextprotocol/server-everything/dist/index.js"

// Everything returns the command of the MCP server that exercises the whole protocol over standard input and output.
func Everything(t *testing.T) []string {
	t.Helper()
	return []string{"node", installed(t, "node_modules/"+everything, "node"), "stdio"}
}

// EverythingHTTP starts the same server over streamable HTTP, and returns its address.
func EverythingHTTP(t *testing.T) string {
	t.Helper()
	return everythingAt(t, "streamableHttp", "/mcp", "listening on port")
}

// EverythingSSE starts the same server over the older HTTP+SSE transport, and returns its address.
func EverythingSSE(t *testing.T) string {
	t.Helper()
	return everythingAt(t, "sse", "/sse", "running on port")
}

// OAuthMCP starts the MCP server of the protocol's TypeScript SDK that needs a login, together with its authorization server, which
// permits every access. It returns the address of the MCP server.
func OAuthMCP(t *testing.T) string {
	t.Helper()
	port := FreePort(t)
	ports := []string{"MCP_PORT=" + port, "MCP_AUTH_PORT=" + FreePort(t)}
	const server = "@modelcontextprotocol/sdk/dist/esm/examples/server/simpleStreamableHttp.js"
	return node(t, server, []string{"--oauth"}, ports, func(line string) (string, bool) {
		return "http://localhost:" + port + "/mcp", strings.Contains(line, "MCP Streamable HTTP Server listening")
	})
}

// everythingAt starts the server with a transport.
func everythingAt(t *testing.T, transport, path, ready string) string {
	t.Helper()
	port := FreePort(t)
	return node(t, everything, []string{transport}, []string{"PORT=" + port}, func(line string) (string, bool) {
		return "http://localhost:" + port + path, strings.Contains(line, ready)
	})
}

// FreePort returns a port that was free a moment ago, for servers that cannot choose one.
func FreePort(t *testing.T) string {
	t.Helper()
	free, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(free.Addr().String()) // of an address that was made
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	return port
}

// Program returns the path of a program that a target of the Makefile of the same name installs. If it is not installed, the test is skipped.
func Program(t *testing.T, name string) string {
	t.Helper()
	found, err := find(name, "sh")
	if err != nil {
		t.Skip(err)
	}
	return found
}
