//go:build !no_extism

package extism

import (
	"encoding/binary"
	"fmt"

	"github.com/tetratelabs/wazero/api"

	"github.com/agenthost/agenthost/abi"
)

const (
	i32 = api.ValueTypeI32
	i64 = api.ValueTypeI64
)

// function is an import of Extism's contract.
type function struct {
	name    string
	params  []api.ValueType
	results []api.ValueType
	call    func(s *session, stack []uint64)
}

func types(t ...api.ValueType) []api.ValueType { return t }

// envFunctions returns the functions of extism:host/env that guests may call. Offsets and lengths are i64, and 0 means
// no block.
func envFunctions() []function {
	return []function{
		{"alloc", types(i64), types(i64), func(s *session, v []uint64) { v[0] = s.blocks.add(v[0]) }},
		{"free", types(i64), nil, func(s *session, v []uint64) { s.blocks.free(v[0]) }},
		{"length", types(i64), types(i64), length},
		{"length_unsafe", types(i64), types(i64), length},
		{"load_u8", types(i64), types(i32), func(s *session, v []uint64) { v[0] = uint64(s.reach("load_u8", v[0], 1)[0]) }},
		{"load_u64", types(i64), types(i64), func(s *session, v []uint64) {
			v[0] = binary.LittleEndian.Uint64(s.reach("load_u64", v[0], 8))
		}},
		{"store_u8", types(i64, i32), nil, func(s *session, v []uint64) { s.reach("store_u8", v[0], 1)[0] = byte(v[1]) }},
		{"store_u64", types(i64, i64), nil, func(s *session, v []uint64) {
			binary.LittleEndian.PutUint64(s.reach("store_u64", v[0], 8), v[1])
		}},
		{"input_length", nil, types(i64), func(s *session, v []uint64) { v[0] = uint64(len(s.input)) }},
		{"input_offset", nil, types(i64), func(s *session, v []uint64) { v[0] = s.inputBlock() }},
		{"input_load_u8", types(i64), types(i32), func(s *session, v []uint64) { v[0] = uint64(s.inputAt(v[0], 1)[0]) }},
		{"input_load_u64", types(i64), types(i64), func(s *session, v []uint64) {
			v[0] = binary.LittleEndian.Uint64(s.inputAt(v[0], 8))
		}},
		{"output_set", types(i64, i64), nil, outputSet},
		{"error_set", types(i64), nil, errorSet},
		{"config_get", types(i64), types(i64), configGet},
		{"get_log_level", nil, types(i32), func(_ *session, v []uint64) { v[0] = 0 }}, // all levels: the host drops lines that it does not want
		{"log_trace", types(i64), nil, logger(abi.LogDebug)},
		{"log_debug", types(i64), nil, logger(abi.LogDebug)},
		{"log_info", types(i64), nil, logger(abi.LogInfo)},
		{"log_warn", types(i64), nil, logger(abi.LogWarn)},
		{"log_error", types(i64), nil, logger(abi.LogError)},
		{"var_get", types(i64), types(i64), noVariables},
		{"var_set", types(i64, i64), nil, noVariables},
		{"http_request", types(i64, i64), types(i64), func(s *session, _ []uint64) {
			s.guest.Deny("http_request: Extism's HTTP is off; ask for the capability " + abi.OpHTTPFetch + " and call host_call")
		}},
		{"http_status_code", nil, types(i32), func(_ *session, v []uint64) { v[0] = 0 }},
		{"http_headers", nil, types(i64), func(_ *session, v []uint64) { v[0] = 0 }},
	}
}

func noVariables(s *session, _ []uint64) {
	s.guest.Deny("var_get and var_set: Extism's variables are off; ask for the capability " + abi.OpKVPut + " and call host_call")
}

// reach returns n bytes of a block, or ends the guest.
func (s *session) reach(what string, at, n uint64) []byte {
	part := s.blocks.bytes(at, n)
	if part == nil {
		s.guest.Violate(fmt.Sprintf("%s: there is no block with %d bytes at %d", what, n, at))
	}
	return part
}

// document returns a block that the guest passes to the host, or nil for the offset 0.
func (s *session) document(what string, at uint64) []byte {
	if at == 0 {
		return nil
	}
	b := s.blocks.find(at)
	if b == nil {
		s.guest.Violate(fmt.Sprintf("%s: no block begins at %d", what, at))
	}
	s.guest.Worked(len(b.data))
	return b.data
}

func length(s *session, v []uint64) {
	b := s.blocks.find(v[0])
	if v[0] = 0; b != nil {
		v[0] = uint64(len(b.data))
	}
}

// inputAt returns n bytes of the input, or ends the guest.
func (s *session) inputAt(at, n uint64) []byte {
	if have := uint64(len(s.input)); at > have || n > have-at {
		s.guest.Violate(fmt.Sprintf("input_load: the guest reads %d bytes at %d, but the input has %d bytes", n, at, have))
	}
	return s.input[at : at+n]
}

// inputBlock returns the input as a block, which the guest may change.
func (s *session) inputBlock() uint64 {
	if s.inputAs == 0 {
		s.inputAs = s.blocks.put(s.input)
	}
	return s.inputAs
}

func outputSet(s *session, v []uint64) {
	at, n := v[0], v[1]
	if n == 0 {
		s.output = s.output[:0]
		return
	}
	part := s.reach("output_set", at, n)
	s.guest.Bound("the result", len(part))
	s.guest.Worked(len(part))
	s.output = append(s.output[:0], part...)
}

func errorSet(s *session, v []uint64) {
	text := s.document("error_set", v[0])
	s.failure = string(text[:min(len(text), mostFailure)])
}

// mostFailure is the maximum number of bytes that are kept of an error text.
const mostFailure = 8 << 10

func configGet(s *session, v []uint64) {
	key := s.document("config_get", v[0])
	v[0] = 0
	if value, ok := s.guest.Setting(string(key)); ok {
		v[0] = s.blocks.put([]byte(value))
	}
}

// logger makes a function that logs a block and frees it.
func logger(level abi.LogLevel) func(s *session, v []uint64) {
	return func(s *session, v []uint64) {
		s.guest.Log(level, s.document("log", v[0]))
		s.blocks.free(v[0])
	}
}
