package manifest

import (
	"errors"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/ratelimit"
	"github.com/agenthost/agenthost/internal/strictyaml"
	"github.com/agenthost/agenthost/manifest/script"
)

// modelEntry is one model: its provider and the keys of that provider.
type modelEntry struct {
	node     strictyaml.Node
	provided *providerEntry // nil: the model is scripted
}

// UnmarshalStrict decodes a model of a provider. It only checks a scripted model, which is decoded when it is built.
func (e *modelEntry) UnmarshalStrict(n strictyaml.Node) error {
	e.node = n
	if n.Kind() == strictyaml.KindString {
		var text string
		err := n.Decode(&text)
		if err == nil {
			e.provided, err = parseModel(n, text)
		}
		return err
	}
	if n.Kind() != strictyaml.KindMap {
		return n.Errorf("a model is PROVIDER:NAME, or a mapping with the key \"provider\", such as {provider: scripted, rules: rules.yaml}")
	}
	provider, ok := n.Get("provider")
	if !ok {
		return n.Errorf("the key \"provider\" is missing")
	}
	var name string
	if err := provider.Decode(&name); err != nil {
		return err
	}
	if name == "scripted" {
		return n.Decode(&scriptedEntry{})
	}
	if providers[name] == nil {
		if other := otherNames[name]; other != "" {
			return provider.Errorf("the provider %q is unknown; its name is %s here", name, other)
		}
		return provider.Unknown("provider", providerNames())
	}
	var err error
	e.provided, err = decodeProvider(n, name)
	return err
}

// scriptedEntry is a model that needs no provider.
type scriptedEntry struct {
	// the provider of models that need no server: scripted
	Provider string `yaml:"provider" strict:"required" schema:"enum=scripted"`
	script.Model
	cutOffEntry
}

// build makes the model.
func (e *modelEntry) build(m *Manifest) (model.Model, error) {
	if e.provided != nil {
		return e.provided.cutOff.wrap(ratelimit.New(e.provided.in(m).build(m), e.provided.rate.limit())), nil
	}
	var entry scriptedEntry
	if err := e.node.Decode(&entry); err != nil {
		return nil, err
	}
	made, err := entry.build(m, e.node)
	if err != nil {
		return nil, err
	}
	return entry.wrap(made), nil
}

// build makes the model.
func (e *scriptedEntry) build(m *Manifest, n strictyaml.Node) (model.Model, error) {
	return e.Build(n, func(path string) (string, []byte, error) {
		path = m.path(path)
		data, err := m.readFile(path, "a rules file")
		return path, data, err
	})
}

// checked makes the model, and refuses a configuration with which every call would fail.
func (e *modelEntry) checked(m *Manifest) (model.Model, error) {
	built, err := e.build(m)
	checker, ok := model.As[model.Checker](built)
	if err != nil || !ok {
		return built, err
	}
	err = checker.Check()
	if setting, ok := errors.AsType[*model.SettingError](err); ok {
		at := e.node
		for _, place := range []strictyaml.Node{e.node, settingsOf(e.node)} {
			if key, ok := place.Key(setting.Setting); ok {
				at = key
			}
		}
		return nil, at.Errorf("%w", setting)
	}
	if header, ok := errors.AsType[*model.HeaderError](err); ok {
		headers, _ := e.node.Get("headers")
		at, _ := headers.Key(header.Header)
		return nil, at.Errorf("%w", header)
	}
	if err != nil {
		return nil, e.node.Errorf("%w", err)
	}
	return built, nil
}

// settingsOf returns the key settings of a model; the zero Node if there is none.
func settingsOf(n strictyaml.Node) strictyaml.Node {
	settings, _ := n.Get("settings")
	return settings
}
