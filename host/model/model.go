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

// Streamer is a model that can also stream its answer.
type Streamer interface {
	Model
	// Stream gives the same answer as Generate. It yields text and reasoning as they arrive and finally a chunk with the whole
	// response. It ends early after an error, or when the consumer stops.
	Stream(ctx context.Context, req *Request) iter.Seq2[Chunk, error]
}

// Chunk is a piece of a streamed answer.
type Chunk struct {
	Text      string      // the next piece of the answer's text
	Reasoning string      // the next piece of the model's reasoning, if the provider shows it
	Calls     []CallPiece // the next pieces of tool calls; a provider may send none, since the response has the calls
	Response  *Response   // set only in the last chunk
}

// Says reports whether the chunk has a piece of the answer.
func (c *Chunk) Says() bool { return c.Text != "" || c.Reasoning != "" || len(c.Calls) > 0 }

// CallPiece is a piece of a tool call, as the model writes it. The arguments of a call are valid JSON only when all of its pieces are
// put together, and not even then if the model makes a mistake.
type CallPiece struct {
	Index int    `json:"index"`          // place of the call in the answer, from 0
	ID    string `json:"id,omitempty"`   // id of the call, in its first piece; "" if the provider gives none
	Name  string `json:"name,omitempty"` // name of the tool, in the first piece
	Args  string `json:"args,omitempty"` // the next piece of the arguments
}

// Says reports whether the piece has anything new.
func (p *CallPiece) Says() bool { return p.ID != "" || p.Name != "" || p.Args != "" }

// Info describes a model.
type Info struct {
	Name             string // the provider's name for the model
	Provider         string // such as "openai"
	MaxInputTokens   int    // 0 if unknown
	MaxOutputTokens  int    // 0 if unknown
	StructuredOutput bool   // the provider enforces a JSON Schema natively
	Reasoning        bool   // the model reasons before it answers
	Caching          bool   // the provider caches prompts where the request asks for it

	Images     Support // the model accepts images
	Audio      Support // the model accepts recordings of sound
	Video      Support // the model accepts films
	Files      Support // the model accepts documents, at least PDF
	ToolImages Support // the model accepts images in results of tools too
	ToolFiles  Support // the model accepts documents in results of tools too
	Logprobs   Support // the provider reports the log probabilities of tokens, see Request.TopLogprobs
}

// Response is a model's answer.
type Response struct {
	Messages   []abi.Message // usually one AI message
	Model      string        // the model that answered, as the provider reports it
	StopReason string        // the reason that the provider reports
	Structured wire.Raw      // the answer as a JSON value, if the request has a Format and the answer is valid JSON
	Logprobs   []Logprob     // the most likely first tokens, if the request asks for them and the provider reports them
}

// Logprob is the log probability of a token.
type Logprob struct {
	Token   string
	Logprob float64 // natural logarithm
}

// Reply returns a response with one AI message.
func Reply(m abi.Message) *Response {
	m.Role = abi.RoleAI
	return &Response{Messages: []abi.Message{m}}
}

// AI returns the last AI message of the response, or nil if there is none.
func (r *Response) AI() *abi.Message {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == abi.RoleAI {
			return &r.Messages[i]
		}
	}
	return nil
}
