package provider

import (
	"errors"
	"iter"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
)

// ErrStopped reports that the consumer of a stream has stopped.
var ErrStopped = errors.New("the consumer has stopped")

// Stream returns the stream of an answer, without the credentials that the request was sent with. ask returns the answer, after it has
// passed the pieces of it to say; it ends early with the error of say, [ErrStopped]. endpoint is asked for once the stream has begun; it
// returns nil if nothing is sent.
func Stream(
	endpoint func() *Endpoint, ask func(say func(model.Chunk) error) (*model.Response, error),
) iter.Seq2[model.Chunk, error] {
	return hideStream(endpoint, func(yield func(model.Chunk, error) bool) {
		resp, err := ask(func(c model.Chunk) error {
			if c.Says() && !yield(c, nil) {
				return ErrStopped
			}
			return nil
		})
		switch {
		case errors.Is(err, ErrStopped):
		case err != nil:
			yield(model.Chunk{}, err)
		default:
			yield(model.Chunk{Response: resp}, nil)
		}
	})
}

// Whole returns the stream of a model that must not stream: one chunk with the text and the reasoning of the whole answer, and then the
// answer. ask is called once the stream has begun.
func Whole(ask func() (*model.Response, error)) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		resp, err := ask()
		if err != nil {
			yield(model.Chunk{}, err)
			return
		}
		if piece := Piece(resp); piece.Says() && !yield(piece, nil) {
			return
		}
		yield(model.Chunk{Response: resp}, nil)
	}
}

// Piece returns the text and the reasoning of an answer that was not streamed, as one chunk.
func Piece(resp *model.Response) model.Chunk {
	var text, thought strings.Builder
	for _, block := range resp.AI().Content.Blocks() {
		if block.Type() == abi.BlockReasoning {
			thought.WriteString(block.Text())
		} else {
			text.WriteString(block.Text())
		}
	}
	return model.Chunk{Text: text.String(), Reasoning: thought.String()}
}
