package probe

import (
	"strconv"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// toolWrap is one call of wrap_tool_call on its way through the actions.
type toolWrap struct {
	c       ToolCall
	change  *abi.CallChange
	updates updates

	reply  *abi.Message // reply of the last next, unless respond came after it
	answer *abi.Patch   // how the answer differs from the reply
}

// Tool performs a call of wrap_tool_call. A nil patch means the answer of the last next.
func (h *Hook) Tool(c ToolCall) (*abi.Patch, *abi.Update, error) {
	w := &toolWrap{c: c}
	if err := h.perform(c.N(), func(_ int, a *action) error { return w.do(a) }); err != nil {
		return nil, nil, err
	}
	if w.reply == nil && w.answer == nil {
		return nil, nil, mistake("wrap_tool_call: the script ends without an answer")
	}
	return w.answer, w.updates.result(), nil
}

func (w *toolWrap) do(a *action) error {
	switch a.kind {
	case doLog:
		w.c.Log(line(w.c, a.text, w.name))
	case doOverride:
		w.override(a.toolCall)
	case doNext:
		return w.next(a)
	case doRespond:
		w.respond(line(w.c, a.text, w.name), a.status)
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

// name resolves the further names that texts of wrap_tool_call may use: parts of the current call.
func (w *toolWrap) name(name string) (string, bool) {
	switch name {
	case "tool":
		return w.toolName(), true
	case "id":
		return w.c.ToolCall().ID, true
	case "known":
		return strconv.FormatBool(w.c.Known() || (w.change != nil && w.change.Tool != "")), true
	default:
		return "", false
	}
}

func (w *toolWrap) toolName() string {
	if w.change != nil && w.change.Name != "" {
		return w.change.Name
	}
	return w.c.ToolCall().Name
}

func (w *toolWrap) override(more *abi.CallChange) {
	if w.change == nil {
		w.change = &abi.CallChange{}
	}
	if !more.Args.IsZero() {
		w.change.Args, w.change.SetArgs = more.Args, nil
	}
	if len(more.SetArgs) > 0 {
		w.change.SetArgs = w.change.SetArgs.With(more.SetArgs)
	}
	if more.Name != "" {
		w.change.Name = more.Name
	}
	if more.Tool != "" {
		w.change.Tool = more.Tool
	}
}

func (w *toolWrap) next(a *action) error {
	reply, failure, err := callNext(w.c, a, w.c.Next, w.change)
	switch {
	case err != nil:
		return err
	case failure == nil:
		w.reply, w.answer = reply, nil
		return nil
	}
	names := errorNames(failure)
	text := line(w.c, *a.onError, func(name string) (string, bool) {
		if value, ok := names(name); ok {
			return value, true
		}
		return w.name(name)
	})
	w.respond(text, abi.StatusError)
	return nil
}

func (w *toolWrap) respond(text, status string) {
	answer := abi.Patch{}.SetContent(abi.Text(text)).Set("status", wire.String(status)).Set("name", wire.String(w.toolName()))
	w.reply, w.answer = nil, &answer
}

func (w *toolWrap) transform(t transform) error {
	var m abi.Message
	switch {
	case w.answer != nil:
		_, _ = m.Content.UnmarshalMsg(w.answer.Keys().Get("content"))
	case w.reply != nil:
		m = *w.reply
		w.answer = &abi.Patch{}
	default:
		return mistake("transform: there is no answer yet")
	}
	changed := w.answer.SetContent(abi.Text(t.apply(m.Content.Text())))
	w.answer = &changed
	return nil
}
