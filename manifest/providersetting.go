package manifest

import (
	"slices"

	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/internal/settingname"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// modelKeys are the keys that every model of a provider may have.
var modelKeys = slices.Concat(
	[]string{
		"provider", "name", "base_url", keyEnv, "headers", "profile", "settings", "on_cut_off", "max_continuations", "stream", "rate_limit",
		"provider_tools",
	},
	callLimitKeys, networkKeys,
)

// decodeSetting decodes a key that is a setting.
func (e *providerEntry) decodeSetting(n strictyaml.Node, key string, value strictyaml.Node, into *settings) error {
	of, path, ok := e.kind.setting(key)
	switch {
	case !ok && looksSecret(key):
		if e.kind.key == "" {
			return value.Errorf("a manifest cannot contain keys, such as %q; name the variable that holds the key with api_key_env", key)
		}
		return value.Errorf("a manifest cannot contain keys, such as %q; set %s in the environment or in env_file, "+
			"or name another variable with api_key_env", key, e.kind.key)
	case !ok:
		return e.unknown(n, key)
	}
	if len(path) == 1 {
		path = openai.API(e.api).Field(path[0]) // only models of OpenAI have an API
	}
	setting, err := of.value(value)
	if err != nil {
		return err
	}
	return into.put(path, setting, value)
}

// decodeSettings decodes settings with any name.
func (e *providerEntry) decodeSettings(n strictyaml.Node, into *settings) error {
	var all map[string]any
	if err := n.Decode(&all); err != nil {
		return err
	}
	var errs []error
	for _, key := range n.Keys() {
		value, _ := n.Get(key)
		errs = append(errs, into.put(openai.API(e.api).Field(key), all[key], value))
	}
	return strictyaml.Join(errs...)
}

// unknown returns the error for a key that the models of the provider do not have.
func (e *providerEntry) unknown(n strictyaml.Node, key string) error {
	at, _ := n.Key(key)
	has := func(setting string) bool { _, _, ok := e.kind.setting(setting); return ok }
	if advice, ok := settingname.Advice(e.provider, key, has); ok {
		return at.Errorf("unknown key %q; for %s, %s", key, e.provider, advice)
	}
	known := slices.Concat(e.kind.keys(), e.kind.settingNames())
	if e.provider == openai.Provider {
		known = append(known, "api", "use_previous_response_id", "background")
	}
	return at.Unknown("key", slices.Sorted(slices.Values(known)))
}
