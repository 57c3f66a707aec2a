package openai

import (
	"encoding/json"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/openai/internal/answer"
)

// response is a run as a response.
type response struct {
	ID           string            `json:"id"`
	Object       string            `json:"object" enum:"response"`
	Created      int64             `json:"created_at"`
	Status       string            `json:"status" enum:"queued,in_progress,completed,incomplete,failed,cancelled"`
	Background   bool              `json:"background"`
	Error        *responseFailure  `json:"error"`
	Incomplete   *incomplete       `json:"incomplete_details"`
	Instructions json.RawMessage   `json:"instructions" type:"string,null"`
	MaxOutput    *int              `json:"max_output_tokens"`
	Model        string            `json:"model"`
	Output       []outputItem      `json:"output"`
	Parallel     bool              `json:"parallel_tool_calls"`
	Previous     *string           `json:"previous_response_id"`
	Conversation *conversation     `json:"conversation"`
	Reasoning    json.RawMessage   `json:"reasoning" type:"object,null"`
	Store        bool              `json:"store"`
	Temperature  *float64          `json:"temperature"`
	Text         json.RawMessage   `json:"text" type:"object"`
	ToolChoice   json.RawMessage   `json:"tool_choice" type:"string,object"`
	Tools        json.RawMessage   `json:"tools" type:"array"`
	TopP         *float64          `json:"top_p"`
	Truncation   string            `json:"truncation"`
	Usage        *responseUsage    `json:"usage"`
	Metadata     map[string]string `json:"metadata"`
	Agenthost    *aside            `json:"agenthost"`
}

type responseFailure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type incomplete struct {
	Reason string `json:"reason"`
}

type conversation struct {
	ID string `json:"id"`
}

// responseUsage is how many tokens all model calls of a run have used.
type responseUsage struct {
	Input   uint64 `json:"input_tokens"`
	InputOf struct {
		Cached uint64 `json:"cached_tokens"`
		Wrote  uint64 `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	Output   uint64 `json:"output_tokens"`
	OutputOf struct {
		Reasoning uint64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	Total uint64 `json:"total_tokens"`
}

// asked is what a response repeats of the request.
type asked struct {
	Background   bool              `json:"background"`
	Instructions json.RawMessage   `json:"instructions"`
	Previous     *string           `json:"previous_response_id"`
	Reasoning    json.RawMessage   `json:"reasoning"`
	Store        *bool             `json:"store"`
	Text         json.RawMessage   `json:"text"`
	ToolChoice   json.RawMessage   `json:"tool_choice"`
	Tools        json.RawMessage   `json:"tools"`
	Metadata     map[string]string `json:"metadata"`
}

// responseOf returns a run as a response, with what came of it; nil: it is not over.
func responseOf(v *view, a *answer.Answer) *response {
	var r asked
	_ = json.Unmarshal(v.kept.Request, &r) // the door has written it
	out := &response{
		ID: responsePrefix + v.run.ID, Object: "response", Created: v.run.Created.Unix(), Status: statusOf(v.run, a), Background: r.Background,
		Instructions: or(r.Instructions, "null"), Model: v.kept.Model, Output: []outputItem{}, Parallel: true, Previous: r.Previous,
		Conversation: &conversation{door.ConversationPrefix + v.run.Thread}, Reasoning: or(r.Reasoning, "null"), Store: r.Store == nil || *r.Store,
		Text: or(r.Text, `{"format":{"type":"text"}}`), ToolChoice: or(r.ToolChoice, `"auto"`), Tools: or(r.Tools, "[]"), Truncation: "disabled",
		Metadata: r.Metadata, Agenthost: &aside{Thread: v.run.Thread, Run: v.run.ID},
	}
	if out.Metadata == nil {
		out.Metadata = map[string]string{}
	}
	if a == nil {
		return out
	}
	out.Output, out.Usage, out.Agenthost = outputOf(v, a), responseUsageOf(a), asideOf(v.run, a)
	switch out.Status {
	case statusFailed:
		f := faultOf(v.run, a)
		out.Error = &responseFailure{"server_error", f.Text}
	case statusIncomplete:
		out.Incomplete = &incomplete{"max_output_tokens"}
		if a.Ending() == model.Filtered {
			out.Incomplete.Reason = "content_filter"
		}
	}
	return out
}

// or returns a member, or a text in JSON in place of none.
func or(member json.RawMessage, otherwise string) json.RawMessage {
	if !given(member) {
		return json.RawMessage(otherwise)
	}
	return member
}

// The statuses of responses.
const (
	statusQueued     = "queued"
	statusInProgress = "in_progress"
	statusCompleted  = "completed"
	statusIncomplete = "incomplete"
	statusFailed     = "failed"
	statusCancelled  = "cancelled"
)

func statusOf(run *runs.Run, a *answer.Answer) string {
	switch {
	case a == nil && run.Status == runs.Pending:
		return statusQueued
	case a == nil:
		return statusInProgress
	case a.Cancelled:
		return statusCancelled
	case faultOf(run, a) != nil:
		return statusFailed
	}
	if reason := finish(a); reason == "length" || reason == "content_filter" {
		return statusIncomplete
	}
	return statusCompleted
}

func responseUsageOf(a *answer.Answer) *responseUsage {
	u := a.Usage
	out := &responseUsage{Input: u.InputTokens, Output: u.OutputTokens, Total: u.TotalTokens}
	out.InputOf.Cached, out.InputOf.Wrote, out.OutputOf.Reasoning = u.CacheReadTokens, u.CacheCreationTokens, u.ReasoningTokens
	return out
}
