package model

import (
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
)

// TokenCounter is a model that can count the tokens of a message without asking its provider.
type TokenCounter interface {
	Model
	CountTokens(m *abi.Message) int
}

// charactersPerToken is the average for text; LangChain's approximate counter uses the same number.
const charactersPerToken = 4

// CountTokens counts the tokens of a message. It asks the model if that is a [TokenCounter]. Otherwise it estimates one token
// for every four characters of a plain text, or every four bytes of encoded blocks, rounded up.
func CountTokens(m Model, message *abi.Message) int {
	if counter, ok := As[TokenCounter](m); ok {
		return counter.CountTokens(message)
	}
	length := message.Content.Msgsize()
	if message.Content.IsText() {
		length = utf8.RuneCountInString(message.Content.Text())
	}
	return (length + charactersPerToken - 1) / charactersPerToken
}
