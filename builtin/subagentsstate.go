package builtin

import (
	"fmt"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// sharedField is a field that both an agent and a subagent declare.
type sharedField struct {
	outer, inner host.Field
	value        wire.Raw // the value that the subagent begins with; none if it is not set
}

type sharedFieldList []sharedField

// unsharedFields are fields that concern an agent's own work, even if both declare them.
var unsharedFields = map[string]bool{"todos": true, "structured_response": true, rubrics.Name: true}

// sharedFields returns the fields that an agent shares with a subagent. Private fields of plugins are not shared: a plugin
// of the subagent could otherwise change what a plugin of the agent has stored.
func sharedFields(outer *host.State, inner *host.Agent) sharedFieldList {
	declared := map[string]host.Field{}
	for _, f := range inner.Fields() {
		declared[f.Name] = f
	}
	var shared sharedFieldList
	for _, f := range outer.Declared() {
		other, ok := declared[f.Name]
		if !ok || unsharedFields[f.Name] || f.Exclusive || other.Exclusive {
			continue
		}
		s := sharedField{outer: f, inner: other, value: other.Reducer.Initial}
		if s.goesIn() {
			if value := outer.Get(f.Name); !value.IsZero() {
				s.value = value
			}
		}
		shared = append(shared, s)
	}
	return shared
}

// goesIn reports whether the subagent gets the field: the agent shows it to callers, and the subagent accepts it from them.
func (s *sharedField) goesIn() bool { return !s.outer.HideOutput && !s.inner.HideInput }

// comesBack reports whether the agent gets the field back.
func (s *sharedField) comesBack() bool { return !s.inner.HideOutput && !s.outer.HideInput }

// input returns the fields that the subagent gets.
func (l sharedFieldList) input() map[string]any {
	out := map[string]any{}
	for i := range l {
		if s := &l[i]; s.goesIn() && !s.value.IsZero() && !s.value.Equal(s.inner.Reducer.Initial) {
			out[s.outer.Name] = s.value
		}
	}
	return out
}

// changes returns the update of the agent's fields after a subagent has ended with these fields.
func (l sharedFieldList) changes(outer *host.State, ended wire.Map) (*host.Update, error) {
	update := &host.Update{}
	for i := range l {
		s := &l[i]
		value := ended.Get(s.outer.Name)
		if !s.comesBack() || value.IsZero() || value.Equal(s.value) {
			continue
		}
		change := s.outer.Reducer.Update(s.value, value)
		if err := outer.Check(s.outer.Name, change); err != nil {
			return nil, fmt.Errorf("field %q: %w", s.outer.Name, err)
		}
		update.State.Set(s.outer.Name, change)
	}
	return update, nil
}
