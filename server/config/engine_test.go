package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/server/config"
)

func TestEngine(t *testing.T) {
	t.Parallel()
	c, err := parse("{}")
	require.NoError(t, err)
	require.Equal(t, config.Engine{Runs: 64}, c.Engine)
	require.Empty(t, c.APIKey())
	for _, text := range []string{"engine: {temporal: {}}", "engine: {temporal: {queue: agenthost}}"} {
		c, err = parse(text)
		require.NoError(t, err)
		require.Equal(t, config.DefaultTemporal(), c.Engine.Temporal)
		require.True(t, c.Engine.Temporal.Pinned())
	}
	file := filepath.Join(t.TempDir(), "serve.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`
engine:
  runs: 200
  temporal:
    address: acme.tmprl.cloud:7233
    namespace: agents.acme
    queue: support
    versioning: none
    api_key_env: TEMPORAL_KEY
    tls: {ca_file: /etc/ca.pem, cert_file: cert.pem, key_file: key.pem, server_name: temporal}
`), 0o600))
	c, err = config.Load(file, config.Options{LookupEnv: func(name string) (string, bool) { return "hunter2", name == "TEMPORAL_KEY" }})
	require.NoError(t, err)
	dir := filepath.Dir(file)
	require.Equal(t, config.Engine{Runs: 200, Temporal: &config.Temporal{
		Address: "acme.tmprl.cloud:7233", Namespace: "agents.acme", Queue: "support", Versioning: "none", APIKeyEnv: "TEMPORAL_KEY",
		TLS: &config.TemporalTLS{
			CAFile: "/etc/ca.pem", CertFile: filepath.Join(dir, "cert.pem"), KeyFile: filepath.Join(dir, "key.pem"), ServerName: "temporal",
		},
	}}, c.Engine)
	require.False(t, c.Engine.Temporal.Pinned())
	require.Equal(t, "hunter2", c.APIKey())
	require.NoError(t, os.WriteFile(file, []byte("engine: {temporal: {api_key_file: key}}"), 0o600))
	c, err = config.Load(file, config.Options{})
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "key"), c.Engine.Temporal.APIKeyFile)
}

func TestEnginesThatCannotBe(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"engine: {river: {}}":                                     `unknown key "river"`,
		"engine: {runs: 0}":                                       "must be at least 1",
		"engine: {temporal: {address: temporal}}":                 `"temporal" is not an address; write it as HOST:PORT`,
		"engine: {temporal: {address: 'temporal:http'}}":          "is not an address",
		"engine: {temporal: {versioning: maybe}}":                 "pinned",
		"engine: {temporal: {api_key_env: eyJhbGciOiJSUzI1NiJ9}}": "do not write the key itself here",
		"engine: {temporal: {api_key_env: K, api_key_file: k}}":   "name the variable or the file",
		"engine: {temporal: {tls: {cert_file: a}}}":               "name both cert_file and key_file, or none",
	} {
		_, err := parse(text)
		require.ErrorContains(t, err, want, text)
		require.NotContains(t, err.Error(), "eyJhbGciOiJSUzI1NiJ9")
	}
}
