package probe_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/test/reference/probe"
)

func raw(t *testing.T, text string) wire.Raw {
	t.Helper()
	value, err := wire.FromJSON([]byte(text), wire.DefaultLimits)
	require.NoError(t, err)
	return value
}

// script makes a hook from its actions.
func script(t *testing.T, name abi.Hook, actions string) *probe.Hook {
	t.Helper()
	p, err := probe.Parse(raw(t, `{"type": "probe", "name": "P", "hooks": {"`+string(name)+`": {"do": `+actions+`}}}`), "probe")
	require.NoError(t, err)
	return p.Hook(name)
}

// bench is the host of one call of a hook.
type bench struct {
	n        uint64
	state    map[string]wire.Raw
	messages []abi.Message
	answers  map[string]wire.Raw
	log      []string

	request *abi.ModelRequest
	changes []*abi.RequestChange
	reply   func() (*abi.ModelResponse, error)

	call  *abi.ToolCall
	known bool
	calls []*abi.CallChange
	tool  func() (*abi.Message, error)
}

var errAsked = errors.New("asked")

func (b *bench) N() uint64                   { return b.n }
func (b *bench) State(field string) wire.Raw { return b.state[field] }
func (b *bench) Log(line string)             { b.log = append(b.log, line) }

func (b *bench) Messages() (count int, last abi.Message) {
	if len(b.messages) > 0 {
		last = b.messages[len(b.messages)-1]
	}
	return len(b.messages), last
}

func (b *bench) Interrupt(key string, _ wire.Raw) (wire.Raw, error) {
	if answer := b.answers[key]; !answer.IsZero() {
		return answer, nil
	}
	return nil, errAsked
}

func (b *bench) Failure(err error) (*abi.Error, bool) {
	e, ok := errors.AsType[*abi.Error](err)
	return e, ok
}

func (b *bench) Request() *abi.ModelRequest { return b.request }

// modelBench presents a bench as a call of wrap_model_call, and toolBench as a call of wrap_tool_call.
type modelBench struct{ *bench }

func (b *modelBench) Next(change *abi.RequestChange) (*abi.ModelResponse, error) {
	b.changes = append(b.changes, copied(change))
	return b.reply()
}

type toolBench struct{ *bench }

func (b *toolBench) ToolCall() *abi.ToolCall { return b.call }
func (b *toolBench) Known() bool             { return b.known }

func (b *toolBench) Next(change *abi.CallChange) (*abi.Message, error) {
	b.calls = append(b.calls, copied(change))
	return b.tool()
}

func copied[T any](v *T) *T {
	if v == nil {
		return nil
	}
	c := *v
	return &c
}
