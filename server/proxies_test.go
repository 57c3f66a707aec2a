package server_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/runs"
	runsmemory "github.com/agenthost/agenthost/runs/memory"
	"github.com/agenthost/agenthost/server"
	"github.com/agenthost/agenthost/server/config"
	"github.com/agenthost/agenthost/server/internal/sse"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// documented returns a configuration of docs/server.md: the first block of code of this kind.
func documented(t *testing.T, kind string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", "server.md"))
	require.NoError(t, err)
	block := regexp.MustCompile("(?s)```" + kind + "\n(.*?)```").FindSubmatch(text)
	require.NotNil(t, block)
	return string(block[1])
}

// replaced is text with another part in the place of one that must be there.
func replaced(t *testing.T, text, old, by string) string {
	t.Helper()
	require.Contains(t, text, old)
	return strings.Replace(text, old, by, 1)
}

// Every serve.yaml of the document is valid.
func TestTheDocumentedConfigurations(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "docs", "server.md"))
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1)
	require.GreaterOrEqual(t, len(blocks), 4)
	for _, block := range blocks {
		_, err := config.Parse("serve.yaml", block[1], config.Options{LookupEnv: func(name string) (string, bool) {
			return "postgres://localhost/" + name, true
		}})
		require.NoError(t, err, "%s", block[1])
	}
}

// behind is a proxy in front of a server.
type behind struct {
	t      *testing.T
	client *http.Client
	url    string
	began  chan struct{} // the tool was called
	let    chan struct{} // it may end
}

// startServer starts a server with an agent whose tool waits, and returns its address.
func (b *behind) startServer() string {
	b.t.Helper()
	rules, err := scripted.NewRules(
		scripted.Rule{From: "human", Call: []scripted.RuleCall{{Tool: "block", Args: map[string]any{}}}}, scripted.Rule{From: "tool", Say: "done"},
	)
	require.NoError(b.t, err)
	threads := memory.New()
	agent, err := host.New(host.Config{
		Name: "agent", Model: rules, Checkpointer: threads,
		Tools: []host.Tool{tool.Func("block", "Waits.", func(ctx context.Context, _ struct{}) (string, error) {
			b.began <- struct{}{}
			select {
			case <-b.let:
				return "done", nil
			case <-ctx.Done():
				return "", context.Cause(ctx)
			}
		})},
	})
	require.NoError(b.t, err)
	serve, err := config.Parse("serve.yaml", []byte("hosts: [agents.example.com]"), config.Options{})
	require.NoError(b.t, err)
	s, err := server.New(server.Config{
		Agents: map[string]runs.Agent{"agent": {Agent: agent, Threads: threads}}, Runs: runsmemory.New(runsmemory.Options{}), Serve: serve, Version: "test",
	})
	require.NoError(b.t, err)
	listening := httptest.NewServer(s.Handler())
	b.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		s.Close(ctx)
		listening.Close()
		require.NoError(b.t, agent.Close())
	})
	return strings.TrimPrefix(listening.URL, "http://")
}

// start starts a proxy that listens on a socket, and waits until it answers.
func (b *behind) start(socket, name string, args ...string) {
	b.t.Helper()
	command := exec.CommandContext(context.WithoutCancel(b.t.Context()), name, args...)
	var said strings.Builder
	command.Stdout, command.Stderr = &said, &said
	command.Env = append(os.Environ(), "HOME="+filepath.Dir(socket), "XDG_CONFIG_HOME=", "XDG_DATA_HOME=")
	require.NoError(b.t, command.Start())
	var exit error
	ended := make(chan struct{})
	go func() {
		exit = command.Wait()
		close(ended)
	}()
	b.t.Cleanup(func() {
		b.client.CloseIdleConnections()
		_ = command.Process.Signal(os.Interrupt)
		<-ended
	})
	ticks := time.NewTicker(20 * time.Millisecond)
	defer ticks.Stop()
	for {
		if conn, err := (&net.Dialer{}).DialContext(b.t.Context(), "unix", socket); err == nil {
			require.NoError(b.t, conn.Close())
			return
		}
		select {
		case <-ended:
			require.FailNow(b.t, name+" has ended", "%v: %s", exit, said.String())
		case <-ticks.C:
		}
	}
}

// reply is an answer whose body is still to be read. It is closed when the test ends.
type reply struct {
	status int
	header http.Header
	body   io.Reader
}

// send sends a request.
func (b *behind) send(ctx context.Context, method, path, body string, header ...string) *reply {
	b.t.Helper()
	request, err := http.NewRequestWithContext(ctx, method, b.url+path, strings.NewReader(body))
	require.NoError(b.t, err)
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := b.client.Do(request)
	require.NoError(b.t, err)
	b.t.Cleanup(func() { _ = response.Body.Close() })
	return &reply{response.StatusCode, response.Header, response.Body}
}

// The configurations of proxies in docs/server.md pass streams on as they come, and what a client needs to come back.
func TestBehindAProxy(t *testing.T) {
	t.Parallel()
	for name, setup := range map[string]func(t *testing.T, b *behind, dir, socket string){"nginx": startNginx, "caddy": startCaddy} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(name); err != nil {
				t.Skipf("there is no %s", name)
			}
			dir, err := os.MkdirTemp("", "proxy") //nolint:usetesting // the path of a socket must be short
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
			socket := filepath.Join(dir, "s")
			b := &behind{t: t, url: "http://agents.example.com", began: make(chan struct{}, 1), let: make(chan struct{})}
			b.client = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, "unix", socket)
			}}}
			setup(t, b, dir, socket)
			b.streams()
			b.origins()
		})
	}
}

func startNginx(t *testing.T, b *behind, dir, socket string) {
	t.Helper()
	certified := httptest.NewTLSServer(nil)
	certificate := certified.TLS.Certificates[0]
	roots := x509.NewCertPool()
	roots.AddCert(certified.Certificate())
	certified.Close()
	key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	require.NoError(t, err)
	write := func(name, kind string, bytes []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}), 0o600))
		return path
	}
	site := replaced(t, documented(t, "nginx"), "127.0.0.1:8123", b.startServer())
	site = replaced(t, site, "listen 443 ssl", "listen unix:"+socket+" ssl")
	site = replaced(t, site, "/etc/ssl/agents.pem", write("cert.pem", "CERTIFICATE", certificate.Certificate[0]))
	site = replaced(t, site, "/etc/ssl/agents.key", write("key.pem", "PRIVATE KEY", key))
	temporary := ""
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		temporary += kind + "_temp_path " + filepath.Join(dir, kind) + ";\n"
	}
	file := filepath.Join(dir, "nginx.conf")
	require.NoError(t, os.WriteFile(file, []byte("daemon off; master_process off; pid "+filepath.Join(dir, "pid")+"; error_log stderr;\n"+
		"events {}\nhttp {\naccess_log off; gzip on; gzip_types *;\n"+temporary+site+"}\n"), 0o600))
	b.url = "https://agents.example.com"
	transport, _ := b.client.Transport.(*http.Transport)
	transport.TLSClientConfig = &tls.Config{RootCAs: roots, ServerName: "example.com", MinVersion: tls.VersionTLS12}
	b.start(socket, "nginx", "-c", file, "-e", "stderr")
}

func startCaddy(t *testing.T, b *behind, dir, socket string) {
	t.Helper()
	site := replaced(t, documented(t, "caddy"), "127.0.0.1:8123", b.startServer())
	site = replaced(t, site, "agents.example.com {", "http://agents.example.com {\n\tbind unix/"+socket)
	file := filepath.Join(dir, "Caddyfile")
	require.NoError(t, os.WriteFile(file, []byte("{\n\tadmin off\n\tauto_https off\n}\n"+site), 0o600))
	b.start(socket, "caddy", "run", "--config", file, "--adapter", "caddyfile")
}

// streams reads a part of a stream while the run waits, leaves, and comes back for the rest.
func (b *behind) streams() {
	b.t.Helper()
	var thread struct {
		ID string `json:"thread_id"`
	}
	created := b.send(b.t.Context(), http.MethodPost, "/threads", "{}")
	require.Equal(b.t, http.StatusOK, created.status)
	require.NoError(b.t, json.NewDecoder(created.body).Decode(&thread))
	const run = `{"assistant_id": "agent", "input": {"messages": [{"type": "human", "content": "go"}]}, "stream_mode": "updates"}`
	started := b.send(b.t.Context(), http.MethodPost, "/threads/"+thread.ID+"/runs", run)
	require.Equal(b.t, http.StatusOK, started.status)
	at := started.header.Get("Content-Location")
	ctx, leave := context.WithCancel(b.t.Context())
	defer leave()
	stream := b.send(ctx, http.MethodGet, at+"/stream", "", "Last-Event-ID", "-1", "Accept-Encoding", "gzip")
	require.Empty(b.t, stream.header.Get("Content-Encoding"))
	reader := sse.NewReader(stream.body, 0)
	for _, name := range []string{"metadata", "updates"} { // the model has answered, and the tool waits
		event, err := reader.Next()
		require.NoError(b.t, err)
		require.Equal(b.t, name, event.Name)
	}
	<-b.began
	leave()
	stream = b.send(b.t.Context(), http.MethodGet, at+"/stream", "", "Last-Event-ID", reader.LastID())
	close(b.let)
	reader = sse.NewReader(stream.body, 0)
	var rest []string
	for {
		event, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(b.t, err)
		rest = append(rest, event.Name)
	}
	require.Equal(b.t, []string{"updates", "updates"}, rest, "the tool and the answer")
}

// origins sends requests of pages.
func (b *behind) origins() {
	b.t.Helper()
	own := b.send(b.t.Context(), http.MethodPost, "/threads", "{}", "Origin", b.url, "X-Request-ID", "a b")
	require.Equal(b.t, http.StatusOK, own.status)
	require.NotEmpty(b.t, own.header.Get("X-Request-ID"))
	require.Equal(b.t, http.StatusForbidden, b.send(b.t.Context(), http.MethodPost, "/threads", "{}", "Origin", "https://evil.example").status)
}
