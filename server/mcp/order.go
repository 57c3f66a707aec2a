package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/internal/text"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/internal/jsonbody"
)

// order reads the arguments of a call, and does what they say.
type order func(c *call, arguments json.RawMessage) *sdk.CallToolResult

// promptOf returns the order of the tool that runs an agent.
func promptOf(agent string) order {
	return func(c *call, arguments json.RawMessage) *sdk.CallToolResult {
		var args struct {
			Prompt string `json:"prompt"`
			Thread string `json:"thread"`
		}
		if err := readArguments(arguments, &args); err != nil {
			return failure(err)
		}
		if strings.TrimSpace(args.Prompt) == "" {
			return failure(errors.New("the prompt is empty"))
		}
		thread, err := threadOf(args.Thread)
		if err != nil {
			return failure(err)
		}
		waiting, snapshot, err := c.waiting(thread)
		switch {
		case err != nil:
			return c.failed(err)
		case len(waiting) > 0 && lastPrompt(snapshot) == args.Prompt: // the call is made again
			return c.ask(thread, waiting)
		case len(waiting) > 0:
			return c.asked(thread, waiting, "the agent was not given the prompt, because its run waits for an answer from a person")
		}
		assistant, err := c.d.Service.Resolve(c.ctx, c.s.owner, agent)
		if err != nil {
			return c.failed(err)
		}
		return c.perform(&runs.Submission{
			Owner: c.s.owner, Thread: thread, Create: true, Assistant: assistant, Resumable: true,
			Task: runs.Task{Messages: []abi.Message{abi.Human(args.Prompt)}},
		})
	}
}

// threadOf returns the id of the thread that a client names, as at all doors; "" is none.
func threadOf(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	return door.ThreadID(name)
}

// answer is a person's answer, as a client passes it on.
type answer struct {
	ID        string          `json:"id"`
	Decision  question.Type   `json:"decision"`
	Message   *string         `json:"message"`
	Arguments json.RawMessage `json:"arguments"`
	Value     json.RawMessage `json:"value"`
}

// answersOf is the order of the tool that answers questions.
func answersOf(c *call, arguments json.RawMessage) *sdk.CallToolResult {
	var args struct {
		Thread  string   `json:"thread"`
		Answers []answer `json:"answers"`
	}
	if err := readArguments(arguments, &args); err != nil {
		return failure(err)
	}
	thread, err := threadOf(args.Thread)
	if err != nil || thread == "" {
		return failure(errors.Join(err, errors.New("name the thread in which the agent asks")))
	}
	questions, _, err := c.waiting(thread)
	switch {
	case err != nil:
		return c.failed(err)
	case len(questions) == 0:
		return failure(fmt.Errorf("thread %q: %w", text.First(args.Thread, door.MaxThreadName), question.ErrNothingAsked))
	case canAsk(c.req) && len(args.Answers) > 0: // a model must not answer in place of the person
		return failure(fmt.Errorf("this client can ask its user; call %s without answers, so that the user is asked", answerTool))
	case len(args.Answers) == 0:
		return c.ask(thread, questions)
	}
	sheet := question.NewSheet(questions)
	for i := range args.Answers {
		if err := args.Answers[i].enter(sheet); err != nil {
			return failure(err)
		}
	}
	answers, err := sheet.Answers(c.by())
	if err != nil {
		return failure(err)
	}
	return c.resume(thread, answers)
}

// enter enters the answer in a sheet.
func (a *answer) enter(sheet *question.Sheet) error {
	if a.Decision == "" {
		if len(a.Value) == 0 {
			return fmt.Errorf("the answer to %q has neither a decision nor a value", text.First(a.ID, 100))
		}
		value, err := wire.FromJSON(a.Value, wire.Limits{MaxDepth: 64})
		if err != nil {
			return fmt.Errorf("the value for %q: %w", text.First(a.ID, 100), err)
		}
		return sheet.Give(a.ID, value)
	}
	d := question.Decision{Type: a.Decision, Message: a.Message}
	if len(a.Arguments) > 0 {
		var err error
		if d.Args, err = question.ParseArgs(a.Arguments); err != nil {
			return fmt.Errorf("the arguments for %q: %w", text.First(a.ID, 100), err)
		}
	}
	return sheet.Decide(a.ID, d)
}

// readArguments reads the arguments of a call. Unknown ones are ignored.
func readArguments(raw json.RawMessage, into any) error {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	if err := jsonbody.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("the arguments: %w", err)
	}
	return nil
}

// waiting returns the questions that wait in a thread of the owner, with the thread's content; none if there is no such thread.
func (c *call) waiting(thread string) ([]*question.Question, *host.Snapshot, error) {
	if thread == "" {
		return nil, nil, nil
	}
	t, err := c.d.Service.Thread(c.ctx, c.s.owner, thread)
	if errors.Is(err, runs.ErrNoThread) {
		return nil, nil, nil
	}
	if err != nil || t.Status != runs.ThreadInterrupted || len(t.Waiting) == 0 {
		return nil, nil, err
	}
	state, err := c.d.Service.Snapshot(c.ctx, t, 0)
	if err != nil || state.Snapshot == nil {
		return nil, nil, err
	}
	return question.OfSnapshot(state.Snapshot), state.Snapshot, nil
}

// lastPrompt returns the last thing that a person said in a thread.
func lastPrompt(s *host.Snapshot) string {
	for i := s.Messages.Len() - 1; i >= 0; i-- {
		if m := s.Messages.At(i); m.Role == abi.RoleHuman {
			return m.Content.Text()
		}
	}
	return ""
}

// resume goes on with the run of a thread whose questions are answered.
func (c *call) resume(thread string, answers []host.Answer) *sdk.CallToolResult {
	sub, err := c.resumption(thread, answers)
	if err != nil {
		return c.failed(err)
	}
	return c.perform(sub)
}

// resumption returns the submission with which the run of a thread goes on.
func (c *call) resumption(thread string, answers []host.Answer) (*runs.Submission, error) {
	t, err := c.d.Service.Thread(c.ctx, c.s.owner, thread)
	if err != nil {
		return nil, err
	}
	agent, err := c.d.Service.AgentOf(t)
	if err != nil {
		return nil, err
	}
	assistant, err := c.d.Service.Resolve(c.ctx, c.s.owner, agent.Name)
	if err != nil {
		return nil, err
	}
	sub := &runs.Submission{Owner: c.s.owner, Thread: thread, Assistant: assistant, Resumable: true}
	for _, a := range answers {
		value, err := wire.Of(a.Value)
		if err != nil {
			return nil, err
		}
		sub.Task.Answers = append(sub.Task.Answers, runs.Answer{Interrupt: a.Interrupt, Value: value, By: a.By})
	}
	return sub, nil
}
