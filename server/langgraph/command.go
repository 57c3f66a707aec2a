package langgraph

import (
	"encoding/json"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/runs"
)

// command is how a client goes on with a run: it answers, changes the state, and says where to go.
type command struct {
	Resume json.RawMessage `json:"resume"`
	Update json.RawMessage `json:"update"`
	Goto   json.RawMessage `json:"goto"`
}

// task fills in what the command says.
func (cmd *command) task(t *runs.Task, agent *runs.Agent, by string) error {
	update, err := readInput(agent, cmd.Update)
	if err != nil {
		return err
	}
	t.Messages, t.State, t.Remove, t.Overwrite = update.Messages, update.State, update.Remove, update.Reset
	if t.Goto, err = cmd.destination(); err != nil {
		return err
	}
	if t.Answers, err = cmd.answers(by); err != nil {
		return err
	}
	if t.Goto != "" && len(t.Answers) > 0 {
		return unprocessable("a command cannot have both resume and goto: a step that is left has no questions any more")
	}
	t.Continue = len(t.Answers) == 0
	return nil
}

// destination returns the step of goto.
func (cmd *command) destination() (string, error) {
	if !given(cmd.Goto) {
		return "", nil
	}
	var names []json.RawMessage
	if json.Unmarshal(cmd.Goto, &names) != nil {
		names = []json.RawMessage{cmd.Goto}
	}
	switch len(names) {
	case 0:
		return "", nil
	case 1:
	default:
		return "", unprocessable("goto has %d steps; an agent performs one step after the other, so name one", len(names))
	}
	var name string
	if json.Unmarshal(names[0], &name) != nil {
		return "", unprocessable("goto must be the name of a step; Send is not supported")
	}
	if name == endNode {
		return host.EndStep, nil
	}
	return name, nil
}

// interruptID is the form of the ids of interrupts.
var interruptID = lazyregexp.New(`^ask-[0-9a-f]+-[0-9]+$`)

// answers returns the answers of resume: one for the only question, or an object with answers by the ids of the questions.
func (cmd *command) answers(by string) ([]runs.Answer, error) {
	if !given(cmd.Resume) {
		return nil, nil
	}
	value, err := wire.FromJSON(cmd.Resume, wire.Limits{})
	if err != nil {
		return nil, unprocessable("the value of resume cannot be used: %v", err)
	}
	var byID wire.Map
	if value.IsMap() {
		if _, err := byID.UnmarshalMsg(value); err != nil {
			return nil, unprocessable("the value of resume cannot be used: %v", err)
		}
	}
	if len(byID) == 0 {
		return []runs.Answer{{Value: value, By: by}}, nil
	}
	var out []runs.Answer
	for _, pair := range byID {
		if !interruptID().MatchString(pair.Key) {
			return []runs.Answer{{Value: value, By: by}}, nil
		}
		if pair.Value.IsNil() {
			return nil, unprocessable("the answer to %s is null, which is not an answer", pair.Key)
		}
		out = append(out, runs.Answer{Interrupt: pair.Key, Value: pair.Value, By: by})
	}
	return out, nil
}
