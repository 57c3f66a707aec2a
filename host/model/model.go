package model

import (
	"context"
	"iter"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// Model is a chat model. Its methods may be called from several goroutines at once.
type Model interface {
	// Info describes the model.
	Info() Info
	// Generate answers a request. The response's last AI message is the answer. The request must not be changed.
	Generate(ctx context.Context, req *Request) (*Response, error)
}

// Streamer is a model that can also answer piece by piece.
type Streamer interface {
	Model
	// Stream answers as Generate does. It yields text and reasoning as they come and, last, a chunk with the whole
	// response. It ends early with an error, or when the consumer stops.
	Stream(ctx context.Context, req *Request) iter.Seq2[Chunk, error]
}

// Chunk is a piece of a streamed answer.
type Chunk struct {
	Text      string    // the next piece of the answer's text
	Reasoning string    // the next piece of what the model thinks, as far as its provider shows that
	Response  *Response // set in the last chunk alone
}

// Info describes a model.
type Info struct {
	Name             string // as the provider calls it
	Provider         string // such as "openai"
	MaxInputTokens   int    // 0: not known
	MaxOutputTokens  int    // 0: not known
	StructuredOutput bool   // the provider enforces a JSON Schema natively
	Images           bool   // it takes images
	Files            bool   // it takes documents, PDF at least
	Reasoning        bool   // it thinks before it answers
	Caching          bool   // the provider caches prompts where the request says so
}

// Response is a model's answer.
type Response struct {
	Messages   []abi.Message // usually one AI message
	Model      string        // the model that answered, as the provider reports it
	StopReason string        // as the provider reports it
	Structured wire.Raw      // the JSON value of the answer, if the request has a Format and the answer is one
}

// Reply makes a response of one AI message.
func Reply(m abi.Message) *Response {
	m.Role = abi.RoleAI
	return &Response{Messages: []abi.Message{m}}
}

// AI returns the last AI message of the response; nil if there is none.
func (r *Response) AI() *abi.Message {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == abi.RoleAI {
			return &r.Messages[i]
		}
	}
	return nil
}
