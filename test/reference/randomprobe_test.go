package reference_test

import (
	"encoding/json"
	"fmt"

	"github.com/agenthost/agenthost/test/reference"
)

// probe draws a middleware with some of the hooks.
func (a *randomAgent) probe(name string) object {
	hooks := object{}
	for _, hook := range []string{"before_agent", "before_model", "after_model", "after_agent"} {
		if a.one(hook, 2) {
			hooks[hook] = a.node(name + "." + hook)
		}
	}
	if a.one("wrap_model_call", 2) {
		hooks["wrap_model_call"] = object{"do": a.wrapModel(name)}
	}
	if a.one("wrap_tool_call", 2) {
		hooks["wrap_tool_call"] = object{"do": a.wrapTool(name)}
	}
	return object{"type": "probe", "name": name, "hooks": hooks, "state": ownField()}
}

func ownField() object {
	return object{"own": object{"schema": object{"type": "number"}, "visibility": "private"}}
}

func (a *randomAgent) node(name string) object {
	hook := object{"can_jump_to": []any{}}
	actions := []any{object{"log": name + " {n} {messages} {last} {state.sum} {state.list} {state.last} {state.own}"}}
	for range a.number("actions", 0, 2) {
		switch a.number("action", 1, 6) {
		case 1:
			actions = append(actions, object{"update": a.update(name)})
		case 2:
			actions = append(actions, object{"increment": "own"})
		case 3:
			target := a.pick("target", "model", "tools", "end")
			hook["can_jump_to"] = []any{target}
			if a.one("undeclared", 10) {
				hook["can_jump_to"] = []any{}
			}
			actions = append(actions, a.sometimes(object{"jump_to": target}))
		case 4:
			actions = append(actions, a.sometimes(object{"interrupt": name + "?", "into": "last"}))
		case 5:
			actions = append(actions, a.sometimes(object{"raise": object{"type": "RuntimeError", "message": name}}))
		default:
		}
	}
	hook["do"] = actions
	return hook
}

// sometimes limits an action to one or two calls of the hook, so that runs make progress.
func (a *randomAgent) sometimes(action object) object {
	only := []any{a.number("only on", 1, 5)}
	if a.one("twice", 3) {
		only = append(only, a.number("and on", 1, 8))
	}
	action["only_on"] = only
	return action
}

// update draws a state update. It has only human messages, because the invariants do not cover a hook that answers calls
// itself or hides them behind its own AI message.
func (a *randomAgent) update(name string) object {
	update := object{}
	switch a.number("update", 1, 4) {
	case 1:
		update["sum"] = a.number("sum", 1, 9)
	case 2:
		update["list"] = []any{name, a.number("list", 1, 9)}
	case 3:
		update["last"] = name
	default:
		update["messages"] = []any{object{"role": "human", "content": name + " {n}"}}
	}
	return update
}

func (a *randomAgent) wrapModel(name string) []any {
	next := object{"call_next": true}
	switch a.number("next", 1, 5) {
	case 1:
		next["call_next"] = object{"retries": a.number("retries", 1, 2)}
	case 2:
		next["call_next"] = object{"on_error": name + " {type}: {message}"}
	default:
	}
	before := []any{object{"log": name + " model> {n} {messages} {state.sum} {state.own}"}}
	switch a.number("before", 1, 6) {
	case 1:
		before = append(before, object{"override": object{"append_system_prompt": " " + name}})
	case 2:
		before = append(before, object{"override": object{"append_messages": []any{object{"role": "human", "content": name}}}})
	case 3:
		before = append(before, object{"override": object{"tools": []any{"search", "ask"}}})
	case 4:
		before = append(before, a.sometimes(object{"raise": object{"type": "RuntimeError", "message": name + " model"}}))
	default:
	}
	after := []any{object{"log": name + " model<"}}
	switch a.number("after", 1, 8) {
	case 1:
		after = append(after, object{"transform": "upper"})
	case 2:
		after = append(after, object{"command": a.update(name + " model")})
	case 3:
		a.wraps++
		after = append(after, a.sometimes(object{"respond": object{
			"content": name, "tool_calls": []any{a.call(fmt.Sprint("w", a.wraps))},
		}}))
	case 4:
		after = append(after, next)
	default:
	}
	return append(append(before, next), after...)
}

func (a *randomAgent) wrapTool(name string) []any {
	next := object{"call_next": true}
	switch a.number("next", 1, 4) {
	case 1:
		next["call_next"] = object{"retries": a.number("retries", 1, 2)}
	case 2:
		next["call_next"] = object{"on_error": name + " {tool} {id} {type}: {message}"}
	default:
	}
	log := object{"log": name + " tool {tool} {id} {known} {state.sum} {state.own}"}
	actions := []any{log, next}
	switch a.number("tool wrap", 1, 9) {
	case 1:
		actions = []any{log, object{"override": object{"set_args": object{"q": name}}}, next}
	case 2:
		actions = append(actions, object{"transform": object{"suffix": " " + name}})
	case 3:
		actions = append(actions, object{"command": object{"sum": 1}})
	case 4:
		actions = append(actions, next)
	case 5:
		actions = []any{log, object{"respond": object{"content": name + " answers {tool}", "status": "error"}}}
	case 6:
		if !a.atOnce { // otherwise it is undetermined which call is the n-th
			actions = []any{log, a.sometimes(object{"raise": object{"type": "RuntimeError", "message": name + " tool"}}), next}
		}
	default:
	}
	return actions
}

// everyProbe returns an agent whose probes may do everything that probes of random agents do. Plugins are prepared for
// it.
func everyProbe() (*reference.Vector, error) {
	all := "{state.sum} {state.list} {state.last} {state.own} {messages} {last}"
	update := object{"sum": 1, "list": []any{}, "last": 1, "own": 1}
	node := object{"can_jump_to": []any{"model", "tools", "end"}, "do": []any{object{"log": all}, object{"update": update}}}
	wrap := object{"do": []any{object{"log": all}, object{"call_next": true}, object{"command": update}}}
	text, err := json.Marshal(document(object{
		"model": object{"kind": "scripted", "turns": []any{}}, "state": stateFields(),
		"middleware": []any{object{
			"type": "probe", "name": "A", "state": ownField(), "hooks": object{
				"before_agent": node, "before_model": node, "after_model": node, "after_agent": node, "wrap_model_call": wrap, "wrap_tool_call": wrap,
			},
		}},
	}))
	if err != nil {
		return nil, err
	}
	return reference.Read(text)
}
