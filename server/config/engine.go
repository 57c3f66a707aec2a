package config

import (
	"cmp"
	"net"
	"strconv"

	"github.com/agenthost/agenthost/internal/strictyaml"
)

// Engine says which processes perform runs, and how many at once.
type Engine struct {
	Runs int `yaml:"runs" strict:"min=1,max=10000" schema:"default=64"` // runs that one process performs at once; default 64
	// workers that Temporal directs; needs the command agenthost-fleet; default: the server performs runs
	Temporal *Temporal `yaml:"temporal"`
}

// Temporal says where Temporal is, and how workers use it.
type Temporal struct {
	Address   string `yaml:"address" schema:"default=127.0.0.1:7233"` // the server, as HOST:PORT; default 127.0.0.1:7233
	Namespace string `yaml:"namespace" schema:"default=default"`      // the namespace; default: default
	// the task queue, of at most 100 bytes; all its workers have the same agents; default agenthost
	Queue string `yaml:"queue" schema:"default=agenthost"`
	// pinned lets a thread that is under way stay with workers whose agents have the programs that it began with; with none, any worker
	// of the queue may go on with it; default pinned
	Versioning string       `yaml:"versioning" strict:"enum=pinned|none" schema:"default=pinned"`
	APIKeyEnv  string       `yaml:"api_key_env"`  // the environment variable with the API key, such as that of Temporal Cloud; default: there is none
	APIKeyFile string       `yaml:"api_key_file"` // a file with the API key, in place of the variable; a new key is used at once
	TLS        *TemporalTLS `yaml:"tls"`          // how the connection is encrypted; default: plain, unless there is an API key
}

// TemporalTLS has the certificates of a connection to Temporal.
type TemporalTLS struct {
	CAFile     string `yaml:"ca_file"`     // a PEM file with the authorities to trust, followed as it changes; default: those of the system
	CertFile   string `yaml:"cert_file"`   // a PEM file with the certificate that this side shows; a renewed one is used from the next connection on
	KeyFile    string `yaml:"key_file"`    // a PEM file with its private key
	ServerName string `yaml:"server_name"` // the name in the server's certificate; default: the host of the address
}

func defaultEngine() Engine { return Engine{Runs: 64} }

// DefaultTemporal is where Temporal is if nothing says otherwise.
func DefaultTemporal() *Temporal {
	return &Temporal{Address: "127.0.0.1:7233", Namespace: "default", Queue: "agenthost", Versioning: "pinned"}
}

// Pinned reports whether threads stay with the version that they began with.
func (t *Temporal) Pinned() bool { return t.Versioning != "none" }

// APIKey returns the API key; "": there is none.
func (c *Config) APIKey() string {
	if c.Engine.Temporal == nil || c.Engine.Temporal.APIKeyEnv == "" {
		return ""
	}
	key, _ := c.lookup(c.Engine.Temporal.APIKeyEnv)
	return key
}

// CheckStrict fills in what is missing, and checks the rest.
func (t *Temporal) CheckStrict(n strictyaml.Node) error {
	d := DefaultTemporal()
	t.Address, t.Namespace = cmp.Or(t.Address, d.Address), cmp.Or(t.Namespace, d.Namespace)
	t.Queue, t.Versioning = cmp.Or(t.Queue, d.Queue), cmp.Or(t.Versioning, d.Versioning)
	at := func(key string) strictyaml.Node {
		if node, ok := n.Get(key); ok {
			return node
		}
		return n
	}
	if _, port, err := net.SplitHostPort(t.Address); err != nil || !isPort(port) {
		return at("address").Errorf("%q is not an address; write it as HOST:PORT, such as 127.0.0.1:7233", t.Address)
	}
	if len(t.Queue) > maxQueue {
		return at("queue").Errorf("the name has %d bytes; at most %d are possible", len(t.Queue), maxQueue)
	}
	if t.APIKeyEnv != "" && !isVariable(t.APIKeyEnv) {
		return at("api_key_env").Errorf("this is not the name of an environment variable; do not write the key itself here")
	}
	if t.APIKeyEnv != "" && t.APIKeyFile != "" {
		return at("api_key_file").Errorf("there is api_key_env too; name the variable or the file")
	}
	if t.TLS != nil && (t.TLS.CertFile == "") != (t.TLS.KeyFile == "") {
		return at("tls").Errorf("a certificate needs its key; name both cert_file and key_file, or none")
	}
	return nil
}

// maxQueue is how long the name of a queue may be, in bytes: it is a part of the ids of workflows.
const maxQueue = 100

func isPort(text string) bool {
	_, err := strconv.ParseUint(text, 10, 16)
	return err == nil
}
