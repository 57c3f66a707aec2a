package chat

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
)

// Live shows a run while it goes on, up to its end. A run that continues after a question has the same Live.
type Live struct {
	Screen  *Screen
	Verbose bool // show the arguments and results of tools, and reasoning
	Quiet   bool // do not show tools
	Streams bool // show answers as they arrive, and not only the last one at the end of the run

	warned   map[string]bool // the warnings about the agent that were shown; the runs of a chat share them
	streamed strings.Builder // the text of the current model call
	index    int             // of that call within its step
	thinks   bool            // whether the last line shows reasoning
	said     string          // the last answer shown
}

// Event shows an event.
func (l *Live) Event(e host.Event) error {
	switch e.Type {
	case host.EventStep:
		l.Screen.Busy(e.Step)
	case host.EventToken:
		return l.token(&e)
	case host.EventState:
		return l.settle(&e)
	case host.EventTool:
		l.tool(&e, "")
	case host.EventCustom:
		l.custom(&e, "")
	case host.EventWarn, host.EventAlert:
		l.warning(&e, "")
	default: // other events show it
	}
	return nil
}

// Pause removes the progress indicator and ends the line, for a question or for the end.
func (l *Live) Pause() error {
	l.Screen.Idle()
	return l.Screen.End()
}

// notef shows a line with foreign texts.
func (l *Live) notef(format string, args ...any) {
	l.thinks = false
	l.Screen.Notef("· %s", terminal.Line(fmt.Sprintf(format, args...)))
}

// custom shows what a hook or tool emitted. The lines of an agent that is a tool begin with its name.
func (l *Live) custom(e *host.Event, before string) {
	inner, ok := tool.InnerEventOf(e)
	if !ok {
		l.notef("%s%s: %s %s", before, e.Step, e.Name, text.Cut(e.Data.JSON(), maxShown))
		return
	}
	before += inner.Agent + ": "
	switch inner.Event.Type {
	case host.EventTool:
		if inner.Event.Call != nil {
			l.tool(&inner.Event, before)
		}
	case host.EventCustom:
		l.custom(&inner.Event, before)
	case host.EventWarn, host.EventAlert:
		l.warning(&inner.Event, before)
	default: // the tool call of the agent shows its answer
	}
}

// warning shows a warning. One about the agent itself, and not about a step, is shown only once.
func (l *Live) warning(e *host.Event, before string) {
	if e.Step != "" {
		l.notef("%s%s: warning: %s", before, e.Step, text.Cut(e.Text, maxShown))
		return
	}
	if l.warned == nil {
		l.warned = map[string]bool{}
	}
	if !l.warned[before+e.Text] {
		l.warned[before+e.Text] = true
		l.notef("%swarning: %s", before, text.Cut(e.Text, maxShown))
	}
}

// token shows a piece of the answer.
func (l *Live) token(e *host.Event) error {
	if !l.Streams {
		return nil
	}
	if e.Index != l.index {
		l.index = e.Index
		if l.streamed.Len() > 0 {
			l.streamed.Reset()
			l.notef("the model is asked again; ignore its text above")
		}
	}
	if e.Reasoning != "" && l.Verbose {
		if err := l.think(e.Reasoning); err != nil {
			return err
		}
	}
	if e.Text == "" {
		return nil
	}
	if l.thinks {
		l.thinks = false
		if err := l.Screen.End(); err != nil {
			return err
		}
	}
	l.streamed.WriteString(e.Text)
	return l.Screen.Say(e.Text)
}

// think shows a piece of reasoning.
func (l *Live) think(piece string) error {
	if !l.thinks {
		l.notef("thinking")
		l.thinks = true
	}
	return l.Screen.Say(piece)
}

// settle shows answers that are now part of the history but were not shown yet.
func (l *Live) settle(e *host.Event) error {
	if e.Reset {
		return nil
	}
	for i := range e.Messages {
		if m := &e.Messages[i]; m.Role == abi.RoleAI {
			if err := l.answer(spoken(m)); err != nil {
				return err
			}
		}
	}
	return nil
}

// answer shows an answer in the form that the history has.
func (l *Live) answer(text string) error {
	streamed := l.streamed.String()
	l.streamed.Reset()
	l.index = 0
	switch {
	case !l.Streams || strings.TrimSpace(text) == "" && streamed == "":
		return nil
	case streamed == text:
		l.said = text
		return l.Screen.End()
	case streamed != "":
		l.notef("the answer was changed:")
	}
	return l.print(text)
}

// spoken returns the text of a message as it streams: with the text of a refusal.
func spoken(m *abi.Message) string {
	var all strings.Builder
	for _, block := range m.Content.Blocks() {
		if kind := block.Type(); kind == abi.BlockText || kind == abi.BlockRefusal {
			all.WriteString(block.Text())
		}
	}
	return all.String()
}

func (l *Live) print(text string) error {
	l.said = text
	if err := l.Screen.End(); err != nil {
		return err
	}
	if err := l.Screen.Say(text); err != nil {
		return err
	}
	return l.Screen.End()
}

// Over shows the final answer of a run unless it was shown last.
func (l *Live) Over(result *host.Result) error {
	text := ""
	if at := result.Messages.LastAI(); at >= 0 {
		m := result.Messages.At(at)
		text = spoken(&m)
	}
	if !result.Structured.IsZero() && !json.Valid([]byte(text)) { // the structured answer came as a tool call
		return l.print(result.Answer())
	}
	if text == l.said || text == "" {
		return l.Screen.End()
	}
	if l.said != "" {
		l.notef("the answer was changed:")
	}
	return l.print(text)
}

// maxShown is how many characters of a foreign text a line shows.
const maxShown = 200

// tool shows a tool call in one line when it is done.
func (l *Live) tool(e *host.Event, before string) {
	name := terminal.Line(e.Call.Name)
	switch {
	case len(e.Messages) == 0 && e.Error == nil && len(e.Interrupts) == 0: // the call starts
		l.Screen.Busy(before + name)
		return
	case l.Quiet || len(e.Interrupts) > 0:
		return
	}
	line := before + "tool " + name
	if l.Verbose {
		line += " " + text.Cut(e.Call.Args.JSON(), maxShown)
	}
	took := ""
	if e.Duration >= time.Second {
		took = fmt.Sprintf(" (%.1f s)", e.Duration.Seconds())
	}
	switch {
	case e.Error != nil:
		l.notef("%s failed%s: %s", line, took, text.Cut(e.Error.Message, maxShown))
	case len(e.Messages) > 0 && e.Messages[0].Failed():
		l.notef("%s returned an error%s: %s", line, took, text.Cut(e.Messages[0].Content.Text(), maxShown))
	case l.Verbose && len(e.Messages) > 0:
		l.notef("%s%s → %s", line, took, text.Cut(e.Messages[0].Content.Text(), maxShown))
	default:
		l.notef("%s%s", line, took)
	}
}
