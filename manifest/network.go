package manifest

import (
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// networkKeys are the keys of a model that say how its server is reached.
var networkKeys = []string{"proxy", "ca_file", "client_cert", "client_key"}

// decodeNetwork decodes one of the networkKeys. The files are read when the model is built.
func (e *providerEntry) decodeNetwork(key string, value strictyaml.Node) error {
	into := map[string]*string{
		"proxy": &e.network.Proxy, "ca_file": &e.network.CAFile, "client_cert": &e.network.ClientCert, "client_key": &e.network.ClientKey,
	}[key]
	if err := value.Decode(into); err != nil {
		return err
	}
	if *into == "" {
		return value.Errorf("%s is empty; leave it out for the settings of the environment", key)
	}
	return nil
}

// in returns the entry with the paths of its files relative to the manifest.
func (e *providerEntry) in(m *Manifest) *providerEntry {
	out := *e
	out.network = model.Network{Proxy: e.network.Proxy}
	for _, file := range []struct {
		said string
		into *string
	}{
		{e.network.CAFile, &out.network.CAFile},
		{e.network.ClientCert, &out.network.ClientCert},
		{e.network.ClientKey, &out.network.ClientKey},
	} {
		if file.said != "" {
			*file.into = m.use(m.path(file.said))
		}
	}
	return &out
}
