//go:build !no_extism

package extism

import (
	"bytes"
	"encoding/base64"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// A guest that writes its Description as JSON reads and writes the JSON form of all documents: the same keys, with
// bytes as base64. JSON does not mark which strings are base64, so this file knows them: the data of content blocks,
// and the body of a request.

// jsonWork is the cost of converting one byte of JSON, in moved bytes.
const jsonWork = 16

// isJSON reports whether a document is JSON. A msgpack document cannot begin like JSON, because it would be the number
// 123.
func isJSON(doc []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(doc, " \t\r\n"), []byte("{"))
}

// shown returns a document of the host in the form that the guest reads.
func (s *session) shown(doc []byte) []byte {
	if len(doc) == 0 || !s.code.json.Load() {
		return doc
	}
	text, err := wire.AppendJSON(nil, doc)
	if err != nil { // not one of the host's documents
		return doc
	}
	return text
}

// parsed returns a document of the guest as msgpack. The document belongs to the operation op, or is a result if op is
// "".
func (c *code) parsed(op string, doc []byte) ([]byte, error) {
	if !c.json.Load() {
		return doc, nil
	}
	raw, err := wire.FromJSON(doc, wire.DefaultLimits)
	if err != nil {
		return nil, err
	}
	return binaryOf(op, raw)
}

// binaryOf decodes the strings of a document that represent bytes.
func binaryOf(op string, raw wire.Raw) (wire.Raw, error) {
	switch {
	case raw.IsArray():
		out := wire.AppendArrayHeader(make([]byte, 0, len(raw)), raw.Len())
		for item := range raw.Elements() {
			item, err := binaryOf("", item)
			if err != nil {
				return nil, err
			}
			out = append(out, item...)
		}
		return out, nil
	case raw.IsMap():
		return binaryOfMap(op, raw)
	default:
		return raw, nil
	}
}

func binaryOfMap(op string, raw wire.Raw) (wire.Raw, error) {
	var m wire.Map
	if _, err := m.UnmarshalMsg(raw); err != nil {
		return nil, err
	}
	kind, _ := m.Get("type").AsString()
	for i := range m {
		p := &m[i]
		text, isText := p.Value.AsString()
		var err error
		switch {
		case isText && (p.Key == "data" && (kind == "image" || kind == "file") || p.Key == "body" && op == abi.OpHTTPFetch):
			var b []byte
			if b, err = base64.StdEncoding.DecodeString(text); err == nil {
				p.Value = wire.AppendBin(nil, b)
			} else {
				err = fmt.Errorf("%s is not base64: %w", p.Key, err)
			}
		case !isText:
			p.Value, err = binaryOf("", p.Value)
		}
		if err != nil {
			return nil, err
		}
	}
	return m.Raw(), nil
}
