// Package codec encodes Go values as msgpack and decodes them, for the state and for stores.
package codec

import (
	"bytes"
	"fmt"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/agenthost/agenthost/abi/wire"
)

// Encode returns the canonical msgpack form of a Go value. A type without one, such as time.Time, is an error.
func Encode(value any) (wire.Raw, error) {
	if b, err := wire.AppendValue(nil, value); err == nil {
		return b, nil
	}
	var buf bytes.Buffer
	enc := msgpack.NewEncoder(&buf)
	enc.SetSortMapKeys(true)
	enc.UseCompactInts(true)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	b, err := wire.Canonical(buf.Bytes(), wire.DefaultLimits)
	if err != nil {
		return nil, fmt.Errorf("a value of type %T cannot be stored: %w", value, err)
	}
	return b, nil
}

// Decode decodes a value into the variable that into points to.
func Decode(raw wire.Raw, into any) error {
	switch into := into.(type) {
	case *wire.Raw:
		*into = raw
		return nil
	case *int:
		if i, ok := raw.AsInt(); ok {
			*into = int(i)
			return nil
		}
	case *int64:
		if i, ok := raw.AsInt(); ok {
			*into = i
			return nil
		}
	case *string:
		if s, ok := raw.AsString(); ok {
			*into = s
			return nil
		}
	case *bool:
		if b, ok := raw.AsBool(); ok {
			*into = b
			return nil
		}
	case *any:
		v, err := raw.Value()
		*into = v
		return err
	}
	if err := wire.Validate(raw, wire.DefaultLimits); err != nil {
		return err
	}
	return msgpack.Unmarshal(raw, into)
}
