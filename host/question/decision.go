package question

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/schema"
)

// Type is a kind of decision about a tool call.
type Type string

// These are the types of decisions.
const (
	Approve Type = "approve" // the call runs
	Edit    Type = "edit"    // the call runs with other arguments
	Reject  Type = "reject"  // the call does not run; the model learns this and the reason
	Respond Type = "respond" // the call does not run; the message becomes its result
	Retry   Type = "retry"   // a call that was cut off runs again
	Skip    Type = "skip"    // a call that was cut off does not run again; the model learns this and the reason
)

var (
	reviewTypes   = []Type{Approve, Edit, Reject, Respond}
	recoveryTypes = []Type{Retry, Skip, Respond}
)

// TakesMessage reports whether a decision of the type may have a message.
func (t Type) TakesMessage() bool { return t == Reject || t == Respond || t == Skip }

// Always says which further calls of a tool in the same thread an approval covers, besides the one that was asked about.
type Always string

// These are the extents of an approval.
const (
	Once     Always = ""          // no other call
	AnyArgs  Always = "any_args"  // all calls of the tool
	SameArgs Always = "same_args" // calls of the tool with the same arguments
)

// Decision is a person's decision about a call.
type Decision struct {
	Type    Type
	Message *string  // for a reject or skip, the reason for the model; for a respond, the result; nil: none
	Args    wire.Raw // for an edit, the arguments to run the call with
	Always  Always   // for an approval, the further calls that it covers; see [Sheet.Rules]
}

// Check reports a decision that the call does not allow, or that is incomplete.
func (c *Call) Check(d Decision) error {
	switch {
	case !slices.Contains(c.Allowed, d.Type):
		return fmt.Errorf("%s: the decision %q is not allowed; it may be one of %s", c.subject(), d.Type, list(c.Allowed))
	case d.Message != nil && !d.Type.TakesMessage():
		return fmt.Errorf("%s: the decision %q has no message", c.subject(), d.Type)
	case d.Message == nil && d.Type == Respond:
		return fmt.Errorf("%s: the decision %q needs a message, which is the result of the call", c.subject(), d.Type)
	case d.Always != Once && d.Type != Approve:
		return fmt.Errorf("%s: only an approval can be for always", c.subject())
	case d.Always != Once && !c.Standing():
		return fmt.Errorf("%s: this call can only be approved once: further calls are approved for a call of the model to a tool "+
			"that the agent has, about which human_in_the_loop asks", c.subject())
	case d.Type == Edit:
		if err := c.CheckArgs(d.Args); err != nil {
			return fmt.Errorf("%s: the edited arguments: %w", c.subject(), err)
		}
	}
	return nil
}

// CheckArgs reports arguments that the call may not run with. The tool's own schema is checked as well when the call runs.
func (c *Call) CheckArgs(args wire.Raw) error {
	if !args.IsMap() {
		return errors.New("they must be a JSON object, such as {\"path\": \"a.txt\"}")
	}
	compiled, err := schema.CompileUntrusted(c.ArgsSchema) // it comes from a store, and perhaps from a plugin
	if err != nil {
		return nil //nolint:nilerr // the asker checks the answer too
	}
	return compiled.Validate(args)
}

// ParseArgs reads arguments from JSON.
func ParseArgs(text []byte) (wire.Raw, error) {
	args, err := wire.FromJSON(text, wire.Limits{})
	if err != nil {
		return nil, fmt.Errorf("this is not JSON: %w", err)
	}
	return args, nil
}

// value returns the decision in the asker's format.
func (d Decision) value(c *Call) wire.Raw {
	out := wire.Map{{Key: "type", Value: wire.String(string(d.Type))}}
	if d.Message != nil && (*d.Message != "" || d.Type == Respond) {
		out.Set("message", wire.String(*d.Message))
	}
	if d.Type == Edit {
		out.Set("edited_action", wire.Map{{Key: "args", Value: d.Args}, {Key: "name", Value: wire.String(c.Name)}}.Raw())
	}
	return out.Raw()
}

// list formats types for use in a sentence.
func list(types []Type) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = string(t)
	}
	return strings.Join(names, ", ")
}
