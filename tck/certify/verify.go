package certify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/schema"
	"github.com/agenthost/agenthost/internal/unknownkeys"
)

// verify checks that the hook may write the result of its frame.
func (s *scene) verify(f *Frame) {
	switch {
	case f.closed != 0:
		f.checkf("closed.returns", f.late() == 0 && f.Fault == nil, "after %v it made %d more calls (%v)", f.closed, f.late(), f.Fault)
		return
	case f.Fault != nil:
		return
	case f.Code != abi.ReturnResult || !f.Wrote:
		if s.export == abi.ExportCallTool {
			f.checkf("tool.answers", false, "it returned %d", f.Code)
		}
		return
	}
	var r abi.Result
	err := decode(f.Result, &r)
	f.checkf("result.types", err == nil, "the result does not follow SPEC.md: %v", err)
	unknown := unknownkeys.Find[abi.Result](f.Result)
	f.checkf("result.known-keys", len(unknown) == 0, "%s", strings.Join(unknown, "; "))
	switch {
	case err != nil || r.Error != nil:
		return
	case len(r.Interrupts) > 0:
		f.checkf("result.interrupts", rightInterrupts(r.Interrupts) == nil, "%v", rightInterrupts(r.Interrupts))
		f.checkf("result.asks-first", f.nexts == 0, "it asks after %d calls of next", f.nexts)
		return
	}
	s.verifyKeys(f, &r)
	s.verifyState(f, r.State)
	s.verifyMessages(f, "result", s.history, &r)
	switch s.export {
	case string(abi.WrapModelCall):
		s.verifyResponse(f, r.Response)
	case string(abi.WrapToolCall), abi.ExportCallTool:
		s.verifyAnswer(f, r.ToolMessage)
	}
}

// decode decodes a document of the guest, which is well-formed.
func decode(b []byte, into decodable) error {
	canonical, err := wire.Canonical(b, wire.Limits{MaxBytes: mostBytes})
	if err == nil {
		_, err = into.UnmarshalMsg(canonical)
	}
	return err
}

// longestKey is the maximum length of an interrupt's key, in bytes.
const longestKey = 256

func rightInterrupts(interrupts []abi.Interrupt) error {
	seen := map[string]bool{}
	for _, i := range interrupts {
		if i.Key == "" || len(i.Key) > longestKey || seen[i.Key] {
			return fmt.Errorf("the key %q of an interrupt is empty, longer than %d bytes, or a duplicate", i.Key, longestKey)
		}
		seen[i.Key] = true
	}
	const most = 64
	if len(interrupts) > most {
		return fmt.Errorf("it requests %d interrupts", len(interrupts))
	}
	return nil
}

// verifyKeys checks that the hook may use the keys of its result.
func (s *scene) verifyKeys(f *Frame, r *abi.Result) {
	node := abi.Hook(s.export).IsNode() && s.spec != nil
	f.checkf("result.keys", r.JumpTo == "" || node, "jump_to in %s", s.export)
	f.checkf("result.keys", r.Response == nil || s.export == string(abi.WrapModelCall), "response in %s", s.export)
	f.checkf("result.keys", r.ToolMessage == nil || s.export == string(abi.WrapToolCall) || s.export == abi.ExportCallTool,
		"tool_message in %s", s.export)
	if r.JumpTo != "" && node {
		f.checkf("result.jump", slices.Contains(s.spec.CanJumpTo, r.JumpTo), "jump_to is %q, which can_jump_to does not list", r.JumpTo)
	}
	if r.Overwrite {
		f.checkf("result.overwrite", len(r.Remove) == 0 && len(r.Patch) == 0, "overwrite is combined with remove or patch")
	}
}

// verifyState checks that the hook may write the fields, and that the values fit.
func (s *scene) verifyState(f *Frame, state wire.Map) {
	for _, pair := range state {
		at := slices.IndexFunc(s.plugin.Fields, func(spec abi.FieldSpec) bool { return spec.Name == pair.Key })
		foreign := s.spec != nil && slices.Contains(s.spec.Writes, pair.Key)
		f.checkf("result.fields", at >= 0 || foreign, "it writes the field %q, which it did not declare", pair.Key)
		if at >= 0 {
			err := fits(&s.plugin.Fields[at], pair.Value)
			f.checkf("result.values", err == nil, "the field %q: %v", pair.Key, err)
		}
	}
}

// fits returns an error if a value does not fit a field's reducer and schema.
func fits(spec *abi.FieldSpec, value wire.Raw) error {
	if _, number := value.AsFloat(); spec.Reducer == "add" && !number {
		return fmt.Errorf("add needs a number, this is of type %s", value.Type())
	}
	if spec.Reducer == "append" && !value.IsArray() {
		return fmt.Errorf("append needs an array, this is of type %s", value.Type())
	}
	compiled, err := schema.CompileUntrusted(spec.Schema)
	if err != nil {
		return nil //nolint:nilerr // the check of the Description reports it
	}
	return compiled.Validate(value)
}

// verifyResponse checks the response of wrap_model_call against the last reply.
func (s *scene) verifyResponse(f *Frame, change *abi.ResponseChange) {
	if change == nil {
		return
	}
	if s.verifySeen(f, "response") {
		return
	}
	var base abi.ModelResponse
	if last := f.lastNext(); last != nil && last.Status == abi.StatusOK {
		_ = decode(last.Reply, &base)
	}
	answers := len(change.Messages) == 0 && slices.ContainsFunc(base.Messages, func(m abi.Message) bool { return m.Role == abi.RoleAI })
	for i := range change.Messages {
		p := &change.Messages[i]
		if p.ID() == "" {
			m, err := p.Message()
			f.checkf("result.response", err == nil && (m.Role == "" || m.Role == abi.RoleAI || m.Role == abi.RoleTool),
				"a new message of the response has the role %q (%v)", m.Role, err)
			answers = answers || m.Role != abi.RoleTool
			continue
		}
		at := slices.IndexFunc(base.Messages, func(m abi.Message) bool { return m.ID == p.ID() })
		f.checkf("result.response", at >= 0, "a message of the response has the id %q, which is not in the reply", p.ID())
		if at >= 0 {
			f.checkf("result.identity", keepsIdentity(p, &base.Messages[at]), "the response changes the role or tool_call_id of the message %q", p.ID())
			answers = answers || base.Messages[at].Role == abi.RoleAI
		}
	}
	f.checkf("result.response", answers, "the response has no message of the role ai")
}

// verifySeen checks that a hook does not change a reply that was too large to show. It reports whether it does.
func (s *scene) verifySeen(f *Frame, key string) bool {
	last := f.lastNext()
	unseen := last != nil && last.Status == abi.ETOOBIG
	f.checkf("result.unseen", !unseen, "%s after next returned %v", key, abi.ETOOBIG)
	return unseen
}

// keepsIdentity reports whether a patch keeps the id, role and tool_call_id of a message.
func keepsIdentity(p *abi.Patch, m *abi.Message) bool {
	same := func(key, value string) bool {
		given := p.Keys().Get(key)
		text, _ := given.AsString()
		return given.IsZero() || text == value
	}
	return same("id", m.ID) && same("role", string(m.Role)) && same("tool_call_id", m.ToolCallID)
}

// verifyAnswer checks a tool_message: a change of the last reply, or a new answer.
func (s *scene) verifyAnswer(f *Frame, p *abi.Patch) {
	if s.export == abi.ExportCallTool {
		f.checkf("tool.answers", p != nil, "its result has neither tool_message nor error")
	}
	if p == nil || s.verifySeen(f, "tool_message") {
		return
	}
	m := abi.Message{Role: abi.RoleTool, ToolCallID: s.call.ID}
	if last := f.lastNext(); last != nil && last.Status == abi.StatusOK {
		var reply abi.ToolReply
		_ = decode(last.Reply, &reply)
		m = reply.ToolMessage
	}
	f.checkf("result.answer", keepsIdentity(p, &m), "tool_message changes the id, role or tool_call_id")
	status, _ := p.Keys().Get("status").AsString()
	known := status == "" || status == abi.StatusSuccess || status == abi.StatusError
	f.checkf("result.answer", known, "tool_message has the status %q", status)
	_, err := p.Message()
	f.checkf("result.types", err == nil, "tool_message: %v", err)
}
