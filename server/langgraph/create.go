package langgraph

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/detail"
	"github.com/agenthost/agenthost/server/internal/openapi"
	"github.com/agenthost/agenthost/server/langgraph/internal/frames"
)

// runCreate is what a client sends to start a run. Members that only LangGraph's own machinery has a use for are accepted and ignored.
type runCreate struct {
	AssistantID       *string          `json:"assistant_id" jsonschema:"The id of an assistant, or the name of an agent."`
	Input             json.RawMessage  `json:"input" type:"object,array,null" jsonschema:"Messages and fields of the agent; without it, the run goes on."`
	Command           *command         `json:"command"`
	Checkpoint        *placeBody       `json:"checkpoint"`
	CheckpointID      *string          `json:"checkpoint_id"`
	Config            json.RawMessage  `json:"config" type:"object,null"`
	Context           jsonObject       `json:"context"`
	Metadata          runs.Metadata    `json:"metadata"`
	StreamMode        modeNames        `json:"stream_mode" jsonschema:"What the client sees; without it, values."`
	StreamSubgraphs   bool             `json:"stream_subgraphs"`
	StreamResumable   bool             `json:"stream_resumable"`
	OnDisconnect      *string          `json:"on_disconnect" enum:"cancel,continue"`
	OnCompletion      *string          `json:"on_completion" enum:"delete,keep"`
	MultitaskStrategy *string          `json:"multitask_strategy" enum:"reject,interrupt,rollback,enqueue"`
	IfNotExists       *string          `json:"if_not_exists" enum:"create,reject"`
	InterruptBefore   *names           `json:"interrupt_before"`
	InterruptAfter    *names           `json:"interrupt_after"`
	Webhook           *string          `json:"webhook" jsonschema:"The address that is told how the run ended."`
	AfterSeconds      *float64         `json:"after_seconds" min:"0" max:"31622400"`
	Durability        *string          `json:"durability" enum:"sync,async,exit"`
	CheckpointDuring  *bool            `json:"checkpoint_during"`
	FeedbackKeys      *json.RawMessage `json:"feedback_keys"`
}

// names is one name, or a list of names.
type names []string

// JSONSchema returns the schema of both forms.
func (names) JSONSchema() openapi.Schema {
	text := openapi.Schema{"type": "string"}
	return openapi.Schema{"anyOf": []any{text, openapi.Schema{"type": "array", "items": text}}}
}

func (n *names) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil && len(text) > 0 && text[0] == '"' {
		*n = names{one}
		return nil
	}
	var list []string
	if err := json.Unmarshal(text, &list); err != nil || bytes.Equal(text, []byte("null")) {
		return unprocessable("%.100s is neither a name nor a list of names", text)
	}
	*n = list
	return nil
}

// modeNames are names of modes.
type modeNames names

// JSONSchema returns the schema of both forms.
func (modeNames) JSONSchema() openapi.Schema {
	mode := openapi.Schema{"type": "string", "enum": frames.Modes()}
	return openapi.Schema{"anyOf": []any{mode, openapi.Schema{"type": "array", "items": mode}}}
}

func (n *modeNames) UnmarshalJSON(text []byte) error { return (*names)(n).UnmarshalJSON(text) }

// check checks the members that have a few possible values.
func (b *runCreate) check() error {
	for _, m := range []struct {
		name   string
		given  *string
		values []string
	}{
		{"on_disconnect", b.OnDisconnect, []string{"cancel", "continue"}},
		{"on_completion", b.OnCompletion, []string{"delete", "keep"}},
		{"multitask_strategy", b.MultitaskStrategy, []string{"reject", "interrupt", "rollback", "enqueue"}},
		{"if_not_exists", b.IfNotExists, []string{"create", "reject"}},
		{"durability", b.Durability, []string{"sync", "async", "exit"}},
	} {
		if m.given != nil && !slices.Contains(m.values, *m.given) {
			return unprocessable("'%.64s' is not one of ['%s']\n\nOn instance[\"%s\"]", *m.given, strings.Join(m.values, "', '"), m.name)
		}
	}
	if b.AssistantID == nil {
		return missing("assistant_id")
	}
	if b.AfterSeconds != nil && (*b.AfterSeconds < 0 || *b.AfterSeconds > float64(maxAfter/time.Second)) {
		return unprocessable("after_seconds is %v; it must be from 0 to %d", *b.AfterSeconds, maxAfter/time.Second)
	}
	_, err := b.modes()
	return err
}

// maxAfter is how long a run may wait before it begins.
const maxAfter = 366 * 24 * time.Hour

// modes returns what the client wants to see of the run.
func (b *runCreate) modes() ([]frames.Mode, error) {
	if b.StreamMode == nil {
		return []frames.Mode{frames.Values}, nil
	}
	return modesOf(b.StreamMode)
}

func modesOf(list []string) (out []frames.Mode, err error) {
	for _, name := range list {
		mode := frames.Mode(name)
		if !mode.Valid() {
			return nil, unprocessable("'%.64s' is not one of %q\n\nOn instance[\"stream_mode\"]", name, frames.Modes())
		}
		out = append(out, mode)
	}
	return out, nil
}

// cancels reports whether the run ends when the client goes away.
func (b *runCreate) cancels() bool { return b.OnDisconnect == nil || *b.OnDisconnect == "cancel" }

// config is the part of a run's configuration that means something here.
type config struct {
	RecursionLimit *int                       `json:"recursion_limit"`
	Configurable   map[string]json.RawMessage `json:"configurable"`
}

// submission returns the run that a client asks for in a thread; "" is a thread of its own.
func (h *Handler) submission(c *call, b *runCreate, thread string) (*runs.Submission, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	a, err := h.assistantNamed(c, *b.AssistantID, thread)
	if err != nil {
		return nil, err
	}
	return h.submissionOf(a, b, c.Owner, thread, c.Principal.Name)
}

// assistantNamed returns the assistant that a client names, by its id or by its agent, for a run in a thread; "" is none.
func (h *Handler) assistantNamed(c *call, name, thread string) (*runs.Assistant, error) {
	a, err := h.Service.Resolve(c.R.Context(), c.Owner, name)
	if errors.Is(err, runs.ErrNoAssistant) {
		return nil, h.noAssistant(name, thread)
	}
	return a, err
}

// noAssistant returns the error for an assistant that is not there.
func (h *Handler) noAssistant(name, thread string) error {
	if _, err := readID(name, "assistant"); err != nil {
		return unprocessable("Invalid assistant: '%.64s'. Must be either:\n- A valid assistant UUID, or\n- One of the registered graphs: %s",
			name, strings.Join(h.Service.AgentNames(), ", "))
	}
	if thread == "" {
		return detail.Errorf(http.StatusNotFound, "Assistant '%s' not found", name)
	}
	return detail.Errorf(http.StatusNotFound, "Thread or assistant not found.")
}

func (h *Handler) submissionOf(a *runs.Assistant, b *runCreate, owner, thread, by string) (*runs.Submission, error) {
	agent, err := h.Service.Agent(a.Agent)
	if err != nil {
		return nil, err
	}
	sub := &runs.Submission{
		Owner: owner, Thread: thread, Assistant: a, Metadata: b.Metadata, Resumable: b.StreamResumable, Create: is(b.IfNotExists, "create"),
		Keep: is(b.OnCompletion, "keep"),
	}
	if b.MultitaskStrategy != nil {
		sub.Strategy = runs.Strategy(*b.MultitaskStrategy)
	}
	if b.Webhook != nil {
		sub.Webhook = *b.Webhook
	}
	if b.AfterSeconds != nil {
		sub.After = time.Duration(*b.AfterSeconds * float64(time.Second))
	}
	if err := b.task(&sub.Task, &agent, by); err != nil {
		return nil, err
	}
	context, err := contextOf(b)
	if err != nil {
		return nil, err
	}
	merged, context, err := mergeConfig(a.Config, a.Context, b.Config, context)
	if err != nil {
		return nil, err
	}
	if err := applyConfig(&sub.Task, &agent, merged, context); err != nil {
		return nil, err
	}
	sub.Config = withConfigurable(b.Config)
	sub.Request, err = b.request(merged, context, sub)
	return sub, err
}

func is(given *string, value string) bool { return given != nil && *given == value }

// task fills in where the run begins, and with what.
func (b *runCreate) task(t *runs.Task, agent *runs.Agent, by string) (err error) {
	if t.Checkpoint, err = b.Checkpoint.at(b.CheckpointID); err != nil {
		return err
	}
	if b.InterruptBefore != nil {
		t.InterruptBefore = *b.InterruptBefore
	}
	if b.InterruptAfter != nil {
		t.InterruptAfter = *b.InterruptAfter
	}
	switch {
	case b.Command != nil:
		return b.Command.task(t, agent, by)
	case !given(b.Input):
		t.Continue = true
		return nil
	}
	in, err := readInput(agent, b.Input)
	if err != nil {
		return err
	}
	in.begin(t)
	return nil
}

func contextOf(b *runCreate) (json.RawMessage, error) {
	if b.Context == nil {
		return nil, nil
	}
	return json.Marshal(b.Context)
}

// mergeConfig adds a configuration and a context to those of an assistant. As in LangGraph, a configuration whose configurable is given is also
// the context, and the other way round.
func mergeConfig(oldConfig, oldContext runs.Document, config, context json.RawMessage) (_, _ runs.Document, err error) {
	base, err := object("config", oldConfig)
	if err != nil {
		return nil, nil, err
	}
	added, err := object("config", config)
	if err != nil {
		return nil, nil, err
	}
	configurable, err := object("config.configurable", added["configurable"])
	if err != nil {
		return nil, nil, err
	}
	if given(context) && len(configurable) > 0 {
		return nil, nil, detail.Errorf(http.StatusBadRequest, "Cannot specify both configurable and context. Prefer setting context alone.")
	}
	if given(context) {
		if configurable, err = object("context", context); err != nil {
			return nil, nil, err
		}
	}
	all, err := object("context", oldContext)
	if err != nil {
		return nil, nil, err
	}
	maps.Copy(all, configurable)
	maps.Copy(base, added)
	if len(all) > 0 {
		if base["configurable"], err = json.Marshal(all); err != nil {
			return nil, nil, err
		}
	}
	return document(base), document(all), nil
}

// object reads a member that must be an object; without it, it is empty.
func object(name string, raw json.RawMessage) (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	if !given(raw) {
		return out, nil
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, unprocessable("%s is not of type \"object\"", name)
	}
	return out, nil
}

// document returns an object as a store keeps it; nil if it is empty.
func document(object map[string]json.RawMessage) runs.Document {
	if len(object) == 0 {
		return nil
	}
	out, err := json.Marshal(object)
	if err != nil { // its parts were read from JSON
		return nil
	}
	return out
}

// applyConfig fills in what a configuration and a context say.
func applyConfig(t *runs.Task, agent *runs.Agent, merged, context runs.Document) error {
	var own config
	if len(merged) > 0 {
		if err := json.Unmarshal(merged, &own); err != nil {
			return unprocessable("config: %v", err)
		}
	}
	if own.RecursionLimit != nil {
		if t.RecursionLimit = *own.RecursionLimit; t.RecursionLimit < 1 {
			return unprocessable("config.recursion_limit is %d; it must be at least 1", t.RecursionLimit)
		}
	}
	// An agent with several models lets a run choose one. Without them the key is the application's own.
	if raw, ok := own.Configurable["model"]; ok && len(agent.Models) > 0 {
		if err := json.Unmarshal(raw, &t.Model); err != nil {
			return unprocessable("config.configurable.model is not of type \"string\"")
		}
	}
	if len(context) == 0 {
		return nil
	}
	value, err := wire.FromJSON(context, wire.Limits{})
	if err != nil {
		return unprocessable("the context cannot be used: %v", err)
	}
	t.Context = value
	return nil
}

// withConfigurable returns a configuration as threads show it.
func withConfigurable(raw json.RawMessage) runs.Document {
	all, err := object("config", raw)
	if err != nil {
		return nil
	}
	if _, ok := all["configurable"]; !ok {
		all["configurable"] = json.RawMessage("{}")
	}
	return document(all)
}

// request returns what the client asked for, as runs show it.
func (b *runCreate) request(merged, context runs.Document, sub *runs.Submission) (runs.Document, error) {
	modes, err := b.modes()
	if err != nil {
		return nil, err
	}
	out := map[string]any{
		"input": b.Input, "command": nil, "config": orEmpty(merged), "context": orEmpty(context), "stream_mode": modes,
		"interrupt_before": nil, "interrupt_after": nil, "webhook": b.Webhook, "feedback_keys": b.FeedbackKeys,
		"temporary": sub.Thread == "" && !sub.Keep, "subgraphs": b.StreamSubgraphs, "resumable": b.StreamResumable, "checkpoint_during": true,
		"durability": "async",
	}
	if !given(b.Input) {
		out["input"] = nil
	}
	if b.Command != nil {
		out["command"] = map[string]any{"resume": orNull(b.Command.Resume), "update": orNull(b.Command.Update), "goto": orNull(b.Command.Goto)}
	}
	if b.InterruptBefore != nil {
		out["interrupt_before"] = b.InterruptBefore
	}
	if b.InterruptAfter != nil {
		out["interrupt_after"] = b.InterruptAfter
	}
	if b.Durability != nil {
		out["durability"] = *b.Durability
	}
	if b.CheckpointDuring != nil {
		out["checkpoint_during"] = *b.CheckpointDuring
	}
	return json.Marshal(out)
}

func orNull(raw json.RawMessage) json.RawMessage {
	if !given(raw) {
		return json.RawMessage("null")
	}
	return raw
}
