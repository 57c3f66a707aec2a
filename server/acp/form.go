package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/host/tool/mcp"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
)

// maxShown is how many lines of a question are shown.
const maxShown = 60

// inText returns the only question if the client has no form to ask it in: the user's next message answers it.
func (t *turn) inText(questions []*question.Question) *question.Question {
	if len(questions) != 1 || questions[0].Kind != question.Other || t.server.client.Forms() {
		return nil
	}
	return questions[0]
}

// questionText shows a question in any format.
func questionText(q *question.Question) string {
	var text strings.Builder
	if message := messageOf(q); message != "" {
		text.WriteString(terminal.Text(message))
	} else {
		text.WriteString(terminal.Line(q.Heading(nil)) + "\n\n```\n")
		lines, _ := terminal.Value(q.Value, maxShown)
		for _, line := range lines {
			text.WriteString(line + "\n")
		}
		text.WriteString("```")
	}
	if fields := mcpForm(q); fields != nil {
		text.WriteString("\n\nThe answer must fit this schema:\n\n```json\n" + string(fields) + "\n```")
	}
	return text.String() + "\n\n*Your next message is the answer.*"
}

// messageOf returns the text of a question that has one.
func messageOf(q *question.Question) string {
	if said, ok := q.Value.AsString(); ok {
		return said
	}
	for _, key := range []string{"message", "question"} {
		if said, ok := q.Value.Get(key).AsString(); ok {
			return said
		}
	}
	return ""
}

// mcpForm returns the form of an MCP server's question; nil: it is none.
func mcpForm(q *question.Question) json.RawMessage {
	if kind, _ := q.Value.Get("type").AsString(); kind != mcp.QuestionType {
		return nil
	}
	return json.RawMessage(q.Value.Get("requested_schema").JSON())
}

// plainForm is the form for a question that has none.
var plainForm = json.RawMessage(`{"type":"object","required":["answer"],
	"properties":{"answer":{"type":"string","title":"Answer","description":"JSON, or a text"}}}`)

// fillIn puts a question in any format to the user as a form.
func (t *turn) fillIn(ctx context.Context, q *question.Question, sheet *question.Sheet) error {
	if !t.server.client.Forms() {
		return fmt.Errorf("%s: the editor has no forms, and there are several questions", terminal.Line(q.Heading(nil)))
	}
	request := protocol.ElicitationRequest{SessionID: t.id, Mode: "form", Message: messageOf(q), Schema: plainForm}
	if request.Message == "" {
		lines, _ := terminal.Value(q.Value, maxShown)
		request.Message = terminal.Line(q.Heading(nil)) + "\n" + strings.Join(lines, "\n")
	}
	request.Message = terminal.Text(request.Message)
	form := mcpForm(q)
	if form != nil {
		request.Schema = form
	}
	var response protocol.ElicitationResponse
	if err := t.server.conn.Call(ctx, protocol.CreateElicitation, request, &response); err != nil {
		return fmt.Errorf("the editor could not ask its user: %w", err)
	}
	if form != nil { // the server learns that its form was declined, too
		return giveForm(sheet, q, &response)
	}
	if response.Action != protocol.Accept {
		return errUnanswered
	}
	var content struct {
		Answer *string `json:"answer"`
	}
	if err := json.Unmarshal(response.Content, &content); err != nil || content.Answer == nil {
		return errUnanswered
	}
	return sheet.Give(q.ID, question.ParseValue(*content.Answer))
}

// giveForm records what the user did with the form of an MCP server. All but "accept" and "cancel" declines it.
func giveForm(sheet *question.Sheet, q *question.Question, response *protocol.ElicitationResponse) error {
	value := map[string]any{"action": "decline"}
	switch response.Action {
	case protocol.Accept:
		content, err := wire.FromJSON(response.Content, wire.Limits{MaxBytes: maxForm, MaxDepth: 8})
		if err != nil {
			return fmt.Errorf("the editor's form: %w", err)
		}
		value = map[string]any{"action": protocol.Accept, "content": content}
	case "cancel":
		value["action"] = "cancel"
	default:
	}
	raw, err := host.Encode(value)
	if err != nil {
		return err
	}
	return sheet.Give(q.ID, raw)
}

// maxForm is the maximum size of a filled in form, in bytes.
const maxForm = 1 << 20
