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
	"github.com/agenthost/agenthost/server/internal/openapi"
	"github.com/agenthost/agenthost/server/langgraph/internal/frames"
)

// given reports whether a member of a body is there and not null.
func given(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && string(raw) != "null"
}

// placeBody is where in its thread something is, as clients name it.
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

// stateDocument is a state as clients see it.
type stateDocument struct {
	Values             stateValues         `json:"values"`
	Next               []string            `json:"next" jsonschema:"The step that comes next, or none."`
	Tasks              []taskDocument      `json:"tasks"`
	Metadata           *map[string]any     `json:"metadata"`
	Created            *timestamp          `json:"created_at"`
	Checkpoint         *checkpointDocument `json:"checkpoint"`
	ParentCheckpoint   *checkpointDocument `json:"parent_checkpoint"`
	Interrupts         []interruptDocument `json:"interrupts"`
	CheckpointID       *string             `json:"checkpoint_id"`
	ParentCheckpointID *string             `json:"parent_checkpoint_id"`
}

// stateValues are the values of a state; the zero value is an empty object.
type stateValues struct{ content *frames.Content }

// JSONSchema returns the schema of objects.
func (stateValues) JSONSchema() openapi.Schema {
	return openapi.Schema{"type": "object", "description": "Messages and fields of the agent."}
}

// MarshalJSON returns the values.
func (v stateValues) MarshalJSON() ([]byte, error) {
	if v.content == nil {
		return []byte("{}"), nil
	}
	return v.content.MarshalJSON()
}

// checkpointDocument names a checkpoint.
type checkpointDocument struct {
	Thread    string  `json:"thread_id" format:"uuid"`
	Namespace *string `json:"checkpoint_ns,omitempty" jsonschema:"Always empty; missing if the checkpoint is unknown."`
	ID        string  `json:"checkpoint_id"`
}

func checkpointOf(thread string, id checkpoint.ID) *checkpointDocument {
	return &checkpointDocument{Thread: thread, Namespace: new(""), ID: frames.CheckpointID(id)}
}

// taskDocument is a step that comes next, and what it asks.
type taskDocument struct {
	ID         string              `json:"id" format:"uuid"`
	Name       string              `json:"name"`
	Path       []any               `json:"path"`
	Error      *string             `json:"error"`
	Interrupts []interruptDocument `json:"interrupts"`
	Checkpoint *checkpointDocument `json:"checkpoint" jsonschema:"Always null: a step has no checkpoints of its own."`
	State      *stateValues        `json:"state" jsonschema:"Always null."`
	Result     map[string]any      `json:"result" type:"object,null" jsonschema:"What the step changed, if it has been performed."`
}

func stateOf(thread string, s *runs.State, hidden func(string) bool) stateDocument {
	if s.Snapshot == nil {
		return emptyState(nil)
	}
	root := s.Checkpoint == 0
	if root {
		s.Checkpoint = checkpoint.Root
	}
	out := emptyState(checkpointOf(thread, s.Checkpoint))
	out.Values.content, out.Created, out.Metadata = new(frames.ContentOf(s.Snapshot, hidden)), timeOf(s.Time), new(metadataOf(thread, s))
	if !root {
		out.ParentCheckpoint = checkpointOf(thread, s.Parent) // that of the empty thread for the first one
		out.ParentCheckpointID = &out.ParentCheckpoint.ID
	}
	next := s.Next
	if root {
		next = startNode
	}
	if next != "" {
		out.Next, out.Tasks = []string{next}, []taskDocument{taskOf(thread, next, s, hidden)}
	}
	out.Interrupts = questionsOf(s.Interrupts)
	return out
}

func emptyState(here *checkpointDocument) stateDocument {
	out := stateDocument{Next: []string{}, Tasks: []taskDocument{}, Interrupts: []interruptDocument{}, Checkpoint: here}
	if here != nil {
		out.CheckpointID = &here.ID
	}
	return out
}

func taskOf(thread, next string, s *runs.State, hidden func(string) bool) taskDocument {
	asks := next
	if len(s.Interrupts) > 0 {
		asks = s.Interrupts[0].Step
	}
	return taskDocument{
		ID: taskID(thread, asks), Name: next, Path: frames.PathOf(next), Error: textOrNull(s.Failure), Interrupts: questionsOf(s.Interrupts),
		Result: resultOf(s, hidden),
	}
}

// resultOf returns what the next step changed, if it has been performed.
func resultOf(s *runs.State, hidden func(string) bool) map[string]any {
	if s.Then == nil {
		return nil
	}
	out := map[string]any{}
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

func questionsOf(asked []host.Interrupt) []interruptDocument {
	out := make([]interruptDocument, len(asked))
	for i := range asked {
		out[i] = interruptDocument{asked[i].ID, json.RawMessage(asked[i].Value.JSON())}
	}
	return out
}

// metadataOf returns the metadata of a checkpoint. Its step counts the checkpoints of the thread.
func metadataOf(thread string, s *runs.State) map[string]any {
	out := map[string]any{"source": frames.Source(s.Source), "step": int64(s.Checkpoint) - 1, "parents": struct{}{}, "thread_id": thread, "graph_id": s.Agent}
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
	s, err := h.Service.State(c.R.Context(), c.Owner, thread, at)
	if err != nil {
		return err
	}
	if s.Snapshot == nil && at != 0 {
		return c.Answer(unknownState(thread, frames.CheckpointID(at)))
	}
	return c.Answer(stateOf(thread, s, h.Hidden(s.Agent)))
}

func unknownState(thread, id string) stateDocument {
	return emptyState(&checkpointDocument{ID: id, Thread: thread})
}

func (h *Handler) readStateAt(c *call) error {
	thread, err := c.thread()
	if err != nil {
		return err
	}
	return h.answerStateNamed(c, thread, c.R.PathValue("checkpoint"))
}

// answerStateNamed answers with the state at a checkpoint. To an unknown one the answer is an empty state.
func (h *Handler) answerStateNamed(c *call, thread, name string) error {
	at, ok := readCheckpointID(name)
	if ok {
		return h.answerState(c, thread, at)
	}
	if _, err := h.Service.Thread(c.R.Context(), c.Owner, thread); err != nil {
		return err
	}
	return c.Answer(unknownState(thread, name))
}

type stateQuery struct {
	Checkpoint *placeBody `json:"checkpoint"`
}

func (h *Handler) readStateOf(c *call) error {
	thread, err := c.thread()
	if err != nil {
		return err
	}
	var body stateQuery
	if err := jsonbody.Decode(c.R, &body); err != nil {
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
	Values       json.RawMessage `json:"values" type:"object,array,null"`
	AsNode       *string         `json:"as_node" jsonschema:"The step whose change it is."`
	Checkpoint   *placeBody      `json:"checkpoint"`
	CheckpointID *string         `json:"checkpoint_id"`
}

// superstep is a part of the history with which a client creates a thread.
type superstep struct {
	Updates []struct {
		Values  json.RawMessage `json:"values" type:"object,array,null"`
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
		return out, unprocessable("as_node is %.64q, which is not a step of the agent", *b.AsNode)
	}
	return out, nil
}

type updatedDocument struct {
	Checkpoint   *checkpointDocument `json:"checkpoint"`
	Configurable *checkpointDocument `json:"configurable"`
	CheckpointID string              `json:"checkpoint_id"`
}

func (h *Handler) updateState(c *call) error {
	thread, err := c.thread()
	if err != nil {
		return err
	}
	var body stateBody
	if err := jsonbody.Decode(c.R, &body); err != nil {
		return err
	}
	t, err := h.Service.Thread(c.R.Context(), c.Owner, thread)
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
	s, err := h.Service.UpdateState(c.R.Context(), t, u)
	if err != nil {
		return err
	}
	here := checkpointOf(thread, s.Checkpoint)
	return c.Answer(updatedDocument{Checkpoint: here, Configurable: here, CheckpointID: here.ID})
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
