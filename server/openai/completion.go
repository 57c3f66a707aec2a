package openai

import (
	"encoding/json"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/openai/internal/answer"
)

// completion is a chat completion.
type completion struct {
	ID        string             `json:"id"`
	Object    string             `json:"object" enum:"chat.completion"`
	Created   int64              `json:"created"`
	Model     string             `json:"model"`
	Choices   []completionChoice `json:"choices"`
	Usage     *usage             `json:"usage"`
	Agenthost *aside             `json:"agenthost"`
}

type completionChoice struct {
	Index        int               `json:"index"`
	Message      completionMessage `json:"message"`
	Logprobs     *struct{}         `json:"logprobs"`
	FinishReason string            `json:"finish_reason" enum:"stop,length,tool_calls,content_filter"`
}

type completionMessage struct {
	Role      string           `json:"role" enum:"assistant"`
	Content   *string          `json:"content"`
	Refusal   *string          `json:"refusal"`
	Reasoning string           `json:"reasoning_content,omitempty"`
	ToolCalls []completionCall `json:"tool_calls,omitempty"`
}

// completionCall is a call of a tool of the client.
type completionCall struct {
	ID       string             `json:"id"`
	Type     string             `json:"type" enum:"function"`
	Function completionFunction `json:"function"`
}

type completionFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments" jsonschema:"An object in JSON."`
}

// aside is what this server says beside an answer.
type aside struct {
	Thread     string             `json:"thread" jsonschema:"The thread, for the header X-Agenthost-Thread."`
	Run        string             `json:"run"`
	Interrupts []questionDocument `json:"interrupts,omitempty" jsonschema:"What the agent asks."`
	Content    *string            `json:"content,omitempty" jsonschema:"The whole text, if it differs from the pieces that were sent."`
}

// questionDocument is a question of an agent.
type questionDocument struct {
	ID    string          `json:"id"`
	Value json.RawMessage `json:"value" type:"object,array,string,number,boolean,null"`
}

func asideOf(run *runs.Run, a *answer.Answer) *aside {
	out := &aside{Thread: run.Thread, Run: run.ID}
	for _, q := range a.Questions {
		out.Interrupts = append(out.Interrupts, questionDocument{q.ID, json.RawMessage(q.Value.JSON())})
	}
	return out
}

// usage is how many tokens all model calls of a run have used.
type usage struct {
	Prompt     uint64 `json:"prompt_tokens"`
	Completion uint64 `json:"completion_tokens"`
	Total      uint64 `json:"total_tokens"`
	PromptOf   struct {
		Cached uint64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionOf struct {
		Reasoning uint64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

func usageOf(u abi.Usage) *usage {
	out := &usage{Prompt: u.InputTokens, Completion: u.OutputTokens, Total: u.TotalTokens}
	out.PromptOf.Cached, out.CompletionOf.Reasoning = u.CacheReadTokens, u.ReasoningTokens
	return out
}

// completionID returns the id of a run as a chat completion.
func completionID(run *runs.Run) string { return "chatcmpl-" + run.ID }

// completionOf returns the answer of a run as a chat completion.
func completionOf(v *view, a *answer.Answer) *completion {
	m := completionMessage{Role: "assistant", ToolCalls: callsOf(a.Calls)}
	text := a.Text()
	switch {
	case v.wants() && a.Structured == nil && len(a.Calls) == 0: // a text in place of the value that was asked for
		m.Refusal = &text
	case text != "" || len(a.Calls) == 0:
		m.Content = &text
	}
	if v.shows(showReasoning) {
		m.Reasoning = a.Reasoning()
	}
	return &completion{
		ID: completionID(v.run), Object: "chat.completion", Created: v.run.Created.Unix(), Model: v.kept.Model,
		Choices: []completionChoice{{Message: m, FinishReason: finish(a)}}, Usage: usageOf(a.Usage), Agenthost: asideOf(v.run, a),
	}
}

// wants reports whether the client wants a value.
func (v *view) wants() bool { return v.want.json() }

func callsOf(calls []host.ClientCall) (out []completionCall) {
	for _, call := range calls {
		out = append(out, completionCall{call.ID, "function", completionFunction{call.Name, call.Args.JSON()}})
	}
	return out
}

// finish returns why an answer ended.
func finish(a *answer.Answer) string {
	if len(a.Calls) > 0 {
		return "tool_calls"
	}
	if len(a.Questions) > 0 {
		return "stop"
	}
	switch a.Ending() {
	case model.CutOff:
		return "length"
	case model.Filtered:
		return "content_filter"
	default:
		return "stop"
	}
}

// faultOf returns the error for a run that gave no answer; nil if it gave one.
func faultOf(run *runs.Run, a *answer.Answer) *fault {
	switch {
	case a.Cancelled:
		return cancelled(run)
	case a.Failure != nil:
		return failureOf(a.Failure)
	case run.Status != runs.Success:
		return failureOf(&runs.Failure{Type: string(run.Status), Message: "the run has ended with the status " + string(run.Status)})
	default:
		return nil
	}
}
