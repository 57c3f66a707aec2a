package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/test/testservers"
)

// newcomer runs the command as somebody whose environment has only these variables.
type newcomer struct {
	t   *testing.T
	dir string
	env []string
}

func arrive(t *testing.T, env ...string) *newcomer {
	t.Helper()
	home := t.TempDir()
	return &newcomer{t, filepath.Join(home, "agent"), append(env, asCommand+"=1", "HOME="+home, "PATH="+os.Getenv("PATH"))}
}

func (n *newcomer) run(args ...string) (out, errors string, err error) {
	n.t.Helper()
	c := exec.CommandContext(n.t.Context(), os.Args[0], args...)
	c.Env, c.Dir = n.env, filepath.Dir(n.dir)
	if _, err := os.Stat(n.dir); err == nil {
		c.Dir = n.dir
	}
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err = c.Run()
	return stdout.String(), stderr.String(), err
}

// must runs the command, which must succeed, and returns what it prints.
func (n *newcomer) must(args ...string) (out, errors string) {
	n.t.Helper()
	out, errors, err := n.run(args...)
	require.NoError(n.t, err, "%s\n%s%s", strings.Join(args, " "), out, errors)
	return out, errors
}

// compatible is a server with OpenAI's API that answers with a text, and keeps the keys that it gets.
type compatible struct {
	mutex sync.Mutex
	keys  []string
}

func (s *compatible) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	s.keys = append(s.keys, r.Header.Get("Authorization"))
	s.mutex.Unlock()
	var body struct {
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
	}
	switch {
	case r.URL.Path == "/api/tags":
		_, _ = io.WriteString(w, `{"models":[{"name":"nomic-embed-text:latest"},{"name":"qwen3:8b"},{"name":"llama3.2:latest"}]}`)
	case !strings.HasSuffix(r.URL.Path, "/chat/completions") || json.NewDecoder(r.Body).Decode(&body) != nil:
		w.WriteHeader(http.StatusNotFound)
	case body.Stream:
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":\"I am %s.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", body.Model)
	default:
		fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":"I am %s."},"finish_reason":"stop"}]}`, body.Model)
	}
}

func TestANewcomerWithOllama(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(&compatible{})
	t.Cleanup(s.Close)
	address := strings.TrimPrefix(s.URL, "http://")
	n := arrive(t, "OLLAMA_HOST="+address)
	_, said := n.must("init", n.dir, "--yes")
	require.NotContains(t, said, "key")
	out, _ := n.must("run", "hello")
	require.Equal(t, "I am qwen3:8b.\n", out)
	out, _ = n.must("doctor", "--online")
	require.Contains(t, out, "ollama:qwen3:8b at "+address+" (the address in OLLAMA_HOST, set in the environment), which needs no key")
	require.Contains(t, out, address+" has the model")
	require.NoFileExists(t, filepath.Join(n.dir, ".env"))

	out, _, err := n.run("doctor", "--set", "model.name=gemma3")
	require.Error(t, err)
	require.Contains(t, out, address+" does not have the model gemma3\n")
	require.Contains(t, out, "→ load it with: ollama pull gemma3\n  │ it has nomic-embed-text:latest, qwen3:8b, llama3.2:latest\n")
	out, _ = n.must("doctor", "--set", "model.name=llama3.2")
	require.Contains(t, out, "has the model")

	s.Close()
	out, _, err = n.run("doctor")
	require.Error(t, err)
	require.Contains(t, out, "no server answers at "+address+": ")
	require.Contains(t, out, "→ start it with: ollama serve\n")
}

// selfSigned makes a certificate for a name, and a file with it.
func selfSigned(t *testing.T, name string) (own tls.Certificate, file string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), BasicConstraintsValid: true, IsCA: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	made, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	file = filepath.Join(t.TempDir(), "authority.pem")
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made}), 0o600))
	return tls.Certificate{Certificate: [][]byte{made}, PrivateKey: key}, file
}

// secured starts a proxy that leads to every host, and returns the address and the file with its authority's certificate.
func secured(t *testing.T, to http.Handler) (address, authority string, hosts func() []string) {
	t.Helper()
	origin := httptest.NewUnstartedServer(to)
	own, authority := selfSigned(t, "openrouter.ai")
	origin.TLS = &tls.Config{Certificates: []tls.Certificate{own}, MinVersion: tls.VersionTLS12}
	origin.StartTLS()
	t.Cleanup(origin.Close)
	var mutex sync.Mutex
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mutex.Lock()
		asked = append(asked, r.Host)
		mutex.Unlock()
		if r.Method != http.MethodConnect {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		server, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", strings.TrimPrefix(origin.URL, "https://"))
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		client, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n")
		var both sync.WaitGroup
		both.Go(func() { _, _ = io.Copy(server, client); _ = server.Close() })
		both.Go(func() { _, _ = io.Copy(client, server); _ = client.Close() })
		both.Wait()
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL, authority, func() []string { mutex.Lock(); defer mutex.Unlock(); return asked }
}

func TestANewcomerWithAKeyOfOpenRouter(t *testing.T) {
	t.Parallel()
	s := &compatible{}
	proxy, authority, hosts := secured(t, s)
	n := arrive(t, "OPENROUTER_API_KEY=sk-or-s3cret", "HTTPS_PROXY="+proxy, "SSL_CERT_FILE="+authority)
	_, said := n.must("init", n.dir, "--yes")
	require.NotContains(t, said, "write your key")
	out, _ := n.must("run", "hello")
	require.Equal(t, "I am anthropic/claude-haiku-4.5.\n", out)
	require.Equal(t, []string{"Bearer sk-or-s3cret"}, s.keys)
	require.Equal(t, []string{"openrouter.ai:443"}, hosts())
	out, _ = n.must("doctor")
	require.Contains(t, out, "openrouter:anthropic/claude-haiku-4.5; OPENROUTER_API_KEY is sent to openrouter.ai")
}

// The address of a server that does not run, or that has no model, is not dropped silently.
func TestInitSaysWhyItPassesOverAServer(t *testing.T) {
	t.Parallel()
	empty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"data": []}`) }))
	t.Cleanup(empty.Close)
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(refuses.Close)
	for address, why := range map[string]string{
		"http://127.0.0.1:1": "no server answers: ",
		empty.URL:            "the server there has no model that answers; ",
		refuses.URL:          "HTTP 401; if it needs a key, set LITELLM_PROXY_API_KEY; ",
	} {
		n := arrive(t, "LITELLM_PROXY_API_BASE="+address, "OPENROUTER_API_KEY=sk-or-s3cret")
		_, said := n.must("init", n.dir, "--yes")
		require.Contains(t, said, "· LITELLM_PROXY_API_BASE is set, but ")
		require.Contains(t, said, why)
		require.Contains(t, said, "to use the server all the same, add --force --provider litellm\n")
		file, err := os.ReadFile(filepath.Join(n.dir, manifestFile))
		require.NoError(t, err)
		require.Contains(t, string(file), "provider: openrouter")

		_, said = n.must("init", n.dir+"2", "--yes", "--provider", "litellm")
		require.NotContains(t, said, "is set, but ", "it is used")
	}
}

// Credentials of a cloud do not mean that its models can be used, and a script in place of a model is not what a newcomer expects.
func TestInitSaysThatItChoosesAScript(t *testing.T) {
	t.Parallel()
	const script = "· the model is a script, because no provider's key or server was found; for a real model, add --force --provider PROVIDER\n"
	n := arrive(t, "AWS_ACCESS_KEY_ID=AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY=secret-access-key", "AWS_REGION=eu-central-1")
	_, said := n.must("init", n.dir, "--yes")
	require.Contains(t, said, "· AWS_ACCESS_KEY_ID is set, but its account may have no models; to use them, add --force --provider bedrock\n"+script)
	n.must("init", "--yes", "--force", "--provider", "bedrock")
	file, err := os.ReadFile(filepath.Join(n.dir, manifestFile))
	require.NoError(t, err)
	require.Contains(t, string(file), "provider: bedrock")

	_, said = arrive(t).must("init", "agent", "--yes", "--provider", "scripted")
	require.NotContains(t, said, "script,", "it was asked for")

	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) }))
	t.Cleanup(refuses.Close)
	_, said = arrive(t, "LITELLM_PROXY_API_BASE="+refuses.URL, "LITELLM_PROXY_API_KEY=sk-wrong-key").must("init", "agent", "--yes")
	require.Contains(t, said, "HTTP 400; check the key in LITELLM_PROXY_API_KEY; ")
	require.Contains(t, said, script)
}

// The SDK of AWS logs to standard error, which is the command's own.
func TestANewcomerWithoutCredentialsForBedrock(t *testing.T) {
	t.Parallel()
	machine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	t.Cleanup(machine.Close)
	n := arrive(t, "AWS_REGION=eu-central-1", "AWS_EC2_METADATA_SERVICE_ENDPOINT="+machine.URL)
	n.must("init", n.dir, "--yes", "--provider", "bedrock")
	_, said, err := n.run("run", "hello")
	require.Error(t, err)
	require.Regexp(t, `^agenthost: model "eu.anthropic.+": bedrock: authentication: there are no AWS credentials: .+; set AWS_ACCESS_KEY_ID and `, said)
}

func TestANewcomerWithALiteLLMProxy(t *testing.T) {
	t.Parallel()
	address := testservers.LiteLLM(t, filepath.Join("..", "..", "test", "testservers", "litellm.yaml"))
	n := arrive(t, "LITELLM_PROXY_API_BASE="+address, "LITELLM_PROXY_API_KEY="+testservers.LiteLLMKey)
	n.must("init", n.dir, "--yes")
	out, _ := n.must("run", "hello")
	require.Equal(t, "Hello from the proxy.\n", out)
	out, _ = n.must("doctor", "--online")
	require.Contains(t, out, "LITELLM_PROXY_API_KEY is sent to "+strings.TrimPrefix(address, "http://"))
	require.Contains(t, out, "has the model")

	// The proxy's answers: in a stream, with a tool call, and for a model that it does not have.
	ask := &model.Request{Messages: history.Of(abi.Human("hello")), Tools: []abi.ToolSpec{{Name: "weather"}}}
	of := func(name string) *openai.Model {
		return &openai.Model{Name: name, Provider: "litellm", LookupEnv: func(variable string) (string, bool) {
			value, ok := map[string]string{"LITELLM_PROXY_API_BASE": address, "LITELLM_PROXY_API_KEY": testservers.LiteLLMKey}[variable]
			return value, ok
		}}
	}
	pieces := 0
	var last *model.Response
	for chunk, err := range of("greeter").Stream(t.Context(), ask) {
		require.NoError(t, err)
		if chunk.Text != "" {
			pieces++
		}
		last = chunk.Response
	}
	require.Greater(t, pieces, 1)
	require.Equal(t, "Hello from the proxy.", last.AI().Content.Text())
	resp, err := of("caller").Generate(t.Context(), ask)
	require.NoError(t, err)
	require.Len(t, resp.AI().ToolCalls, 1)
	require.Equal(t, "weather", resp.AI().ToolCalls[0].Name)
	require.JSONEq(t, `{"city":"Bern"}`, resp.AI().ToolCalls[0].Args.JSON())
	require.NotNil(t, resp.AI().Usage)
	_, err = of("unknown").Generate(t.Context(), ask)
	var failed *model.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, http.StatusBadRequest, failed.Status)
	require.Equal(t, model.ErrorNotFound, failed.Kind)
	require.ErrorContains(t, failed, "the server does not have the model unknown; correct the name of the model")
	require.False(t, failed.Retryable)

	// A key of OpenAI does not go to the proxy, which says nothing but 500 then.
	other := openai.Model{Name: "greeter", BaseURL: address, LookupEnv: func(name string) (string, bool) { return "sk-openai", name == "OPENAI_API_KEY" }}
	_, err = other.Generate(t.Context(), ask)
	require.ErrorAs(t, err, &failed)
	require.ErrorContains(t, failed, "Internal Server Error; a LiteLLM proxy without a database answers so to a request without a key; OPENAI_API_KEY is only sent to ")
	require.ErrorContains(t, failed, "set api_key_env: OPENAI_API_KEY")
}
