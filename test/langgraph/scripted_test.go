package langgraph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
)

// scriptedModel answers as the model of the recordings did, from the last message alone. A slow answer waits at the gate before each word but the
// first four, which the recorded clients read before they went away.
type scriptedModel struct{ gate *gate }

const freeWords = 4

var _ model.Streamer = scriptedModel{}

func (scriptedModel) Info() model.Info { return model.Info{Provider: "scripted", Name: "scripted"} }

func (m scriptedModel) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	for chunk, err := range m.Stream(ctx, req) {
		if err != nil || chunk.Response != nil {
			return chunk.Response, err
		}
	}
	return nil, errors.New("no answer")
}

// Stream streams the answer word by word, and the arguments of a call in two pieces.
func (m scriptedModel) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		n := req.Messages.Len() + 1 // the recordings count the system prompt
		last, _ := req.Messages.Last()
		words, calls, err := turn(&last, n)
		if err != nil {
			yield(model.Chunk{}, err)
			return
		}
		parts := strings.SplitAfter(words, " ")
		for i, part := range parts {
			if i >= freeWords && strings.HasPrefix(last.Content.Text(), "slow") {
				if err := m.gate.wait(ctx); err != nil {
					yield(model.Chunk{}, err)
					return
				}
			}
			if part != "" && !yield(model.Chunk{Text: part}, nil) {
				return
			}
		}
		for i := range calls {
			args := calls[i].Args.JSON()
			for _, piece := range []model.CallPiece{{Index: i, ID: calls[i].ID, Name: calls[i].Name, Args: args[:8]}, {Index: i, Args: args[8:]}} {
				if !yield(model.Chunk{Calls: []model.CallPiece{piece}}, nil) {
					return
				}
			}
		}
		answer := abi.AI(words, calls...)
		out := uint64(len(strings.Fields(words)))
		answer.Usage = &abi.Usage{InputTokens: uint64(n), OutputTokens: out, TotalTokens: uint64(n) + out}
		stop := "stop"
		if len(calls) > 0 {
			stop = "tool_calls"
		}
		answer.Meta.Set("finish_reason", wire.String(stop))
		yield(model.Chunk{Response: &model.Response{Messages: []abi.Message{answer}, Model: "scripted", StopReason: stop}}, nil)
	}
}

func turn(last *abi.Message, n int) (words string, calls []abi.ToolCall, err error) {
	text := last.Content.Text()
	call := func(name string, args map[string]any) []abi.ToolCall {
		return []abi.ToolCall{abi.Call(fmt.Sprintf("call-%d", n), name, args)}
	}
	switch {
	case last.Role == abi.RoleTool:
		return fmt.Sprintf("The tool %s said: %s", last.Name, text), nil, nil
	case strings.HasPrefix(text, "weather "):
		return "", call("get_weather", map[string]any{"city": text[8:]}), nil
	case strings.HasPrefix(text, "write "):
		return "I write it.", call("write_file", map[string]any{"path": "note.md", "content": text[6:]}), nil
	case strings.HasPrefix(text, "slow"):
		all := make([]string, 40)
		for i := range all {
			all[i] = fmt.Sprintf("w%d", i)
		}
		return strings.Join(all, " "), nil, nil
	case strings.HasPrefix(text, "boom"):
		return "", nil, errors.New("the model failed")
	default:
		return "You said: " + text, nil, nil
	}
}

// encode returns a value as an agent emits it.
func encode(v any) (out wire.Raw) {
	text, err := json.Marshal(v)
	if err == nil {
		out, err = wire.FromJSON(text, wire.Limits{})
	}
	if err != nil {
		panic(err)
	}
	return out
}
