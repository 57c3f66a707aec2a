package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/schema"
)

// defaultsOf returns the schema for its defaults; nil if it has none.
func defaultsOf(parameters wire.Raw) (*schema.Schema, error) {
	if !strings.Contains(parameters.JSON(), `"default":`) {
		return nil, nil
	}
	return schema.Compile(parameters)
}

// decode reads arguments into a Go value, with defaults. The error is written for the model.
func decode(defaults *schema.Schema, args wire.Raw, into any) error {
	if defaults != nil && (args.IsMap() || args.IsNil()) {
		var given wire.Map
		if _, err := given.UnmarshalMsg(args); args.IsMap() && err != nil {
			return err
		}
		args = defaults.WithDefaults(given).Raw()
	}
	text, err := wire.AppendJSON(nil, args)
	if err != nil {
		return err
	}
	err = json.Unmarshal(text, into)
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return err
	}
	// 2.0 is an integer in JSON Schema, but not to encoding/json.
	value, err := args.Value()
	if err != nil {
		return err
	}
	if text, err = json.Marshal(wholeNumbers(value)); err != nil {
		return err
	}
	if err = json.Unmarshal(text, into); err == nil {
		return nil
	}
	where := wrong.Field
	if where == "" {
		where = "arguments"
	}
	return fmt.Errorf("%s: %s is no %s", where, wrong.Value, wrong.Type)
}

// wholeNumbers makes integers of floats that are whole, in place where it can.
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
