package question

import (
	"slices"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
)

// readValue determines the kind of the question. A value that deviates from a known format counts as Other, so that the person
// who answers sees all of it.
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

// fields returns the keys of a value; none if it is not a map.
func fields(value wire.Raw) wire.Map {
	var m wire.Map
	if value.IsMap() {
		_, _ = m.UnmarshalMsg(value) // it was validated when it was asked
	}
	return m
}

// single reads a question about one call; known lists the decisions of its format.
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

// configOf finds the review config of a call: there is one for each call or, as LangChain also allows, one for each tool.
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

// types reads the allowed decisions, limited to known ones; it returns all of known if none are listed.
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

// identify fills in the missing ids of calls, which are in the order of the model's message.
func (q *Question) identify(messages history.List) {
	at := messages.LastAI()
	if at < 0 || q.Kind != Review {
		return
	}
	ai := messages.At(at)
	if q.CallID != "" { // asked while that call was running, perhaps about a call that it makes
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
