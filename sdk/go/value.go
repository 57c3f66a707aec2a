package sdk

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// Document is a type that encodes and decodes itself and knows its JSON Schema. The command sdk/go/gen writes these
// methods for a struct.
type Document interface {
	MarshalMsg(dst []byte) ([]byte, error)
	UnmarshalMsg(b []byte) (rest []byte, err error)
	JSONSchema() Raw
}

// Decode decodes a map into a document, for example a configuration into its struct.
func Decode(m Map, into Document) error {
	_, err := into.UnmarshalMsg(m.Raw())
	return err
}

// encode encodes the Go value that a pointer points to, without reflection.
func encode(v any) (Raw, error) {
	switch v := v.(type) {
	case *bool:
		return wire.Bool(*v), nil
	case *string:
		return wire.String(*v), nil
	case *int:
		return wire.Int(int64(*v)), nil
	case *int64:
		return wire.Int(*v), nil
	case *uint64:
		return wire.Uint(*v), nil
	case *float64:
		return wire.Float(*v), nil
	case *[]byte:
		return wire.AppendBin(nil, *v), nil
	case *[]string:
		return abi.NameList(*v).MarshalMsg(nil)
	case *Raw:
		return *v, nil
	case *Map:
		return v.Raw(), nil
	case Document:
		return v.MarshalMsg(nil)
	default:
		return nil, errNoForm
	}
}

// decode decodes a value into the Go value that a pointer points to.
func decode(key string, raw Raw, into any) error {
	switch into := into.(type) {
	case *bool:
		return DecodeBool(into, key, raw)
	case *string:
		return DecodeString(into, key, raw)
	case *int:
		return DecodeInt(into, key, raw)
	case *int64:
		return DecodeInt(into, key, raw)
	case *uint64:
		return DecodeUint(into, key, raw)
	case *float64:
		return DecodeFloat(into, key, raw)
	case *[]byte:
		return DecodeBytes(into, key, raw)
	case *[]string:
		return DecodeList(into, key, raw, DecodeString[string])
	case *Raw:
		*into = raw
		return nil
	case *Map:
		return DecodeDynamic(into, key, raw)
	case Document:
		return DecodeDocument(into, key, raw)
	default:
		return errNoForm
	}
}

// schemaOf returns the schema of the Go value that a pointer points to, or nil if any value is valid.
func schemaOf(v any) Raw {
	var kind string
	switch v := v.(type) {
	case *bool:
		kind = "boolean"
	case *string:
		kind = "string"
	case *int, *int64, *uint64:
		kind = "integer"
	case *float64:
		kind = "number"
	case *[]string:
		items := wire.Map{{Key: "type", Value: wire.String("string")}}
		return wire.Map{{Key: "items", Value: items.Raw()}, {Key: "type", Value: wire.String("array")}}.Raw()
	case *Map:
		kind = "object"
	case Document:
		return v.JSONSchema()
	default:
		return nil
	}
	return wire.Map{{Key: "type", Value: wire.String(kind)}}.Raw()
}

var errNoForm = &Error{Type: "type", Message: "the Go type has no form here: use bool, int, int64, uint64, float64, string, []byte, " +
	"[]string, sdk.Raw, sdk.Map, or a struct with a generated codec (sdk/go/gen)"}
