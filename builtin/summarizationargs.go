package builtin

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/text"
)

// TruncateArgsSettings clips long arguments in what the model is sent. A text that an older call of write_file or edit_file
// has written is in a file, so the model can read it again. The messages of the thread do not change.
type TruncateArgsSettings struct {
	// Trigger is the size of the history from which on arguments are clipped. If it has several keys, all must be reached. Required.
	Trigger ContextSize `yaml:"trigger"`
	// Keep is how much of the end of the history is never clipped: a number of messages, a number of tokens, or a fraction. Not given:
	// 20 messages.
	Keep ContextSize `yaml:"keep"`
	// MaxLength is the number of characters above which an argument is clipped. 0: 2000.
	MaxLength int `yaml:"max_length" schema:"default=2000,min=1"`
	// TruncationText follows the first 20 characters of a clipped argument. "": "...(argument truncated)".
	TruncationText string `yaml:"truncation_text" schema:"default=...(argument truncated)"`
}

// The defaults of [TruncateArgsSettings], and how much of an argument stays. They are deepagents'.
const (
	longestArgument = 2000
	argumentChars   = 20
	truncationText  = "...(argument truncated)"
)

// clippedTools are the tools whose arguments are clipped.
var clippedTools = []string{"write_file", "edit_file"}

// argsClipper is a checked [TruncateArgsSettings].
type argsClipper struct {
	trigger, keep contextSize
	longest       int // characters
	ending        string
}

// compile checks the settings; nil settings give nil.
func (s *TruncateArgsSettings) compile(info *model.Info) (*argsClipper, error) {
	if s == nil {
		return nil, nil //nolint:nilnil // nothing is clipped
	}
	c := &argsClipper{longest: cmp.Or(s.MaxLength, longestArgument), ending: cmp.Or(s.TruncationText, truncationText)}
	if c.longest < 0 {
		return nil, fmt.Errorf("max_length is %d; it must be greater than 0", s.MaxLength)
	}
	if s.Trigger.parts() == 0 {
		return nil, errors.New("trigger is missing; give it a size such as {messages: 20}, or leave truncate_args_settings out")
	}
	err := s.Trigger.check("trigger")
	if err != nil {
		return nil, err
	}
	if c.trigger, err = s.Trigger.of(info); err != nil {
		return nil, err
	}
	c.keep, err = s.Keep.kept(info)
	return c, err
}

// withoutLongArgs returns the messages as the model sees them: with clipped arguments in the older ones, if that is configured
// and the trigger is reached. Otherwise it returns the same messages.
func (r *summarizer) withoutLongArgs(messages history.List) history.List {
	c := r.args
	if c == nil || !r.reached(messages, c.trigger) {
		return messages
	}
	changed := map[int]*abi.Message{}
	for i := range c.end(messages, r.counter.each) {
		if short := c.clip(messages.Entry(i).Message()); short != nil {
			changed[i] = short
		}
	}
	if len(changed) == 0 {
		return messages
	}
	return messages.Replace(changed)
}

// end returns the index of the first message that is not clipped.
func (c *argsClipper) end(messages history.List, each func(*abi.Message) int) int {
	if c.keep.messages > 0 {
		return max(0, messages.Len()-c.keep.messages)
	}
	tokens := 0
	for i := messages.Len() - 1; i >= 0; i-- {
		if tokens += each(messages.Entry(i).Message()); tokens > c.keep.tokens {
			return min(i+1, messages.Len()-1)
		}
	}
	return 0
}

// clip returns a message with clipped arguments; nil if nothing in it is long.
func (c *argsClipper) clip(m *abi.Message) *abi.Message {
	var out *abi.Message
	for i := range m.ToolCalls {
		call := &m.ToolCalls[i]
		if !slices.Contains(clippedTools, call.Name) {
			continue
		}
		args, ok := c.clipArgs(call.Args)
		if !ok {
			continue
		}
		if out == nil {
			short := *m
			short.ToolCalls = slices.Clone(m.ToolCalls)
			out = &short
		}
		out.ToolCalls[i].Args = args
	}
	return out
}

// clipArgs clips the texts among the arguments of a call, and reports whether any was long.
func (c *argsClipper) clipArgs(given wire.Raw) (args wire.Raw, ok bool) {
	var all wire.Map
	if _, err := all.UnmarshalMsg(given); err != nil {
		return given, false
	}
	changes := wire.Map{}
	for i := range all {
		value, isText := all[i].Value.AsString()
		if !isText || !longer(value, c.longest) {
			continue
		}
		short := text.First(value, argumentChars) + c.ending
		if utf8.RuneCountInString(short) < utf8.RuneCountInString(value) {
			changes.Set(all[i].Key, wire.String(short))
		}
	}
	if len(changes) == 0 {
		return given, false
	}
	return all.With(changes).Raw(), true
}
