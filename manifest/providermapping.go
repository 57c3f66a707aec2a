package manifest

import (
	"cmp"
	"net/url"
	"slices"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// decodeProvider decodes a mapping.
func decodeProvider(n strictyaml.Node, provider string) (*providerEntry, error) {
	e := &providerEntry{kind: providers[provider], provider: provider}
	if err := e.kind.checkBuild(); err != nil {
		return nil, n.Errorf("%w", err)
	}
	var errs []error
	var profile profileEntry
	settings := newSettings()
	if api, ok := n.Get("api"); ok && e.kind.speaks() == providers[openai.Provider] { // it decides where settings go
		errs = append(errs, e.decodeAPI(api))
	}
	for _, key := range n.Keys() {
		value, _ := n.Get(key)
		var err error
		switch key {
		case "provider":
		case "name":
			if err = value.Decode(&e.name); err == nil && e.name == "" {
				err = value.Errorf("the name is empty; set it to the model's name, as the provider calls it")
			}
		case "base_url":
			err = e.decodeBaseURL(value)
		case keyEnv:
			err = e.decodeKeyFrom(value)
		case "headers":
			err = value.Decode(&e.headers)
		case "profile":
			err = value.Decode(&profile)
		case "settings":
			err = e.decodeSettings(value, settings)
		case "api":
			if e.kind.speaks() != providers[openai.Provider] {
				err = e.unknown(n, key)
			}
		case "use_previous_response_id", "background":
			err = e.decodeResponses(n, key, value)
		case "on_cut_off", "max_continuations":
			err = e.cutOff.decode(key, value)
		case "proxy", "ca_file", "client_cert", "client_key":
			err = e.decodeNetwork(key, value)
		case "provider_tools":
			err = value.Decode(&e.tools)
		case "rate_limit":
			err = value.Decode(&e.rate)
		case "stream":
			err = e.decodeStream(n, value)
		case "timeout", "first_token_timeout", "idle_timeout", "max_retries":
			err = decodeCallLimit(key, value, &e.limits)
		default:
			known := false
			if slices.Contains(e.kind.cloud, key) {
				known, err = e.cloud.decode(key, value)
			}
			if !known {
				err = e.decodeSetting(n, key, value, settings)
			}
		}
		errs = append(errs, err)
	}
	if !slices.Contains(n.Keys(), "name") {
		errs = append(errs, n.Errorf("the key \"name\" is missing; set it to the model's name, as the provider calls it"))
	}
	errs = append(errs, e.checkDecisions(n))
	e.known(provider)
	profile.apply(e.profile)
	var err error
	if e.settings, err = wire.MapOf(settings.fields); err != nil {
		errs = append(errs, n.Errorf("settings: %w", err))
	}
	return e, strictyaml.Join(errs...)
}

// checkDecisions refuses keys that have no effect on a model that does not chat.
func (e *providerEntry) checkDecisions(n strictyaml.Node) error {
	if e.api != decisionsAPI {
		return nil
	}
	for _, key := range []string{"stream", "rate_limit", "use_previous_response_id", "background", "provider_tools"} {
		if at, ok := n.Key(key); ok {
			return at.Errorf("%s has no effect with api: decisions; remove it", key)
		}
	}
	return nil
}

// decodeResponses decodes one of the keys that only the Responses API of OpenAI has.
func (e *providerEntry) decodeResponses(n strictyaml.Node, key string, value strictyaml.Node) error {
	if e.provider != openai.Provider {
		return e.unknown(n, key)
	}
	into := &e.background
	if key == "use_previous_response_id" {
		into = &e.continues
	}
	return value.Decode(into)
}

// decodeStream refuses limits that have no effect without a stream.
func (e *providerEntry) decodeStream(n, value strictyaml.Node) error {
	var stream bool
	if err := value.Decode(&stream); err != nil {
		return err
	}
	e.wholeAnswers = !stream
	for _, key := range []string{"first_token_timeout", "idle_timeout"} {
		if at, ok := n.Key(key); ok && e.wholeAnswers {
			return at.Errorf("%s has no effect with stream: false, which only timeout limits; remove one of the two", key)
		}
	}
	return nil
}

// environmentName is the form of the names of environment variables. A key of a provider usually has another one.
var environmentName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// decodeKeyFrom refuses a key in place of the name of its variable, without showing it.
func (e *providerEntry) decodeKeyFrom(value strictyaml.Node) error {
	if err := value.Decode(&e.keyFrom); err != nil {
		return err
	}
	if !environmentName().MatchString(e.keyFrom) {
		e.keyFrom = ""
		example := cmp.Or(e.kind.key, openai.APIKeyVariable)
		return value.Errorf("api_key_env must be the name of an environment variable, such as %s, and not the key itself", example)
	}
	return nil
}

func (e *providerEntry) decodeBaseURL(value strictyaml.Node) error {
	if err := value.Decode(&e.baseURL); err != nil {
		return err
	}
	u, err := url.Parse(e.baseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return value.Errorf("base_url must be an address such as http://localhost:11434/v1")
	}
	return nil
}

// decisionsAPI is the name of the API whose models decide and do not chat.
const decisionsAPI = "decisions"

// decodeAPI decodes the name of one of OpenAI's APIs.
func (e *providerEntry) decodeAPI(value strictyaml.Node) error {
	if err := value.Decode(&e.api); err != nil {
		return err
	}
	apis := []string{string(openai.ChatCompletions), string(openai.Responses)}
	if e.kind.like == "" { // no cloud offers it
		apis = append(apis, decisionsAPI)
	}
	if !slices.Contains(apis, e.api) {
		return value.Unknown("api", apis)
	}
	return nil
}
