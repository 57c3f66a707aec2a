package model

import (
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
)

// TokenCounter is a model that can tell how many tokens a message has for it, without asking its provider.
type TokenCounter interface {
	Model
	CountTokens(m *abi.Message) int
}

// charactersPerToken is what texts have on average; LangChain's approximate counter takes the same.
const charactersPerToken = 4

// CountTokens counts the tokens of a message as the model does, or, for a model that cannot, by its length: one for every
// four characters of its text, or bytes of its blocks if it is not a text alone, that are begun.
func CountTokens(m Model, message *abi.Message) int {
	if counter, ok := m.(TokenCounter); ok {
		return counter.CountTokens(message)
	}
	length := message.Content.Msgsize()
	if message.Content.IsText() {
		length = utf8.RuneCountInString(message.Content.Text())
	}
	return (length + charactersPerToken - 1) / charactersPerToken
}
