package mcp

import (
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/terminal"
)

// progress tells a client what happens in a run.
type progress struct {
	ctx   context.Context //nolint:containedctx // of the call that it belongs to
	req   *sdk.CallToolRequest
	token any // nil: the client does not want progress
	count float64
	news  teller
}

func progressOf(ctx context.Context, req *sdk.CallToolRequest) *progress {
	return &progress{ctx: ctx, req: req, token: req.Params.GetProgressToken()}
}

// event reports an event of the run to the client. A failure to report does not end the run.
func (p *progress) event(e host.Event) error {
	if p.token == nil {
		return nil
	}
	for _, message := range p.news.event(&e) {
		p.count++
		_ = p.req.Session.NotifyProgress(p.ctx, &sdk.ProgressNotificationParams{ProgressToken: p.token, Progress: p.count, Message: message})
	}
	return nil
}

// teller says in words what happens in a run.
type teller struct {
	text strings.Builder // model output that was not told yet
}

// enough is how many bytes the model writes between messages: one for each token would be too many.
const enough = 80

// event returns the messages for an event.
func (t *teller) event(e *host.Event) []string {
	if e.Type == host.EventToken {
		t.text.WriteString(e.Text)
		if t.text.Len() >= enough {
			return t.flush("")
		}
		return nil
	}
	switch {
	case e.Type == host.EventTool && e.Call != nil && len(e.Messages) == 0 && e.Error == nil && len(e.Interrupts) == 0:
		return t.flush("calls the tool " + terminal.Line(e.Call.Name))
	case e.Type == host.EventTool && e.Call != nil && len(e.Messages) > 0 && e.Messages[0].Failed():
		return t.flush("the tool " + terminal.Line(e.Call.Name) + " answered with an error")
	case e.Type == host.EventTool && e.Call != nil && len(e.Messages) > 0:
		return t.flush("the tool " + terminal.Line(e.Call.Name) + " has answered")
	case e.Type == host.EventCustom:
		return t.flush(terminal.Line(e.Step + ": " + e.Name + " " + e.Data.JSON()))
	case e.Type == host.EventEnd:
		return t.flush("")
	default:
		return nil
	}
}

// flush returns the model output since the last time, and then a message, unless they are empty.
func (t *teller) flush(message string) (out []string) {
	if t.text.Len() > 0 {
		out = append(out, t.text.String())
		t.text.Reset()
	}
	if message != "" {
		out = append(out, message)
	}
	return out
}
