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
	text  strings.Builder // model output that the client has not received
}

func (*Server) progressOf(ctx context.Context, req *sdk.CallToolRequest) *progress {
	return &progress{ctx: ctx, req: req, token: req.Params.GetProgressToken()}
}

// enough is how many bytes the model writes between notifications: one for each token would be too many.
const enough = 80

// event reports an event of the run to the client. A failure to report does not end the run.
func (p *progress) event(e host.Event) error {
	if p.token == nil {
		return nil
	}
	if e.Type == host.EventToken {
		p.text.WriteString(e.Text)
		if p.text.Len() >= enough {
			p.flush()
		}
		return nil
	}
	message := ""
	switch {
	case e.Type == host.EventTool && len(e.Messages) == 0 && e.Error == nil && len(e.Interrupts) == 0:
		message = "calls the tool " + terminal.Line(e.Call.Name)
	case e.Type == host.EventTool && len(e.Messages) > 0 && e.Messages[0].Failed():
		message = "the tool " + terminal.Line(e.Call.Name) + " answered with an error"
	case e.Type == host.EventTool && len(e.Messages) > 0:
		message = "the tool " + terminal.Line(e.Call.Name) + " has answered"
	case e.Type == host.EventCustom:
		message = terminal.Line(e.Step + ": " + e.Name + " " + e.Data.JSON())
	case e.Type == host.EventEnd:
	default:
		return nil
	}
	p.flush()
	p.tell(message)
	return nil
}

// flush sends the model output collected since the last flush.
func (p *progress) flush() {
	text := p.text.String()
	p.text.Reset()
	p.tell(text)
}

func (p *progress) tell(message string) {
	if message == "" {
		return
	}
	p.count++
	_ = p.req.Session.NotifyProgress(p.ctx, &sdk.ProgressNotificationParams{ // see event
		ProgressToken: p.token, Progress: p.count, Message: message,
	})
}
