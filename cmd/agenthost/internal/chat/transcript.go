package chat

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
)

// transcript shows the events of one turn.
type transcript struct {
	screen  *Screen
	verbose bool            // show the arguments and results of tools, and reasoning
	quiet   bool            // do not show tools
	streams bool            // show answers as they arrive, and not only the last one at the end of the turn
	warned  map[string]bool // the warnings about the agent that the chat has shown

	streamed strings.Builder // the text of the current model call
	index    int             // of that call within its step
	thinks   bool            // whether the last line shows reasoning
	said     string          // the last answer shown
}

// event shows an event.
func (t *transcript) event(e host.Event) error {
	switch e.Type {
	case host.EventStep:
		t.screen.Busy(e.Step)
	case host.EventToken:
		return t.token(&e)
	case host.EventState:
		return t.settle(&e)
	case host.EventTool:
		t.tool(&e)
	case host.EventCustom:
		t.notef("%s: %s %s", e.Step, e.Name, text.Cut(e.Data.JSON(), maxShown))
	case host.EventWarn, host.EventAlert:
		t.warning(&e)
	default: // other events show it
	}
	return nil
}

// notef shows a line with foreign texts.
func (t *transcript) notef(format string, args ...any) {
	t.thinks = false
	t.screen.Notef("· %s", terminal.Line(fmt.Sprintf(format, args...)))
}

// warning shows a warning. The chat shows a warning about the agent itself, and not about a step, only once.
func (t *transcript) warning(e *host.Event) {
	if e.Step != "" {
		t.notef("%s: warning: %s", e.Step, text.Cut(e.Text, maxShown))
	} else if !t.warned[e.Text] {
		t.warned[e.Text] = true
		t.notef("warning: %s", text.Cut(e.Text, maxShown))
	}
}

// token shows a piece of the answer.
func (t *transcript) token(e *host.Event) error {
	if !t.streams {
		return nil
	}
	if e.Index != t.index {
		t.index = e.Index
		if t.streamed.Len() > 0 {
			t.streamed.Reset()
			t.notef("the model is asked again; ignore its text above")
		}
	}
	if e.Reasoning != "" && t.verbose {
		if err := t.think(e.Reasoning); err != nil {
			return err
		}
	}
	if e.Text == "" {
		return nil
	}
	if t.thinks {
		t.thinks = false
		if err := t.screen.End(); err != nil {
			return err
		}
	}
	t.streamed.WriteString(e.Text)
	return t.screen.Say(e.Text)
}

// think shows a piece of reasoning.
func (t *transcript) think(piece string) error {
	if !t.thinks {
		t.notef("thinking")
		t.thinks = true
	}
	return t.screen.Say(piece)
}

// settle shows answers that are now part of the history but were not shown yet.
func (t *transcript) settle(e *host.Event) error {
	if e.Reset {
		return nil
	}
	for i := range e.Messages {
		if m := &e.Messages[i]; m.Role == abi.RoleAI {
			if err := t.answer(m.Content.Text()); err != nil {
				return err
			}
		}
	}
	return nil
}

// answer shows an answer in the form that the history has.
func (t *transcript) answer(text string) error {
	streamed := t.streamed.String()
	t.streamed.Reset()
	t.index = 0
	switch {
	case !t.streams || strings.TrimSpace(text) == "" && streamed == "":
		return nil
	case streamed == text:
		t.said = text
		return t.screen.End()
	case streamed != "":
		t.notef("the answer was changed:")
	}
	return t.print(text)
}

func (t *transcript) print(text string) error {
	t.said = text
	if err := t.screen.End(); err != nil {
		return err
	}
	if err := t.screen.Say(text); err != nil {
		return err
	}
	return t.screen.End()
}

// over shows the final answer of a turn unless it was shown last.
func (t *transcript) over(result *host.Result) error {
	text := result.Text()
	if !result.Structured.IsZero() && !json.Valid([]byte(text)) { // the structured answer came as a tool call
		return t.print(result.Answer())
	}
	if text == t.said || text == "" {
		return t.screen.End()
	}
	if t.said != "" {
		t.notef("the answer was changed:")
	}
	return t.print(text)
}

// maxShown is how many characters of a foreign text a line shows.
const maxShown = 200

// tool shows a tool call in one line when it is done.
func (t *transcript) tool(e *host.Event) {
	name := terminal.Line(e.Call.Name)
	switch {
	case len(e.Messages) == 0 && e.Error == nil && len(e.Interrupts) == 0: // the call starts
		t.screen.Busy(name)
		return
	case t.quiet || len(e.Interrupts) > 0:
		return
	}
	line := "tool " + name
	if t.verbose {
		line += " " + text.Cut(e.Call.Args.JSON(), maxShown)
	}
	took := ""
	if e.Duration >= time.Second {
		took = fmt.Sprintf(" (%.1f s)", e.Duration.Seconds())
	}
	switch {
	case e.Error != nil:
		t.notef("%s failed%s: %s", line, took, text.Cut(e.Error.Message, maxShown))
	case len(e.Messages) > 0 && e.Messages[0].Failed():
		t.notef("%s returned an error%s: %s", line, took, text.Cut(e.Messages[0].Content.Text(), maxShown))
	case t.verbose && len(e.Messages) > 0:
		t.notef("%s%s → %s", line, took, text.Cut(e.Messages[0].Content.Text(), maxShown))
	default:
		t.notef("%s%s", line, took)
	}
}
