package plugin

import (
	"errors"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
)

// checkNode checks the result of a node hook against what the hook declared and against the state.
func (p *Plugin) checkNode(rt *host.Runtime, name string, spec *abi.HookSpec, r *abi.Result) error {
	switch {
	case r.Response != nil:
		return fmt.Errorf("response is for wrap_model_call, not %s", name)
	case r.ToolMessage != nil:
		return fmt.Errorf("tool_message is for wrap_tool_call and call_tool, not %s", name)
	case r.JumpTo != "" && !slices.Contains(spec.CanJumpTo, r.JumpTo):
		return undeclaredJumpError{&host.JumpError{Step: rt.Step(), Target: abi.Target(r.JumpTo), Reason: "not declared in can_jump_to"}}
	}
	return p.checkUpdate(rt, spec.Writes, r)
}

// checkUpdate checks the messages and fields of a result.
func (p *Plugin) checkUpdate(rt *host.Runtime, writes []string, r *abi.Result) error {
	for i := range r.State {
		if err := p.checkField(rt, writes, &r.State[i]); err != nil {
			return err
		}
	}
	if len(r.Messages) == 0 && len(r.Patch) == 0 && len(r.Remove) == 0 && !r.Overwrite {
		return nil
	}
	return checkMessages(rt.State().Messages(), r)
}

// checkWrapUpdate checks the update in the result of a wrap hook or tool.
func (p *Plugin) checkWrapUpdate(rt *host.Runtime, writes []string, r *abi.Result) error {
	if r.JumpTo != "" {
		return errors.New("jump_to is for node hooks")
	}
	return p.checkUpdate(rt, writes, r)
}

// maxInterruptKey is the maximum length of an interrupt's key, in bytes.
const maxInterruptKey = 256

func checkInterrupts(interrupts []abi.Interrupt) error {
	if len(interrupts) > host.MaxInterrupts {
		return fmt.Errorf("%d interrupts; %d are allowed", len(interrupts), host.MaxInterrupts)
	}
	for i := range interrupts {
		key := interrupts[i].Key
		if key == "" || len(key) > maxInterruptKey {
			return fmt.Errorf("an interrupt has a key of %d bytes; it must have 1 to %d", len(key), maxInterruptKey)
		}
		if slices.ContainsFunc(interrupts[:i], func(o abi.Interrupt) bool { return o.Key == key }) {
			return fmt.Errorf("two interrupts have the key %q", clean(key, 64))
		}
	}
	return nil
}

// checkField checks one field value: the field must be the plugin's own or declared in writes.
func (p *Plugin) checkField(rt *host.Runtime, writes []string, pair *wire.Pair) error {
	name := clean(pair.Key, 64)
	if !slices.Contains(p.ownFields, pair.Key) && !slices.Contains(writes, pair.Key) {
		return fmt.Errorf("field %q is not declared: declare it in fields, or in writes if it is another middleware's", name)
	}
	if err := rt.State().Check(pair.Key, pair.Value); err != nil {
		return fmt.Errorf("field %q: %s", name, clean(err.Error(), 200))
	}
	return nil
}

// undeclaredJumpError is a jump that the Description does not list; it wraps a [*host.JumpError].
type undeclaredJumpError struct{ *host.JumpError }

func (e undeclaredJumpError) Error() string {
	return fmt.Sprintf("jump_to %q is not declared in can_jump_to", clean(string(e.Target), 64))
}

func (e undeclaredJumpError) Unwrap() error { return e.JumpError }

// checkMessages checks a result's changes to the history: messages that it names exist and keep their id and role, and a
// tool message answers an open call.
func checkMessages(list history.List, r *abi.Result) error {
	if r.Overwrite && (len(r.Remove) > 0 || len(r.Patch) > 0) {
		return errors.New("overwrite cannot be combined with remove or patch")
	}
	find, removed := finder(list, r), map[string]bool{}
	for _, id := range r.Remove {
		removed[id] = true
		if _, ok := find(id); !ok {
			return fmt.Errorf("remove: there is no message with the id %q", clean(id, 64))
		}
	}
	for i := range r.Patch {
		m, ok := find(r.Patch[i].ID())
		if !ok {
			return fmt.Errorf("patch: there is no message with the id %q", clean(r.Patch[i].ID(), 64))
		}
		if removed[m.ID] {
			return fmt.Errorf("patch: the message %q is removed by the same update", clean(m.ID, 64))
		}
		patched, err := r.Patch[i].Apply(m)
		if err != nil {
			return err
		}
		if patched.ToolCallID != m.ToolCallID {
			return fmt.Errorf("patch of message %q changes its tool_call_id", clean(m.ID, 64))
		}
		if err := checkArgs(&patched); err != nil {
			return err
		}
	}
	for i := range r.Messages {
		if err := checkMessage(list, find, r, i); err != nil {
			return err
		}
	}
	return nil
}

// finder returns a function that finds a message by its id. It builds an index if the guest names many messages.
func finder(list history.List, r *abi.Result) func(id string) (*abi.Message, bool) {
	const few = 16
	if len(r.Remove)+len(r.Patch)+len(r.Messages) <= few {
		return list.Find
	}
	messages := make(map[string]*abi.Message, list.Len())
	for i := range list.Len() {
		m := list.Entry(i).Message()
		messages[m.ID] = m
	}
	return func(id string) (*abi.Message, bool) {
		m, ok := messages[id]
		return m, ok && id != ""
	}
}

func checkMessage(list history.List, find func(id string) (*abi.Message, bool), r *abi.Result, at int) error {
	m := &r.Messages[at]
	if !isRole(m.Role) {
		return fmt.Errorf("message %d has the role %q", at, clean(string(m.Role), 64))
	}
	if err := checkArgs(m); err != nil {
		return err
	}
	if r.Overwrite {
		return nil // the hook replaces the whole history
	}
	if m.ID != "" {
		if present, ok := find(m.ID); ok {
			if present.Role != m.Role || present.ToolCallID != m.ToolCallID {
				return fmt.Errorf("message %q is replaced by one of another role or tool_call_id", clean(m.ID, 64))
			}
			return nil
		}
	}
	if m.Role != abi.RoleTool {
		return nil
	}
	return checkAnswer(list, r.Messages[:at], m.ToolCallID)
}

// checkArgs checks that the arguments of a message's calls are maps, as tools and other guests expect.
func checkArgs(m *abi.Message) error {
	for i := range m.ToolCalls {
		if c := &m.ToolCalls[i]; !c.Args.IsZero() && !c.Args.IsNil() && !c.Args.IsMap() {
			return fmt.Errorf("the arguments of the tool call %q are not a map", clean(c.ID, 64))
		}
	}
	return nil
}

func isRole(r abi.Role) bool {
	return r == abi.RoleHuman || r == abi.RoleAI || r == abi.RoleSystem || r == abi.RoleTool
}

// checkAnswer checks that a call is open: the latest AI message that made it is not followed by an answer to it.
func checkAnswer(list history.List, before []abi.Message, callID string) error {
	id := clean(callID, 64)
	for i := len(before) + list.Len() - 1; i >= 0; i-- {
		var m *abi.Message
		if i >= list.Len() {
			m = &before[i-list.Len()]
		} else {
			m = list.Entry(i).Message()
		}
		if m.Role == abi.RoleTool && m.ToolCallID == callID {
			return fmt.Errorf("a tool message answers the call %q, which is already answered", id)
		}
		if m.Role == abi.RoleAI && slices.ContainsFunc(m.ToolCalls, func(c abi.ToolCall) bool { return c.ID == callID }) {
			return nil
		}
	}
	return fmt.Errorf("a tool message answers the call %q, which nobody made", id)
}
