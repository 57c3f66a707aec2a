package golden

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin/cassette"
	"github.com/agenthost/agenthost/internal/docdiff"
)

// Outcome is the outcome of a case.
type Outcome struct {
	Fuel  uint64
	Frame *cassette.Frame // the call, with its plugin

	keys    wire.Map // result, error, next, events, store, log, fault and fuel, if present
	fault   string   // the kind of fault; "" if there was none
	message string   // of the fault
	refused string   // why the host refused the update; "" if it did not
	lacks   []string // the calls that the case has no answer for
}

// outcome describes what the guest did.
func (s *scene) outcome() (*Outcome, error) {
	f := s.recorded
	out := &Outcome{Fuel: f.Fuel, Frame: f, lacks: s.lacks}
	if s.refused != nil {
		out.refused = s.refused.Error()
	}
	result, err := asYAML(f.Result)
	if err != nil && f.Fault == nil {
		return nil, err
	}
	var keys wire.Map
	if len(result) > 0 && err == nil {
		_, _ = keys.UnmarshalMsg(result) // cannot fail: it was just encoded
	}
	if failure := keys.Get("error"); !failure.IsZero() {
		out.keys.Set("error", failure)
	} else if len(keys) > 0 {
		out.keys.Set("result", keys.Raw())
	}
	if f.Fault != nil {
		out.fault, out.message = f.Fault.Kind, f.Fault.Message
		out.keys.Set("fault", wire.String(out.fault))
		out.keys.Delete("result")
	}
	if err := out.exchanges(f.Exchanges); err != nil {
		return nil, err
	}
	if lines := s.log.All(); len(lines) > 0 {
		log, err := wire.Of(lines)
		if err != nil {
			return nil, err
		}
		out.keys.Set("log", log)
	}
	if s.unread != nil {
		return nil, s.unread
	}
	out.keys.Set("store", s.stored)
	out.keys.Set("fuel", wire.Uint(f.Fuel))
	return out, nil
}

// exchanges adds the arguments of next and the events.
func (o *Outcome) exchanges(all []cassette.Exchange) error {
	var next, events []any
	for i := range all {
		x := &all[i]
		emits := x.Op == abi.OpEventEmit && x.Answered && x.Status == abi.StatusOK
		if x.Op != "" && !emits {
			continue
		}
		document, err := asYAML(x.Payload)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", x.Name(), err)
		case emits:
			events = append(events, document)
		case document == nil:
			next = append(next, wire.Map(nil).Raw()) // no change
		default:
			next = append(next, document)
		}
	}
	for key, list := range map[string][]any{"next": next, "events": events} {
		if len(list) > 0 {
			value, err := wire.Of(list)
			if err != nil {
				return err
			}
			o.keys.Set(key, value)
		}
	}
	return nil
}

// asYAML converts a document to a form that YAML can express, with bytes as base64. It returns nil for nil.
func asYAML(document []byte) (wire.Raw, error) {
	if len(document) == 0 {
		return nil, nil
	}
	canonical, err := wire.Canonical(document, wire.Limits{MaxBytes: len(document)})
	if err != nil {
		return nil, errors.New("the document is malformed: " + docdiff.Clean(err.Error()))
	}
	text, err := wire.AppendJSON(nil, canonical)
	if err != nil {
		return nil, err
	}
	return wire.FromJSON(text, wire.Limits{MaxBytes: 4*len(document) + 64})
}

// optional are the keys that are compared only if the case has them.
var optional = []string{"store", "log", "fuel"}

// Compare returns a line for each difference from what the case expects. It compares optional keys only if the case has them.
// A fault that the case does not expect, and a result that the host refuses, always count as differences.
func (c *Case) Compare(o *Outcome) []string {
	lines := o.problems(c.Expect.keys.Get("fault"))
	want, got := c.Expect.keys.With(nil), o.keys.With(nil)
	for _, pair := range c.Expect.keys {
		if pair.Value.IsNil() || (pair.Value.IsArray() && pair.Value.Len() == 0) {
			want.Delete(pair.Key) // an explicit null means none
		}
	}
	if stored := c.Expect.keys.Get("store"); c.Expect.keys.Has("store") && stored.IsNil() {
		want.Set("store", wire.Map(nil).Raw())
	}
	for _, key := range optional {
		if !c.Expect.keys.Has(key) {
			got.Delete(key)
		}
	}
	if len(lines) > 0 {
		got.Delete("fault") // reported already
		want.Delete("fault")
	}
	diff := docdiff.Of("", want.Raw(), got.Raw())
	return append(lines, diff.Lines()...)
}

// problems returns a line for each problem that no case can expect.
func (o *Outcome) problems(expected wire.Raw) []string {
	var lines []string
	if kind, _ := expected.AsString(); o.fault != "" && o.fault != kind {
		lines = append(lines, "fault "+o.fault+": "+docdiff.Clean(o.message))
	}
	if o.refused != "" {
		lines = append(lines, "the host refuses the result: "+docdiff.Clean(strings.ReplaceAll(o.refused, "\n", " ")))
	}
	return append(lines, o.lacks...)
}
