package probe

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/test/reference/strict"
)

// modelOverride is a change of the request for the following calls of next.
type modelOverride struct {
	system, appendSystem *string
	messages, more       []abi.Message
	replaces             bool // messages was given
	tools                []string
	addTools             []abi.ToolSpec
	toolChoice           *string
	settings             wire.Map
	model                string
}

func parseModelOverride(o *strict.Object) *modelOverride {
	v := &modelOverride{replaces: o.Has("messages"), tools: o.Texts("tools"), settings: o.Map("settings"), model: o.Text("model")}
	for key, into := range map[string]**string{
		"system_prompt": &v.system, "append_system_prompt": &v.appendSystem, "tool_choice": &v.toolChoice,
	} {
		if o.Has(key) {
			text := o.Text(key)
			*into = &text
		}
	}
	for _, m := range o.Objects("messages") {
		v.messages = append(v.messages, Message(m))
	}
	for _, m := range o.Objects("append_messages") {
		v.more = append(v.more, Message(m))
	}
	for _, t := range Tools(o.Objects("add_tools")) {
		v.addTools = append(v.addTools, t.Spec)
	}
	_ = o.Done()
	return v
}

// apply adds the override to earlier changes.
func (v *modelOverride) apply(change *abi.RequestChange, req *abi.ModelRequest) {
	system := req.System
	if change.System != nil {
		system = *change.System
	}
	if v.system != nil {
		system = abi.Text(*v.system)
		change.System = &system
	}
	if v.appendSystem != nil {
		system = abi.Text(system.Text() + *v.appendSystem)
		change.System = &system
	}
	if v.replaces {
		change.Overwrite, change.Messages = true, nil
	}
	change.Messages = slices.Concat(change.Messages, v.messages, v.more)
	if v.tools != nil {
		offered := req.Tools
		if change.Tools != nil {
			offered = change.Tools
		}
		change.Tools = abi.NameList{}
		for _, name := range offered {
			if slices.Contains(v.tools, name) {
				change.Tools = append(change.Tools, name)
			}
		}
		change.AddTools = slices.DeleteFunc(slices.Clone(change.AddTools), func(t abi.ToolSpec) bool {
			return !slices.Contains(v.tools, t.Name)
		})
	}
	change.AddTools = slices.Concat(change.AddTools, v.addTools)
	if v.toolChoice != nil {
		change.ToolChoice = v.toolChoice
	}
	if len(v.settings) > 0 {
		change.Settings = change.Settings.With(v.settings)
	}
	if v.model != "" {
		change.Model = v.model
	}
}

// modelWrap is one call of wrap_model_call on its way through the actions.
type modelWrap struct {
	c       ModelCall
	change  *abi.RequestChange
	updates updates

	reply    *abi.ModelResponse // reply of the last next, unless respond came after it
	response *abi.ResponseChange
}

// Model performs a call of wrap_model_call. A nil response means that of the last next.
func (h *Hook) Model(c ModelCall) (*abi.ResponseChange, *abi.Update, error) {
	w := &modelWrap{c: c}
	if err := h.perform(c.N(), func(_ int, a *action) error { return w.do(a) }); err != nil {
		return nil, nil, err
	}
	if w.reply == nil && w.response == nil {
		return nil, nil, mistake("wrap_model_call: the script ends without a response")
	}
	return w.response, w.updates.result(), nil
}

func (w *modelWrap) do(a *action) error {
	switch a.kind {
	case doLog:
		w.c.Log(line(w.c, a.text, nil))
	case doOverride:
		if w.change == nil {
			w.change = &abi.RequestChange{}
		}
		a.request.apply(w.change, w.c.Request())
	case doNext:
		return w.next(a)
	case doRespond:
		return w.respond(&a.message)
	case doTransform:
		return w.transform(a.change)
	case doCommand:
		return w.updates.add(a.value, w.c.N(), "command")
	case doRaise:
		return a.failure
	default: // actions of node hooks; the parser refuses them here
	}
	return nil
}

func (w *modelWrap) next(a *action) error {
	reply, failure, err := callNext(w.c, a, w.c.Next, w.change)
	switch {
	case err != nil:
		return err
	case failure == nil:
		w.reply, w.response = reply, nil
		return nil
	}
	answer := abi.AI(line(w.c, *a.onError, errorNames(failure)))
	return w.respond(&answer)
}

func errorNames(e *abi.Error) func(string) (string, bool) {
	return func(name string) (string, bool) {
		switch name {
		case "type":
			return e.Type, true
		case "message":
			return e.Message, true
		default:
			return "", false
		}
	}
}

func (w *modelWrap) respond(m *abi.Message) error {
	patch, err := abi.PatchOf(m)
	w.reply, w.response = nil, &abi.ResponseChange{Messages: []abi.Patch{patch}}
	return err
}

// transform changes the content of the response's last AI message.
func (w *modelWrap) transform(t transform) error {
	if w.response == nil {
		if w.reply == nil {
			return mistake("transform: there is no response yet")
		}
		w.response = &abi.ResponseChange{}
		for i := range w.reply.Messages {
			w.response.Messages = append(w.response.Messages, abi.NewPatch(w.reply.Messages[i].ID))
		}
	}
	patches := slices.Clone(w.response.Messages)
	w.response = &abi.ResponseChange{Messages: patches}
	i, text := w.answer(patches)
	if i < 0 {
		return mistake("transform: the response has no AI message")
	}
	patches[i] = patches[i].SetContent(abi.Text(t.apply(text)))
	return nil
}

// answer finds the last AI message of the response and its text.
func (w *modelWrap) answer(patches []abi.Patch) (int, string) {
	for i, patch := range slices.Backward(patches) {
		m := abi.Message{Role: abi.RoleAI}
		if w.reply != nil {
			m = w.reply.Messages[i]
		}
		if changed := patch.Keys().Get("content"); !changed.IsZero() {
			_, _ = m.Content.UnmarshalMsg(changed)
		}
		if m.Role == abi.RoleAI {
			return i, m.Content.Text()
		}
	}
	return -1, ""
}
