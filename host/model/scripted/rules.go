package scripted

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strconv"
	"sync"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/text"
)

// Rule answers the messages that it matches.
type Rule struct {
	From string     // the role of the messages to match: "human", "tool", or "" for both
	When string     // a regular expression (RE2) on the text of the latest human or tool message
	Tool string     // match only results of this tool; "" for any
	Say  string     // the answer; $1 or ${name} are replaced by the expression's groups, $0 by the whole match
	Call []RuleCall // tools to call
}

// RuleCall is a tool call of a rule. Strings in Args may contain $1 and the like; a string of just $1 remains a string.
type RuleCall struct {
	Tool string
	Args map[string]any
}

// Rules is a model that answers the latest human or tool message with the first rule that matches it.
type Rules struct {
	rules []compiledRule

	mutex sync.Mutex
	calls int64 // the number of the last call
}

type compiledRule struct {
	Rule
	when *regexp.Regexp
}

// NewRules compiles rules. The error names the rule, counted from 1.
func NewRules(rules ...Rule) (*Rules, error) {
	out := &Rules{}
	for i, rule := range rules {
		when, err := regexp.Compile(rule.When)
		switch {
		case err != nil:
			return nil, fmt.Errorf("rule %d: when: %w", i+1, err)
		case rule.From != "" && rule.From != "human" && rule.From != "tool":
			return nil, fmt.Errorf(`rule %d: from is %q; use "human" or "tool", or leave it out`, i+1, rule.From)
		case rule.Say == "" && len(rule.Call) == 0:
			return nil, fmt.Errorf("rule %d: the rule has neither say nor call; add one of them", i+1)
		}
		for _, call := range rule.Call {
			if _, err := wire.MapOf(call.Args); err != nil {
				return nil, fmt.Errorf("rule %d: call of %s: args: %w", i+1, call.Tool, err)
			}
		}
		out.rules = append(out.rules, compiledRule{rule, when})
	}
	return out, nil
}

// Info describes the model.
func (r *Rules) Info() model.Info { return model.Info{Name: "rules"} }

// Generate answers with the first rule that matches.
func (r *Rules) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	latest, ok := latestInput(req)
	if !ok {
		return nil, errors.New("rules: there is no human or tool message to answer")
	}
	said := latest.Content.Text()
	for i := range r.rules {
		if match := r.rules[i].match(latest, said); match != nil {
			return r.answer(req, &r.rules[i], said, match)
		}
	}
	return nil, fmt.Errorf("rules: no rule matches the %s message %q; add a last rule with when: \"\"", latest.Role, text.Cut(said, 80))
}

// Stream streams the answer word by word.
func (r *Rules) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return stream(ctx, r, req)
}

func latestInput(req *model.Request) (abi.Message, bool) {
	for i := req.Messages.Len() - 1; i >= 0; i-- {
		if m := req.Messages.At(i); m.Role == abi.RoleHuman || m.Role == abi.RoleTool {
			return m, true
		}
	}
	return abi.Message{}, false
}

func (c *compiledRule) match(m abi.Message, latest string) []int {
	if (c.From != "" && c.From != string(m.Role)) || (c.Tool != "" && c.Tool != m.Name) {
		return nil
	}
	return c.when.FindStringSubmatchIndex(latest)
}

// callID returns an id that no call of the model, and none in the history, has.
func (r *Rules) callID(req *model.Request) string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.calls = max(r.calls, lastCall(req)) + 1
	return callPrefix + strconv.FormatInt(r.calls, 10)
}

func (r *Rules) answer(req *model.Request, rule *compiledRule, latest string, match []int) (*model.Response, error) {
	expand := func(template string) string {
		return string(rule.when.ExpandString(nil, template, latest, match))
	}
	answer := abi.AI(expand(rule.Say))
	for _, call := range rule.Call {
		args, _ := expandArgs(call.Args, expand).(map[string]any)
		raw, err := wire.MapOf(args)
		if err != nil {
			return nil, err
		}
		answer.ToolCalls = append(answer.ToolCalls, abi.ToolCall{ID: r.callID(req), Name: call.Tool, Args: raw.Raw()})
	}
	return model.Reply(answer), nil
}

// expandArgs returns a copy of v with all strings expanded.
func expandArgs(v any, expand func(string) string) any {
	switch v := v.(type) {
	case string:
		return expand(v)
	case []string:
		out := make([]string, len(v))
		for i := range v {
			out[i] = expand(v[i])
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = expandArgs(v[i], expand)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = expandArgs(v[k], expand)
		}
		return out
	default:
		return v
	}
}
