package acp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/terminal"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
	"github.com/agenthost/agenthost/server/acp/internal/rpc"
	"github.com/agenthost/agenthost/server/acp/internal/updates"
)

// turn is a prompt in progress: a run, with the answers to its questions.
type turn struct {
	*session

	ctx    context.Context //nolint:containedctx // of the run
	cancel context.CancelCauseFunc
	over   chan struct{}
}

// errCancelled is why a turn ends that its user cancelled.
var errCancelled = errors.New("the user has cancelled the prompt")

// begin begins a turn.
func (s *session) begin() (*turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.gone:
		return nil, rpc.Errorf(protocol.CodeNoResource, "the session was closed")
	case s.turn != nil:
		return nil, rpc.Errorf(rpc.CodeBusy, "a prompt is in progress in the session; cancel it, or wait for its end")
	}
	ctx, cancel := context.WithCancelCause(context.WithValue(s.server.life, sessionKey{}, s))
	s.turn = &turn{session: s, ctx: ctx, cancel: cancel, over: make(chan struct{})}
	s.updates.Begin()
	return s.turn, nil
}

// end ends the turn.
func (t *turn) end() {
	t.cancel(nil)
	t.mu.Lock()
	t.turn = nil
	t.mu.Unlock()
	close(t.over)
}

// sessionKey is the context key for the session of a run, which tools of the editor need.
type sessionKey struct{}

// sessionOf returns the session that a tool is called in.
func sessionOf(ctx context.Context) (*session, error) {
	s, ok := ctx.Value(sessionKey{}).(*session)
	if !ok {
		return nil, errors.New("the run does not belong to an editor")
	}
	return s, nil
}

// perform performs the turn.
func (t *turn) perform(said *message) (protocol.StopReason, error) {
	in, err := t.input(said)
	if err != nil {
		return "", err
	}
	reason, err := t.run(in)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch cause := context.Cause(t.ctx); {
	case errors.Is(cause, errCancelled), errors.Is(cause, errClosed):
		t.abandon = true // also a run that waits: its user wanted it to end
		return protocol.Cancelled, nil
	case errors.Is(cause, errStopping), errors.Is(err, errStopping):
		return protocol.Cancelled, nil
	case cause != nil: // the request itself was cancelled
		t.abandon = true
		return "", cause
	}
	return reason, err
}

// input returns the input of the run: an answer to the question that the last turn asked in a text, or a message.
func (t *turn) input(said *message) (host.Input, error) {
	if asked := t.takeAsked(); asked != "" {
		return host.Input{Thread: t.id, Resume: []host.Answer{{Interrupt: asked, Value: question.ParseValue(said.text), By: by}}}, nil
	}
	messages, err := t.expand(said)
	if err != nil {
		return host.Input{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	in := host.Input{Thread: t.id, Messages: messages, State: map[string]any{fieldName: t.dirs[0]}, KeepWaiting: !t.abandon}
	t.abandon = false
	return in, nil
}

// takeAsked returns the id of the question that this prompt answers; "": it answers none.
func (t *turn) takeAsked() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	asked := t.asked
	t.asked = ""
	return asked
}

// run performs runs until nothing is left to ask or to do.
func (t *turn) run(in host.Input) (protocol.StopReason, error) {
	var next *host.Input // what comes when the run that waits is over
	for {
		in.Model, in.Yield = t.chosen(), func(host.Boundary) bool { return t.server.stop.Err() != nil }
		result, err := t.agent.RunEvents(t.ctx, in, t.event)
		if errors.Is(err, host.ErrWaiting) && next == nil {
			message := in
			next = &message
			if result, err = t.waiting(); err != nil {
				return "", err
			}
		}
		if err != nil {
			return t.failed(err)
		}
		if result.Yielded {
			return "", errStopping
		}
		if result.Status == host.Interrupted {
			answer, reason, err := t.ask(result)
			if answer == nil {
				return reason, err
			}
			in = *answer
			continue
		}
		if err := t.completed(result); err != nil {
			return "", err
		}
		if next == nil {
			return ending(result), nil
		}
		in, next = *next, nil
		in.KeepWaiting = false // there is nothing left to keep
	}
}

// chosen returns the model that the session has chosen.
func (t *turn) chosen() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.model
}

// event tells the client what happens.
func (t *turn) event(e host.Event) error {
	return t.tell(t.ctx, t.translated(func(u *updates.Translator) []*protocol.Update { return u.Event(&e) })...)
}

// waiting returns what the thread waits for, as the result of a run.
func (t *turn) waiting() (*host.Result, error) {
	at, err := t.agent.State(t.ctx, t.id, 0)
	if err != nil {
		return nil, err
	}
	return &host.Result{Thread: t.id, Status: host.Interrupted, Messages: at.Messages, Interrupts: at.Interrupts, Next: at.Next}, nil
}

// completed shows what is left to show of a run that is over.
func (t *turn) completed(result *host.Result) error {
	return t.tell(t.ctx, t.translated(func(u *updates.Translator) []*protocol.Update {
		return append(u.Over(result), u.Spent(t.cost(result))...)
	})...)
}

// cost returns what the thread has cost; nil: nobody knows.
func (t *turn) cost(result *host.Result) *protocol.Cost {
	known, prices := result.ThreadCost.Known(), t.agent.config.Prices
	if known == nil || prices == nil {
		return nil
	}
	return &protocol.Cost{Amount: json.Number(known.String()), Currency: prices.Currency}
}

// failed returns why a turn ended whose run failed.
func (t *turn) failed(err error) (protocol.StopReason, error) {
	limit, ok := errors.AsType[*host.LimitError](err)
	if !ok || limit.Code != host.CodeRecursionLimit && limit.Code != host.CodeModelCallLimit {
		return "", err
	}
	return protocol.MaxTurnRequests, t.say(t.ctx, terminal.Text(err.Error()))
}

// ending returns why a turn ended whose run is over.
func ending(result *host.Result) protocol.StopReason {
	if model.EndingOf(result.StopReason) == model.CutOff {
		return protocol.MaxTokens
	}
	return protocol.EndTurn
}

// announceTitle tells the client how the session is called, once it has a message, and what it has cost.
func (s *session) announceTitle() {
	s.mu.Lock()
	known := s.titled
	s.titled = true
	s.mu.Unlock()
	if known {
		return
	}
	at, err := s.agent.State(s.server.life, s.id, 0)
	if err != nil {
		return // the list of sessions tells it
	}
	_ = s.tell(s.server.life, &protocol.Update{Kind: protocol.InfoChanged, Title: titleOf(at), UpdatedAt: moment(at.Time)}) // see tell
}
