package builtin

import (
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin/internal/tokencount"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
)

// TokenCounter says how the tokens of messages are counted. Its zero value is the approximate counter. At most one field is
// set. The tokens of a history are the sum of the tokens of its messages.
type TokenCounter struct {
	// Counter is the way of counting. "approximate" (or ""): one token for every four characters or part of them (3.3 for
	// Anthropic's models in summarization), three more for each message and 85 for an image, as LangChain counts. "chars":
	// one for each character of the text, and nothing else.
	Counter string `yaml:"counter" schema:"enum=approximate|chars,default=approximate"`
	// PerMessage is a fixed number of tokens for each message, instead of counting.
	PerMessage int `yaml:"per_message" schema:"min=1"`
	// Func counts the tokens of a message. It is called often: for each message of a history.
	Func func(m *abi.Message) int `yaml:"-"`
}

// The values of TokenCounter.Counter.
const (
	counterApproximate = "approximate"
	counterChars       = "chars"
)

// messageCounter is a checked [TokenCounter].
type messageCounter struct {
	each func(m *abi.Message) int // the tokens of a message; never negative
	// estimates says that the tokens that providers report may correct the counts.
	estimates bool
}

// isSet reports whether the configuration sets a counter.
func (c *TokenCounter) isSet() bool { return c.Counter != "" || c.PerMessage != 0 || c.Func != nil }

// compile checks the configuration. The approximate counter uses charsPerToken.
func (c *TokenCounter) compile(charsPerToken float64) (*messageCounter, error) {
	given := 0
	for _, is := range []bool{c.Counter != "", c.PerMessage != 0, c.Func != nil} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return nil, errors.New("token_counter has several ways to count; use one of counter, per_message and Func")
	case c.PerMessage < 0:
		return nil, fmt.Errorf("token_counter: per_message is %d; it must not be negative", c.PerMessage)
	case c.PerMessage > 0:
		return &messageCounter{each: func(*abi.Message) int { return c.PerMessage }}, nil
	case c.Func != nil:
		return &messageCounter{each: func(m *abi.Message) int { return max(0, c.Func(m)) }}, nil
	case c.Counter == counterChars:
		return &messageCounter{each: countCharacters}, nil
	case c.Counter == "" || c.Counter == counterApproximate:
		return &messageCounter{
			each: func(m *abi.Message) int { return tokencount.Message(m, charsPerToken) }, estimates: true,
		}, nil
	default:
		return nil, fmt.Errorf("token_counter: there is no counter %q; use approximate or chars, or {per_message: n}", c.Counter)
	}
}

func countCharacters(m *abi.Message) int { return utf8.RuneCountInString(m.Content.Text()) }

// of counts the tokens of messages.
func (c *messageCounter) of(messages history.List) int {
	n := 0
	for _, m := range messages.All() {
		n += c.each(m)
	}
	return n
}

// corrected counts the tokens of messages, by what a provider has reported of them where the counts are estimates.
func (c *messageCounter) corrected(messages history.List) int {
	n := c.of(messages)
	if !c.estimates {
		return n
	}
	return int(math.Ceil(float64(n) * tokencount.Scale(messages, c.each)))
}

// charsPerToken returns what texts have on average for a model.
func charsPerToken(m model.Model) float64 {
	if m.Info().Provider == "anthropic" {
		return tokencount.CharsPerTokenOfAnthropic
	}
	return tokencount.CharsPerToken
}
