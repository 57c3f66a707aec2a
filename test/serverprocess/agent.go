package serverprocess

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
)

// AgentName is the name of the agent.
const AgentName = "agent"

// talker does what the first word of the last human message says:
//
//	flood N   writes N bytes as tokens of 1 KiB, and then a short answer
//	hold      writes nothing until the run is cancelled
//	steps N   calls the tool N times, once in each round, and then answers
//
// It answers everything else with five words.
type talker struct{}

var _ model.Streamer = talker{}

func (talker) Info() model.Info { return model.Info{Provider: "test", Name: "talker"} }

func (m talker) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	for chunk, err := range m.Stream(ctx, req) {
		if err != nil || chunk.Response != nil {
			return chunk.Response, err
		}
	}
	return nil, errors.New("no answer")
}

func (talker) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		asked, done := "", 0
		for _, m := range req.Messages.All() {
			switch m.Role {
			case abi.RoleHuman:
				asked, done = m.Content.Text(), 0
			case abi.RoleTool:
				done++
			default:
			}
		}
		word, count := order(asked)
		switch {
		case word == "hold":
			<-ctx.Done()
			yield(model.Chunk{}, context.Cause(ctx))
			return
		case word == "steps" && done < count:
			answer := abi.AI("I make a step.")
			answer.ToolCalls = []abi.ToolCall{{ID: fmt.Sprintf("call-%d", done), Name: "step", Args: wire.Map{}.Raw()}}
			yield(model.Chunk{Response: model.Reply(answer)}, nil)
			return
		case word == "flood":
			if !flood(ctx, count, yield) {
				return
			}
		}
		said := strings.SplitAfter(fmt.Sprintf("I made %d steps.", done), " ")
		for _, token := range said {
			if !yield(model.Chunk{Text: token}, nil) {
				return
			}
		}
		yield(model.Chunk{Response: model.Reply(abi.AI(strings.Join(said, "")))}, nil)
	}
}

// order returns the word and the number of an order.
func order(text string) (word string, count int) {
	word, number, _ := strings.Cut(text, " ")
	count, _ = strconv.Atoi(number) // no number is 0
	return word, count
}

func flood(ctx context.Context, size int, yield func(model.Chunk, error) bool) bool {
	token := strings.Repeat("x", 1<<10)
	for ; size > 0; size -= len(token) {
		if ctx.Err() != nil {
			return yield(model.Chunk{}, context.Cause(ctx))
		}
		if !yield(model.Chunk{Text: token[:min(size, len(token))]}, nil) {
			return false
		}
	}
	return true
}

func step(context.Context, struct{}) (string, error) { return "made", nil }
