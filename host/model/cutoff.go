package model

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
)

// OnCutOff is what happens to answers that are cut off, see [CutOff].
type OnCutOff string

// The choices for answers that are cut off.
const (
	CutOffWarn     OnCutOff = "warn"     // they are used; the agent warns. The default
	CutOffFail     OnCutOff = "fail"     // the call fails
	CutOffContinue OnCutOff = "continue" // the model is asked to go on
)

// DefaultContinuations is how often a model is asked to go on with one answer if a [CutOffModel] sets no number.
const DefaultContinuations = 3

// CutOffModel is a model with a choice for answers that are cut off.
type CutOffModel struct {
	Model

	On            OnCutOff
	Continuations int // for CutOffContinue: how often the model is asked to go on with one answer; 0: DefaultContinuations
}

var _ Streamer = (*CutOffModel)(nil)

// errCutOff is the cause of the error of an answer that was cut off.
var errCutOff = errors.New("the answer was cut off")

// Unwrap returns the inner model, for [As].
func (m *CutOffModel) Unwrap() Model { return m.Model }

// Generate answers a request.
func (m *CutOffModel) Generate(ctx context.Context, req *Request) (*Response, error) {
	return m.answer(req, func(req *Request) (*Response, error) { return m.Model.Generate(ctx, req) })
}

// Stream answers a request in chunks. Chunks of an answer that continues another one follow those of the first.
func (m *CutOffModel) Stream(ctx context.Context, req *Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		stopped := false
		resp, err := m.answer(req, func(req *Request) (*Response, error) {
			streamer, ok := m.Model.(Streamer)
			if !ok {
				return m.Model.Generate(ctx, req)
			}
			var resp *Response
			for chunk, err := range streamer.Stream(ctx, req) {
				if err != nil {
					return nil, err
				}
				if chunk.Response != nil {
					resp, chunk.Response = chunk.Response, nil
				}
				if chunk.Says() && !yield(chunk, nil) {
					stopped = true
					return nil, errCutOff
				}
			}
			return resp, nil
		})
		switch {
		case stopped:
		case err != nil:
			yield(Chunk{}, err)
		default:
			yield(Chunk{Response: resp}, nil)
		}
	}
}

// answer asks for an answer, and as often as necessary for the rest of it.
func (m *CutOffModel) answer(req *Request, ask func(*Request) (*Response, error)) (*Response, error) {
	resp, err := ask(req)
	most := m.Continuations
	if most == 0 {
		most = DefaultContinuations
	}
	for n := 0; err == nil && isCutOff(resp) && req.TopLogprobs == 0; n++ { // else one token is all that was asked for
		switch {
		case m.On == CutOffFail:
			return nil, m.failure(resp)
		case m.On != CutOffContinue || n == most || !continues(resp.AI()):
			return resp, nil
		}
		var rest *Response
		if rest, err = ask(continuation(req, resp)); err == nil && rest != nil && rest.AI() != nil {
			resp = joined(resp, rest, req.Format != nil)
		}
	}
	return resp, err
}

func isCutOff(resp *Response) bool {
	return resp != nil && resp.AI() != nil && EndingOf(resp.StopReason) == CutOff
}

// continues reports whether a model can go on with an answer: it is a text. Calls and other blocks cannot be put together.
func continues(m *abi.Message) bool {
	return m.Content.Text() != "" && len(m.ToolCalls)+len(m.InvalidToolCalls) == 0
}

func (m *CutOffModel) failure(resp *Response) *Error {
	info := m.Info()
	return &Error{
		Provider: info.Provider, Kind: ErrorCutOff,
		Err: fmt.Errorf("%w (stop reason %q): %s", errCutOff, resp.StopReason, CutOff.Explain()),
	}
}

// continueText asks a model to go on. A provider that takes an answer of the model as the last message would go on without it, but
// few do.
const continueText = "Your answer was cut off. Go on exactly where it ends, without repeating anything and without an introduction."

// continuation asks for the rest of an answer.
func continuation(req *Request, resp *Response) *Request {
	messages := append(req.Messages.Messages(), *resp.AI(), abi.Human(continueText))
	out := *req
	out.Messages = history.Of(messages...)
	return &out
}

// joined puts an answer and its rest together. The usage is that of both calls. structured says that the answer should be JSON.
func joined(first, rest *Response, structured bool) *Response {
	out := *rest
	a, b := first.AI(), *rest.AI()
	b.Content = a.Content.Append(b.Content)
	b.ID = a.ID
	if a.Usage != nil {
		sum := *a.Usage
		if b.Usage != nil {
			sum = sum.Add(*b.Usage)
		}
		b.Usage = &sum
	}
	out.Messages = []abi.Message{b}
	out.Structured = nil
	if structured {
		out.Structured, _ = wire.FromJSON([]byte(b.Content.Text()), wire.Limits{}) // anything else is an answer that does not fit
	}
	return &out
}
