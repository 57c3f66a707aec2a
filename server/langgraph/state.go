package langgraph

import (
	"bytes"
	"encoding/json"
	"maps"
	"strconv"

	"github.com/google/uuid"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/jsonbody"
	"github.com/agenthost/agenthost/server/internal/langchain"
	"github.com/agenthost/agenthost/server/langgraph/internal/frames"
)

// given reports whether a member of a body is there and not null.
func given(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && string(raw) != "null"
}

// place is where in its thread something is, as clients name it.
type placeBody struct {
	ThreadID     *string `json:"thread_id"`
	CheckpointNS *string `json:"checkpoint_ns"`
	CheckpointID *string `json:"checkpoint_id"`
}

// readCheckpointID returns the checkpoint that a text names; ok is false if no checkpoint has this name. The empty thread before the first
// checkpoint has the number 0.
func readCheckpointID(text string) (id checkpoint.ID, ok bool) {
	n, err := strconv.ParseUint(text, 10, 63)
	if err == nil && n == 0 {
		return checkpoint.Root, true
	}
	return checkpoint.ID(n), err == nil
}

// at returns the checkpoint that a client names in one of two ways; 0 if in none.
func (p *placeBody) at(id *string) (checkpoint.ID, error) {
	if p != nil && p.CheckpointNS != nil && *p.CheckpointNS != "" {
		return 0, unprocessable("checkpoint_ns is %.64q; the steps of an agent have no checkpoints of their own", *p.CheckpointNS)
	}
	if p != nil && p.CheckpointID != nil {
		id = p.CheckpointID
	}
	if id == nil || *id == "" {
		return 0, nil
	}
	at, ok := readCheckpointID(*id)
	if !ok {
		return 0, unprocessable("there is no checkpoint %.64q", *id)
	}
	return at, nil
}

// taskSpace makes ids of tasks.
var taskSpace = uuid.MustParse("5d1b6a1e-6a53-4c0b-8a5c-5f0e3f2f7a35")

// taskID returns the id of a step that comes next in a thread.
func taskID(thread, step string) string {
	return uuid.NewSHA1(taskSpace, []byte(thread+"/"+step)).String()
}

// stateOf returns a state as clients see it.
func (h *Handler) stateOf(thread string, s *runs.State) map[string]any {
	if s.Snapshot == nil {
		return emptyState(nil, nil)
	}
	root := s.Checkpoint == 0
	if root {
		s.Checkpoint = checkpoint.Root
	}
	here := map[string]any{"checkpoint_id": frames.CheckpointID(s.Checkpoint), "thread_id": thread, "checkpoint_ns": ""}
	out := emptyState(here, here["checkpoint_id"])
	out["values"], out["created_at"], out["metadata"] = h.content(s), timeOf(s.Time), metadataOf(thread, s)
	if !root {
		parent := frames.CheckpointID(s.Parent) // that of the empty thread for the first one
		out["parent_checkpoint"] = map[string]any{"checkpoint_id": parent, "thread_id": thread, "checkpoint_ns": ""}
		out["parent_checkpoint_id"] = parent
	}
	next := s.Next
	if root {
		next = startNode
	}
	if next != "" {
		out["next"], out["tasks"] = []string{next}, []any{h.taskOf(thread, next, s)}
	}
	out["interrupts"] = questionsOf(s.Interrupts)
	return out
}

func emptyState(here map[string]any, id any) map[string]any {
	out := map[string]any{
		"values": struct{}{}, "next": []string{}, "tasks": []any{}, "metadata": nil, "created_at": nil, "checkpoint": nil, "parent_checkpoint": nil,
		"interrupts": []any{}, "checkpoint_id": id, "parent_checkpoint_id": nil,
	}
	if here != nil {
		out["checkpoint"] = here
	}
	return out
}

// taskOf returns the step that comes next, and what it asks.
func (h *Handler) taskOf(thread, next string, s *runs.State) map[string]any {
	asks, failure := next, any(nil)
	if len(s.Interrupts) > 0 {
		asks = s.Interrupts[0].Step
	}
	if s.Failure != "" {
		failure = s.Failure
	}
	return map[string]any{
		"id": taskID(thread, asks), "name": next, "path": frames.PathOf(next), "error": failure, "interrupts": questionsOf(s.Interrupts),
		"checkpoint": nil, "state": nil, "result": h.resultOf(s),
	}
}

// resultOf returns what the next step changed, if it has been performed.
func (h *Handler) resultOf(s *runs.State) any {
	if s.Then == nil {
		return nil
	}
	out, hidden := map[string]any{}, h.hidden(s.Agent)
	var messages []json.RawMessage
	for i := range s.Then.Changes {
		if entry := s.Then.Changes[i].Entry; entry != nil {
			messages = append(messages, langchain.Message(entry.Message()))
		}
	}
	if messages != nil {
		out["messages"] = messages
	}
	for _, field := range s.Then.State {
		if !hidden(field.Key) {
			out[field.Key] = field.Value
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func questionsOf(asked []host.Interrupt) []map[string]any {
	out := make([]map[string]any, len(asked))
	for i := range asked {
		out[i] = map[string]any{"id": asked[i].ID, "value": json.RawMessage(asked[i].Value.JSON())}
	}
	return out
}

// metadataOf returns the metadata of a checkpoint. Its step counts the checkpoints of the thread.
func metadataOf(thread string, s *runs.State) map[string]any {
	out := map[string]any{"source": s.Source, "step": int64(s.Checkpoint) - 1, "parents": struct{}{}, "thread_id": thread, "graph_id": s.Agent}
	if s.Checkpoint == checkpoint.Root {
		out["source"], out["step"] = checkpoint.SourceInput, -1
	}
	if s.Run != nil {
		maps.Copy(out, s.Run.Metadata)
		out["run_id"], out["run_attempt"], out["assistant_id"] = s.Run.ID, s.Run.Attempt, s.Run.Assistant
	}
	return out
}

func (h *Handler) readState(c *call) error {
	thread, err := c.thread()
	if err != nil {
		return err
	}
	return h.answerState(c, thread, 0)
}

func (h *Handler) answerState(c *call, thread string, at checkpoint.ID) error {
	s, err := h.Service.State(c.r.Context(), c.owner, thread, at)
	if err != nil {
		return err
	}
	if s.Snapshot == nil && at != 0 {
		return c.answer(unknownState(thread, frames.CheckpointID(at)))
	}
	return c.answer(h.stateOf(thread, s))
}

func unknownState(thread, id string) map[string]any {
	return emptyState(map[string]any{"checkpoint_id": id, "thread_id": thread}, id)
}

func (h *Handler) readStateAt(c *call) error {
	thread, err := c.thread()
	if err != nil {
		return err
	}
	return h.answerStateNamed(c, thread, c.r.PathValue("checkpoint"))
}

// answerStateNamed answers with the state at a checkpoint. To an unknown one the answer is an empty state.
func (h *Handler) answerStateNamed(c *call, thread, name string) error {
	at, ok := readCheckpointID(name)
	if ok {
		return h.answerState(c, thread, at)
	}
	if _, err := h.Service.Thread(c.r.Context(), c.owner, thread); err != nil {
		return err
	}
	return c.answer(unknownState(thread, name))
}

func (h *Handler) readStateOf(c *call) error {
	thread, err := c.thread()
	if err != nil {
		return err
	}
	var body struct {
		Checkpoint *placeBody `json:"checkpoint"`
	}
	if err := jsonbody.Decode(c.r, &body); err != nil {
		return err
	}
	if body.Checkpoint == nil {
		return missing("checkpoint")
	}
	if body.Checkpoint.CheckpointID == nil {
		return h.answerState(c, thread, 0)
	}
	return h.answerStateNamed(c, thread, *body.Checkpoint.CheckpointID)
}

// stateBody is a change of a thread's state.
type stateBody struct {
	Values       json.RawMessage `json:"values"`
	AsNode       *string         `json:"as_node"`
	Checkpoint   *placeBody      `json:"checkpoint"`
	CheckpointID *string         `json:"checkpoint_id"`
}

// superstep is a part of the history with which a client creates a thread.
type superstep struct {
	Updates []struct {
		Values  json.RawMessage `json:"values"`
		Command json.RawMessage `json:"command"`
		AsNode  *string         `json:"as_node"`
	} `json:"updates"`
}

// update returns the change for the agent.
func (b *stateBody) update(agent *runs.Agent) (host.StateUpdate, error) {
	at, err := b.Checkpoint.at(b.CheckpointID)
	if err != nil {
		return host.StateUpdate{}, err
	}
	in, err := readInput(agent, b.Values)
	if err != nil {
		return host.StateUpdate{}, err
	}
	out := host.StateUpdate{Checkpoint: at, Update: host.Update{Messages: in.Messages, Overwrite: in.Reset, Remove: in.Remove, State: in.State}}
	if b.AsNode == nil {
		return out, nil
	}
	switch *b.AsNode {
	case "":
	case startNode, "__input__":
		out.As = "input"
	case endNode:
		out.Goto = host.EndStep
	default:
		for _, step := range agent.Program().Steps {
			if step.Name == *b.AsNode {
				out.As = step.Name
				return out, nil
			}
		}
		return out, unprocessable("as_node is %.64q, which is no step of the agent", *b.AsNode)
	}
	return out, nil
}

func (h *Handler) updateState(c *call) error {
	thread, err := c.thread()
	if err != nil {
		return err
	}
	var body stateBody
	if err := jsonbody.Decode(c.r, &body); err != nil {
		return err
	}
	t, err := h.Service.Thread(c.r.Context(), c.owner, thread)
	if err != nil {
		return err
	}
	agent, err := h.Service.AgentOf(t)
	if err != nil {
		return err
	}
	u, err := body.update(&agent)
	if err != nil {
		return err
	}
	s, err := h.Service.UpdateState(c.r.Context(), t, u)
	if err != nil {
		return err
	}
	here := map[string]any{"thread_id": thread, "checkpoint_ns": "", "checkpoint_id": frames.CheckpointID(s.Checkpoint)}
	return c.answer(map[string]any{"checkpoint": here, "configurable": here, "checkpoint_id": here["checkpoint_id"]})
}

// supersteps returns the changes with which a thread begins.
func (h *Handler) supersteps(t *runs.Thread, steps []superstep) (out []host.StateUpdate, err error) {
	if len(steps) == 0 {
		return nil, nil
	}
	agent, err := h.Service.AgentOf(t)
	if err != nil {
		return nil, err
	}
	for i := range steps {
		for _, u := range steps[i].Updates {
			if given(u.Command) {
				return nil, unprocessable("a superstep has a command; only values are possible")
			}
			body := stateBody{Values: u.Values, AsNode: u.AsNode}
			update, err := body.update(&agent)
			if err != nil {
				return nil, err
			}
			out = append(out, update)
		}
	}
	return out, nil
}
