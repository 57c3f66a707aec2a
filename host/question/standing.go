package question

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/approval"
)

// Approver knows which standing approvals count: a [host.Agent].
type Approver interface {
	Approvable(step, tool string) (middleware string, spec abi.ToolSpec, ok bool)
}

// Offer finds the calls whose approval can be for always: calls of the model that an agent's middleware asks about, if it honours
// standing approvals of the tool. Who asked is known from the step, which the question's author cannot choose.
func Offer(questions []*Question, by Approver) {
	for _, q := range questions {
		if q.Kind != Review && q.Kind != Approval {
			continue
		}
		for _, c := range q.Calls {
			if c.ID == "" || !slices.Contains(c.Allowed, Approve) {
				continue
			}
			if middleware, spec, ok := by.Approvable(q.Step, c.Name); ok {
				c.rule = &approval.Rule{Middleware: middleware, Tool: c.Name, Definition: approval.Digest(&spec)}
			}
		}
	}
}

// Standing reports whether an approval of the call can be for always, see [Offer].
func (c *Call) Standing() bool { return c.rule != nil }

// Rules returns the rules for the approvals that are for always. They have no effect until [approval.Add] stores them, which must
// happen before the answers are given.
func (s *Sheet) Rules(by string) []approval.Rule {
	var out []approval.Rule
	for _, q := range s.questions {
		for _, c := range q.Calls {
			d, ok := s.decisions[c]
			if !ok {
				d = s.forAll[q]
			}
			if d.Always == Once || c.rule == nil {
				continue
			}
			rule := *c.rule
			rule.By = by
			if d.Always == SameArgs {
				rule.Args = c.Args
			}
			out = append(out, rule)
		}
	}
	return out
}
