package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// LoopControl keeps an agent going while its list of todos has open items, and stops it from asking for the same thing
// again and again, or from spending too much. Unless max_continues is 0, it needs todo_list, or another middleware with a state field todos of the
// same form. LangChain has no such middleware.
//
// # Open todos
//
// When the model ends a run with an answer while todos are open, the middleware adds the reminder to the messages and calls
// the model again, at most max_continues times in a run. After that the run ends with a warning.
//
// This happens only if the model itself ended the run with an answer without tool calls. A run that a limit or a directly
// returning tool has ended stays ended, and so does a run without model steps left (max_loops). It also happens only if the
// list changed in this run: open items of an earlier run do not turn a short question into a long run.
//
// # Repeated calls
//
// With max_repeats, the middleware counts calls with the same tool and the same arguments in consecutive answers of the model.
// A call beyond the limit does not run; repeat_behavior says what happens instead. Only calls of the model in this run count.
//
// # Cost
//
// With max_cost, the run ends with a message before the next model call once its model calls have cost that much. The agent needs
// prices of all its models, because a budget that cannot be kept is an error; and so is a model that does not say how many tokens it used.
type LoopControl struct {
	// MaxContinues is how often a run is continued because of open todos. nil: 3; 0: never.
	MaxContinues *int `yaml:"max_continues" schema:"default=3,min=0"`
	// Reminder is the text of the human message that continues the run; its meta has the key source. {open} is the list of open
	// todos, one on each line and at most 20, and {count} is their number. "": a text that asks the model to go on or to correct
	// the list.
	Reminder string `yaml:"reminder"`
	// MaxRepeats is how often in a row the same call may be made; 0: any number. Equal calls in one answer count separately.
	// Other calls in the same answer do not interrupt the row; an answer without the call does.
	MaxRepeats int `yaml:"max_repeats" schema:"default=0,min=0"`
	// RepeatTools are the tools whose calls are counted; none: all. Leave out a tool that waits for something and is called
	// until it has happened.
	RepeatTools []string `yaml:"repeat_tools"`
	// Optional permits repeat_tools that the agent does not have. Without it that is an error, because a misspelt name would limit
	// nothing. Set it for tools that appear only while the agent runs.
	Optional bool `yaml:"optional"`
	// RepeatBehavior is what happens if a call is made too often. "continue" (or ""): the call is answered with an error
	// that tells the model to change its approach, and the others run. "end": no call of the answer runs, each is answered
	// with an error, and the run ends with a message.
	RepeatBehavior string `yaml:"repeat_behavior" schema:"default=continue,enum=continue|end"`
	// MaxCost is what a run may cost, in the currency of the prices, such as "0.50"; "": any amount.
	MaxCost string `yaml:"max_cost"`
}

var loopControlEntry = Entry{
	Name:    "loop_control",
	Summary: "goes on while todos are open, and stops calls that are repeated over and over, or runs that cost too much",
	Example: `- loop_control:
    max_continues: 0 # 3 where the agent has todo_list, too
    max_repeats: 3
    repeat_behavior: end
`,
	New: func() host.Middleware { return &LoopControl{} },
}

const reminderText = "You have ended your work, but {count} of your todos are still open:\n\n{open}\n\n" +
	"Go on with them. If some are done, or are not wanted any more, bring the list up to date with write_todos. " +
	"If you cannot go on, say why."

// Name returns "loop_control".
func (c LoopControl) Name() string { return "loop_control" }

// Hooks checks the configuration.
func (c LoopControl) Hooks(_ context.Context, env host.Env) (*host.Hooks, error) {
	l := &loopController{name: env.Name, continues: 3, repeats: c.MaxRepeats, tools: c.RepeatTools}
	if err := l.limitCost(c.MaxCost, &env); err != nil {
		return nil, err
	}
	if c.MaxContinues != nil {
		l.continues = *c.MaxContinues
	}
	switch {
	case l.continues < 0:
		return nil, fmt.Errorf("max_continues is %d; it must not be negative", l.continues)
	case l.repeats < 0:
		return nil, fmt.Errorf("max_repeats is %d; it must not be negative", l.repeats)
	case l.continues == 0 && l.repeats == 0 && l.maxCost == 0:
		return nil, errors.New("max_continues and max_repeats are both 0, and max_cost is not set, so it would do nothing; set one of them")
	}
	switch c.RepeatBehavior {
	case "", "continue":
	case "end":
		l.ends = true
	default:
		return nil, fmt.Errorf("repeat_behavior is %q; use continue or end", c.RepeatBehavior)
	}
	var err error
	if l.reminder, err = newTemplate("reminder", cmp.Or(c.Reminder, reminderText), "{open}", "{count}"); err != nil {
		return nil, err
	}
	hooks := &host.Hooks{
		State: []host.Field{loopStates.Field}, AfterModel: host.NodeHook{Func: l.afterModel},
		Order: []host.Order{
			{Inside: "human_in_the_loop", Reason: "otherwise a human is asked about a repeated call before it is refused"},
			{Inside: "shell", Reason: "otherwise the session's shutdown commands run each time the agent stops, even if it then goes on"},
		},
	}
	if c.Optional {
		hooks.MayGuard = c.RepeatTools
	} else {
		hooks.Guards = c.RepeatTools
	}
	if l.ends {
		hooks.AfterModel.CanJumpTo = []abi.Target{abi.JumpEnd}
	}
	if l.maxCost > 0 {
		hooks.BeforeModel = host.NodeHook{Func: l.beforeModel, CanJumpTo: []abi.Target{abi.JumpEnd}}
	}
	if l.continues > 0 {
		hooks.BeforeAgent.Func = l.beforeAgent
		hooks.AfterAgent = host.NodeHook{Func: l.afterAgent, CanJumpTo: []abi.Target{abi.JumpModel}}
		hooks.Uses = []string{todos.Name}
	}
	return hooks, nil
}

// loopState is the state of a loop controller in a run.
type loopState struct {
	Todos     string         `msgpack:"todos,omitempty"`     // a digest of the list at the start
	Answer    string         `msgpack:"answer,omitempty"`    // the id of the model's last answer
	Continues int            `msgpack:"continues,omitempty"` // how often the run was continued
	Repeats   map[string]int `msgpack:"repeats,omitempty"`   // by digest of a call of the last answer, how often it was made in a row
}

// loopStates holds the states of all loop controllers of the agent, by name.
var loopStates = host.NewField[map[string]loopState]("loop_control", host.Hidden, host.Lives(host.LifetimeRun))

// loopController is a [LoopControl] in its agent.
type loopController struct {
	name      string
	continues int
	reminder  template
	repeats   int // 0 means no limit
	tools     []string
	ends      bool
	maxCost   model.Amount // 0 means no limit
	currency  string
}

func (l *loopController) state(rt *host.Runtime) (loopState, error) {
	all, _, err := loopStates.Get(rt.State())
	return all[l.name], err
}

// keep puts the state into an update, beside the states of other controllers.
func (l *loopController) keep(rt *host.Runtime, update *host.Update, state loopState) (*host.Update, error) {
	all, _, err := loopStates.Get(rt.State())
	if err != nil {
		return nil, err
	}
	if all == nil {
		all = map[string]loopState{}
	}
	all[l.name] = state
	return update, loopStates.Set(update, all)
}

// afterModel records the model's last message and counts repeated calls.
func (l *loopController) afterModel(_ context.Context, rt *host.Runtime) (*host.Update, error) {
	messages := rt.State().Messages()
	at := messages.LastAI()
	if at < 0 {
		return nil, nil
	}
	state, err := l.state(rt)
	if err != nil {
		return nil, err
	}
	update, ai := &host.Update{}, messages.Entry(at).Message()
	if state.Answer == ai.ID {
		return nil, nil // a jump has led here without a model call: the answer is counted already
	}
	state.Answer = ai.ID
	if l.repeats > 0 {
		l.refuseRepeats(messages, at, &state, update)
	}
	return l.keep(rt, update, state)
}
