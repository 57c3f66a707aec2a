package langgraph

import (
	"encoding/json"
	"slices"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/langgraph/internal/protocol"
)

// runStart is what run.start takes: what also starts a run of the classic API, and another name that the SDK for JavaScript uses.
type runStart struct {
	runCreate

	Multitask *string `json:"multitaskStrategy"`
}

// runStarted is the result of a command that starts a run.
type runStarted struct {
	Run    string `json:"run_id"`
	Thread string `json:"thread_id,omitempty"`
}

// startRun performs run.start. The thread need not exist: the clients make its id.
func (h *Handler) startRun(c *call, thread string, cmd *protocol.CommandRequest) (any, error) {
	var body runStart
	if err := cmd.Decode(&body); err != nil {
		return nil, err
	}
	if body.MultitaskStrategy == nil {
		body.MultitaskStrategy = body.Multitask
	}
	body.IfNotExists = new("create")
	if err := body.fromConfig(); err != nil {
		return nil, err
	}
	run, err := h.submit(c, &body.runCreate, thread)
	if err != nil {
		return nil, err
	}
	return runStarted{Run: run.ID}, nil
}

// fromConfig takes what the clients of the newer protocol have in configurable and other clients beside the configuration: the checkpoint where the run
// begins. They also name the thread there.
func (b *runCreate) fromConfig() error {
	config, err := object("config", b.Config)
	if err != nil {
		return err
	}
	configurable, err := object("config.configurable", config["configurable"])
	if err != nil || len(configurable) == 0 {
		return err
	}
	if at := configurable["checkpoint_id"]; given(at) && b.CheckpointID == nil {
		if json.Unmarshal(at, &b.CheckpointID) != nil {
			return unprocessable("config.configurable.checkpoint_id is not of type \"string\"")
		}
	}
	for _, own := range []string{"thread_id", "checkpoint_id", "checkpoint_ns"} {
		delete(configurable, own)
	}
	if config["configurable"], err = json.Marshal(configurable); err != nil {
		return err
	}
	if len(configurable) == 0 {
		delete(config, "configurable")
	}
	b.Config = document(config)
	return nil
}

// inputAnswer is the answer to a question.
type inputAnswer struct {
	Interrupt *string         `json:"interrupt_id"`
	Response  json.RawMessage `json:"response"`
}

// inputRespond is what input.respond takes: one answer, or several.
type inputRespond struct {
	inputAnswer

	Responses []inputAnswer   `json:"responses"`
	Update    json.RawMessage `json:"update"`
	Goto      json.RawMessage `json:"goto"`
	Config    json.RawMessage `json:"config"`
	Metadata  runs.Metadata   `json:"metadata"`
}

// respond performs input.respond. It answers questions that wait, so that nothing happens if somebody else was faster.
func (h *Handler) respond(c *call, thread string, cmd *protocol.CommandRequest) (any, error) {
	var body inputRespond
	if err := cmd.Decode(&body); err != nil {
		return nil, err
	}
	answers := body.Responses
	switch {
	case answers == nil:
		answers = []inputAnswer{body.inputAnswer}
	case len(answers) == 0:
		return nil, unprocessable("input.respond requires at least one response.")
	}
	waiting, err := h.waiting(c, thread)
	if err != nil {
		return nil, err
	}
	resume := map[string]json.RawMessage{}
	for _, a := range answers {
		switch {
		case a.Interrupt == nil:
			return nil, unprocessable("input.respond requires an interrupt_id.")
		case resume[*a.Interrupt] != nil:
			return nil, unprocessable("input.respond answers %s twice", limited(*a.Interrupt))
		case !slices.Contains(waiting, *a.Interrupt):
			return nil, &refusal{protocol.NoSuchInterrupt, "Unknown or already-consumed interrupt: " + limited(*a.Interrupt)}
		case !given(a.Response):
			return nil, unprocessable("the answer to %s is null, which is not an answer", *a.Interrupt)
		}
		resume[*a.Interrupt] = a.Response
	}
	text, err := json.Marshal(resume)
	if err != nil {
		return nil, err
	}
	create := &runCreate{
		Command: &command{Resume: text, Update: body.Update, Goto: body.Goto}, Config: body.Config, Metadata: body.Metadata,
		MultitaskStrategy: new(string(runs.StrategyReject)),
	}
	return h.goOn(c, thread, create)
}

// waiting returns the ids of the questions that wait for an answer.
func (h *Handler) waiting(c *call, thread string) (ids []string, err error) {
	s, err := h.Service.State(c.R.Context(), c.Owner, thread, 0)
	if err != nil {
		return nil, err
	}
	for i := range s.Interrupts {
		ids = append(ids, s.Interrupts[i].ID)
	}
	return ids, nil
}

// goOn submits a run of the assistant that the thread's last run had.
func (h *Handler) goOn(c *call, thread string, body *runCreate) (any, error) {
	last, err := h.lastRun(c, thread)
	if err != nil {
		return nil, err
	}
	body.AssistantID = &last.Assistant
	if err := body.fromConfig(); err != nil {
		return nil, err
	}
	run, err := h.submit(c, body, thread)
	if err != nil {
		return nil, err
	}
	return runStarted{Run: run.ID, Thread: run.Thread}, nil
}

// lastRun returns the newest run of a thread.
func (h *Handler) lastRun(c *call, thread string) (*runs.Run, error) {
	found, err := h.Service.FindRuns(c.R.Context(), c.Owner, thread, &runs.RunQuery{Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, &refusal{protocol.NoSuchRun, "the thread had no run; send run.start"}
	}
	return &found[0], nil
}

// treeNode is an agent of a run. Those that run as tools come and go, so that only the channel lifecycle tells them.
type treeNode struct {
	Namespace []string `json:"namespace"`
	Status    string   `json:"status"`
	Graph     string   `json:"graph_name"`
}

// agentTree performs agent.getTree.
func (h *Handler) agentTree(c *call, thread string, cmd *protocol.CommandRequest) (any, error) {
	var body struct {
		Run *string `json:"run_id"`
	}
	if err := cmd.Decode(&body); err != nil {
		return nil, err
	}
	run, err := h.lastRun(c, thread)
	if err == nil && body.Run != nil {
		id, err := readID(*body.Run, "run")
		if err != nil {
			return nil, err
		}
		if run, err = h.runIn(c, thread, id); err != nil {
			return nil, &refusal{protocol.NoSuchRun, "the thread has no run " + id}
		}
	}
	if err != nil {
		return nil, err
	}
	status, err := h.agentStatus(c, run)
	return map[string]any{"tree": treeNode{Namespace: []string{}, Status: status, Graph: run.Agent}}, err
}

// agentStatus returns the status of a run in the words of the protocol.
func (h *Handler) agentStatus(c *call, run *runs.Run) (string, error) {
	switch run.Status {
	case runs.Pending:
		return "started", nil
	case runs.Running:
		return "running", nil
	case runs.Failed, runs.TimedOut:
		return "failed", nil
	case runs.Interrupted:
		return "interrupted", nil
	case runs.Success:
	}
	s, err := h.Service.State(c.R.Context(), c.Owner, run.Thread, 0)
	if err != nil || len(s.Interrupts) == 0 {
		return "completed", err
	}
	return "interrupted", nil
}
