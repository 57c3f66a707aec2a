package certify

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// scene is the world of one call: the run in which a hook or tool is called, and the answers of the host.
type scene struct {
	plugin  *abi.Description // the one that applies, perhaps narrowed
	export  string
	spec    *abi.HookSpec // spec of the hook; nil in call_tool
	history []abi.Message // history of the run; each message has an id
	request []abi.Message // messages of the model request; nil: the history
	view    *abi.View     // the view that the hook sees; nil: what its spec says
	system  abi.Content
	values  wire.Map // values of all fields
	large   []string // fields that are left out of the input
	answers wire.Map
	context wire.Map // values of the keys that the plugin lists
	call    abi.ToolCall
	known   bool
	tools   []string // tools that the request offers
	n       uint64
	now     uint64
	seed    uint64
	thread  string
	unknown bool // every document has keys of a later minor version

	nexts     int // calls of next that the frame may make
	next      func(n int) (abi.Status, []byte)
	operation func(op string, payload []byte) (abi.Status, []byte, bool) // answers an operation; false: answer as usual
	granted   func(op string) bool                                       // nil: everything that the plugin asks for
}

// answers is the behavior of the host in one frame.
type answers struct {
	scene *scene
	now   uint64
	seed  uint64
	nexts int
	store store
}

// host makes the answers for a frame. Each has its own store.
func (s *scene) host() *answers {
	return &answers{scene: s, now: s.now, seed: s.seed, nexts: s.nexts, store: store{entries: map[string]entry{}}}
}

// next answers the n-th call of next.
func (a *answers) next(n int) (abi.Status, []byte) {
	if a.scene.next != nil {
		return a.scene.next(n)
	}
	return abi.StatusOK, a.scene.reply()
}

// reply returns the answer of the inner layers when all goes well.
func (s *scene) reply() []byte {
	if s.export == string(abi.WrapToolCall) {
		m := abi.ToolResult(s.call, "an answer")
		m.ID = "reply-1"
		return document(&abi.ToolReply{ToolMessage: m})
	}
	m := abi.AI("an answer")
	m.ID = "reply-1"
	return document(&abi.ModelResponse{Messages: []abi.Message{m}, Model: "model", StopReason: "stop"})
}

// input writes the input document.
func (s *scene) input() []byte {
	in := abi.HookInput{
		Answers: s.answers, Context: s.context, Large: s.large, N: s.n, Now: s.now, Seed: s.seed, Run: "run-1", Thread: s.thread, State: s.shown(),
		Step: s.plugin.Name + "." + s.export,
	}
	switch s.export {
	case abi.ExportCallTool:
		in.Call, in.N, in.Step = &s.call, 0, "tools"
	case string(abi.WrapToolCall):
		in.Call, in.Known = &s.call, s.known
		in.Messages = s.viewOf(s.history)
	case string(abi.WrapModelCall):
		in.Request = &abi.ModelRequest{Model: "model", System: s.system, Tools: s.tools, Messages: s.viewOf(s.requested())}
		if s.unknown {
			in.Request.ToolChoice, in.Request.Settings = "auto", wire.Map{{Key: "temperature", Value: wire.Float(0.5)}}
		}
	default:
		in.Messages = s.viewOf(s.history)
	}
	if in.Request != nil && in.Request.Tools == nil {
		in.Request.Tools = []string{}
	}
	doc := document(&in)
	if s.unknown {
		doc = later(doc)
	}
	return doc
}

// requested returns the messages of the model request.
func (s *scene) requested() []abi.Message {
	if s.request != nil {
		return s.request
	}
	return s.history
}

// viewOf returns the view of a list that the hook sees, or nil for the view none.
func (s *scene) viewOf(list []abi.Message) *abi.View {
	if s.spec == nil || s.spec.Messages.IsZero() {
		return nil
	}
	if s.view != nil && s.spec.Messages.IsNew() {
		return s.view
	}
	shown := list[len(list)-s.spec.Messages.Tail(len(list)):]
	return &abi.View{
		From: uint64(len(list) - len(shown)), Items: shown, Total: uint64(len(list)), Reset: s.spec.Messages.IsNew(),
	}
}

// readable returns the fields that the frame may read.
func (s *scene) readable() []string {
	if s.spec != nil {
		return s.spec.Reads
	}
	names := make([]string, len(s.plugin.Fields))
	for i := range s.plugin.Fields {
		names[i] = s.plugin.Fields[i].Name
	}
	return names
}

// shown returns the values of the fields in the input.
func (s *scene) shown() wire.Map {
	var out wire.Map
	for _, name := range s.readable() {
		if value := s.values.Get(name); !value.IsZero() && !slices.Contains(s.large, name) {
			out.Set(name, value)
		}
	}
	return out
}

// document encodes one of abi's documents, or a value.
func document(d interface {
	MarshalMsg(b []byte) ([]byte, error)
},
) []byte {
	b, err := d.MarshalMsg(nil)
	if err != nil {
		panic("tck: " + err.Error())
	}
	return b
}

// later writes a document as a host of a later minor version might, with unknown keys.
func later(doc []byte) []byte {
	v, err := wire.Raw(doc).Value()
	if err != nil {
		panic("tck: " + err.Error())
	}
	out, err := wire.Of(withUnknown(v, true))
	if err != nil {
		panic("tck: " + err.Error())
	}
	return out
}

// unknownKey is a key that no document has.
const unknownKey = "key_of_tomorrow"

// documentsIn are the keys whose values are documents of the ABI, as opposed to values that belong to a plugin, tool or
// program.
var documentsIn = []string{
	"messages", "items", "patch", "request", "call", "tool_calls", "invalid_tool_calls", "usage", "tool_message", "content", "headers", "replies", "reply",
	"tools",
}

func withUnknown(v any, isDocument bool) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, value := range v {
			out[key] = withUnknown(value, slices.Contains(documentsIn, key))
		}
		if isDocument {
			out["a_"+unknownKey] = int64(1)
			out[unknownKey] = map[string]any{"deep": []any{nil, []byte{1}, 1.5, map[string]any{"z": true}}}
			out["z_"+unknownKey] = []any{}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = withUnknown(v[i], isDocument)
		}
		return out
	default:
		return v
	}
}
