package script

import (
	"fmt"

	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// rule is a rule of a rules file.
type rule struct {
	From string `yaml:"from" strict:"enum=human|tool"`
	When string `yaml:"when" strict:"required"`
	Tool string `yaml:"tool"`
	Say  string `yaml:"say"`
	Call []Call `yaml:"call"`
}

// readRules reads a rules file: {rules: [{from?, when, tool?, say?, call?: [{name, args}]}]}. Environment variables do not expand in
// it, since $1 stands for the text that the expression of a rule matched.
func readRules(path string, data []byte) (*scripted.Rules, error) {
	var file struct {
		Rules []rule `yaml:"rules" strict:"required"`
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
