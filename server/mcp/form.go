package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/host/tool/mcp"
	"github.com/agenthost/agenthost/internal/terminal"
)

// formKey names the form in a result that asks for input.
const formKey = "answers"

// maxShown is how many lines of a value a form shows.
const maxShown = 40

// form presents a run's questions so that a client can show them to its user.
type form struct {
	params    *sdk.ElicitParams
	questions []*question.Question
	passed    bool // the form comes from an MCP server whose tool the agent called
}

// formOf makes the form for questions: a decision and a message for each tool call under review, and an answer for every other
// question. Fields of the same kind are numbered.
func formOf(questions []*question.Question) *form {
	f := &form{questions: questions}
	if len(questions) == 1 && f.pass(questions[0]) {
		return f
	}
	var text strings.Builder
	properties := map[string]any{}
	var required []string
	f.each(func(q *question.Question, c *question.Call, suffix string) {
		text.WriteString(terminal.Line(q.Heading(c)) + suffixed(suffix) + "\n")
		if c == nil {
			write(&text, q.Value)
			properties["answer"+suffix] = map[string]any{"type": "string", "description": "JSON, or a text"}
			required = append(required, "answer"+suffix)
			return
		}
		if about := c.About(); about != "" {
			text.WriteString(terminal.Text(about) + "\n")
		}
		write(&text, c.Args)
		properties["decision"+suffix] = map[string]any{"type": "string", "enum": decisions(c)}
		properties["message"+suffix] = map[string]any{"type": "string", "description": "of a decision other than to go on: why, or the result instead"}
		if slices.Contains(c.Allowed, question.Edit) {
			properties["arguments"+suffix] = argumentsField(c)
		}
		required = append(required, "decision"+suffix)
	})
	f.params = &sdk.ElicitParams{
		Mode: "form", Message: strings.TrimSpace(text.String()),
		RequestedSchema: map[string]any{"type": "object", "properties": properties, "required": required},
	}
	return f
}

// suffixed labels the shown text that the fields with this suffix are about.
func suffixed(suffix string) string {
	if suffix == "" {
		return ""
	}
	return " [" + strings.TrimPrefix(suffix, "_") + "]"
}

func write(text *strings.Builder, value wire.Raw) {
	lines, _ := terminal.Value(value, maxShown)
	for _, line := range lines {
		text.WriteString("  " + line + "\n")
	}
}

// pass takes over the form of an MCP server.
func (f *form) pass(q *question.Question) bool {
	var value wire.Map
	if !q.Value.IsMap() {
		return false
	}
	if _, err := value.UnmarshalMsg(q.Value); err != nil {
		return false
	}
	if kind, _ := value.Get("type").AsString(); kind != mcp.QuestionType {
		return false
	}
	message, _ := value.Get("message").AsString()
	server, _ := value.Get("server").AsString()
	f.passed = true
	f.params = &sdk.ElicitParams{
		Mode: "form", Message: fmt.Sprintf("%s asks: %s", terminal.Line(server), terminal.Text(message)),
		RequestedSchema: json.RawMessage(value.Get("requested_schema").JSON()),
	}
	return true
}

// argumentsField is the field for the arguments of an edited call.
func argumentsField(c *question.Call) map[string]any {
	field := map[string]any{"type": "string", "description": "of the decision edit: the arguments to run the call with, in JSON"}
	if text := c.Args.JSON(); len(text) <= maxDefault {
		field["default"] = text
	}
	return field
}

// maxDefault is how many bytes a client's form may show in a field that the user changes.
const maxDefault = 4 << 10

// decisions returns the decisions that the user may choose from.
func decisions(c *question.Call) []any {
	out := make([]any, len(c.Allowed))
	for i, t := range c.Allowed {
		out[i] = string(t)
	}
	return out
}

// each calls ask for every item that the form asks about.
func (f *form) each(ask func(q *question.Question, c *question.Call, suffix string)) {
	n, all := 0, 0
	for _, q := range f.questions {
		all += max(len(q.Calls), 1)
	}
	suffix := func() string {
		n++
		if all == 1 {
			return ""
		}
		return "_" + strconv.Itoa(n)
	}
	for _, q := range f.questions {
		if q.Kind == question.Other {
			ask(q, nil, suffix())
			continue
		}
		for _, c := range q.Calls {
			ask(q, c, suffix())
		}
	}
}

// read reads what the user filled in. by says in the thread's history who answered.
func (f *form) read(given *sdk.ElicitResult, by string) ([]host.Answer, error) {
	switch {
	case given == nil:
		return nil, errors.New("the client has sent no answer")
	case f.passed:
		return f.readPassed(given, by)
	case given.Action != "accept":
		return nil, fmt.Errorf("the client's user has not answered (%s)", terminal.Line(given.Action))
	}
	sheet := question.NewSheet(f.questions)
	var wrong []error
	f.each(func(q *question.Question, c *question.Call, suffix string) {
		if c == nil {
			text, _ := given.Content["answer"+suffix].(string)
			wrong = append(wrong, sheet.Decide(q.ID, question.Decision{Type: question.Respond, Message: &text}))
			return
		}
		kind, _ := given.Content["decision"+suffix].(string)
		d := question.Decision{Type: question.Type(kind)}
		if text, ok := given.Content["message"+suffix].(string); ok && text != "" && d.Type.TakesMessage() {
			d.Message = &text
		}
		if text, ok := given.Content["arguments"+suffix].(string); ok && d.Type == question.Edit {
			args, err := question.ParseArgs([]byte(text))
			wrong = append(wrong, err)
			d.Args = args
		}
		wrong = append(wrong, sheet.Decide(c.Ref, d))
	})
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	return sheet.Answers(by)
}

// readPassed passes the answer on to the MCP server that asked.
func (f *form) readPassed(given *sdk.ElicitResult, by string) ([]host.Answer, error) {
	value := map[string]any{"action": given.Action}
	if given.Action == "accept" {
		value["content"] = given.Content
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	raw, err := wire.FromJSON(text, wire.Limits{})
	return []host.Answer{{Interrupt: f.questions[0].ID, Value: raw, By: by}}, err
}
