package config_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"go.yaml.in/yaml/v3"

	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	adaHash = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b" // of "secret"
	eveKey  = "eve-0123456789abcdef"
)

func lookup(name string) (string, bool) {
	value, ok := map[string]string{"EVE_KEY": eveKey, "SHORT": "x", "DATABASE_URL": "postgres://agents:hunter2@db.example/agents", "SAME_KEY": eveKey}[name]
	return value, ok
}

func parse(text string) (*config.Config, error) {
	return config.Parse("serve.yaml", []byte(text), config.Options{LookupEnv: lookup})
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"{}", "listen: localhost:8123"} {
		c, err := parse(text)
		require.NoError(t, err)
		require.EqualValues(t, 4<<20, c.Limits.Body)
		require.Equal(t, 30*time.Second, c.Drain)
		require.Equal(t, 3*time.Second, c.Lease)
		require.False(t, c.Listen.Public())
		a, release, err := c.Authenticator()
		require.NoError(t, err)
		p, err := a.Authenticate(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody))
		require.NoError(t, err)
		require.Empty(t, p.Owner)
		require.True(t, p.Can(auth.ScopeAdmin))
		require.NoError(t, release())
	}
	require.Equal(t, config.Listen("127.0.0.1:8123"), config.Default().Listen)
	open := config.Default()
	open.Listen = "0.0.0.0:8123"
	_, _, err := open.Authenticator()
	require.ErrorContains(t, err, "there is no auth", "a program that changes the address is stopped, too")
}

func TestWholeFile(t *testing.T) {
	t.Parallel()
	c, err := config.Load("testdata/serve.yaml", config.Options{LookupEnv: lookup, Set: []string{"limits.burst=7"}})
	require.NoError(t, err)
	require.Equal(t, "tcp", c.Listen.Network())
	require.Equal(t, "0.0.0.0:8123", c.Listen.Address())
	require.Equal(t, &config.TLS{CertFile: filepath.Join("testdata", "tls", "cert.pem"), KeyFile: "/etc/tls/key.pem"}, c.TLS)
	require.Equal(t, config.Limits{
		Body: 8 << 20, Bodies: 128 << 20, BodyTimeout: time.Minute, RunsPerOwner: 10, StreamsPerOwner: 20, Streams: 1000, RequestsPerSecond: 2.5, Burst: 7, FailedLogins: 6,
		RunTimeout: 10 * time.Minute, RunCost: 500_000_000, OwnerCost: 20_000_000_000, OwnerCostPeriod: runs.PeriodDay,
	}, c.Limits)
	require.Equal(t, "postgres://agents:hunter2@db.example/agents", c.Storage.Postgres)
	require.Equal(t, config.Retention{Threads: config.ThreadRetention{TTL: 720 * time.Hour}, Events: time.Hour}, c.Retention)
	require.Equal(t, []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}, c.Webhooks.Private())
	require.Equal(t, slog.LevelWarn, c.Log.Slog())
	require.Equal(t, time.Minute, c.Drain)
	require.Equal(t, 5*time.Second, c.Lease)
	require.Equal(t, []any{100, "temporal.example.com:7233"}, []any{c.Engine.Runs, c.Engine.Temporal.Address})
	require.Equal(t, "127.0.0.1:9464", c.Metrics.Listen.Address())

	a, release, err := c.Authenticator()
	require.NoError(t, err)
	ask := func(from string, pairs ...string) (auth.Principal, error) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		r.RemoteAddr = from
		for i := 0; i < len(pairs); i += 2 {
			r.Header.Set(pairs[i], pairs[i+1])
		}
		return a.Authenticate(r)
	}
	p, err := ask("1.2.3.4:5", "x-api-key", "secret")
	require.NoError(t, err)
	require.Equal(t, auth.Principal{Owner: "ada", Scopes: []auth.Scope{"threads", "runs", "store"}, Kind: "keys", Name: "laptop"}, p)
	p, err = ask("1.2.3.4:5", "Authorization", "Bearer "+eveKey)
	require.NoError(t, err)
	require.Equal(t, "eve", p.Owner)
	p, err = ask("10.0.0.7:5", "X-Forwarded-User", "bob", "X-Scopes", "store")
	require.NoError(t, err)
	require.Equal(t, auth.Principal{Owner: "bob", Scopes: []auth.Scope{"runs", "store"}, Kind: "header", Name: "bob"}, p)
	_, err = ask("1.2.3.4:5", "X-Forwarded-User", "bob", "x-api-key", "secret")
	require.ErrorIs(t, err, auth.ErrBadCredential, "a forged header is not made good by a key")
	_, err = ask("1.2.3.4:5")
	require.ErrorIs(t, err, auth.ErrNoCredential)
	require.NoError(t, release())
}

func TestUnixSocket(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "serve.yaml")
	require.NoError(t, os.WriteFile(file, []byte("listen: unix:run/agenthost.sock\nstorage: {sqlite: agents.db}\n"), 0o600))
	c, err := config.Load(file, config.Options{})
	require.NoError(t, err)
	require.Equal(t, "unix", c.Listen.Network())
	require.Equal(t, filepath.Join(filepath.Dir(file), "run", "agenthost.sock"), c.Listen.Address())
	require.Equal(t, filepath.Join(filepath.Dir(file), "agents.db"), c.Storage.SQLiteFile)
	require.False(t, c.Listen.Public())
	_, err = config.Load(filepath.Join(t.TempDir(), "none.yaml"), config.Options{})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "none.yaml: there is no such file (expected a serve.yaml)")
	_, err = config.Load(t.TempDir(), config.Options{})
	require.ErrorContains(t, err, "is a directory, not a regular file (expected a serve.yaml)")
}

func TestPublicAddresses(t *testing.T) {
	t.Parallel()
	for address, public := range map[string]bool{
		"127.0.0.1:1": false, "127.9.9.9:1": false, "[::1]:1": false, "[::ffff:127.0.0.1]:1": false, "localhost:1": false, "LocalHost:0": false, "unix:x": false,
		":1": true, "0.0.0.0:1": true, "[::]:1": true, "10.0.0.1:1": true, "localhost.example:1": true, "127.0.0.1.example:1": true, "agents:1": true, "[fe80::1%lo]:1": true,
	} {
		require.Equal(t, public, config.Listen(address).Public(), address)
		_, err := parse("listen: '" + address + "'")
		if public {
			require.ErrorContains(t, err, "and there is no auth; add auth.keys", address)
		} else {
			require.NoError(t, err, address)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	key := "{sha256: " + adaHash + ", owner: ada}"
	for text, want := range map[string]string{
		"lisen: x":                    `unknown key "lisen"`,
		"limits: {bodyy: 1MiB}":       `did you mean "body"?`,
		"listen: 8123":                "expected a string",
		"listen: '8123'":              "write HOST:PORT",
		"listen: 127.0.0.1:http":      "is not a number from 0 to 65535",
		"listen: 127.0.0.1:080":       "is not a number",
		"listen: 'unix:'":             "write unix:PATH",
		"listen: http://127.0.0.1:80": "write HOST:PORT",
		"tls: {cert_file: a}":         `"key_file" is missing`,
		"listen: unix:x\ntls: {cert_file: a, key_file: b}":                                           "a Unix socket needs no TLS",
		"hosts: ['https://a.example']":                                                               "is not the name of a host",
		"cors: {origins: [chat.example.com]}":                                                        "is not an origin",
		"auth: {}":                                                                                   "auth has no way in",
		"auth: {keys: []}":                                                                           "auth has no way in",
		"auth: {keys: [{owner: ada}]}":                                                               "either sha256 or key_env",
		"auth: {keys: [{sha256: x, key_env: Y, owner: ada}]}":                                        "either sha256 or key_env",
		"auth: {keys: [{sha256: hunter2, owner: ada}]}":                                              "64 hexadecimal digits",
		"auth: {keys: [{key_env: sk-hunter2, owner: ada}]}":                                          "the name of an environment variable",
		"auth: {keys: [{key_env: NONE, owner: ada}]}":                                                `variable NONE is not set; it has the key of "ada"`,
		"auth: {keys: [{key_env: SHORT, owner: ada}]}":                                               "use at least 16",
		"auth: {keys: [{key_env: EVE_KEY, owner: ''}]}":                                              "the owner is missing",
		"auth: {keys: [{key_env: EVE_KEY}]}":                                                         `"owner" is missing`,
		"auth: {keys: [{key_env: EVE_KEY, owner: a, scopes: [thread]}]}":                             `did you mean "threads"?`,
		"auth: {keys: [{key_env: EVE_KEY, owner: a, scopes: threads}]}":                              "expected a list",
		"auth: {keys: [" + key + ", " + key + "]}":                                                   "keys 1 and 2 are the same",
		"auth: {keys: [{key_env: EVE_KEY, owner: a}, {key_env: SAME_KEY, owner: b}]}":                "keys 1 and 2 are the same",
		"auth: {keys: [" + key + "], anonymous: {scopes: [threads]}}":                                "would protect nothing",
		"auth: {anonymous: {}}":                                                                      `"scopes" is missing`,
		"listen: ':1'\nauth: {anonymous: {scopes: [threads]}}":                                       "and there is no auth",
		"auth: {oidc: {issuer: 'http://login.example.com', audience: a}}":                            "must be an https URL",
		"auth: {oidc: {issuer: 'https://login.example.com'}}":                                        `"audience" is missing`,
		"auth: {oidc: {issuer: 'https://l.example', audience: ''}}":                                  "the audience is missing",
		"auth: {oidc: {issuer: 'https://l.example', audience: a, algorithms: [HS256]}}":              "must be",
		"auth: {oidc: {issuer: 'https://l.example', audience: a, clock_skew: 1h}}":                   "must be",
		"auth: {oidc: {issuer: 'https://l.example', audience: a, keys_url: 'https://x'}}":            `unknown key "keys_url"`,
		"auth: {jwt: {issuer: 'https://l.example', audience: a}}":                                    `"keys_url" is missing`,
		"auth: {jwt: {issuer: 'https://l.example', audience: a, keys_url: 'http://l.example/keys'}}": "must be an https URL",
		"auth: {jwt: {issuer: 'https://l.example', audience: a, keys_url: 'https://l.example/k'}, oidc: {issuer: 'https://l.example', audience: a}}": "the same tokens",
		"auth: {header: {name: X-User}}":                                                 "no proxy is trusted",
		"auth: {header: {name: X-User, proxies: [10.0.0.7]}}":                            "write 10.0.0.7/32",
		"auth: {header: {name: X-User, proxies: [10.0.0.7/8]}}":                          "without bits after",
		"auth: {header: {name: Authorization, proxies: [10.0.0.7/32]}}":                  "has another meaning",
		"auth: {header: {name: X-User, proxies: [10.0.0.7/32]}}\ncors: {origins: ['*']}": "list the origins",
		"limits: {body: 0}":                                 "body must be from",
		"limits: {body: 2GiB}":                              "body must be from",
		"limits: {body: 8MiB, bodies: 4MiB}":                "bodies is less than body",
		"limits: {requests_per_second: 0}":                  "at least 0.001",
		"limits: {runs_per_owner: 0}":                       "at least 1",
		"limits: {failed_logins: 0}":                        "at least 1",
		"limits: {run_timeout: 30}":                         "add a unit",
		"limits: {run_cost: 0}":                             "more than 0",
		"limits: {run_cost: much}":                          "is not an amount",
		"limits: {owner_cost: 0}":                           "more than 0",
		"limits: {owner_cost_period: week}":                 "month",
		"metrics: {}":                                       "listen",
		"storage: {}":                                       "either sqlite or postgres",
		"storage: {sqlite: a.db, postgres: 'postgres://x'}": "either sqlite or postgres",
		"storage: {postgres: 'mysql://a:hunter2@x'}":        "must be a URL such as postgres://",
		"storage: {postgres: '${NOT_SET}'}":                 "NOT_SET",
		"webhooks: {allow_private: [10.1.2.3/16]}":          "without bits after the prefix",
		"webhooks: {attempts: 0}":                           "at least 1",
		"log: {format: xml}":                                "must be auto, text or json",
		"drain: -1s":                                        "at least 0s",
		"lease: 100ms":                                      "at least 1s",
		"a: b: c":                                           "serve.yaml:1",
	} {
		_, err := parse(text)
		require.ErrorContains(t, err, want, text)
		require.ErrorContains(t, err, "serve.yaml:", text)
		require.NotContains(t, err.Error(), "hunter2", text)
		require.NotContains(t, err.Error(), eveKey, text)
	}
}

func TestSeveralProblemsAtOnce(t *testing.T) {
	t.Parallel()
	_, err := parse("listen: ':1'\nhosts: ['a b']\ncors: {origins: [x]}\n")
	var problems *strictyaml.Error
	require.ErrorAs(t, err, &problems)
	require.Len(t, problems.Problems, 3)
}

func TestSchemaFitsTheFile(t *testing.T) {
	t.Parallel()
	text, err := config.Schema(nil)
	require.NoError(t, err)
	var schema jsonschema.Schema
	require.NoError(t, remarshal(text, &schema))
	resolved, err := schema.Resolve(nil)
	require.NoError(t, err)
	file, err := os.ReadFile("testdata/serve.yaml")
	require.NoError(t, err)
	var whole map[string]any
	require.NoError(t, yaml.Unmarshal(file, &whole))
	require.NoError(t, resolved.Validate(whole))
	require.Len(t, whole, len(schema.Properties), "the file of the tests has every key")
	for _, bad := range []string{"lisen: x", "limits: {burst: 0}", "auth: {keys: [{owner: a, scopes: [thread]}]}", "log: {format: xml}"} {
		var value any
		require.NoError(t, yaml.Unmarshal([]byte(bad), &value))
		require.Error(t, resolved.Validate(value), bad)
	}
}

// FuzzParse holds for every file: nothing panics, an error shows no value of a variable, and whatever is accepted protects the server.
func FuzzParse(f *testing.F) {
	file, err := os.ReadFile("testdata/serve.yaml")
	require.NoError(f, err)
	for _, text := range []string{
		string(file), "{}", "listen: 0.0.0.0:1\nauth: {keys: [{key_env: EVE_KEY, owner: a}]}", "listen: '[::]:0'\nauth: {anonymous: {scopes: [], allow_public: true}}",
		"auth: {header: {name: X, proxies: [::/0]}}", "auth: &a {keys: *a}", "hosts: ['${DATABASE_URL}']", "listen: ${DATABASE_URL}", "limits: {body: ${EVE_KEY}}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parse(text)
		if err != nil {
			require.False(t, strings.Contains(err.Error(), "hunter2") && !strings.Contains(text, "hunter2"))
			require.False(t, strings.Contains(err.Error(), eveKey) && !strings.Contains(text, eveKey))
			return
		}
		require.Positive(t, c.Limits.Body)
		require.Positive(t, c.Limits.Burst)
		require.Positive(t, c.Limits.RequestsPerSecond)
		require.Positive(t, c.Limits.RunTimeout)
		if c.Listen.Public() {
			require.NotNil(t, c.Auth)
		}
		a, release, err := c.Authenticator()
		require.NoError(t, err)
		require.NoError(t, release())
		p, err := a.Authenticate(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody))
		if c.Auth != nil && c.Auth.Anonymous == nil {
			require.ErrorIs(t, err, auth.ErrNoCredential)
			require.Empty(t, p)
		}
	})
}
