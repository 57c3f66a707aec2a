package manifest

import (
	"net/netip"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/fetch"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// grantEntry lists what a plugin may do beyond what every plugin may do.
type grantEntry struct {
	Reads  []string `yaml:"reads"`  // state fields of other middleware that the plugin may read
	Writes []string `yaml:"writes"` // state fields of other middleware that the plugin may write
	// keys of the run's context, which the caller of a run gives, that the plugin is shown
	Context []string `yaml:"context"`
	// a key-value store of the plugin's own: true, or a mapping with its quota and scopes
	KV            kvEntry       `yaml:"kv"`
	HTTPFetch     fetchEntry    `yaml:"http.fetch"`     // HTTP requests: a list of hosts, or a mapping with hosts and more
	ModelGenerate generateEntry `yaml:"model.generate"` // calls of one of the manifest's models, whose tokens count as the run's
	ToolCall      []string      `yaml:"tool.call"`      // tools of the agent that the plugin may call
	ClockNow      bool          `yaml:"clock.now"`      // true: the plugin gets the real time; otherwise its time stands still
	ClockSleep    bool          `yaml:"clock.sleep"`    // true: the plugin may wait, up to limits.wait in a call
	// true: the plugin gets unpredictable random bytes; otherwise they are derived from the run
	RandomBytes bool `yaml:"random.bytes"`
}

// build makes the grant of the entry.
func (e *grantEntry) build() plugin.Grant {
	return plugin.Grant{
		Reads: e.Reads, Writes: e.Writes, KV: e.KV.grant, HTTPFetch: e.HTTPFetch.policy, ModelGenerate: e.ModelGenerate.grant,
		Context: e.Context, ToolCall: e.ToolCall, ClockNow: e.ClockNow, ClockSleep: e.ClockSleep, RandomBytes: e.RandomBytes,
	}
}

// ParseGrant reads what a plugin may do, as a manifest has it under grant, with ${NAME} for variables of the environment. name is that of
// the source in errors.
func ParseGrant(name string, text []byte, lookup func(name string) (string, bool)) (plugin.Grant, error) {
	var entry grantEntry
	err := strictyaml.Decode(name, text, &entry, strictyaml.WithEnv(lookup), strictyaml.WithSecrets(isSecret))
	return entry.build(), err
}

// kvEntry grants a store: true, or a mapping with its quota.
type kvEntry struct{ grant *plugin.KVGrant }

// kvKeys are the keys of the mapping that grants a store.
type kvKeys struct {
	// the size of all entries of one run, one thread or the plugin; default 1MiB
	Quota strictyaml.Size `yaml:"quota" strict:"min=1KiB,max=1TiB"`
	// the number of entries of one run, one thread or the plugin; default 10k
	Entries strictyaml.Count `yaml:"entries" strict:"min=1"`
	// what values may belong to: the run, the thread or the plugin; default: all three
	Scopes []string `yaml:"scopes" strict:"enum=run|thread|plugin"`
}

// UnmarshalStrict decodes either form.
func (e *kvEntry) UnmarshalStrict(n strictyaml.Node) error {
	var given kvKeys
	if granted, err := flag(n, &given); err != nil || !granted {
		return err
	}
	e.grant = &plugin.KVGrant{Quota: store.Quota{Bytes: int64(given.Quota), Entries: int(given.Entries)}}
	for _, scope := range given.Scopes {
		e.grant.Scopes = append(e.grant.Scopes, abi.Scope(scope))
	}
	if scopes, ok := n.Get("scopes"); ok && len(given.Scopes) == 0 {
		return scopes.Errorf("a store needs at least one scope; name run, thread or plugin, or leave the key out")
	}
	return nil
}

// flag decodes a value that is true or false, or a mapping, which means true.
func flag(n strictyaml.Node, mapping any) (granted bool, err error) {
	if n.Kind() == strictyaml.KindMap {
		return true, n.Decode(mapping)
	}
	err = n.Decode(&granted)
	return granted, err
}

// fetchEntry grants requests: a list of hosts, or a mapping with more.
type fetchEntry struct{ policy *fetch.Policy }

// fetchKeys are the keys of the mapping that grants requests.
type fetchKeys struct {
	// hosts that the plugin may send requests to: api.example.com, or *.example.com for everything below it, with or without a port;
	// http:// before a host grants plain HTTP instead of HTTPS
	Hosts []string `yaml:"hosts" strict:"required"`
	// methods of requests, in capitals; default GET, HEAD and POST
	Methods []string  `yaml:"methods"`
	Private []network `yaml:"private"` // private networks that hosts may be in; default: none
	// values, by name, that the plugin may send but not see; default: none
	Secrets     map[string]secretEntry `yaml:"secrets"`
	MaxRequest  strictyaml.Size        `yaml:"max_request" strict:"min=1B"`  // the size of a request's body; default 1MiB
	MaxResponse strictyaml.Size        `yaml:"max_response" strict:"min=1B"` // the size of a response's body; default 1MiB
	// the size of all headers of a request or a response; default 64KiB
	MaxHeaders strictyaml.Size `yaml:"max_headers" strict:"min=256B"`
	Timeout    time.Duration   `yaml:"timeout" strict:"min=1ms"` // the time for a request with its redirects; default 30s
	// how many redirects are followed; 0: a redirect is the response; default 5
	MaxRedirects *int `yaml:"max_redirects" strict:"min=0"`
}

// UnmarshalStrict decodes either form.
func (e *fetchEntry) UnmarshalStrict(n strictyaml.Node) error {
	var given fetchKeys
	var err error
	if n.Kind() == strictyaml.KindMap {
		err = n.Decode(&given)
	} else {
		err = n.Decode(&given.Hosts)
	}
	if err != nil {
		return err
	}
	e.policy = &fetch.Policy{
		Hosts: given.Hosts, Methods: given.Methods, MaxRequest: int(given.MaxRequest), MaxResponse: int(given.MaxResponse),
		MaxHeaders: int(given.MaxHeaders), Timeout: given.Timeout,
	}
	for _, private := range given.Private {
		e.policy.Private = append(e.policy.Private, netip.Prefix(private))
	}
	if len(given.Secrets) > 0 {
		e.policy.Secrets = make(map[string]fetch.Secret, len(given.Secrets))
		for name, secret := range given.Secrets {
			e.policy.Secrets[name] = fetch.Secret(secret)
		}
	}
	switch {
	case given.MaxRedirects == nil:
	case *given.MaxRedirects == 0:
		e.policy.MaxRedirects = -1
	default:
		e.policy.MaxRedirects = *given.MaxRedirects
	}
	client, err := fetch.New(*e.policy)
	if err != nil {
		return n.Errorf("%w", err)
	}
	return client.Close()
}

// secretEntry is a value that a plugin may send but not see.
type secretEntry struct {
	Value string   `yaml:"value" strict:"required"` // the secret, usually an environment variable: ${NAME}
	Hosts []string `yaml:"hosts" strict:"required"` // the hosts that the secret may be sent to
}

// network is a range of addresses, such as 10.0.0.0/8.
type network netip.Prefix

// UnmarshalStrict reads the CIDR notation.
func (p *network) UnmarshalStrict(n strictyaml.Node) error {
	var text string
	if err := n.Decode(&text); err != nil {
		return err
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return n.Errorf("must be a network such as 10.0.0.0/8 or fc00::/7")
	}
	*p = network(prefix)
	return nil
}

// generateEntry grants calls of a model.
type generateEntry struct{ grant *plugin.ModelGrant }

// generateKeys are the keys of the mapping that grants calls of a model.
type generateKeys struct {
	Model string `yaml:"model" strict:"required"` // the name of one of the manifest's models
	Calls int    `yaml:"calls" strict:"min=1"`    // the number of calls in one run; default 10
}

// UnmarshalStrict decodes the mapping. Whether the model exists is checked when the agent is built.
func (e *generateEntry) UnmarshalStrict(n strictyaml.Node) error {
	var given generateKeys
	if err := n.Decode(&given); err != nil {
		return err
	}
	e.grant = &plugin.ModelGrant{Model: given.Model, Calls: given.Calls}
	return nil
}
