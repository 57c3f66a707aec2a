package builtin

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/schema"
)

// ReviewPolicy says which calls of a tool [HumanInTheLoop] asks about, and which decisions it permits. In a manifest it may be
// true, which permits all decisions, or false, which is the same as no policy.
type ReviewPolicy struct {
	// AllowedDecisions are the decisions that a human may make: approve, edit, reject, respond. Required.
	AllowedDecisions []DecisionType `yaml:"allowed_decisions"`
	// Description is the text that the human reads. "": the description_prefix, the tool and the arguments.
	Description string `yaml:"description"`
	// ArgsSchema is a JSON Schema that arguments must fit when a human has edited them. The review request contains it, too. nil:
	// only the tool's own parameters apply; as always, the model gets an error if the arguments do not fit them.
	ArgsSchema map[string]any `yaml:"args_schema"`
	// Optional permits a policy for a tool that the agent does not have. Without it that is an error, because a misspelt name would
	// protect nothing. Set it for a tool that appears only while the agent runs.
	Optional bool `yaml:"optional"`
	// When is the condition under which a call needs a review. nil: every call needs one.
	When *ArgCondition `yaml:"when"`

	// DescriptionFunc makes the description of a call, in place of Description.
	DescriptionFunc func(rt *host.Runtime, call *abi.ToolCall) string `yaml:"-"`
	// WhenFunc reports whether a call needs a review, in place of When. It runs again when the run is resumed, and should then
	// return the same result.
	WhenFunc func(rt *host.Runtime, call *abi.ToolCall) bool `yaml:"-"`

	never bool // the policy is false in a manifest
}

// ArgCondition tests one argument of a call. A call without the argument fails the test.
type ArgCondition struct {
	Arg string `yaml:"arg" strict:"required"` // the name of the argument
	// Equals is the value that the argument must have. nil: the value is not tested.
	Equals any `yaml:"equals"`
	// StartsWith is the text that the argument must begin with. "": the beginning is not tested.
	StartsWith string `yaml:"starts_with"`
}

// AnyDecision returns a policy that permits all decisions about all calls.
func AnyDecision() ReviewPolicy { return ReviewPolicy{AllowedDecisions: slices.Clone(decisionTypes)} }

// UnmarshalYAML decodes true, false or a mapping.
func (p *ReviewPolicy) UnmarshalYAML(decode func(into any) error) error {
	var form any
	if err := decode(&form); err != nil {
		return err
	}
	switch form := form.(type) {
	case bool:
		*p = AnyDecision()
		p.never = !form
		return nil
	case map[string]any:
		type fields ReviewPolicy
		return decode((*fields)(p))
	default:
		return errors.New("a policy must be true, false or {allowed_decisions: [approve, reject]}")
	}
}

// policy is a checked [ReviewPolicy].
type policy struct {
	ReviewPolicy

	equals wire.Raw       // the encoded value of When.Equals
	schema *schema.Schema // nil permits any arguments
}

// compilePolicies checks policies by tool.
func compilePolicies(given map[string]ReviewPolicy) (map[string]*policy, error) {
	policies := make(map[string]*policy, len(given))
	for _, tool := range slices.Sorted(maps.Keys(given)) {
		if given[tool].never {
			continue
		}
		p := &policy{ReviewPolicy: given[tool]}
		if err := p.compile(); err != nil {
			return nil, fmt.Errorf("Invalid `interrupt_on` config for tool '%s': %w", tool, err) //nolint:staticcheck // the text is LangChain's
		}
		policies[tool] = p
	}
	return policies, nil
}

// guarded returns the tools of the policies that the agent must have, sorted.
func guarded(policies map[string]*policy) []string {
	var tools []string
	for _, tool := range slices.Sorted(maps.Keys(policies)) {
		if !policies[tool].Optional {
			tools = append(tools, tool)
		}
	}
	return tools
}

func (p *policy) compile() error {
	if len(p.AllowedDecisions) == 0 {
		return errors.New("`allowed_decisions` must be a non-empty list of decision types (e.g. ['approve', 'reject'])")
	}
	for _, allowed := range p.AllowedDecisions {
		if !slices.Contains(decisionTypes, allowed) {
			return fmt.Errorf("`allowed_decisions` has '%s'; use some of %s", allowed, jsonOf(decisionTypes))
		}
	}
	if p.Description != "" && p.DescriptionFunc != nil {
		return errors.New("both Description and DescriptionFunc are set; use one of them")
	}
	if err := p.compileWhen(); err != nil {
		return err
	}
	if p.ArgsSchema == nil {
		return nil
	}
	raw, err := host.Encode(p.ArgsSchema)
	if err == nil {
		p.schema, err = schema.Compile(raw)
	}
	if err != nil {
		return fmt.Errorf("`args_schema`: %w", err)
	}
	return nil
}

func (p *policy) compileWhen() (err error) {
	if p.When == nil {
		return nil
	}
	switch {
	case p.WhenFunc != nil:
		return errors.New("both When and WhenFunc are set; use one of them")
	case p.When.Arg == "":
		return errors.New("`when` needs `arg`, the name of an argument")
	case (p.When.Equals == nil) == (p.When.StartsWith == ""):
		return errors.New("`when` needs one of `equals` and `starts_with`")
	case p.When.Equals == nil:
		return nil
	}
	if p.equals, err = host.Encode(p.When.Equals); err != nil {
		return fmt.Errorf("`when`: `equals`: %w", err)
	}
	return nil
}

// applies reports whether a call of the tool needs a review.
func (p *policy) applies(rt *host.Runtime, call *abi.ToolCall) bool {
	switch {
	case p.WhenFunc != nil:
		return p.WhenFunc(rt, call)
	case p.When == nil:
		return true
	}
	var args wire.Map
	if _, err := args.UnmarshalMsg(call.Args); err != nil {
		return true // the arguments are not a mapping, which a condition cannot test
	}
	value := args.Get(p.When.Arg)
	if p.equals.IsZero() {
		text, ok := value.AsString()
		return ok && strings.HasPrefix(text, p.When.StartsWith)
	}
	return sameValue(value, p.equals)
}

// sameValue compares values. An integer and a float are the same if they are the same number.
func sameValue(a, b wire.Raw) bool {
	if a.Type() == b.Type() {
		return a.Equal(b)
	}
	x, xIsNumber := a.AsFloat()
	y, yIsNumber := b.AsFloat()
	return xIsNumber && yIsNumber && x == y
}

// describe returns the description of a call for a human.
func (p *policy) describe(rt *host.Runtime, call *abi.ToolCall, prefix string) string {
	switch {
	case p.DescriptionFunc != nil:
		return p.DescriptionFunc(rt, call)
	case p.Description != "":
		return p.Description
	}
	return fmt.Sprintf("%s\n\nTool: %s\nArgs: %s", prefix, call.Name, call.Args.JSON())
}

// JSONForms describes true and false.
func (ReviewPolicy) JSONForms() []map[string]any { return []map[string]any{{"type": "boolean"}} }
