package question

import (
	"slices"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
)

// readValue finds out which kind of question it is. A value that is not just as such values are is one of another kind: who
// answers it sees all of it.
func (q *Question) readValue() {
	value := fields(q.Value)
	text, _ := value.Get("type").AsString()
	switch {
	case value.Has("action_requests"):
		if calls, ok := reviewed(value); ok {
			q.Kind, q.Calls = Review, calls
		}
	case text == string(Approval):
		if c, ok := single(value, reviewTypes); ok {
			q.Kind, q.Calls = Approval, []*Call{c}
		}
	case text == string(Unfinished):
		if c, ok := single(value, recoveryTypes); ok {
			started, _ := value.Get("started").AsInt()
			c.Started = time.UnixMilli(started).UTC()
			q.Kind, q.Calls = Unfinished, []*Call{c}
		}
	}
}

// fields are the keys of a value; none if it is no map.
func fields(value wire.Raw) wire.Map {
	var m wire.Map
	if value.IsMap() {
		_, _ = m.UnmarshalMsg(value) // it was validated when it was asked
	}
	return m
}

// single reads a question about one call, about which one of the known types may be decided.
func single(value wire.Map, known []Type) (*Call, bool) {
	c, ok := action(value)
	if !ok {
		return nil, false
	}
	c.ID, _ = value.Get("tool_call_id").AsString()
	c.Allowed = types(value.Get("allowed_decisions"), known)
	return c, len(c.Allowed) > 0
}

// action reads a call: its name, arguments and description.
func action(value wire.Map) (*Call, bool) {
	c := &Call{Args: value.Get("args")}
	name, ok := value.Get("name").AsString()
	c.Name = name
	c.Description, _ = value.Get("description").AsString()
	if c.Args.IsNil() {
		c.Args = wire.Map{}.Raw()
	}
	return c, ok && name != "" && c.Args.IsMap()
}

// reviewed reads a question about several calls.
func reviewed(value wire.Map) ([]*Call, bool) {
	requests, ok := value.Get("action_requests").Items()
	if !ok || len(requests) == 0 {
		return nil, false
	}
	configs, _ := value.Get("review_configs").Items()
	calls := make([]*Call, len(requests))
	for i, request := range requests {
		c, ok := action(fields(request))
		if !ok {
			return nil, false
		}
		config := configOf(configs, i, len(requests), c.Name)
		if c.Allowed = types(config.Get("allowed_decisions"), reviewTypes); len(c.Allowed) == 0 {
			return nil, false
		}
		c.ArgsSchema = config.Get("args_schema")
		calls[i] = c
	}
	return calls, true
}

// configOf finds what a request says of how it may be answered: there is one for each call or, as LangChain has it too, one
// for each tool.
func configOf(configs []wire.Raw, at, calls int, name string) wire.Map {
	of := func(config wire.Map) bool {
		text, _ := config.Get("action_name").AsString()
		return text == name
	}
	if len(configs) == calls {
		if config := fields(configs[at]); of(config) {
			return config
		}
	}
	for _, raw := range configs {
		if config := fields(raw); of(config) {
			return config
		}
	}
	return nil
}

// types reads what may be decided, of what the form knows; all of it where nothing is said.
func types(raw wire.Raw, known []Type) []Type {
	if !raw.IsArray() {
		return slices.Clone(known)
	}
	var out []Type
	for item := range raw.Elements() {
		text, _ := item.AsString()
		if slices.Contains(known, Type(text)) {
			out = append(out, Type(text))
		}
	}
	return out
}

// identify finds the ids of the calls that are asked about without them: they stand in the order of the model's message.
func (q *Question) identify(messages history.List) {
	at := messages.LastAI()
	if at < 0 || q.Kind != Review {
		return
	}
	ai := messages.At(at)
	if q.CallID != "" { // it was asked where that call is performed, perhaps about one that this one makes
		about := func(call abi.ToolCall) bool { return call.ID == q.CallID && call.Name == q.Calls[0].Name }
		if len(q.Calls) == 1 && slices.ContainsFunc(ai.ToolCalls, about) {
			q.Calls[0].ID = q.CallID
		}
		return
	}
	calls := slices.Collect(messages.OpenCalls(at))
	for _, c := range q.Calls {
		found := slices.IndexFunc(calls, func(call *abi.ToolCall) bool { return call.Name == c.Name && call.Args.Equal(c.Args) })
		if found >= 0 {
			c.ID, calls = calls[found].ID, calls[found+1:]
		}
	}
}
