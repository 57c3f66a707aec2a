package script

import (
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// Model is a model that needs no provider.
type Model struct {
	Name  string `yaml:"name"`  // the name of a model with turns; default "scripted"
	Turns []Turn `yaml:"turns"` // a fixed list of answers
	// what a call after the last turn gets: an error (the default), the last turn again, or an empty answer
	AfterEnd string `yaml:"after_end" strict:"enum=error|repeat_last|empty" schema:"default=error"`
	// the path of a file of rules, relative to this file
	Rules string `yaml:"rules"`
	// true: the model answers with the texts of all messages, joined by -
	Echo bool `yaml:"echo"`
}

// CheckStrict requires exactly one kind of script.
func (m *Model) CheckStrict(n strictyaml.Node) error {
	kinds := 0
	for _, given := range []bool{len(m.Turns) > 0, m.Rules != "", m.Echo} {
		if given {
			kinds++
		}
	}
	if kinds != 1 {
		return n.Errorf("a scripted model needs exactly one of the keys turns, rules and echo; this one has %d", kinds)
	}
	return nil
}

// Turn is an answer of a model with turns.
type Turn struct {
	Content   string `yaml:"content"`    // the text of the answer
	ToolCalls []Call `yaml:"tool_calls"` // the tool calls of the answer
	Usage     *Usage `yaml:"usage"`      // the tokens that the answer counts as used; default: none
	// why the answer ends, in a provider's words, such as length for an answer that is cut off
	StopReason string `yaml:"stop_reason"`
	Error      string `yaml:"error"` // the text with which the call fails, in place of an answer
}

// Usage is what a provider reports about the tokens of an answer.
type Usage struct {
	InputTokens         strictyaml.Count  `yaml:"input_tokens"`          // tokens of the request
	OutputTokens        strictyaml.Count  `yaml:"output_tokens"`         // tokens of the answer
	TotalTokens         *strictyaml.Count `yaml:"total_tokens"`          // all tokens; default: those of the request and of the answer
	CacheReadTokens     strictyaml.Count  `yaml:"cache_read_tokens"`     // tokens of the request that came from the provider's cache
	CacheCreationTokens strictyaml.Count  `yaml:"cache_creation_tokens"` // tokens of the request that were written to the cache
	ReasoningTokens     strictyaml.Count  `yaml:"reasoning_tokens"`      // tokens of the answer that were spent on reasoning
}

// Call is a tool call.
type Call struct {
	ID   string         `yaml:"id"`                     // the id of the call; default: an id such as call-1-1
	Name string         `yaml:"name" strict:"required"` // the name of the tool
	Args map[string]any `yaml:"args"`                   // the arguments of the call
}

// Build makes the model that the node describes. read returns the full name and the content of a file that the script names.
func (m *Model) Build(n strictyaml.Node, read func(path string) (name string, data []byte, err error)) (model.Model, error) {
	switch {
	case m.Echo:
		return &scripted.Echo{}, nil
	case m.Rules != "":
		name, data, err := read(m.Rules)
		var rules *scripted.Rules
		if err == nil {
			rules, err = readRules(name, data)
		}
		if _, placed := errors.AsType[*strictyaml.Error](err); err != nil && !placed {
			at, _ := n.Get("rules")
			err = at.Errorf("%w", err)
		}
		if err != nil {
			return nil, err
		}
		return rules, nil
	default:
		return m.turns(n)
	}
}

func (m *Model) turns(n strictyaml.Node) (model.Model, error) {
	out := scripted.NewTurns()
	out.ID = n.Path()
	if m.Name != "" {
		out.Name = m.Name
	}
	switch m.AfterEnd {
	case "repeat_last":
		out.AfterEnd = scripted.EndRepeat
	case "empty":
		out.AfterEnd = scripted.EndEmpty
	}
	for i := range m.Turns {
		turn, err := m.Turns[i].turn()
		if err != nil {
			return nil, n.Errorf("turns[%d].%w", i, err)
		}
		out.Script = append(out.Script, turn)
	}
	return out, nil
}

func (t *Turn) turn() (scripted.Turn, error) {
	if t.Error != "" {
		return scripted.Fail(&abi.Error{Type: "scripted", Message: t.Error}), nil
	}
	message := abi.AI(t.Content)
	message.Usage = t.Usage.usage()
	if t.StopReason != "" {
		message.Meta.Set("stop_reason", wire.String(t.StopReason))
	}
	for i, call := range t.ToolCalls {
		args, err := wire.MapOf(call.Args)
		if err != nil {
			return scripted.Turn{}, fmt.Errorf("tool_calls[%d].args: %w", i, err)
		}
		message.ToolCalls = append(message.ToolCalls, abi.ToolCall{ID: call.ID, Name: call.Name, Args: args.Raw()})
	}
	return scripted.Turn{Message: message}, nil
}

func (u *Usage) usage() *abi.Usage {
	if u == nil {
		return nil
	}
	out := &abi.Usage{
		InputTokens: uint64(u.InputTokens), OutputTokens: uint64(u.OutputTokens), TotalTokens: uint64(u.InputTokens) + uint64(u.OutputTokens),
		CacheReadTokens: uint64(u.CacheReadTokens), CacheCreationTokens: uint64(u.CacheCreationTokens), ReasoningTokens: uint64(u.ReasoningTokens),
	}
	if u.TotalTokens != nil {
		out.TotalTokens = uint64(*u.TotalTokens)
	}
	return out
}
