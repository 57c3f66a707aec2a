package openai

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// nested lists the settings of Chat Completions that the Responses API has inside an object.
var nested = map[string][]string{"reasoning_effort": {"reasoning", "effort"}, "verbosity": {"text", "verbosity"}}

// Field returns the path of the field of a request that a setting sets. With Responses, "reasoning_effort" sets
// reasoning.effort and "verbosity" sets text.verbosity. Every other setting has the name of its field.
func (a API) Field(setting string) []string {
	if path, ok := nested[setting]; ok && a == Responses {
		return slices.Clone(path)
	}
	return []string{setting}
}

// responsesSettings returns the settings of a request to the Responses API. Those of the request win, field by field in the
// objects that settings of other names set, too.
func (m *Model) responsesSettings(request wire.Map) (object, error) {
	out, err := m.nest(m.Settings)
	if err != nil {
		return nil, err
	}
	wins, err := m.nest(request)
	if err != nil {
		return nil, err
	}
	for _, path := range nested {
		old, ok := out[path[0]].(object)
		if fields, given := wins[path[0]].(object); ok && given {
			provider.Merge(old, fields)
			delete(wins, path[0])
		}
	}
	maps.Copy(out, wins)
	return out, nil
}

// nest returns settings with each at its field. The error for a field that is set twice, to different values, names both
// settings.
func (m *Model) nest(of wire.Map) (object, error) {
	out, err := provider.Settings(m.provider(), of, nil, responsesReserved...)
	if err != nil {
		return nil, err
	}
	for _, setting := range slices.Sorted(maps.Keys(nested)) {
		value, ok := out[setting]
		if !ok {
			continue
		}
		delete(out, setting)
		outer, field := nested[setting][0], nested[setting][1]
		if _, ok := out[outer]; !ok {
			out[outer] = object{}
		}
		fields, isObject := out[outer].(object)
		if old, given := fields[field]; !isObject || given && !reflect.DeepEqual(old, value) {
			return nil, m.refused(fmt.Errorf("the settings %q and %q set %s.%s to different values; remove one of the two",
				setting, outer, outer, field))
		}
		fields[field] = value
	}
	return out, nil
}
