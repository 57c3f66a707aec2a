package scripted

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/text"
)

// Turn is one scripted answer: a message, or the error of a failed call.
type Turn struct {
	Message abi.Message
	Err     error
}

// Say returns a turn that answers with a text.
func Say(text string) Turn { return Turn{Message: abi.AI(text)} }

// CallTools returns a turn that calls tools.
func CallTools(calls ...abi.ToolCall) Turn { return Turn{Message: abi.AI("", calls...)} }

// Fail returns a turn whose call fails.
func Fail(err error) Turn { return Turn{Err: err} }

// AfterEnd determines what happens after the last turn.
type AfterEnd uint8

// These are the choices for calls after the last turn.
const (
	EndError  AfterEnd = iota // the call fails with [ErrExhausted]
	EndRepeat                 // the last turn repeats
	EndEmpty                  // the answer is empty
)

// ErrExhausted is the error of a call after the last turn.
var ErrExhausted = errors.New("the script has no more turns")

// Turns is a model whose n-th call returns the n-th turn.
//
// An answer has the stop reason that its Meta has under "stop_reason". An answer with an ID keeps it, unless the history has a message
// with this ID, which the answer would replace. The agent then gives it another one.
type Turns struct {
	Name     string
	Provider string
	Script   []Turn
	AfterEnd AfterEnd

	// ID names the script within an agent, so that a new model continues a thread where it stands. The Meta of each answer then has
	// the number of its turn, and a call goes on after the last turn that the history shows. A call of a tool without an id gets one
	// such as call-3-1, for the first call of the third turn. "": a new model begins with the first turn.
	ID string

	mutex sync.Mutex
	calls int
	next  int // index of the next turn, from 0; it may be past the end
}

// NewTurns makes a model of these turns.
func NewTurns(script ...Turn) *Turns { return &Turns{Name: "scripted", Script: script} }

// Info describes the model.
func (t *Turns) Info() model.Info { return model.Info{Name: t.Name, Provider: t.Provider} }

// Calls returns how often the model was called.
func (t *Turns) Calls() int {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.calls
}

// Generate returns the next turn.
func (t *Turns) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	n := t.take(req)
	if n < len(t.Script) {
		return t.answer(&t.Script[n], n, req)
	}
	switch {
	case t.AfterEnd == EndEmpty:
		return t.answer(&Turn{}, n, req)
	case t.AfterEnd == EndError || len(t.Script) == 0:
		return nil, fmt.Errorf("call %d of a script of length %d: %w; add turns, or set after_end (AfterEnd in Go)", n+1, len(t.Script), ErrExhausted)
	default:
		return t.answer(&t.Script[len(t.Script)-1], n, req)
	}
}

// take returns the index of the next turn.
func (t *Turns) take(req *model.Request) int {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.calls++
	n := max(t.next, t.shown(req))
	t.next = n + 1
	return n
}

// answer returns the answer of a turn, which is the n-th, from 0.
func (t *Turns) answer(turn *Turn, n int, req *model.Request) (*model.Response, error) {
	if turn.Err != nil {
		return nil, turn.Err
	}
	m := turn.Message
	if m.ID != "" && contains(req, m.ID) {
		m.ID = ""
	}
	if t.ID != "" {
		m.Meta = t.mark(m.Meta, n)
		m.ToolCalls = slices.Clone(m.ToolCalls)
		for i := range m.ToolCalls {
			m.ToolCalls[i].ID = cmp.Or(m.ToolCalls[i].ID, fmt.Sprintf("call-%d-%d", n+1, i+1))
		}
	}
	resp := model.Reply(m)
	resp.StopReason, _ = m.Meta.Get("stop_reason").AsString()
	return resp, nil
}

// Stream returns the next turn word by word.
func (t *Turns) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return stream(ctx, t, req)
}

// stream generates an answer and yields its text word by word, and then its calls, each in two pieces.
func stream(ctx context.Context, m model.Model, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		resp, err := m.Generate(ctx, req)
		if err != nil {
			yield(model.Chunk{}, err)
			return
		}
		for _, word := range slices.Collect(words(resp.AI().Content.Text())) {
			if !yield(model.Chunk{Text: word}, nil) {
				return
			}
		}
		for i, call := range resp.AI().ToolCalls {
			args := call.Args.JSON()
			cut := len(text.Head(args, len(args)/2))
			if !yield(model.Chunk{Calls: []model.CallPiece{{Index: i, ID: call.ID, Name: call.Name, Args: args[:cut]}}}, nil) ||
				!yield(model.Chunk{Calls: []model.CallPiece{{Index: i, Args: args[cut:]}}}, nil) {
				return
			}
		}
		yield(model.Chunk{Response: resp}, nil)
	}
}

// words yields the words of a text, each with the space after it.
func words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			end := strings.IndexAny(text, " \n") + 1
			if end == 0 {
				end = len(text)
			}
			if !yield(text[:end]) {
				return
			}
			text = text[end:]
		}
	}
}
