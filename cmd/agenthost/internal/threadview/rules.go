package threadview

import (
	"time"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/approval"
	"github.com/agenthost/agenthost/internal/terminal"
)

// Rule is a rule of a thread that approves calls.
type Rule struct {
	N          int       `json:"n"`
	Tool       string    `json:"tool"`
	Args       wire.Raw  `json:"args,omitzero"` // none: any
	Middleware string    `json:"middleware"`    // that does not ask
	By         string    `json:"by,omitempty"`
	At         time.Time `json:"at"`
	// Copied says that the rule was made in another thread, so it approves nothing here.
	Copied bool `json:"copied,omitempty"`
}

// Rules returns the rules of a thread. The error is an [*approval.UnreadableError].
func Rules(thread string, fields wire.Map) ([]Rule, error) {
	rules, err := approval.Read(fields)
	out := make([]Rule, len(rules))
	for i, r := range rules {
		out[i] = Rule{r.N, r.Tool, r.Args, r.Middleware, r.By, r.At, r.Thread != thread}
	}
	return out, err
}

// DescribeRules describes rules for people, one after the other.
func DescribeRules(rules []Rule) string {
	r := &report{}
	r.rules(rules)
	return r.String()
}

func (r *report) rules(rules []Rule) {
	for _, rule := range rules {
		extent := "any arguments"
		if !rule.Args.IsZero() {
			extent = "these arguments"
		}
		by := ""
		if rule.By != "" {
			by = " by " + terminal.Line(rule.By)
		}
		r.linef("  %d  %s, %s: %s does not ask; made%s at %s", rule.N, terminal.Line(rule.Tool), extent, terminal.Line(rule.Middleware), by, moment(rule.At))
		if !rule.Args.IsZero() {
			r.value("     ", rule.Args)
		}
		if rule.Copied {
			r.linef("     the rule was made in another thread, so it approves nothing here")
		}
	}
}
