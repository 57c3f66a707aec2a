package agui

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/question"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/agui/internal/protocol"
	"github.com/agenthost/agenthost/server/internal/door"
)

// request is what a client asks for, and the thread as it is then.
type request struct {
	h         *Handler
	c         *door.Call
	in        *runAgentInput
	forwarded forwarded
	assistant *runs.Assistant
	agent     runs.Agent
	thread    string               // its id
	before    *host.Snapshot       // nil: the thread has nothing
	questions []*question.Question // that wait, apart from the client's tools
	merge     *merge
	entries   []resumeEntry
}

// read reads what concerns the thread.
func (r *request) read(ctx context.Context) (err error) {
	if r.assistant, err = r.h.Service.Resolve(ctx, r.c.Owner, r.c.R.PathValue("agent")); err != nil {
		return err
	}
	if r.agent, err = r.h.Service.Agent(r.assistant.Agent); err != nil {
		return err
	}
	if r.thread, err = door.ThreadID(r.in.Thread); err != nil {
		return unprocessable("the member threadId: %v", err)
	}
	if r.before, err = r.h.snapshot(ctx, r.c.Owner, r.thread, 0); err != nil {
		return err
	}
	var calls []host.ClientCall
	if r.before != nil {
		r.questions, calls = protocol.Questions(r.before.Interrupts, r.before.Messages)
	}
	if r.merge, err = r.in.merged(r.before, calls); err != nil {
		return err
	}
	if r.forwarded, err = r.in.forwarded(); err != nil {
		return err
	}
	r.entries, err = r.in.entries(&r.forwarded, r.questions)
	return err
}

// snapshot returns what a thread holds at a checkpoint; nil if there is no such thread, or nothing in it.
func (h *Handler) snapshot(ctx context.Context, owner, thread string, at checkpoint.ID) (*host.Snapshot, error) {
	t, err := h.Service.Thread(ctx, owner, thread)
	if errors.Is(err, runs.ErrNoThread) {
		return nil, nil //nolint:nilnil // it is empty
	}
	if err != nil {
		return nil, err
	}
	s, err := h.Service.Snapshot(ctx, t, at)
	if errors.Is(err, runs.ErrNoAgent) { // it had no run yet
		return nil, nil //nolint:nilnil // it is empty
	}
	if err != nil {
		return nil, err
	}
	return s.Snapshot, nil
}

// newest is among how many runs of a thread the one is that a client comes back to.
const newest = 20

// present returns the run that the client has started with the same id, if it is not over, or if the client brings nothing new; nil if there is none.
// A client that was cut off comes back in this way.
func (r *request) present(ctx context.Context) (*runs.Run, error) {
	found, err := r.h.Service.FindRuns(ctx, r.c.Owner, r.thread, &runs.RunQuery{Limit: newest})
	if errors.Is(err, runs.ErrNoThread) {
		return nil, nil //nolint:nilnil // there is none
	}
	for i := range found {
		if found[i].Metadata[runKey] == r.in.Run && (!found[i].Status.Over() || len(r.merge.added)+len(r.merge.results)+len(r.entries) == 0) {
			return &found[i], nil
		}
	}
	return nil, err
}

// The keys of a run's metadata with the ids that the client chose.
const (
	runKey    = "agui_run_id"
	threadKey = "agui_thread_id"
)

// asks reports whether the thread waits for answers that the client does not bring.
func (r *request) asks() bool { return len(r.questions) > 0 && len(r.entries) == 0 }

// submission returns the run that the client asks for.
func (r *request) submission(ctx context.Context) (*runs.Submission, error) {
	sub := &runs.Submission{
		Owner: r.c.Owner, Thread: r.thread, Assistant: r.assistant, Create: true,
		Metadata: runs.Metadata{runKey: r.in.Run, threadKey: r.in.Thread},
	}
	t := &sub.Task
	var err error
	if t.ClientTools, err = r.in.tools(); err != nil {
		return nil, err
	}
	if err := r.configure(t); err != nil {
		return nil, err
	}
	switch resumes, err := r.resume(t); {
	case err != nil:
		return nil, err
	case resumes:
		sub.Strategy = runs.StrategyReject // somebody may have been faster
		return sub, nil
	}
	if r.merge.again != nil {
		t.Messages = []abi.Message{*r.merge.again}
		if t.Checkpoint, err = r.h.without(ctx, r.c.Owner, r.thread, r.merge.again.ID); err != nil {
			return nil, err
		}
		return sub, nil
	}
	t.Messages = r.merge.added
	if m := r.in.contextMessage(r.before); m != nil {
		t.Messages = append([]abi.Message{*m}, t.Messages...)
	}
	if t.Messages == nil {
		t.Messages = []abi.Message{} // the run begins with what the thread has
	}
	t.State, err = fieldsOf(&r.agent, r.h.Hidden(r.agent.Name), r.before, r.in.State)
	return sub, err
}

// resume fills in the answers that go on with the thread's run. It reports false if there are none.
func (r *request) resume(t *runs.Task) (bool, error) {
	if r.before == nil {
		if len(r.entries) > 0 {
			return false, unprocessable("nothing in the thread waits for an answer")
		}
		return false, nil
	}
	by := r.c.Principal.Name
	if at := slices.IndexFunc(r.entries, func(e resumeEntry) bool { return e.Interrupt == protocol.Breakpoint }); at >= 0 && len(r.before.Interrupts) == 0 {
		if t.Continue = true; r.entries[at].Status == cancelled {
			t.Goto = host.EndStep
		}
		return true, nil
	}
	answers, err := answersOf(r.entries, r.questions, by)
	if err != nil {
		return false, err
	}
	results, err := r.merge.clientAnswers(r.before.Interrupts, by)
	if err != nil {
		return false, err
	}
	said := slices.ContainsFunc(r.merge.added, func(m abi.Message) bool { return m.Role == abi.RoleHuman })
	if len(answers) == 0 && said { // the user goes on with something else, so the results are part of the history
		var given []abi.Message
		for _, call := range slices.Sorted(maps.Keys(r.merge.results)) {
			given = append(given, *r.merge.results[call])
		}
		r.merge.added = slices.Concat(given, r.merge.added)
		return false, nil
	}
	t.Answers = slices.Concat(answers, results)
	return len(t.Answers) > 0, nil
}

// configure fills in the context, the model and the limits of the run.
func (r *request) configure(t *runs.Task) error {
	var own struct {
		RecursionLimit int                        `json:"recursion_limit"`
		Configurable   map[string]json.RawMessage `json:"configurable"`
	}
	if len(r.assistant.Config) > 0 {
		if err := json.Unmarshal(r.assistant.Config, &own); err != nil {
			return unprocessable("the configuration of the assistant cannot be used: %v", err)
		}
	}
	t.RecursionLimit = own.RecursionLimit
	all := map[string]json.RawMessage{}
	maps.Copy(all, own.Configurable)
	for _, raw := range []json.RawMessage{r.assistant.Context, r.forwarded.Context} { // the later one prevails
		var values map[string]json.RawMessage
		if !given(raw) {
			continue
		}
		if err := json.Unmarshal(raw, &values); err != nil {
			return unprocessable("the context of a run must be an object")
		}
		maps.Copy(all, values)
	}
	if raw, ok := all["model"]; ok && len(r.agent.Models) > 0 {
		if err := json.Unmarshal(raw, &t.Model); err != nil {
			return unprocessable("the model is not of type \"string\"")
		}
	}
	if r.forwarded.Model != nil && len(r.agent.Models) > 0 {
		t.Model = *r.forwarded.Model
	}
	if len(all) == 0 {
		return nil
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	if t.Context, err = wire.FromJSON(text, wire.Limits{}); err != nil {
		return unprocessable("the context cannot be used: %v", err)
	}
	return nil
}

// without returns the newest checkpoint on the way to the thread's present one that does not have a message.
func (h *Handler) without(ctx context.Context, owner, thread, message string) (checkpoint.ID, error) {
	want := checkpoint.ID(0) // the present one
	for past, err := range h.Service.History(ctx, owner, thread, 0) {
		if err != nil {
			return 0, err
		}
		if past.Snapshot == nil {
			break
		}
		if want == 0 {
			want = past.Newest
		}
		if past.Checkpoint != want {
			continue
		}
		if _, has := past.Messages.Find(message); !has {
			return past.Checkpoint, nil
		}
		want = past.Parent
	}
	return checkpoint.Root, nil
}
