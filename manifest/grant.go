package manifest

import (
	"net/netip"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/fetch"
	"github.com/agenthost/agenthost/host/plugin/kv"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// grantEntry is what a plugin may do beyond what every plugin may do.
type grantEntry struct {
	Reads         []string      `yaml:"reads"`          // fields of others that it may read
	Writes        []string      `yaml:"writes"`         // fields of others that it may write
	KV            kvEntry       `yaml:"kv"`             // a store of its own: true, or its quota
	HTTPFetch     fetchEntry    `yaml:"http.fetch"`     // hosts that it may ask, or more
	ModelGenerate generateEntry `yaml:"model.generate"` // calls of a model
	ToolCall      []string      `yaml:"tool.call"`      // tools that it may call
	ClockNow      bool          `yaml:"clock.now"`      // it may ask for the time
	RandomBytes   bool          `yaml:"random.bytes"`   // it may ask for random bytes
}

// build makes the grant of the entry.
func (e *grantEntry) build() plugin.Grant {
	return plugin.Grant{
		Reads: e.Reads, Writes: e.Writes, KV: e.KV.grant, HTTPFetch: e.HTTPFetch.policy, ModelGenerate: e.ModelGenerate.grant,
		ToolCall: e.ToolCall, ClockNow: e.ClockNow, RandomBytes: e.RandomBytes,
	}
}

// kvEntry grants a store: true, or a mapping with its quota.
type kvEntry struct{ grant *plugin.KVGrant }

// kvKeys are the keys of the mapping.
type kvKeys struct {
	Quota   strictyaml.Size  `yaml:"quota" strict:"min=1KiB,max=1TiB"`       // bytes
	Entries strictyaml.Count `yaml:"entries" strict:"min=1"`                 // keys
	Scopes  []string         `yaml:"scopes" strict:"enum=run|thread|plugin"` // of values: of the run, the thread or the plugin
}

// UnmarshalStrict decodes either form.
func (e *kvEntry) UnmarshalStrict(n strictyaml.Node) error {
	var given kvKeys
	if granted, err := flag(n, &given); err != nil || !granted {
		return err
	}
	e.grant = &plugin.KVGrant{Quota: kv.Quota{Bytes: int64(given.Quota), Entries: int(given.Entries)}}
	for _, scope := range given.Scopes {
		e.grant.Scopes = append(e.grant.Scopes, abi.Scope(scope))
	}
	if scopes, ok := n.Get("scopes"); ok && len(given.Scopes) == 0 {
		return scopes.Errorf("a store without a scope is none; name run, thread or plugin, or leave the key out")
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

// fetchKeys are the keys of the mapping.
type fetchKeys struct {
	Hosts        []string               `yaml:"hosts" strict:"required"`       // that may be asked
	Methods      []string               `yaml:"methods"`                       // methods of requests; default GET, HEAD and POST
	Private      []network              `yaml:"private"`                       // networks that are not public and may be asked
	Secrets      map[string]secretEntry `yaml:"secrets"`                       // values that it may send and not see
	MaxRequest   strictyaml.Size        `yaml:"max_request" strict:"min=1B"`   // bytes of a request
	MaxResponse  strictyaml.Size        `yaml:"max_response" strict:"min=1B"`  // bytes of an answer
	MaxHeaders   strictyaml.Size        `yaml:"max_headers" strict:"min=256B"` // bytes of an answer's headers
	Timeout      time.Duration          `yaml:"timeout" strict:"min=1ms"`      // time for a request
	MaxRedirects *int                   `yaml:"max_redirects" strict:"min=0"`  // that are followed
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
	Value string   `yaml:"value" strict:"required"` // the secret, usually ${NAME}
	Hosts []string `yaml:"hosts" strict:"required"`
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

// generateKeys are the keys of the mapping.
type generateKeys struct {
	Model string `yaml:"model" strict:"required"` // one of the manifest's models
	Calls int    `yaml:"calls" strict:"min=1"`    // in a run
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
