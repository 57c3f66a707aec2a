package server_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
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

	"github.com/coder/websocket"
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
	"github.com/agenthost/agenthost/server/internal/access"
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

// demanded says that the proxies must be there, and that streams are silent for longer than proxies wait: for more than a minute.
var demanded = os.Getenv("AGENTHOST_PROXIES") != ""

// behind is a proxy in front of a server.
type behind struct {
	t       *testing.T
	client  *http.Client
	url     string
	roots   func() ([]byte, error) // the certificates of the proxy's authority, as PEM
	blocked chan *blocked          // each call of the agent's tool
}

// blocked is a call of a tool that waits.
type blocked struct {
	let  chan struct{} // closed by the test: it may end
	left chan struct{} // closed by the tool: its run was cancelled
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
			call := &blocked{let: make(chan struct{}), left: make(chan struct{})}
			b.blocked <- call
			select {
			case <-call.let:
				return "done", nil
			case <-ctx.Done():
				close(call.left)
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
	listening := httptest.NewUnstartedServer(nil)
	listening.Config = access.NewServer(s.Handler(), slog.New(slog.DiscardHandler))
	listening.Start()
	b.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		s.Close(ctx)
		listening.Close()
		require.NoError(b.t, agent.Close())
	})
	return strings.TrimPrefix(listening.URL, "http://")
}

// start starts a proxy, and waits until it answers.
func (b *behind) start(dir, name string, args ...string) {
	b.t.Helper()
	command := exec.CommandContext(context.WithoutCancel(b.t.Context()), name, args...)
	var said strings.Builder
	command.Stdout, command.Stderr = &said, &said
	command.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME=", "XDG_DATA_HOME=")
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
	for !b.answers() {
		select {
		case <-ended:
			require.FailNow(b.t, name+" has ended", "%v: %s", exit, said.String())
		case <-ticks.C:
		}
	}
}

// answers reports whether the proxy passes on requests.
func (b *behind) answers() bool {
	b.t.Helper()
	pool := x509.NewCertPool()
	certificates, err := b.roots()
	if err != nil || !pool.AppendCertsFromPEM(certificates) {
		return false
	}
	transport, _ := b.client.Transport.(*http.Transport)
	transport.TLSClientConfig.RootCAs = pool
	request, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.url+"/ok", http.NoBody)
	require.NoError(b.t, err)
	response, err := b.client.Do(request)
	if err != nil {
		return false
	}
	require.NoError(b.t, response.Body.Close())
	return response.StatusCode == http.StatusOK
}

// reply is an answer whose body is still to be read. It is closed when the test ends.
type reply struct {
	status int
	header http.Header
	proto  string
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
	return &reply{response.StatusCode, response.Header, response.Proto, response.Body}
}

// thread makes a thread.
func (b *behind) thread() string {
	b.t.Helper()
	var thread struct {
		ID string `json:"thread_id"`
	}
	created := b.send(b.t.Context(), http.MethodPost, "/threads", "{}")
	require.Equal(b.t, http.StatusOK, created.status)
	require.NoError(b.t, json.NewDecoder(created.body).Decode(&thread))
	return "/threads/" + thread.ID
}

// work is the body of a request for a run.
const work = `{"assistant_id": "agent", "input": {"messages": [{"type": "human", "content": "go"}]}, "stream_mode": "updates"}`

// The configurations of proxies in docs/server.md pass on what clients need: streams as they come, for as long as they are silent, a way back into them,
// large bodies, and that a client has left.
func TestBehindAProxy(t *testing.T) {
	t.Parallel()
	for name, proxy := range map[string]struct {
		setup func(t *testing.T, b *behind, dir, socket string)
		proto string
	}{"nginx": {startNginx, "HTTP/1.1"}, "caddy": {startCaddy, "HTTP/2.0"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(name); err != nil && !demanded {
				t.Skipf("there is no %s", name)
			}
			dir, err := os.MkdirTemp("", "proxy") //nolint:usetesting // the path of a socket must be short
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
			socket := filepath.Join(dir, "s")
			b := &behind{t: t, url: "https://agents.example.com", blocked: make(chan *blocked, 10)}
			b.client = &http.Client{Transport: &http.Transport{
				ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
				DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
					return (&net.Dialer{}).DialContext(ctx, "unix", socket)
				},
			}}
			proxy.setup(t, b, dir, socket)
			require.Equal(t, proxy.proto, b.send(t.Context(), http.MethodGet, "/info", "").proto)
			b.streams()
			b.origins()
			b.bodies()
			b.leaves()
			b.sockets()
			if demanded {
				b.silence()
			}
		})
	}
}

// sockets checks that a WebSocket passes, both ways.
func (b *behind) sockets() {
	b.t.Helper()
	transport, _ := b.client.Transport.(*http.Transport)
	transport = transport.Clone()
	transport.ForceAttemptHTTP2, transport.TLSClientConfig.NextProtos = false, []string{"http/1.1"} // HTTP/2 has no Upgrade
	defer transport.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, b.url+"/threads/6f0c7c5e-aaaa-4d28-8000-1db9e5e1f6a4/stream/events", &websocket.DialOptions{ //nolint:bodyclose // the package closes it
		HTTPClient: &http.Client{Transport: transport},
	})
	require.NoError(b.t, err)
	require.NoError(b.t, conn.Write(ctx, websocket.MessageText, []byte(`{"id":7,"method":"subscription.subscribe","params":{"channels":["values"]}}`)))
	_, answer, err := conn.Read(ctx)
	require.NoError(b.t, err)
	require.Contains(b.t, string(answer), `"type":"success","id":7`)
	_ = conn.CloseNow() // a proxy may have closed its end first
}

func startNginx(t *testing.T, b *behind, dir, socket string) {
	t.Helper()
	certified := httptest.NewTLSServer(nil)
	certificate := certified.TLS.Certificates[0]
	certified.Close()
	key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	require.NoError(t, err)
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})
	write := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, text, 0o600))
		return path
	}
	site := replaced(t, documented(t, "nginx"), "127.0.0.1:8123", b.startServer())
	site = replaced(t, site, "listen 443 ssl", "listen unix:"+socket+" ssl")
	site = replaced(t, site, "/etc/ssl/agents.pem", write("cert.pem", public))
	site = replaced(t, site, "/etc/ssl/agents.key", write("key.pem", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})))
	temporary := ""
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		temporary += kind + "_temp_path " + filepath.Join(dir, kind) + ";\n"
	}
	file := write("nginx.conf", []byte("daemon off; master_process off; pid "+filepath.Join(dir, "pid")+"; error_log stderr;\n"+
		"events {}\nhttp {\naccess_log off; gzip on; gzip_types *;\n"+temporary+site+"}\n"))
	transport, _ := b.client.Transport.(*http.Transport)
	transport.TLSClientConfig.ServerName = "example.com" // which is in Go's certificate for tests
	b.roots = func() ([]byte, error) { return public, nil }
	b.start(dir, "nginx", "-c", file, "-e", "stderr")
}

func startCaddy(t *testing.T, b *behind, dir, socket string) {
	t.Helper()
	site := replaced(t, documented(t, "caddy"), "127.0.0.1:8123", b.startServer())
	site = replaced(t, site, "agents.example.com {", "agents.example.com {\n\tbind unix/"+socket)
	// It asks no authority on the network for a certificate, and tells neither the system nor port 80 of the site.
	options := "{\n\tadmin off\n\tauto_https disable_redirects\n\tlocal_certs\n\tskip_install_trust\n\tstorage file_system " + dir + "\n" +
		"\tservers {\n\t\tprotocols h1 h2\n\t}\n}\n"
	file := filepath.Join(dir, "Caddyfile")
	require.NoError(t, os.WriteFile(file, []byte(options+site), 0o600))
	b.roots = func() ([]byte, error) {
		return os.ReadFile(filepath.Join(dir, "pki", "authorities", "local", "root.crt"))
	}
	b.start(dir, "caddy", "run", "--config", file, "--adapter", "caddyfile")
}

// streams reads a part of a stream while the run waits, leaves, and comes back for the rest.
func (b *behind) streams() {
	b.t.Helper()
	started := b.send(b.t.Context(), http.MethodPost, b.thread()+"/runs", work)
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
	call := <-b.blocked
	leave()
	stream = b.send(b.t.Context(), http.MethodGet, at+"/stream", "", "Last-Event-ID", reader.LastID())
	close(call.let)
	require.Equal(b.t, []string{"updates", "updates"}, b.rest(stream.body), "the tool and the answer")
}

// rest returns the names of the events of a stream until its end.
func (b *behind) rest(stream io.Reader) (names []string) {
	b.t.Helper()
	reader := sse.NewReader(stream, 0)
	for {
		event, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		require.NoError(b.t, err)
		names = append(names, event.Name)
	}
}

// origins sends requests of pages.
func (b *behind) origins() {
	b.t.Helper()
	own := b.send(b.t.Context(), http.MethodPost, "/threads", "{}", "Origin", b.url, "X-Request-ID", "a b")
	require.Equal(b.t, http.StatusOK, own.status)
	require.NotEmpty(b.t, own.header.Get("X-Request-ID"))
	require.Equal(b.t, http.StatusForbidden, b.send(b.t.Context(), http.MethodPost, "/threads", "{}", "Origin", "https://evil.example").status)
}

// bodies sends the largest body that the server takes, reads an answer that is as large, and sends a body that is too large.
func (b *behind) bodies() {
	b.t.Helper()
	const limit = 4 << 20
	const before, after = `{"values": {"messages": [{"type": "human", "content": "`, `"}]}}`
	path := b.thread() + "/state"
	largest := strings.Repeat("x", limit-len(before)-len(after))
	changed := b.send(b.t.Context(), http.MethodPost, path, before+largest+after)
	require.Equal(b.t, http.StatusOK, changed.status)
	text, err := io.ReadAll(b.send(b.t.Context(), http.MethodGet, path, "").body)
	require.NoError(b.t, err)
	require.Contains(b.t, string(text), largest)
	require.Equal(b.t, http.StatusRequestEntityTooLarge, b.send(b.t.Context(), http.MethodPost, path, before+largest+"x"+after).status)
}

// leaves goes away while a run is performed: the server notices, and cancels the run.
func (b *behind) leaves() {
	b.t.Helper()
	ctx, leave := context.WithCancel(b.t.Context())
	stream := b.send(ctx, http.MethodPost, b.thread()+"/runs/stream", work)
	call := <-b.blocked
	leave()
	<-call.left
	require.Equal(b.t, http.StatusOK, stream.status)

	ctx, leave = context.WithCancel(b.t.Context())
	defer leave()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, b.url+b.thread()+"/runs/wait", strings.NewReader(work))
	require.NoError(b.t, err)
	failed := make(chan error, 1)
	go func() {
		response, err := b.client.Do(request) // nothing is answered yet
		if err == nil {
			err = response.Body.Close()
		}
		failed <- err
	}()
	call = <-b.blocked
	leave()
	<-call.left
	require.ErrorIs(b.t, <-failed, context.Canceled)
}

// silence waits for longer than a minute, which is how long proxies wait by default: for a stream, and for the answer to a request that waits for its run.
func (b *behind) silence() {
	b.t.Helper()
	const beats = 14 // one each 5 s
	stream := b.send(b.t.Context(), http.MethodPost, b.thread()+"/runs/stream", work)
	first := <-b.blocked
	waiting := b.send(b.t.Context(), http.MethodPost, b.thread()+"/runs/wait", work)
	second := <-b.blocked
	lines := bufio.NewReader(stream.body)
	begun := time.Now()
	for n := 0; n < beats; {
		line, err := lines.ReadString('\n')
		require.NoError(b.t, err)
		if line == ": heartbeat\n" {
			n++
		}
	}
	require.Greater(b.t, time.Since(begun), time.Minute)
	close(first.let)
	close(second.let)
	require.Equal(b.t, []string{"updates", "updates"}, b.rest(lines))
	var values struct {
		Messages []struct {
			Content string `json:"content"`
		} `json:"messages"`
	}
	require.NoError(b.t, json.NewDecoder(waiting.body).Decode(&values))
	require.NotEmpty(b.t, values.Messages)
	require.Equal(b.t, "done", values.Messages[len(values.Messages)-1].Content)
}
