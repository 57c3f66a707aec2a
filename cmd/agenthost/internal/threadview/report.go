package threadview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/internal/text"
)

// report is a text for people. Foreign text in it is part of a line or indented.
type report struct {
	strings.Builder

	full bool   // whether to show everything
	hint string // how to see everything, if anything is left out; may be ""
}

// linef writes a line. Foreign texts in args must have passed terminal.Line.
func (r *report) linef(format string, args ...any) { fmt.Fprintf(r, format+"\n", args...) }

// How many lines of a result and of a value are shown by default.
const (
	resultLines = 20
	valueLines  = 60
)

// text writes a foreign text of several lines, each after an indentation with a bar, so that none looks like a line of the command.
func (r *report) text(indent, text string, most int) {
	lines := strings.Split(strings.TrimRight(terminal.Text(text), "\n"), "\n")
	more := len(lines) - most
	if most > 0 && !r.full && more > 0 {
		lines = lines[:most]
	}
	for _, line := range lines {
		r.linef("%s", strings.TrimRight(indent+line, " "))
	}
	if most > 0 && !r.full && more > 0 {
		r.linef("%s… %d more lines%s", indent, more, r.hint)
	}
}

// value writes a foreign value.
func (r *report) value(indent string, v wire.Raw) {
	most := valueLines
	if r.full {
		most = 0
	}
	lines, whole := terminal.Value(v, most)
	for _, line := range lines {
		r.linef("%s%s", indent, line)
	}
	if !whole && r.hint != "" {
		r.linef("%s…%s", indent, r.hint)
	}
}

// message writes a message of the conversation.
func (r *report) message(m *abi.Message) {
	heading := string(m.Role)
	if m.Name != "" {
		heading += " " + m.Name
	}
	if m.ToolCallID != "" {
		heading += " (" + m.ToolCallID + ")"
	}
	if m.Failed() {
		heading += ": error"
	}
	r.linef("")
	r.linef("%s", terminal.Line(heading))
	most := 0
	if m.Role == abi.RoleTool {
		most = resultLines
	}
	r.content(m.Content, most)
	for i := range m.ToolCalls {
		call := &m.ToolCalls[i]
		r.linef("  → %s", terminal.Line(fmt.Sprintf("%s (%s)", call.Name, call.ID)))
		if call.Args.Len() > 0 {
			r.value("    ", call.Args)
		}
	}
	for i := range m.InvalidToolCalls {
		call := &m.InvalidToolCalls[i]
		r.linef("  → %s", terminal.Line(fmt.Sprintf("%s (%s), malformed: %s", call.Name, call.ID, call.Error)))
	}
}

// content writes the text of a message, and the type of other content.
func (r *report) content(c abi.Content, most int) {
	if text := c.Text(); text != "" {
		r.text("  │ ", text, most)
	}
	if c.IsText() {
		return
	}
	for _, block := range c.Blocks() {
		switch block.Type() {
		case abi.BlockText:
		case abi.BlockReasoning:
			r.linef("  [reasoning] %s", terminal.Line(block.Text()))
		case abi.BlockRefusal:
			r.text("  ", strings.TrimRight(Block(block)+" "+block.Text(), " "), most)
		default:
			r.linef("  %s", Block(block))
		}
	}
}

// Block describes a block that is not text in a few words, such as "[file a.pdf application/pdf]".
func Block(block abi.Block) string {
	about := []string{block.Type(), block.Category(), block.String("name"), block.String("mime_type"), block.String("url")}
	return "[" + terminal.Line(strings.Join(slices.DeleteFunc(about, func(s string) bool { return s == "" }), " ")) + "]"
}

// brief formats a message as one line.
func brief(m *abi.Message) string {
	const most = 70
	var line strings.Builder
	line.WriteString(string(m.Role))
	if m.Name != "" {
		line.WriteString(" " + m.Name)
	}
	if m.Failed() {
		line.WriteString(" (error)")
	}
	said := text.OneLine(m.Content.Text())
	for _, block := range m.Content.Blocks() {
		if block.Type() == abi.BlockRefusal {
			said = text.OneLine(said + " " + Block(block) + " " + block.Text())
		}
	}
	if said != "" {
		line.WriteString(": " + text.Cut(said, most))
	}
	for i := range m.ToolCalls {
		fmt.Fprintf(&line, " → %s %s", m.ToolCalls[i].Name, text.Cut(m.ToolCalls[i].Args.JSON(), most))
	}
	return terminal.Line(line.String())
}

// short formats a value as part of a line.
func short(v wire.Raw) string {
	const most = 100
	return terminal.Line(text.Cut(v.JSON(), most))
}
