package builtin

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/text"
)

// The bounds of the list in a reminder: the model has written the list, which may be long.
const (
	maxShownTodos   = 20
	maxShownContent = 300 // bytes
)

// beforeAgent records the list at the start of the run.
func (l *loopController) beforeAgent(_ context.Context, rt *host.Runtime) (*host.Update, error) {
	return l.keep(rt, &host.Update{}, loopState{Todos: digestOf(rt.State().Get(todos.Name))})
}

// afterAgent continues the run if the model has ended it while todos are open.
func (l *loopController) afterAgent(_ context.Context, rt *host.Runtime) (*host.Update, error) {
	state, err := l.state(rt)
	if err != nil {
		return nil, err
	}
	list := rt.State().Get(todos.Name)
	last, ok := rt.State().Messages().Last()
	switch {
	case !ok || last.Role != abi.RoleAI || last.ID != state.Answer || len(last.ToolCalls)+len(last.InvalidToolCalls) > 0:
		return nil, nil // the model did not end the run
	case digestOf(list) == state.Todos:
		return nil, nil // the list did not change in this run
	}
	open := openTodos(list)
	if len(open) == 0 {
		return nil, nil
	}
	if why := l.mayNotContinue(rt, &state); why != "" {
		rt.Warn(fmt.Sprintf("the run ends although %d todos are open: %s", len(open), why))
		return nil, nil
	}
	state.Continues++
	reminder := abi.Human(l.reminder.fill(shownTodos(open), strconv.Itoa(len(open))))
	reminder.Meta.Set("source", wire.String("loop_control"))
	return l.keep(rt, &host.Update{JumpTo: abi.JumpModel, Messages: []abi.Message{reminder}}, state)
}

// mayNotContinue explains why a run cannot be continued; "" if it can.
func (l *loopController) mayNotContinue(rt *host.Runtime, state *loopState) string {
	if state.Continues >= l.continues {
		return fmt.Sprintf("it has gone on %d times because of them (max_continues)", state.Continues)
	}
	if left, limited := rt.ModelStepsLeft(); limited && left == 0 {
		return "it has no model steps left (max_loops)"
	}
	return ""
}

// openTodos returns the items of a list that are not completed. Items without a status, which a field of another middleware
// may have, are not open.
func openTodos(list wire.Raw) []Todo {
	var open []Todo
	for item := range list.Elements() {
		var fields wire.Map
		if _, err := fields.UnmarshalMsg(item); err != nil {
			continue
		}
		content, _ := fields.Get("content").AsString()
		status, ok := fields.Get("status").AsString()
		if ok && TodoStatus(status) != TodoCompleted {
			open = append(open, Todo{content, TodoStatus(status)})
		}
	}
	return open
}

// shownTodos formats a list for the model.
func shownTodos(open []Todo) string {
	var b strings.Builder
	for i, todo := range open {
		if i == maxShownTodos {
			fmt.Fprintf(&b, "\n- and %d more", len(open)-i)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "- %s (%s)", oneLine(todo.Content, maxShownContent), oneLine(string(todo.Status), maxShownContent))
	}
	return b.String()
}

// oneLine returns a text without line breaks, cut where it is longer than so many bytes.
func oneLine(long string, maximum int) string {
	short := text.OneLine(text.Head(long, maximum))
	if len(long) > maximum {
		short += "…"
	}
	return short
}
