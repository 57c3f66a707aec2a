package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agenthost/agenthost/internal/regularfile"
	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/server/internal/access"
)

// Config says how agents are served.
type Config struct {
	// where the server listens: HOST:PORT, or unix:PATH for a socket. An address that others can reach needs auth. Default 127.0.0.1:8123
	Listen Listen `yaml:"listen"`
	TLS    *TLS   `yaml:"tls"` // the certificate with which the server speaks HTTPS; default: plain HTTP, as behind a proxy
	// the names under which clients reach the server, such as agents.example.com, or .example.com with all names below it; * allows every name.
	// localhost and IP addresses are always allowed
	Hosts     []string      `yaml:"hosts"`
	CORS      CORS          `yaml:"cors"`                                              // the web pages that may use the server besides its own
	Auth      *Auth         `yaml:"auth"`                                              // who may use the server; default: everybody on this machine
	Limits    Limits        `yaml:"limits"`                                            // how much clients may ask for
	Storage   Storage       `yaml:"storage"`                                           // where runs and threads are kept; default: in memory
	Retention Retention     `yaml:"retention"`                                         // how long they are kept
	Lease     time.Duration `yaml:"lease" strict:"min=1s,max=10m" schema:"default=3s"` // after which silence of a server others take over its runs; default 3s
	Engine    Engine        `yaml:"engine"`                                            // which processes perform runs
	Webhooks  Webhooks      `yaml:"webhooks"`                                          // where the server may tell how runs ended
	Metrics   *Metrics      `yaml:"metrics"`                                           // the address of metrics and health checks; default: there is none
	Log       Log           `yaml:"log"`                                               // what the server writes to standard error
	Drain     time.Duration `yaml:"drain" strict:"min=0s,max=1h" schema:"default=30s"` // how long runs may go on when the server is told to stop; default 30s

	lookup func(name string) (string, bool)
}

// CORS says which web pages may use the server.
type CORS struct {
	// origins as browsers write them, such as https://chat.example.com; * allows every page, but not with auth.header
	Origins []string `yaml:"origins"`
}

// Metrics says where operators find the metrics for Prometheus, and the health of the process.
type Metrics struct {
	// where /metrics, /healthz and /readyz are, apart from what clients use: HOST:PORT or unix:PATH. Anyone who reaches it can read the metrics, which
	// name agents and models
	Listen Listen `yaml:"listen" strict:"required"`
}

// TLS is a certificate with its key.
type TLS struct {
	CertFile string `yaml:"cert_file" strict:"required"` // the path of a PEM file with the certificate and those of its authorities
	KeyFile  string `yaml:"key_file" strict:"required"`  // the path of a PEM file with the private key
}

// Options are options for reading a file.
type Options struct {
	Set       []string                         // assignments on top of the file: "limits.body=8MiB"
	LookupEnv func(name string) (string, bool) // nil: os.LookupEnv
}

// MaxSize is the size of the largest file, in bytes.
const MaxSize = 1 << 20

// Default returns the configuration of a server without a file.
func Default() *Config {
	return &Config{
		Listen: "127.0.0.1:8123", Limits: defaultLimits(), Retention: defaultRetention(), Engine: defaultEngine(), Webhooks: defaultWebhooks(),
		Log:   defaultLog(),
		Lease: 3 * time.Second, Drain: 30 * time.Second, lookup: os.LookupEnv,
	}
}

// Load reads a file. The error says where in the file the problem is.
func Load(path string, options Options) (*Config, error) {
	data, err := regularfile.Read(path, MaxSize)
	if err != nil {
		return nil, fmt.Errorf("%w (expected a serve.yaml)", err)
	}
	c, err := Parse(path, data, options)
	if err != nil {
		return nil, err
	}
	c.in(filepath.Dir(path))
	return c, nil
}

// Parse reads the text of a file. The name is for errors only, and paths stay as they are.
func Parse(name string, data []byte, options Options) (*Config, error) {
	c := Default()
	if options.LookupEnv != nil {
		c.lookup = options.LookupEnv
	}
	err := strictyaml.Decode(name, data, c, strictyaml.WithMaxBytes(MaxSize), strictyaml.WithSet(options.Set),
		strictyaml.WithEnv(c.lookup), strictyaml.WithSecrets(isSecret))
	if err != nil {
		return nil, err
	}
	return c, nil
}

// in makes paths relative to the directory of the file.
func (c *Config) in(dir string) {
	c.Listen = c.Listen.in(dir)
	if c.Metrics != nil {
		c.Metrics.Listen = c.Metrics.Listen.in(dir)
	}
	paths := []*string{&c.Storage.SQLiteFile}
	if c.TLS != nil {
		paths = append(paths, &c.TLS.CertFile, &c.TLS.KeyFile)
	}
	if t := c.Engine.Temporal; t != nil {
		paths = append(paths, &t.APIKeyFile)
		if t.TLS != nil {
			paths = append(paths, &t.TLS.CAFile, &t.TLS.CertFile, &t.TLS.KeyFile)
		}
	}
	for _, path := range paths {
		*path = within(dir, *path)
	}
}

func within(dir, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// CheckStrict checks the rules between keys.
func (c *Config) CheckStrict(n strictyaml.Node) error {
	at := func(keys ...string) strictyaml.Node {
		node := n
		for _, key := range keys {
			if inner, ok := node.Get(key); ok {
				node = inner
			}
		}
		return node
	}
	var problems []error
	if c.Listen.Public() && !c.Auth.protects() {
		problems = append(problems, at("listen").Errorf(
			"others can reach %s, and there is no auth; add auth.keys or another way in, or listen on 127.0.0.1", c.Listen))
	}
	if c.TLS != nil && c.Listen.Network() == "unix" {
		problems = append(problems, at("tls").Errorf("a Unix socket needs no TLS; remove tls, or listen on an address"))
	}
	if _, err := access.Hosts(c.Hosts...); err != nil {
		problems = append(problems, at("hosts").Errorf("%w", errors.Unwrap(err)))
	}
	if _, err := access.Origins(c.CORS.Origins...); err != nil {
		problems = append(problems, at("cors", "origins").Errorf("%w", errors.Unwrap(err)))
	}
	if c.Auth != nil && c.Auth.Header != nil && slices.Contains(c.CORS.Origins, "*") {
		problems = append(problems, at("cors", "origins").Errorf(
			"with auth.header, browsers log in by themselves, so * would let every web page act for its reader; list the origins"))
	}
	if err := c.checkKeys(at("auth", "keys")); err != nil {
		problems = append(problems, err)
	}
	return strictyaml.Join(problems...)
}

// isSecret reports whether a value may be a secret: a key that is written where its hash or its variable belongs.
func isSecret(path []string, value string) bool {
	if len(path) == 0 {
		return false
	}
	switch path[len(path)-1] {
	case "sha256":
		return !isHash(value)
	case "key_env", "api_key_env":
		return !isVariable(value)
	case "postgres":
		return true
	default:
		return false
	}
}
