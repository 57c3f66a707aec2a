package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/runs"
)

// call is a call of a tool that is being answered.
type call struct {
	d    *Door
	s    *session
	ctx  context.Context //nolint:containedctx // of the call
	req  *sdk.CallToolRequest
	news *progress
}

// handle returns the handler of a tool.
func (s *session) handle(do order) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		ctx, stop := s.join(ctx)
		defer stop()
		c := &call{d: s.door, s: s, ctx: ctx, req: req, news: progressOf(ctx, req)}
		if req.Params.RequestState != "" {
			return c.answered(), nil
		}
		return do(c, req.Params.Arguments), nil
	}
}

// perform has a run performed, until it ends or asks something that the client cannot answer.
func (c *call) perform(sub *runs.Submission) *sdk.CallToolResult {
	for {
		run, err := c.d.Service.Submit(c.ctx, sub)
		if err != nil {
			return c.failed(err)
		}
		over, err := c.follow(run)
		switch {
		case err != nil:
			return c.cut(run, err)
		case over.Failure != nil:
			return c.about(run, failure(fmt.Errorf("the agent failed: %s: %s", over.Failure.Type, over.Failure.Message)))
		case over.Status != runs.Success:
			return c.about(run, failure(fmt.Errorf("the run ended with the status %s", over.Status)))
		}
		state, err := c.d.Service.State(c.ctx, c.s.owner, run.Thread, over.After)
		switch {
		case err != nil:
			return c.failed(err)
		case state.Snapshot == nil:
			return c.about(run, failure(errors.New("the run has left nothing")))
		}
		questions := question.OfSnapshot(state.Snapshot)
		if len(questions) == 0 {
			return c.about(run, &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: state.Answer()}}})
		}
		if err := c.keep(run.Thread); err != nil {
			return c.failed(err)
		}
		answers, result := c.elicit(run.Thread, questions)
		if result != nil {
			return c.about(run, result)
		}
		if sub, err = c.resumption(run.Thread, answers); err != nil {
			return c.failed(err)
		}
	}
}

// follow tells the client what happens in a run until it is over, and returns the run.
func (c *call) follow(run *runs.Run) (*runs.Run, error) {
	follower := c.d.Service.Reader().NewFollower(c.s.owner, run.ID, 0)
	defer follower.Close()
	attempt := 0
	for {
		events, over, err := follower.Next(c.ctx)
		if err != nil {
			return nil, err
		}
		for i := range events {
			if events[i].Attempt() != attempt { // what was told may be void
				attempt = events[i].Attempt()
				c.news.news = teller{}
			}
			e, err := events[i].Host()
			if err != nil {
				return nil, err
			}
			_ = c.news.event(*e) // a failure to report does not end the run
		}
		if over {
			return c.d.Service.Run(c.ctx, c.s.owner, run.ID)
		}
		if len(events) > 0 {
			continue
		}
		select {
		case <-follower.News():
		case <-c.ctx.Done():
			return nil, c.ctx.Err()
		}
	}
}

// cut returns the result of a call that ends before its run does. The run is cancelled if the client has cancelled the call or is gone.
func (c *call) cut(run *runs.Run, err error) *sdk.CallToolResult {
	switch {
	case errors.Is(err, runs.ErrNoRun):
		return failure(errors.New("the run was removed"))
	case c.d.Closing.Err() != nil:
		if err := c.keep(run.Thread); err != nil {
			return c.failed(err)
		}
		return c.about(run, failure(fmt.Errorf("the server is stopping; the run goes on when it is back, in the thread %s", threadURI(run.Thread))))
	case c.ctx.Err() == nil:
		return c.failed(err)
	}
	_, failed := c.d.Service.Cancel(context.WithoutCancel(c.ctx), c.s.owner, run.ID, runs.CancelKeep)
	if failed != nil && !errors.Is(failed, runs.ErrRunOver) && !errors.Is(failed, runs.ErrNoRun) {
		c.d.Logger.Error("the run of a call that was cancelled cannot be cancelled", "run", run.ID, "error", failed)
	}
	return failure(errors.New("the call was cancelled"))
}

// keepAsked is how long a thread without a name waits for an answer.
const keepAsked = 24 * time.Hour

// keep keeps a thread that would be removed with its run: somebody must be able to answer, or to read the result.
func (c *call) keep(thread string) error {
	return c.d.Service.KeepThread(context.WithoutCancel(c.ctx), c.s.owner, thread, &runs.Expiry{After: keepAsked})
}

// about adds to a result which run it is of.
func (c *call) about(run *runs.Run, result *sdk.CallToolResult) *sdk.CallToolResult {
	result.Meta = sdk.Meta{"agenthost/run": run.ID, "agenthost/thread": run.Thread}
	return result
}

// by says in the history of a thread who answered.
func (c *call) by() string { return c.s.who.Load().Name }

// ask asks the questions of a thread again.
func (c *call) ask(thread string, questions []*question.Question) *sdk.CallToolResult {
	answers, result := c.elicit(thread, questions)
	if result != nil {
		return result
	}
	return c.resume(thread, answers)
}

// elicit asks the client's user. If that is not possible, it returns the result of the call.
func (c *call) elicit(thread string, questions []*question.Question) ([]host.Answer, *sdk.CallToolResult) {
	form := formOf(questions)
	switch {
	case !canAsk(c.req):
		return nil, c.asked(thread, questions, "the run waits for an answer from a person")
	case c.req.ProtocolVersion() >= statelessVersion:
		return nil, &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{formKey: form.params}, RequestState: placeOf(thread, questions).text()}
	}
	given, err := c.req.Session.Elicit(c.ctx, form.params)
	if err != nil {
		return nil, c.asked(thread, questions, "the run waits for an answer from a person, who could not be asked: "+err.Error())
	}
	answers, err := c.read(thread, form, given)
	if err != nil {
		return nil, c.asked(thread, questions, "the run waits for an answer from a person: "+err.Error())
	}
	return answers, nil
}

// read reads what the user filled in, if the questions still wait.
func (c *call) read(thread string, form *form, given *sdk.ElicitResult) ([]host.Answer, error) {
	now, _, err := c.waiting(thread)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(idsOf(now), idsOf(form.questions)) {
		return nil, errors.New("the questions were answered elsewhere meanwhile")
	}
	return form.read(given, c.by())
}

// place is where a client's answer belongs, in the versions of the protocol in which each request stands alone. It is no secret: all of it is the
// owner's.
type place struct {
	Thread    string   `json:"thread"`
	Questions []string `json:"questions"`
}

func placeOf(thread string, questions []*question.Question) *place {
	return &place{thread, idsOf(questions)}
}

func idsOf(questions []*question.Question) []string {
	out := make([]string, len(questions))
	for i, q := range questions {
		out[i] = q.ID
	}
	return out
}

func (p *place) text() string {
	text, _ := json.Marshal(p) //nolint:errchkjson // it has texts only
	return base64.RawURLEncoding.EncodeToString(text)
}

// readPlace reads the text of a place, which comes back from the client.
func readPlace(text string) (*place, error) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	p := &place{}
	if err == nil {
		err = json.Unmarshal(raw, p)
	}
	if err == nil {
		p.Thread, err = threadOf(p.Thread)
	}
	if err != nil || p.Thread == "" {
		return nil, errors.New("the request state is not one of this server; begin anew")
	}
	return p, nil
}

// answered goes on with a run that asked something in the result of an earlier call.
func (c *call) answered() *sdk.CallToolResult {
	p, err := readPlace(c.req.Params.RequestState)
	if err != nil {
		return failure(err)
	}
	questions, _, err := c.waiting(p.Thread)
	switch {
	case err != nil:
		return c.failed(err)
	case len(questions) == 0 || !slices.Equal(idsOf(questions), p.Questions):
		return failure(errors.New("the questions do not wait any more"))
	}
	given, _ := c.req.Params.InputResponses[formKey].(*sdk.ElicitResult)
	answers, err := c.read(p.Thread, formOf(questions), given)
	if err != nil {
		return c.asked(p.Thread, questions, "the run waits for an answer from a person: "+err.Error())
	}
	return c.resume(p.Thread, answers)
}

// asked returns the result for a run that waits: what it asks, and how to answer.
func (c *call) asked(thread string, questions []*question.Question, why string) *sdk.CallToolResult {
	var out strings.Builder
	out.WriteString(terminal.Text(why) + ".\n\n" + formOf(questions).params.Message + "\n\n")
	if canAsk(c.req) {
		fmt.Fprintf(&out, "To ask the user again, call the tool %s with {\"thread\": %q}.", answerTool, thread)
	} else {
		fmt.Fprintf(&out, "Ask the user, and do not decide yourself. Then call the tool %s with {\"thread\": %q, \"answers\": [%s]}.",
			answerTool, thread, strings.Join(examples(questions), ", "))
	}
	result := failure(errors.New(out.String()))
	result.Meta = sdk.Meta{"agenthost/thread": thread}
	return result
}

// examples returns an answer to each question, for people to fill in.
func examples(questions []*question.Question) (out []string) {
	for _, q := range questions {
		if len(q.Calls) == 0 {
			out = append(out, fmt.Sprintf(`{"id": %q, "value": ANSWER}`, q.ID))
		}
		for _, c := range q.Calls {
			allowed := make([]string, len(c.Allowed))
			for i, t := range c.Allowed {
				allowed[i] = string(t)
			}
			out = append(out, fmt.Sprintf(`{"id": %q, "decision": %q}`, c.Ref, strings.Join(allowed, "|")))
		}
	}
	return out
}
