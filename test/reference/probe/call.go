package probe

import (
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// Call is one call of a hook, as presented by its host.
type Call interface {
	// N counts the calls of this hook, from 1.
	N() uint64
	// State returns a state field as the hook received it, or a nil Raw if the field is unset.
	State(field string) wire.Raw
	// Messages returns the number of messages in the state, and the last one.
	Messages() (count int, last abi.Message)
	// Log adds a line to the log.
	Log(line string)
	// Interrupt asks the outside world a question. The hook must return the error.
	Interrupt(key string, value wire.Raw) (wire.Raw, error)
}

// Wrap is one call of a wrap hook.
type Wrap interface {
	Call
	// Failure returns the failure in an error of next. It returns false if the error is control flow, which every hook
	// must pass on.
	Failure(err error) (*abi.Error, bool)
}

// ModelCall is one call of wrap_model_call.
type ModelCall interface {
	Wrap
	Request() *abi.ModelRequest
	// Next calls the rest of the chain. Every message of the response has an id.
	Next(change *abi.RequestChange) (*abi.ModelResponse, error)
}

// ToolCall is one call of wrap_tool_call.
type ToolCall interface {
	Wrap
	ToolCall() *abi.ToolCall
	Known() bool
	// Next calls the rest of the chain, which performs the call.
	Next(change *abi.CallChange) (*abi.Message, error)
}

// Mistake is the type of the error of an invalid script, such as a transformation without a response.
const Mistake = "probe_mistake"

func mistake(text string) error { return &abi.Error{Type: Mistake, Message: text} }

// line expands a text of a hook; extra knows more names.
func line(c Call, text string, extra func(name string) (string, bool)) string {
	return expand(text, func(name string) (string, bool) {
		if extra != nil {
			if value, ok := extra(name); ok {
				return value, true
			}
		}
		switch name {
		case "n":
			return strconv.FormatUint(c.N(), 10), true
		case "messages":
			count, _ := c.Messages()
			return strconv.Itoa(count), true
		case "last":
			_, last := c.Messages()
			return contentText(&last), true
		}
		field, ok := strings.CutPrefix(name, "state.")
		if !ok {
			return "", false
		}
		if value := c.State(field); !value.IsNil() {
			return Text(value), true
		}
		return "-", true
	})
}

// contentText returns a message as the log shows it: its text, or its blocks as JSON.
func contentText(m *abi.Message) string {
	if m.Content.IsText() {
		return m.Content.Text()
	}
	raw, _ := m.Content.MarshalMsg(nil)
	return Text(raw)
}

// increased returns value + by. An unset value counts as 0.
func increased(value, by wire.Raw) (wire.Raw, error) {
	if value.IsNil() {
		value = wire.Int(0)
	}
	a, aInt := value.AsInt()
	b, bInt := by.AsInt()
	if aInt && bInt {
		return wire.Int(a + b), nil
	}
	x, xOK := value.AsFloat()
	y, yOK := by.AsFloat()
	if !xOK || !yOK {
		return nil, mistake("increment: the field is not a number: " + Text(value))
	}
	return wire.Float(x + y), nil
}
