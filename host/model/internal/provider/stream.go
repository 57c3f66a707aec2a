package provider

import (
	"errors"
	"iter"

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
			if (c.Text != "" || c.Reasoning != "") && !yield(c, nil) {
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
