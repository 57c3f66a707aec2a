package manifest

import (
	"maps"
	"slices"

	"github.com/agenthost/agenthost/internal/strictyaml"
	nearest "github.com/agenthost/agenthost/internal/text"
)

// settingType is what a provider accepts as the value of a setting. It is checked when the manifest is read, so that a mistake is not
// found by the first request. Settings without a known type take any value, and null is a value of every type: some settings have a
// default that null turns off.
type settingType struct {
	schema map[string]any // what editors check; nil: anything
	decode func(n strictyaml.Node) (any, error)
}

// The types of settings.
var (
	anything = settingType{nil, decodeAs[any]}
	words    = settingType{map[string]any{"type": "string"}, decodeAs[string]}
	boolean  = settingType{map[string]any{"type": "boolean"}, decodeAs[bool]}
	integer  = settingType{map[string]any{"type": "integer"}, decodeAs[int64]}
	positive = settingType{map[string]any{"type": []string{"string", "integer"}, "pattern": `^[0-9]+ ?[kMGT]?$|\$\{`, "minimum": 1}, decodePositive}
	number   = settingType{map[string]any{"type": "number"}, decodeNumber}
	list     = settingType{map[string]any{"type": "array"}, decodeAs[[]any]}
	texts    = settingType{listOf(map[string]any{"type": "string"}), decodeAs[[]string]}
	mapping  = settingType{map[string]any{"type": "object"}, decodeAs[map[string]any]}
	// wordsOrTexts is a text or a list of texts.
	wordsOrTexts = settingType{oneOf(map[string]any{"type": "string"}, listOf(map[string]any{"type": "string"})), decodeWordsOrTexts}
)

// mappingWith is a mapping in which these keys have a type. Other keys take any value, because a provider may add some at any time, unless their
// name is almost that of one of these.
func mappingWith(fields map[string]settingType) settingType {
	return settingType{mapping.schema, func(n strictyaml.Node) (any, error) {
		var all map[string]any
		if err := n.Decode(&all); err != nil {
			return nil, err
		}
		var errs []error
		for _, key := range n.Keys() {
			field, ok := fields[key]
			if !ok {
				if near, found := nearest.Nearest(key, slices.Sorted(maps.Keys(fields))); found {
					at, _ := n.Key(key)
					errs = append(errs, at.Errorf("unknown key %q; did you mean %q? If the provider has both, write this one under settings", key, near))
				}
				continue
			}
			inner, _ := n.Get(key)
			value, err := field.value(inner)
			all[key] = value
			errs = append(errs, err)
		}
		return all, strictyaml.Join(errs...)
	}}
}

func decodeAs[T any](n strictyaml.Node) (any, error) {
	var value T
	err := n.Decode(&value)
	return value, err
}

// decodePositive decodes a count, such as 10k.
func decodePositive(n strictyaml.Node) (any, error) {
	var value strictyaml.Count
	err := n.Decode(&value)
	if err == nil && value < 1 {
		err = n.Errorf("must be at least 1")
	}
	return int64(value), err
}

// decodeNumber keeps a whole number whole.
func decodeNumber(n strictyaml.Node) (any, error) {
	if n.Kind() == strictyaml.KindInteger {
		return decodeAs[int64](n)
	}
	return decodeAs[float64](n)
}

func decodeWordsOrTexts(n strictyaml.Node) (any, error) {
	if n.Kind() == strictyaml.KindList {
		return decodeAs[[]string](n)
	}
	return decodeAs[string](n)
}

// value decodes a setting.
func (s *settingType) value(n strictyaml.Node) (any, error) {
	if n.Kind() == strictyaml.KindNull {
		return nil, nil
	}
	return s.decode(n)
}

// setting returns the type of a setting, and the path of the field of a request that it sets; false if the provider has no such setting.
func (k *providerKind) setting(key string) (of settingType, path []string, ok bool) {
	k = k.speaks()
	if common, ok := k.common[key]; ok {
		return common.settingType, common.path, true
	}
	of, ok = k.settings[key]
	return of, []string{key}, ok
}

// settingNames returns the names of the provider's settings.
func (k *providerKind) settingNames() []string {
	k = k.speaks()
	return slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Keys(k.settings)), slices.Collect(maps.Keys(k.common)))))
}

// commonSetting is a setting that providers name differently.
type commonSetting struct {
	settingType

	path []string // the provider's own key
}
