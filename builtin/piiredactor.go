package builtin

import (
	"context"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin/internal/pii"
	"github.com/agenthost/agenthost/host"
)

// redactor applies the rule of a [PII] to messages.
type redactor struct {
	PII

	rule  *pii.Rule
	input bool
}

// before redacts what the model is about to read for the first time.
func (r *redactor) before(_ context.Context, rt *host.Runtime) (*host.Update, error) {
	messages := rt.State().Messages()
	update := &host.Update{}
	ai := messages.LastAI()
	for i := messages.Len() - 1; r.input && i >= 0; i-- {
		if m := messages.Entry(i).Message(); m.Role == abi.RoleHuman {
			if err := r.replace(update, m); err != nil {
				return nil, err
			}
			break
		}
	}
	for i := ai + 1; r.ApplyToToolResults && ai >= 0 && i < messages.Len(); i++ {
		if m := messages.Entry(i).Message(); m.Role == abi.RoleTool {
			if err := r.replace(update, m); err != nil {
				return nil, err
			}
		}
	}
	return orNothing(update), nil
}

// after redacts the model's last answer.
func (r *redactor) after(_ context.Context, rt *host.Runtime) (*host.Update, error) {
	messages := rt.State().Messages()
	ai := messages.LastAI()
	if ai < 0 {
		return nil, nil
	}
	m, update := messages.At(ai), &host.Update{}
	changed, err := r.structured(rt, ai, &m, update)
	if err != nil {
		return nil, err
	}
	if r.ApplyToOutput {
		content, found, err := r.content(m.Content)
		if err != nil {
			return nil, err
		}
		m.Content, changed = content, changed || found
	}
	if r.ApplyToToolCalls {
		found, err := r.calls(&m)
		if err != nil {
			return nil, err
		}
		changed = changed || found
	}
	if changed {
		update.Messages = append(update.Messages, m)
	}
	if update.IsZero() {
		return nil, nil
	}
	return update, nil
}

// structuredResponse is the field of the model's structured answer.
const structuredResponse = "structured_response"

// structured redacts the structured answer in the model's message at the index ai: in the field, in the call that contains
// it, and in the answer to that call. It reports whether the message has changed.
func (r *redactor) structured(rt *host.Runtime, ai int, m *abi.Message, update *host.Update) (changed bool, err error) {
	value := rt.State().Get(structuredResponse)
	call := slices.IndexFunc(m.ToolCalls, func(c abi.ToolCall) bool { return c.Args.Equal(value) })
	if value.IsNil() || !r.ApplyToOutput && call < 0 {
		return false, nil
	}
	redacted, changed, err := r.args(value)
	if err != nil || !changed {
		return false, err
	}
	update.State.Set(structuredResponse, redacted)
	if call < 0 { // the answer is a text, which is redacted as such
		return false, nil
	}
	m.ToolCalls = slices.Clone(m.ToolCalls)
	m.ToolCalls[call].Args = redacted
	if answer := rt.State().Messages().Answer(ai, m.ToolCalls[call].ID); answer != nil {
		err = r.replace(update, answer)
	}
	return true, err
}

// replace adds the redacted form of a message to an update, if it differs.
func (r *redactor) replace(update *host.Update, m *abi.Message) error {
	content, changed, err := r.content(m.Content)
	if err != nil || !changed {
		return err
	}
	redacted := *m
	redacted.Content = content
	update.Messages = append(update.Messages, redacted)
	return nil
}

func orNothing(update *host.Update) *host.Update {
	if len(update.Messages) == 0 {
		return nil
	}
	return update
}

func (r *redactor) text(text string) (redacted string, changed bool, err error) {
	redacted, matches, err := r.rule.Apply(text)
	return redacted, len(matches) > 0, err
}

// content redacts the texts of a content.
func (r *redactor) content(c abi.Content) (redacted abi.Content, changed bool, err error) {
	if c.IsText() {
		text, changed, err := r.text(c.Text())
		return abi.Text(text), changed, err
	}
	blocks := c.Blocks()
	var out []abi.Block
	for i := range blocks {
		text, found, err := r.text(blocks[i].Text())
		if err != nil {
			return c, false, err
		}
		if !found {
			continue
		}
		if out == nil {
			out = slices.Clone(blocks)
		}
		out[i] = withText(blocks[i], text)
	}
	if out == nil {
		return c, false, nil
	}
	return abi.Blocks(out...), true, nil
}

// withText returns a block with another text. It drops the provider's signature of reasoning, which
// belongs to the original text.
func withText(b abi.Block, text string) abi.Block {
	if b.Type() == abi.BlockReasoning {
		return abi.ReasoningBlock(text, "")
	}
	return b.WithText(text)
}

// calls redacts the texts in the arguments of a message's tool calls. It copies the lists that it changes.
func (r *redactor) calls(m *abi.Message) (changed bool, err error) {
	calls, invalid := m.ToolCalls, m.InvalidToolCalls
	for i := range calls {
		args, found, err := r.args(calls[i].Args)
		if err != nil {
			return false, err
		}
		if found {
			if !changed {
				m.ToolCalls = slices.Clone(calls)
			}
			m.ToolCalls[i].Args, changed = args, true
		}
	}
	invalidChanged := false
	for i := range invalid {
		args, found, err := r.text(invalid[i].Args)
		if err != nil {
			return false, err
		}
		if found {
			if !invalidChanged {
				m.InvalidToolCalls = slices.Clone(invalid)
			}
			m.InvalidToolCalls[i].Args, invalidChanged = args, true
		}
	}
	return changed || invalidChanged, nil
}

// args redacts the texts in a value. Keys of maps stay: they are the names of a tool's parameters.
func (r *redactor) args(value wire.Raw) (redacted wire.Raw, changed bool, err error) {
	if text, ok := value.AsString(); ok {
		text, changed, err := r.text(text)
		if err != nil || !changed {
			return value, false, err
		}
		return wire.String(text), true, nil
	}
	var out []byte
	switch {
	case value.IsMap():
		out = wire.AppendMapHeader(make([]byte, 0, len(value)), value.Len())
	case value.IsArray():
		out = wire.AppendArrayHeader(make([]byte, 0, len(value)), value.Len())
	default:
		return value, false, nil
	}
	part := func(inner wire.Raw) bool {
		var edited wire.Raw
		var found bool
		if edited, found, err = r.args(inner); err != nil {
			return false
		}
		out, changed = append(out, edited...), changed || found
		return true
	}
	for key, inner := range value.Pairs() {
		out = wire.AppendString(out, string(key))
		if !part(inner) {
			return value, false, err
		}
	}
	for inner := range value.Elements() {
		if !part(inner) {
			return value, false, err
		}
	}
	if !changed {
		return value, false, nil
	}
	return out, true, nil
}
