//go:build !no_extism

package extism

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// userFunctions returns the functions of extism:host/user. They are the imports of the ABI with the same names, but take
// blocks instead of pointers. Each returns the offset of a document {status, reply?}, or 0 if there is no room for it.
func userFunctions() []function {
	return []function{
		{abi.ImportNext, types(i64), types(i64), func(s *session, v []uint64) {
			payload := s.payload(abi.ImportNext, "", v[0])
			status, reply := s.guest.Next(payload)
			v[0] = s.answer(status, reply)
		}},
		{abi.ImportHostCall, types(i64, i64), types(i64), func(s *session, v []uint64) {
			const maxName = 64
			op := string(s.document("host_call: the operation", v[0]))
			if len(op) > maxName {
				s.guest.Violate("host_call: the name of an operation may have at most 64 bytes")
			}
			payload := s.payload(abi.ImportHostCall, op, v[1])
			status, reply := s.guest.HostCall(op, payload)
			v[0] = s.answer(status, reply)
		}},
	}
}

// payload returns a document that the guest passes to the host, as msgpack. The guest can no longer change it.
func (s *session) payload(what, op string, at uint64) []byte {
	doc := s.document(what+": the document", at)
	s.guest.Bound(what+": the document", len(doc))
	if len(doc) == 0 {
		return nil
	}
	if s.code.json.Load() {
		s.guest.Worked(jsonWork * len(doc))
	}
	parsed, err := s.code.parsed(op, doc)
	if err != nil {
		s.guest.Violate(what + ": the document is malformed: " + err.Error())
	}
	return append([]byte(nil), parsed...)
}

// answer makes a block from the host's answer to a call.
func (s *session) answer(status abi.Status, reply []byte) uint64 {
	keys := 1
	if len(reply) > 0 {
		keys++
	}
	doc := wire.AppendMapHeader(make([]byte, 0, len(reply)+32), keys)
	if len(reply) > 0 {
		doc = append(wire.AppendString(doc, "reply"), reply...)
	}
	doc = wire.AppendInt(wire.AppendString(doc, "status"), int64(status))
	if s.code.json.Load() {
		s.guest.Worked(jsonWork * len(doc))
	}
	return s.blocks.put(s.shown(doc))
}
