package approval

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// FieldName is the name of the field that keeps the rules of a thread.
const FieldName = host.SealedPrefix + "approvals"

// The limits of the rules of a thread.
const (
	MaxRules = 100      // the number of rules
	MaxArgs  = 64 << 10 // the size of the arguments of a rule, in bytes
)

// Field returns the declaration of the field. A middleware that honours rules declares it.
func Field() host.Field {
	return host.Field{Name: FieldName, HideOutput: true, Sealed: true}
}

// Rule approves the calls that it covers.
type Rule struct {
	N          int       // number of the rule in its thread, from 1
	Thread     string    // name of the thread
	Middleware string    // name of the middleware that does not ask any more
	Tool       string    // name of the tool
	Definition string    // the [Digest] of the tool when the rule was made
	Args       wire.Raw  // the arguments that a call must have; none: any
	By         string    // who made the rule; "" if unknown
	At         time.Time // when the rule was made, precise to the millisecond
}

// Digest returns a digest of all that a model and a person see of a tool: its name, description, parameters and marks.
func Digest(spec *abi.ToolSpec) string {
	b, _ := spec.MarshalMsg(nil) // encoding to memory does not fail
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Covers reports whether the rule approves a call of a tool, about which a middleware would ask in a thread.
func (r *Rule) Covers(thread, middleware string, spec *abi.ToolSpec, call *abi.ToolCall) bool {
	return r.Thread != "" && r.Thread == thread && r.Middleware == middleware && r.Tool == spec.Name && r.Tool == call.Name &&
		r.Definition == Digest(spec) && (r.Args.IsZero() || bytes.Equal(wire.Canonicalized(r.Args), wire.Canonicalized(call.Args)))
}

// about reports whether two rules cover the same calls.
func (r *Rule) about(other *Rule) bool {
	return r.Thread == other.Thread && r.Middleware == other.Middleware && r.Tool == other.Tool &&
		r.Definition == other.Definition && r.Args.Equal(other.Args)
}

// UnreadableError says why the rules of a thread cannot be read. None of them approves anything.
type UnreadableError struct{ text string }

func (e *UnreadableError) Error() string {
	return "the rules of the thread cannot be read, so they approve nothing: " + e.text
}

// Read reads the rules from the fields of a thread. The error is an [*UnreadableError].
func Read(fields wire.Map) ([]Rule, error) { return ReadValue(fields.Get(FieldName)) }

// ReadValue reads the rules from the value of their field; a zero value has none. The error is an [*UnreadableError].
func ReadValue(value wire.Raw) ([]Rule, error) {
	if value.IsNil() {
		return nil, nil
	}
	items, ok := value.Items()
	if !ok || len(items) > MaxRules {
		return nil, &UnreadableError{fmt.Sprintf("they are not a list of at most %d rules", MaxRules)}
	}
	rules := make([]Rule, len(items))
	for i, item := range items {
		if err := rules[i].decode(item); err != nil {
			return nil, &UnreadableError{fmt.Sprintf("rule %d of the list: %v", i+1, err)}
		}
		if slices.ContainsFunc(rules[:i], func(other Rule) bool { return other.N == rules[i].N }) {
			return nil, &UnreadableError{fmt.Sprintf("two rules have the number %d", rules[i].N)}
		}
	}
	return rules, nil
}

// decode reads a rule. An unknown key is an error: a later version may narrow a rule by it.
func (r *Rule) decode(value wire.Raw) error {
	var fields wire.Map
	if _, err := fields.UnmarshalMsg(value); err != nil {
		return fmt.Errorf("it is not a mapping: %w", err)
	}
	for i := range fields {
		key, value, ok := fields[i].Key, fields[i].Value, false
		switch key {
		case "n":
			var n int64
			n, ok = value.AsInt()
			ok, r.N = ok && n > 0 && n < 1<<31, int(n)
		case "thread":
			r.Thread, ok = value.AsString()
		case "middleware":
			r.Middleware, ok = value.AsString()
		case "tool":
			r.Tool, ok = value.AsString()
		case "definition":
			r.Definition, ok = value.AsString()
		case "args":
			r.Args, ok = value, value.IsMap()
		case "by":
			r.By, ok = value.AsString()
		case "at":
			var at int64
			at, ok = value.AsInt()
			r.At = time.UnixMilli(at).UTC()
		}
		if !ok {
			return fmt.Errorf("its key %q is unknown or has an unusable value", key)
		}
	}
	if r.N == 0 || r.Thread == "" || r.Middleware == "" || r.Tool == "" || r.Definition == "" {
		return errors.New("one of n, thread, middleware, tool and definition is missing")
	}
	return nil
}

// encode returns the value of the field; nil if there are no rules.
func encode(rules []Rule) (wire.Raw, error) {
	if len(rules) == 0 {
		return nil, nil
	}
	items := make([]any, len(rules))
	for i := range rules {
		r := &rules[i]
		var fields wire.Map
		fields.Set("n", wire.Int(int64(r.N)))
		fields.Set("thread", wire.String(r.Thread))
		fields.Set("middleware", wire.String(r.Middleware))
		fields.Set("tool", wire.String(r.Tool))
		fields.Set("definition", wire.String(r.Definition))
		if !r.Args.IsZero() {
			fields.Set("args", r.Args)
		}
		if r.By != "" {
			fields.Set("by", wire.String(r.By))
		}
		fields.Set("at", wire.Int(r.At.UnixMilli()))
		items[i] = fields.Raw()
	}
	return wire.Of(items)
}
