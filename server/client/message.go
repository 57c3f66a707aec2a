package client

import (
	"encoding/json"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/server/internal/langchain"
)

// WriteMessages returns messages in the form of the API, for the input of a run.
func WriteMessages(messages ...abi.Message) (wire.Raw, error) {
	text, err := json.Marshal(langchain.Messages(messages))
	if err != nil {
		return nil, err
	}
	return wire.FromJSON(text, wire.Limits{MaxBytes: maxRequest, MaxNodes: limits.MaxNodes})
}

// Changes are what a list of messages in the form of the API says: messages to add, and messages to remove.
type Changes struct {
	Messages []abi.Message
	Remove   []string // ids
	Reset    bool     // all earlier messages are removed
}

// ReadMessages reads a list of messages in the form of the API, or one message, such as the member "messages" of a thread's values or of an
// update.
func ReadMessages(doc json.RawMessage) (*Changes, error) {
	in, err := langchain.Read(doc)
	if err != nil {
		return nil, &answerError{err.Error()}
	}
	return &Changes{Messages: in.Messages, Remove: in.Remove, Reset: in.Reset}, nil
}

// Piece is an event of the mode messages-tuple: a piece of a message that the model is writing, or a whole message.
type Piece struct {
	Message abi.Message // a piece has the id of its message, and the text or the reasoning that is new
	Whole   bool
	Step    string // the step that writes it; "": the server does not say
}

// ReadPiece reads an event of the mode messages-tuple.
func ReadPiece(data json.RawMessage) (*Piece, error) {
	var pair []json.RawMessage
	var message struct {
		Type string `json:"type"`
	}
	var metadata struct {
		Node string `json:"langgraph_node"`
	}
	if json.Unmarshal(data, &pair) != nil || len(pair) != 2 || json.Unmarshal(pair[0], &message) != nil || json.Unmarshal(pair[1], &metadata) != nil {
		return nil, &answerError{"an event is not a pair of a message and its metadata"}
	}
	read, err := ReadMessages(pair[0])
	if err != nil {
		return nil, err
	}
	if len(read.Messages) != 1 {
		return nil, &answerError{"an event has no message"}
	}
	return &Piece{Message: read.Messages[0], Whole: message.Type != "AIMessageChunk", Step: metadata.Node}, nil
}
