package openai

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/door"
)

// The headers with which a client names a thread, and learns in which thread and run the answer was made.
const (
	threadHeader = "X-Agenthost-Thread"
	runHeader    = "X-Agenthost-Run"
)

// place is where a run takes place.
type place struct {
	thread     string        // "": a thread of its own
	checkpoint checkpoint.ID // where it begins; 0: where the thread is
	// whole says that the client sends the whole conversation each time, of which only what follows the agent's last message is new.
	whole bool
	now   *runs.Thread // the thread as it is; nil: it is still to be made
}

// placeOf returns where the run of a request takes place: in the thread that a header, the metadata or a conversation names, or after an earlier
// response.
func (h *Handler) placeOf(c *door.Call, a *ask) (*place, error) {
	p, err := h.named(c, a)
	if err != nil || p.thread == "" {
		return p, err
	}
	p.now, err = h.Service.Thread(c.R.Context(), c.Owner, p.thread)
	if errors.Is(err, runs.ErrNoThread) {
		err = nil
	}
	return p, err
}

func (h *Handler) named(c *door.Call, a *ask) (*place, error) {
	conversation, err := conversationOf(a.conversation)
	if err != nil {
		return nil, err
	}
	names := []struct {
		name, param string
		whole       bool
	}{{c.R.Header.Get(threadHeader), threadHeader, true}, {a.metadata["thread_id"], "metadata.thread_id", true}, {conversation, "conversation", false}}
	if a.previous != "" && conversation != "" {
		return nil, invalid("previous_response_id", "previous_response_id and conversation exclude each other; send one of them")
	}
	for _, n := range names {
		if n.name == "" {
			continue
		}
		thread, err := threadID(n.name, n.param)
		return &place{thread: thread, whole: n.whole}, err
	}
	if a.previous == "" {
		return &place{}, nil
	}
	run, err := h.response(c.R.Context(), c.Owner, a.previous)
	if err != nil {
		return nil, err
	}
	if !run.Status.Over() {
		return nil, runs.ErrThreadBusy
	}
	return &place{thread: run.Thread, checkpoint: run.After}, nil
}

// conversationOf reads the member conversation: an id, or an object with one.
func conversationOf(raw json.RawMessage) (string, error) {
	if !given(raw) {
		return "", nil
	}
	var id string
	if json.Unmarshal(raw, &id) == nil {
		return id, nil
	}
	var object struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(raw, &object); err != nil || object.ID == "" {
		return "", invalid("conversation", "conversation must be an id, or an object with an id")
	}
	return object.ID, nil
}

// responsePrefix begins the ids of responses, which are runs.
const responsePrefix = "resp_"

// threadID returns the id of the thread that a client names.
func threadID(name, param string) (string, error) {
	id, err := door.ThreadID(name)
	if err != nil {
		return "", invalid(param, "%s: %v", param, err)
	}
	return id, nil
}

// response returns the run of a response.
func (h *Handler) response(ctx context.Context, owner, id string) (*runs.Run, error) {
	missing := notFound("response_not_found", "Response with id %.100q not found.", id)
	bare, found := strings.CutPrefix(id, responsePrefix)
	if _, ok := door.UUID(bare); !found || !ok {
		return nil, missing
	}
	run, err := h.Service.Run(ctx, owner, bare)
	if errors.Is(err, runs.ErrNoRun) {
		return nil, missing
	}
	return run, err
}

// begun reports whether the thread has a conversation already.
func (p *place) begun() bool { return p.now != nil && !p.now.Stepped.IsZero() }

// waits reports whether the thread waits for answers.
func (p *place) waits() bool { return p.now != nil && len(p.now.Waiting) > 0 }

// news returns the messages that are new in the thread.
func (p *place) news(messages []abi.Message) []abi.Message {
	if !p.whole || !p.begun() {
		return messages
	}
	for i, m := range slices.Backward(messages) {
		if m.Role == abi.RoleAI {
			return append(instructionsIn(messages[:i]), messages[i+1:]...)
		}
	}
	return messages
}

// instructionsID is the id of the message with the instructions of the client. In a thread, later ones take its place.
const instructionsID = "instructions"

// withInstructions puts the instructions of the client in front of messages: what it says itself, and the system messages with which they begin.
func withInstructions(said string, messages []abi.Message) []abi.Message {
	parts := []string{}
	if said != "" {
		parts = append(parts, said)
	}
	n := 0
	for n < len(messages) && messages[n].Role == abi.RoleSystem {
		parts = append(parts, messages[n].Content.Text())
		n++
	}
	if len(parts) == 0 {
		return messages
	}
	first := abi.System(strings.Join(parts, "\n\n"))
	first.ID = instructionsID
	return append([]abi.Message{first}, messages[n:]...)
}

// instructionsIn returns the message with the instructions, if there is one.
func instructionsIn(messages []abi.Message) []abi.Message {
	if len(messages) > 0 && messages[0].ID == instructionsID {
		return messages[:1:1]
	}
	return nil
}
