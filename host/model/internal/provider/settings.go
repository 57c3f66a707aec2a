package provider

import (
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
)

// Settings merges the settings of a request over those of the model and returns them as values for JSON. It rejects the
// reserved ones, which the request sets itself.
func Settings(name string, of, request wire.Map, reserved ...string) (map[string]any, error) {
	all := of.With(request)
	out := make(map[string]any, len(all))
	for _, setting := range all {
		if slices.Contains(reserved, setting.Key) {
			return nil, Unsendable(name, &model.SettingError{Setting: setting.Key, Problem: "is not allowed, because the agent sets it; remove it"})
		}
		value, err := setting.Value.Value()
		if err != nil {
			return nil, &model.Error{
				Provider: name, Kind: model.ErrorInvalidRequest, Err: fmt.Errorf("the setting %q: %w", setting.Key, err),
			}
		}
		out[setting.Key] = value
	}
	return out, nil
}

// Object returns a map as a Go value for JSON, or nil if raw is not a map.
func Object(raw wire.Raw) map[string]any {
	value, err := raw.Value()
	if err != nil {
		return nil
	}
	object, _ := value.(map[string]any)
	return object
}

// Merge sets values in into, merging objects field by field.
func Merge(into, values map[string]any) {
	for key, value := range values {
		old, isObject := into[key].(map[string]any)
		if fields, ok := value.(map[string]any); ok && isObject {
			Merge(old, fields)
			continue
		}
		into[key] = value
	}
}
