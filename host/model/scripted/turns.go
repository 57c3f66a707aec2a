package scripted

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
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
type Turns struct {
	Name     string
	Provider string
	Script   []Turn
	AfterEnd AfterEnd

	calls atomic.Int64
}

// NewTurns makes a model of these turns.
func NewTurns(script ...Turn) *Turns { return &Turns{Name: "scripted", Script: script} }

// Info describes the model.
func (t *Turns) Info() model.Info { return model.Info{Name: t.Name, Provider: t.Provider} }

// Calls returns how often the model was called.
func (t *Turns) Calls() int { return int(t.calls.Load()) }

// Generate returns the next turn.
func (t *Turns) Generate(ctx context.Context, _ *model.Request) (*model.Response, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	n := int(t.calls.Add(1)) - 1
	if n >= len(t.Script) {
		switch {
		case t.AfterEnd == EndEmpty:
			return model.Reply(abi.Message{}), nil
		case t.AfterEnd == EndError || len(t.Script) == 0:
			return nil, fmt.Errorf("call %d of a script of length %d: %w; add turns, or set what follows the last turn", n+1, len(t.Script), ErrExhausted)
		}
		n = len(t.Script) - 1
	}
	if turn := t.Script[n]; turn.Err != nil {
		return nil, turn.Err
	}
	return model.Reply(t.Script[n].Message), nil
}

// Stream returns the next turn word by word.
func (t *Turns) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return stream(ctx, t, req)
}

// stream generates an answer and yields its text word by word.
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
