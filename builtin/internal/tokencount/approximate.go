// Package tokencount estimates the tokens of messages by their length, as LangChain's count_tokens_approximately does. The
// estimate of a message depends only on the message, so estimates add up. Counting a history of thousands of messages takes
// linear time and no allocation.
package tokencount

import (
	"math"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
)

// CharsPerToken is the average for texts, CharsPerTokenOfAnthropic the average for Anthropic's models.
const (
	CharsPerToken            = 4.0
	CharsPerTokenOfAnthropic = 3.3
)

const (
	tokensPerMessage = 3 // for the markup around it
	tokensPerImage   = 85
)

// Message estimates the tokens of a message.
func Message(m *abi.Message, charsPerToken float64) int {
	chars, tokens := contentLength(m.Content)
	if len(m.ToolCalls) > 0 {
		chars += callsLength(m.ToolCalls)
	}
	if m.Role == abi.RoleTool {
		chars += utf8.RuneCountInString(m.ToolCallID)
	}
	chars += len(roleNames[m.Role]) + utf8.RuneCountInString(m.Name)
	return tokens + int(math.Ceil(float64(chars)/charsPerToken)) + tokensPerMessage
}

// roleNames are the names of roles in requests.
var roleNames = map[abi.Role]string{
	abi.RoleHuman: "user", abi.RoleAI: "assistant", abi.RoleTool: "tool", abi.RoleSystem: "system",
}

// contentLength returns the characters of a content, and the tokens of blocks without characters.
func contentLength(c abi.Content) (chars, tokens int) {
	if c.IsText() {
		return utf8.RuneCountInString(c.Text()), 0
	}
	for _, block := range c.Blocks() {
		switch block.Type() {
		case abi.BlockText, abi.BlockRefusal:
			chars += utf8.RuneCountInString(block.Text())
		case abi.BlockImage, "image_url":
			tokens += tokensPerImage
		default:
			chars += mapLength(block.Fields())
		}
	}
	return chars, tokens
}

// Scale returns the factor, from 1 to 1.25, by which an estimate of messages is too low. It compares the tokens that the
// last answer with usage reports with the estimate of the messages up to it. It is 1 unless all AI messages name the same
// provider. The function each estimates a message.
func Scale(messages history.List, each func(*abi.Message) int) float64 {
	provider, reported, estimated, sum := "", 0.0, 0, 0
	for _, m := range messages.All() {
		sum += each(m)
		if m.Role != abi.RoleAI {
			continue
		}
		of, _ := m.Meta.Get("provider").AsString()
		if provider == "" {
			provider = of
		} else if of != provider {
			return 1
		}
		if m.Usage != nil {
			reported, estimated = float64(m.Usage.TotalTokens), sum
		}
	}
	if messages.Len() < 2 || provider == "" || estimated == 0 {
		return 1
	}
	return min(1.25, max(1, reported/float64(estimated)))
}
