package plugin

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// narrows reports how a configured Description exceeds what describe returned, if it does.
func narrows(upper, spec *abi.Description) error {
	if spec.Name != upper.Name || spec.Version != upper.Version {
		return errors.New("configure changes the plugin's name or version")
	}
	if !subset(spec.Context, upper.Context) {
		return errors.New("configure adds a key to context")
	}
	for n := range spec.Fields {
		if !slices.ContainsFunc(upper.Fields, func(f abi.FieldSpec) bool { return f.Name == spec.Fields[n].Name && sameDocument(&f, &spec.Fields[n]) }) {
			return fmt.Errorf("configure adds or changes the field %q", spec.Fields[n].Name)
		}
	}
	for n := range spec.Tools {
		if !slices.ContainsFunc(upper.Tools, func(t abi.ToolSpec) bool { return t.Name == spec.Tools[n].Name && sameTool(t, &spec.Tools[n]) }) {
			return fmt.Errorf("configure adds or changes the tool %q", spec.Tools[n].Name)
		}
	}
	for n := range spec.Capabilities {
		if !slices.Contains(upper.Capabilities, spec.Capabilities[n]) {
			return fmt.Errorf("configure adds or changes the capability %q", clean(spec.Capabilities[n].Op, 64))
		}
	}
	for _, name := range abi.Hooks() {
		narrow, bound := spec.Hooks.Spec(name), upper.Hooks.Spec(name)
		switch {
		case narrow == nil:
		case bound == nil:
			return fmt.Errorf("configure adds the hook %s", name)
		default:
			if what := widens(bound, narrow); what != "" {
				return fmt.Errorf("configure widens %s of the hook %s", what, name)
			}
		}
	}
	return nil
}

// widens names what a hook's spec has beyond its bound, or returns "".
func widens(bound, spec *abi.HookSpec) string {
	switch {
	case !subset(spec.CanJumpTo, bound.CanJumpTo):
		return "can_jump_to"
	case !subset(spec.Reads, bound.Reads):
		return "reads"
	case !subset(spec.Writes, bound.Writes):
		return "writes"
	case len(bound.Tools) > 0 && (len(spec.Tools) == 0 || !subset(spec.Tools, bound.Tools)):
		return "tools"
	case spec.Messages.Tail(math.MaxInt) > bound.Messages.Tail(math.MaxInt):
		return "messages"
	default:
		return ""
	}
}

// sameTool reports whether two specs differ only in description and parameters, which may depend on the configuration.
func sameTool(bound abi.ToolSpec, spec *abi.ToolSpec) bool {
	bound.Description, bound.Parameters = spec.Description, spec.Parameters
	return sameDocument(&bound, spec)
}

func subset(a, b []string) bool {
	return !slices.ContainsFunc(a, func(x string) bool { return !slices.Contains(b, x) })
}

func sameDocument(a, b interface{ MarshalMsg([]byte) ([]byte, error) }) bool {
	x, _ := a.MarshalMsg(nil)
	y, _ := b.MarshalMsg(nil)
	return bytes.Equal(x, y)
}

// guestError returns the error that a result reports instead of a Description, or nil if there is none.
func guestError(b []byte, limits wire.Limits) *abi.Error {
	if wire.Validate(b, limits) != nil {
		return nil
	}
	var result abi.Result
	if _, err := result.UnmarshalMsg(b); err != nil {
		return nil
	}
	return result.Error
}
