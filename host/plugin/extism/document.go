package extism

import (
	"bytes"
	"encoding/base64"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// A guest that writes its Description as JSON is given, and writes, the JSON form of all documents: the same keys, with
// base64 in the place of bytes. JSON does not say which of its strings are base64, so they are known here: the data of
// content blocks, and the body of a request.

// jsonWork is what converting a byte of JSON takes, in bytes moved.
const jsonWork = 16

// isJSON reports whether a document is JSON. No document of msgpack begins so: it would be the number 123.
func isJSON(doc []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(doc, " \t\r\n"), []byte("{"))
}

// shown is a document of the host as the guest reads it.
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

// parsed returns a document that a guest wrote for an operation, or as a result (""), as msgpack.
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

// binaryOf turns the strings of a document that stand for bytes into bytes.
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
				err = fmt.Errorf("%s is no base64: %w", p.Key, err)
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
