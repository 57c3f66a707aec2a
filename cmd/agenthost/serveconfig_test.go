package main

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/pgtest"
)

const named = say + "name: helper\n"

func TestValidateReadsServeYAML(t *testing.T) {
	b := setup(t, named)
	config := b.path("serve.yaml")
	b.write("serve.yaml", "listen: 0.0.0.0:8123\nhosts: [a.example]\nauth: {keys: [{key_env: AGENTHOST_TEST_KEY, owner: ada, scopes: [threads]}]}\n")
	b.must(exitUsage, "validate", "--config", config)
	require.Contains(t, b.err.String(), "serve.yaml:3:14: auth.keys: the environment variable AGENTHOST_TEST_KEY is not set")
	t.Setenv("AGENTHOST_TEST_KEY", "0123456789abcdef")
	b.must(exitOK, "validate", "--config", config)
	require.Equal(t, b.path("agenthost.yaml")+": ok\n"+config+": ok\n", b.out.String())
	b.must(exitOK, "validate", "--config", config, "-o", "json")
	var document validDocument
	require.NoError(t, json.Unmarshal(b.out.Bytes(), &document))
	require.Equal(t, validDocument{File: b.path("agenthost.yaml"), Config: config, OK: true}, document)

	for text, want := range map[string]string{
		"lisen: x\n":        `did you mean "listen"?`,
		"listen: 0.0.0.0:1": "others can reach 0.0.0.0:1, and there is no auth",
		"tls: {cert_file: no.pem, key_file: no.pem}": "serve.yaml: tls: stat ",
	} {
		b.write("serve.yaml", text)
		b.must(exitUsage, "validate", "--config", config)
		require.Contains(t, b.err.String(), want)
	}
	b.must(exitUsage, "validate", "--config", b.path("none.yaml"))
	require.Contains(t, b.err.String(), "none.yaml: there is no such file")
	b.write("agenthost.yaml", say)
	b.write("serve.yaml", "{}")
	b.must(exitUsage, "validate", "--config", config)
	require.Contains(t, b.err.String(), "agenthost.yaml: the agent has no name")
}

// checked returns what doctor says about a subject.
func (b *bundle) checked(code int, subject string, args ...string) check {
	b.t.Helper()
	b.must(code, append([]string{"doctor", "--json", "--config", b.path("serve.yaml")}, args...)...)
	var document struct {
		Checks []check `json:"checks"`
	}
	require.NoError(b.t, json.Unmarshal(b.out.Bytes(), &document))
	var last check
	for _, c := range document.Checks {
		if c.Subject == subject {
			last = c
		}
	}
	return last
}

func TestDoctorOfAFleet(t *testing.T) {
	t.Parallel()
	b := setup(t, named)
	for text, found := range map[string]string{
		"engine: {temporal: {queue: support}}": "servers and workers need a database that they share",
		"storage: {postgres: \"postgres://nobody@127.0.0.1:1/none\"}\nengine: {temporal: {api_key_env: AGENTHOST_TEST_NO_KEY}}": "the environment variable " +
			"AGENTHOST_TEST_NO_KEY is not set",
		"storage: {postgres: \"postgres://nobody@127.0.0.1:1/none\"}\nengine: {temporal: {tls: {ca_file: none.pem}}}": "none.pem",
	} {
		b.write("serve.yaml", text)
		engine := b.checked(exitUsage, "engine")
		require.Equal(t, checkFailed, engine.Outcome, text)
		require.Contains(t, engine.Found, found)
	}
	b.write("serve.yaml", "listen: 127.0.0.1:0\nstorage: {postgres: \""+pgtest.Address(t)+"\"}\nengine: {temporal: {queue: support}}\n")
	engine := b.checked(exitOK, "engine")
	require.Equal(t, checkNote, engine.Outcome)
	require.Contains(t, engine.Found, "workers of the queue support, which Temporal at 127.0.0.1:7233 directs")
	require.Contains(t, engine.Remedy, "'agenthost-fleet doctor'")
	clock := b.checked(exitOK, "clock")
	require.Equal(t, check{"clock", checkOK, "the database agrees with this machine's clock, and is fast enough for a lease of 3s", ""}, clock)
}

func TestDoctorLooksAtServeYAML(t *testing.T) {
	t.Parallel()
	b := setup(t, named)
	b.write("serve.yaml", "listen: 127.0.0.1:0\nstorage: {sqlite: agents.db}\n")
	require.Equal(t, checkOK, b.checked(exitOK, "serve.yaml").Outcome)
	require.Equal(t, checkNote, b.checked(exitOK, "auth").Outcome)
	require.Contains(t, b.checked(exitOK, "storage").Found, "does not exist yet; the first run creates it")
	require.NoFileExists(t, b.path("agents.db"))
	require.Equal(t, "127.0.0.1:0 is free", b.checked(exitOK, "listen").Found)

	address := b.serves("--config", b.path("serve.yaml"))
	require.Contains(t, b.checked(exitOK, "storage").Found, "has the tables of runs")
	b.write("serve.yaml", "listen: "+address[len("http://"):]+"\nstorage: {sqlite: agents.db}\n")
	require.Contains(t, b.checked(exitOK, "listen").Found, "address already in use")

	b.write("serve.yaml", "storage: {postgres: \"postgres://nobody@127.0.0.1:1/none\"}\n")
	require.Equal(t, checkFailed, b.checked(exitUsage, "storage").Outcome)
	b.write("serve.yaml", "auth: {keys: [{sha256: x, owner: ada}]}\n")
	require.Contains(t, b.checked(exitUsage, "serve.yaml").Found, "sha256 must be the SHA-256 of the key")

	own, file := selfSigned(t, "localhost")
	key, err := x509.MarshalPKCS8PrivateKey(own.PrivateKey)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(b.path("key.pem"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), 0o600))
	b.write("serve.yaml", "tls: {cert_file: "+file+", key_file: key.pem}\n")
	certificate := b.checked(exitOK, "certificate")
	require.Equal(t, checkNote, certificate.Outcome, "it ends in an hour")
	require.Contains(t, certificate.Found, "it ends at ")
	b.write("serve.yaml", "tls: {cert_file: key.pem, key_file: key.pem}\n")
	require.Equal(t, checkFailed, b.checked(exitUsage, "certificate").Outcome)
}

func TestDoctorAsksTheIssuerOfTokens(t *testing.T) {
	t.Parallel()
	var issuer *httptest.Server
	issuer = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/.well-known/openid-configuration":
			_ = json.NewEncoder(w).Encode(map[string]string{"issuer": issuer.URL, "jwks_uri": issuer.URL + "/keys"})
		case "/keys":
			_, _ = w.Write([]byte(`{"keys": []}`))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(issuer.Close)
	b := setup(t, named)
	b.write("serve.yaml", "auth: {oidc: {issuer: \""+issuer.URL+"\", audience: agenthost, scopes: [threads]}}\n")
	require.Empty(t, b.checked(exitOK, "issuer").Outcome, "without --online, nobody is asked")
	found := b.checked(exitUsage, "issuer", "--online")
	require.Equal(t, checkFailed, found.Outcome, "it has no keys")
	b.write("serve.yaml", "auth: {oidc: {issuer: \"http://127.0.0.1:1\", audience: agenthost, scopes: [threads]}}\n")
	require.Contains(t, b.checked(exitUsage, "issuer", "--online").Found, "the issuer's keys cannot be fetched")
}

func TestServeSaysWhatToDoAboutItsAddress(t *testing.T) {
	t.Parallel()
	b := setup(t, named)
	taken := b.serves()[len("http://"):]
	for address, want := range map[string]string{
		taken:             `listen "` + taken + `": bind: address already in use; end the program that listens there, or choose another port`,
		"8123":            `--listen: "8123" is not an address; write HOST:PORT, such as 127.0.0.1:8123, or unix:PATH`,
		"localhost:99999": `--listen: the port "99999" is not a number from 0 to 65535`,
		"unix:none/s":     `no such file or directory; choose another address`,
	} {
		b.err.Reset()
		require.Equal(t, exitUsage, b.run("serve", "--listen", address, "--storage", "memory"), address)
		require.Contains(t, b.err.String(), want)
		require.NotContains(t, b.err.String(), "--set")
	}
}
