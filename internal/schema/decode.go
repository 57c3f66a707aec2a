package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/agenthost/agenthost/abi/wire"
)

// Decode reads a value into a Go value, by its json tags, with the schema's defaults. The error is written for the model.
func (s *Schema) Decode(value wire.Raw, into any) error {
	if s != nil && s.defaults && (value.IsMap() || value.IsNil()) {
		var given wire.Map
		if _, err := given.UnmarshalMsg(value); value.IsMap() && err != nil {
			return err
		}
		value = s.WithDefaults(given).Raw()
	}
	text, err := wire.AppendJSON(nil, value)
	if err != nil {
		return err
	}
	err = json.Unmarshal(text, into)
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return err
	}
	// 2.0 is an integer in JSON Schema, but not for encoding/json
	decoded, err := value.Value()
	if err != nil {
		return err
	}
	if text, err = json.Marshal(wholeNumbers(decoded)); err != nil {
		return err
	}
	if err = json.Unmarshal(text, into); err == nil {
		return nil
	}
	where := wrong.Field
	if where == "" {
		where = "arguments"
	}
	return fmt.Errorf("%s: %s is not a valid %s", where, wrong.Value, wrong.Type)
}

// wholeNumbers turns floats without a fraction into integers, in place where it can.
func wholeNumbers(value any) any {
	const exact = 1 << 53
	switch v := value.(type) {
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < exact {
			return int64(v)
		}
	case []any:
		for i := range v {
			v[i] = wholeNumbers(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = wholeNumbers(v[key])
		}
	}
	return value
}
