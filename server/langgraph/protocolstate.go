package langgraph

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/langgraph/internal/frames"
	"github.com/agenthost/agenthost/server/langgraph/internal/protocol"
)

// checkpointRef names a checkpoint in the newer protocol.
type checkpointRef struct {
	ID string `json:"id"`
}

// protocolState performs state.get.
func (h *Handler) protocolState(c *call, thread string, cmd *protocol.CommandRequest) (any, error) {
	var body struct {
		Namespace []string `json:"namespace"`
		Keys      []string `json:"keys"`
	}
	if err := cmd.Decode(&body); err != nil {
		return nil, err
	}
	if len(body.Namespace) > 0 {
		return nil, &refusal{protocol.NoSuchNamespace, "only the namespace [] has a state; an agent that runs as a tool keeps its own"}
	}
	s, err := h.Service.State(c.R.Context(), c.Owner, thread, 0)
	if err != nil {
		return nil, err
	}
	values := frames.ContentIn(protocol.Form, s.Snapshot, h.Hidden(s.Agent)).With("", nil)
	if body.Keys != nil {
		maps.DeleteFunc(values, func(key string, _ any) bool { return !slices.Contains(body.Keys, key) })
	}
	out := map[string]any{"values": values}
	if s.Snapshot != nil {
		out["checkpoint"] = checkpointRef{frames.CheckpointID(s.Checkpoint)}
	}
	return out, nil
}

// checkpointSummary is a checkpoint in a list.
type checkpointSummary struct {
	ID       string         `json:"id"`
	Time     string         `json:"timestamp"`
	Step     int64          `json:"step"`
	Metadata map[string]any `json:"metadata"`
}

// protocolCheckpoints performs state.listCheckpoints.
func (h *Handler) protocolCheckpoints(c *call, thread string, cmd *protocol.CommandRequest) (any, error) {
	var body struct {
		Limit  *int    `json:"limit"`
		Before *string `json:"before"`
	}
	if err := cmd.Decode(&body); err != nil {
		return nil, err
	}
	page, err := (&paging{Limit: body.Limit}).page(nil)
	if err != nil {
		return nil, err
	}
	at, err := (*placeBody)(nil).at(body.Before)
	if err != nil {
		return nil, err
	}
	out := []checkpointSummary{}
	for s, err := range h.Service.History(c.R.Context(), c.Owner, thread, at) {
		if err != nil {
			return nil, err
		}
		if s.Checkpoint == 0 { // the empty thread
			break
		}
		out = append(out, checkpointSummary{
			ID: frames.CheckpointID(s.Checkpoint), Time: s.Time.UTC().Format(time.RFC3339Nano), Step: int64(s.Checkpoint) - 1,
			Metadata: map[string]any{"source": frames.Source(s.Source), "parent_id": frames.CheckpointID(s.Parent)},
		})
		if len(out) == page.Limit {
			break
		}
	}
	return map[string]any{"checkpoints": out}, nil
}

// fork performs state.fork: it starts a run at an earlier checkpoint.
func (h *Handler) fork(c *call, thread string, cmd *protocol.CommandRequest) (any, error) {
	var body struct {
		Checkpoint *string         `json:"checkpoint_id"`
		Input      json.RawMessage `json:"input"`
		Config     json.RawMessage `json:"config"`
	}
	if err := cmd.Decode(&body); err != nil {
		return nil, err
	}
	if body.Checkpoint == nil {
		return nil, missing("checkpoint_id")
	}
	if err := h.hasCheckpoint(c, thread, *body.Checkpoint); err != nil {
		return nil, err
	}
	return h.goOn(c, thread, &runCreate{CheckpointID: body.Checkpoint, Input: body.Input, Config: body.Config})
}

// hasCheckpoint returns the error for a checkpoint that a thread does not have.
func (h *Handler) hasCheckpoint(c *call, thread, name string) error {
	at, ok := readCheckpointID(name)
	var s *runs.State
	var err error
	if ok && at != checkpoint.Root {
		if s, err = h.Service.State(c.R.Context(), c.Owner, thread, at); err != nil {
			return err
		}
	}
	if !ok || s != nil && s.Snapshot == nil {
		return &refusal{protocol.NoSuchCheckpoint, "the thread has no checkpoint " + limited(name)}
	}
	return nil
}
