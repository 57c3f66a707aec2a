package manifest

import (
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/ratelimit"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// modelEntry is one model: its provider and the keys of that provider.
type modelEntry struct {
	node     strictyaml.Node
	provided *providerEntry // nil: the model is scripted
}

// UnmarshalStrict decodes a model of a provider. It only checks a scripted model, which is decoded when it is built.
func (e *modelEntry) UnmarshalStrict(n strictyaml.Node) error {
	e.node = n
	if n.Kind() == strictyaml.KindString {
		var text string
		err := n.Decode(&text)
		if err == nil {
			e.provided, err = parseModel(n, text)
		}
		return err
	}
	if n.Kind() != strictyaml.KindMap {
		return n.Errorf("a model is PROVIDER:NAME, or a mapping with the key \"provider\", such as {provider: scripted, rules: rules.yaml}")
	}
	provider, ok := n.Get("provider")
	if !ok {
		return n.Errorf("the key \"provider\" is missing")
	}
	var name string
	if err := provider.Decode(&name); err != nil {
		return err
	}
	if name == "scripted" {
		return n.Decode(&scriptedEntry{})
	}
	if providers[name] == nil {
		if other := otherNames[name]; other != "" {
			return provider.Errorf("the provider %q is unknown; its name is %s here", name, other)
		}
		return provider.Unknown("provider", providerNames())
	}
	var err error
	e.provided, err = decodeProvider(n, name)
	return err
}

// scriptedEntry is a model that needs no provider.
type scriptedEntry struct {
	// the provider of models that need no server: scripted
	Provider string      `yaml:"provider" strict:"required" schema:"enum=scripted"`
	Name     string      `yaml:"name"`  // the name of a model with turns; default "scripted"
	Turns    []turnEntry `yaml:"turns"` // a fixed list of answers
	// what a call after the last turn gets: an error (the default), the last turn again, or an empty answer
	AfterEnd string `yaml:"after_end" strict:"enum=error|repeat_last|empty" schema:"default=error"`
	// the path of a file of rules, relative to the manifest
	Rules string `yaml:"rules"`
	// true: the model answers with the texts of all messages, joined by -
	Echo bool `yaml:"echo"`
	cutOffEntry
}

// CheckStrict requires exactly one kind of script.
func (e *scriptedEntry) CheckStrict(n strictyaml.Node) error {
	kinds := 0
	for _, given := range []bool{len(e.Turns) > 0, e.Rules != "", e.Echo} {
		if given {
			kinds++
		}
	}
	if kinds != 1 {
		return n.Errorf("a scripted model needs exactly one of the keys turns, rules and echo; this one has %d", kinds)
	}
	return nil
}

type turnEntry struct {
	Content   string      `yaml:"content"`    // the text of the answer
	ToolCalls []callEntry `yaml:"tool_calls"` // the tool calls of the answer
	Usage     *usageEntry `yaml:"usage"`      // the tokens that the answer counts as used; default: none
	// why the answer ends, in a provider's words, such as length for an answer that is cut off
	StopReason string `yaml:"stop_reason"`
	Error      string `yaml:"error"` // the text with which the call fails, in place of an answer
}

// usageEntry is what a provider reports about the tokens of an answer.
type usageEntry struct {
	InputTokens         strictyaml.Count  `yaml:"input_tokens"`          // tokens of the request
	OutputTokens        strictyaml.Count  `yaml:"output_tokens"`         // tokens of the answer
	TotalTokens         *strictyaml.Count `yaml:"total_tokens"`          // all tokens; default: those of the request and of the answer
	CacheReadTokens     strictyaml.Count  `yaml:"cache_read_tokens"`     // tokens of the request that came from the provider's cache
	CacheCreationTokens strictyaml.Count  `yaml:"cache_creation_tokens"` // tokens of the request that were written to the cache
	ReasoningTokens     strictyaml.Count  `yaml:"reasoning_tokens"`      // tokens of the answer that were spent on reasoning
}

func (e *usageEntry) build() *abi.Usage {
	if e == nil {
		return nil
	}
	usage := &abi.Usage{
		InputTokens: uint64(e.InputTokens), OutputTokens: uint64(e.OutputTokens), TotalTokens: uint64(e.InputTokens) + uint64(e.OutputTokens),
		CacheReadTokens: uint64(e.CacheReadTokens), CacheCreationTokens: uint64(e.CacheCreationTokens), ReasoningTokens: uint64(e.ReasoningTokens),
	}
	if e.TotalTokens != nil {
		usage.TotalTokens = uint64(*e.TotalTokens)
	}
	return usage
}

type callEntry struct {
	ID   string         `yaml:"id"`                     // the id of the call; default: an id such as call-1-1
	Name string         `yaml:"name" strict:"required"` // the name of the tool
	Args map[string]any `yaml:"args"`                   // the arguments of the call
}

// build makes the model.
func (e *modelEntry) build(m *Manifest) (model.Model, error) {
	if e.provided != nil {
		return e.provided.cutOff.wrap(ratelimit.New(e.provided.in(m).build(m), e.provided.rate.limit())), nil
	}
	var entry scriptedEntry
	if err := e.node.Decode(&entry); err != nil {
		return nil, err
	}
	made, err := entry.build(m, e.node)
	if err != nil {
		return nil, err
	}
	return entry.wrap(made), nil
}

func (e *scriptedEntry) build(m *Manifest, n strictyaml.Node) (model.Model, error) {
	switch {
	case e.Echo:
		return &scripted.Echo{}, nil
	case e.Rules != "":
		rules, err := loadRules(m.use(m.path(e.Rules)))
		if err != nil {
			at, _ := n.Get("rules")
			return nil, located(at, err)
		}
		return rules, nil
	default:
		return e.turns(n)
	}
}

// checked makes the model, and refuses a configuration with which every call would fail.
func (e *modelEntry) checked(m *Manifest) (model.Model, error) {
	built, err := e.build(m)
	checker, ok := model.As[model.Checker](built)
	if err != nil || !ok {
		return built, err
	}
	err = checker.Check()
	if setting, ok := errors.AsType[*model.SettingError](err); ok {
		at := e.node
		for _, place := range []strictyaml.Node{e.node, settingsOf(e.node)} {
			if key, ok := place.Key(setting.Setting); ok {
				at = key
			}
		}
		return nil, at.Errorf("%w", setting)
	}
	if header, ok := errors.AsType[*model.HeaderError](err); ok {
		headers, _ := e.node.Get("headers")
		at, _ := headers.Key(header.Header)
		return nil, at.Errorf("%w", header)
	}
	if err != nil {
		return nil, e.node.Errorf("%w", err)
	}
	return built, nil
}

// settingsOf returns the key settings of a model; the zero Node if there is none.
func settingsOf(n strictyaml.Node) strictyaml.Node {
	settings, _ := n.Get("settings")
	return settings
}

func (e *scriptedEntry) turns(n strictyaml.Node) (model.Model, error) {
	out := scripted.NewTurns()
	out.ID = n.Path()
	if e.Name != "" {
		out.Name = e.Name
	}
	switch e.AfterEnd {
	case "repeat_last":
		out.AfterEnd = scripted.EndRepeat
	case "empty":
		out.AfterEnd = scripted.EndEmpty
	}
	for i, turn := range e.Turns {
		if turn.Error != "" {
			out.Script = append(out.Script, scripted.Fail(&abi.Error{Type: "scripted", Message: turn.Error}))
			continue
		}
		message := abi.AI(turn.Content)
		message.Usage = turn.Usage.build()
		if turn.StopReason != "" {
			message.Meta.Set("stop_reason", wire.String(turn.StopReason))
		}
		for j, call := range turn.ToolCalls {
			args, err := wire.MapOf(call.Args)
			if err != nil {
				return nil, n.Errorf("turns[%d].tool_calls[%d].args: %w", i, j, err)
			}
			message.ToolCalls = append(message.ToolCalls, abi.ToolCall{ID: call.ID, Name: call.Name, Args: args.Raw()})
		}
		out.Script = append(out.Script, scripted.Turn{Message: message})
	}
	return out, nil
}

// ruleEntry is a rule of a rules file.
type ruleEntry struct {
	From string      `yaml:"from" strict:"enum=human|tool"`
	When string      `yaml:"when" strict:"required"`
	Tool string      `yaml:"tool"`
	Say  string      `yaml:"say"`
	Call []callEntry `yaml:"call"`
}

// loadRules reads a rules file: {rules: [{from?, when, tool?, say?, call?: [{name, args}]}]}. Environment variables do not expand in
// it, since $1 stands for the text that the expression of a rule matched.
func loadRules(path string) (*scripted.Rules, error) {
	data, err := readFile(path, "a rules file")
	if err != nil {
		return nil, err
	}
	var file struct {
		Rules []ruleEntry `yaml:"rules" strict:"required"`
	}
	if err := strictyaml.Decode(path, data, &file); err != nil {
		return nil, err
	}
	rules := make([]scripted.Rule, len(file.Rules))
	for i, r := range file.Rules {
		rules[i] = scripted.Rule{From: r.From, When: r.When, Tool: r.Tool, Say: r.Say}
		for _, call := range r.Call {
			rules[i].Call = append(rules[i].Call, scripted.RuleCall{Tool: call.Name, Args: call.Args})
		}
	}
	out, err := scripted.NewRules(rules...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}
