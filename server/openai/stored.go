package openai

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/internal/detail"
	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/openai/internal/answer"
)

// view returns the response that a path names.
func (h *Handler) view(c *door.Call) (*view, error) {
	id := c.R.PathValue("response")
	run, err := h.response(c.R.Context(), c.Owner, id)
	if err != nil {
		return nil, err
	}
	v, err := viewOf(run)
	if errors.Is(err, runs.ErrNoRun) {
		err = notFound("response_not_found", "Response with id %.100q not found.", id)
	}
	if err != nil {
		return nil, err
	}
	c.W.Header().Set(threadHeader, run.Thread)
	c.W.Header().Set(runHeader, run.ID)
	return v, nil
}

// readResponse answers with a response as it is, or with its stream.
func (h *Handler) readResponse(c *door.Call) error {
	v, err := h.view(c)
	if err != nil {
		return err
	}
	if flag := c.R.URL.Query().Get("stream"); flag != "true" && flag != "1" {
		return h.answer(c, v)
	}
	if !v.run.Resumable {
		return invalid("stream", "only a response that was made with background: true can be streamed again")
	}
	after := 0
	if text := c.R.URL.Query().Get("starting_after"); text != "" {
		if after, err = strconv.Atoi(text); err != nil || after < 0 || after > math.MaxInt32 {
			return invalid("starting_after", "starting_after is %.40q; it must be the sequence_number of an event", text)
		}
	}
	return h.Stream(c, func() (door.Reply, error) { return h.stream(c, h.source(v, newItems(v, after)), false), nil })
}

// answer answers with a response as it is.
func (h *Handler) answer(c *door.Call, v *view) error {
	var whole *answer.Answer
	if v.run.Status.Over() {
		var err error
		if whole, err = h.whole(c.R.Context(), v); err != nil {
			return err
		}
	}
	return c.Answer(responseOf(v, whole))
}

// deleted says that something is gone.
type deleted struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Deleted bool   `json:"deleted"`
}

// deleteResponse removes a response, and the thread of one that is the only one there if the client may remove threads.
func (h *Handler) deleteResponse(c *door.Call) error {
	v, err := h.view(c)
	if err != nil {
		return err
	}
	if !v.run.Status.Over() {
		return &fault{told: detail.Errorf(http.StatusConflict, "The response is not over; cancel it first."), code: "response_active"}
	}
	all, err := h.Service.FindRuns(c.R.Context(), c.Owner, v.run.Thread, &runs.RunQuery{Limit: 2})
	if err != nil {
		return err
	}
	if len(all) == 1 && c.Principal.Can(auth.ScopeThreads) {
		err = h.Service.DeleteThread(c.R.Context(), c.Owner, v.run.Thread)
	} else {
		err = h.Service.DeleteRun(c.R.Context(), c.Owner, v.run.ID)
	}
	if err != nil {
		return err
	}
	return c.Answer(deleted{responsePrefix + v.run.ID, "response", true})
}

// cancelResponse cancels a response, and answers with what came of it. One that is over stays as it is.
func (h *Handler) cancelResponse(c *door.Call) error {
	v, err := h.view(c)
	if err != nil {
		return err
	}
	_, err = h.Service.Cancel(c.R.Context(), c.Owner, v.run.ID, runs.CancelKeep)
	if err != nil && !errors.Is(err, runs.ErrRunOver) {
		return err
	}
	// The run is cancelled even if the owner has too many streams to wait for its end.
	return h.Stream(c, func() (door.Reply, error) {
		return h.wait(c, v, false, func(whole *answer.Answer) (any, error) { return responseOf(v, whole), nil }), nil
	})
}

// itemList is a page of the input of a response.
type itemList struct {
	Object string           `json:"object" enum:"list"`
	Data   []map[string]any `json:"data"`
	First  *string          `json:"first_id"`
	Last   *string          `json:"last_id"`
	More   bool             `json:"has_more"`
}

// Limits of a page of items.
const (
	defaultItems = 20
	maxItems     = 100
)

// inputItems lists what the client sent for a response.
func (h *Handler) inputItems(c *door.Call) error {
	v, err := h.view(c)
	if err != nil {
		return err
	}
	task, err := runs.TaskOf(v.run)
	if err != nil {
		return err
	}
	query, limit := c.R.URL.Query(), defaultItems
	if text := query.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > maxItems {
			return invalid("limit", "limit is %.40q; it must be from 1 to %d", text, maxItems)
		}
	}
	items := itemsOf(v.run, task.Messages)
	if query.Get("order") != "asc" {
		slices.Reverse(items)
	}
	if after := query.Get("after"); after != "" {
		at := slices.IndexFunc(items, func(i map[string]any) bool { return i["id"] == after })
		items = items[at+1:]
	}
	out := itemList{Object: "list", Data: items[:min(limit, len(items))], More: len(items) > limit}
	if n := len(out.Data); n > 0 {
		first, last := fmt.Sprint(out.Data[0]["id"]), fmt.Sprint(out.Data[n-1]["id"])
		out.First, out.Last = &first, &last
	}
	return c.Answer(out)
}

// itemsOf returns messages of a client as items.
func itemsOf(run *runs.Run, messages []abi.Message) []map[string]any {
	out := []map[string]any{}
	add := func(item map[string]any) {
		item["id"], item["status"] = fmt.Sprintf("item_%s_%d", run.ID, len(out)+1), statusCompleted
		out = append(out, item)
	}
	for i := range messages {
		m := &messages[i]
		if m.Role == abi.RoleTool {
			add(map[string]any{"type": "function_call_output", "call_id": m.ToolCallID, "output": m.Content.Text()})
			continue
		}
		if parts := inputParts(m); len(parts) > 0 || len(m.ToolCalls) == 0 {
			add(map[string]any{"type": itemMessage, "role": roles[m.Role], "content": parts})
		}
		for _, call := range m.ToolCalls {
			add(map[string]any{"type": itemCall, "call_id": call.ID, "name": call.Name, "arguments": call.Args.JSON()})
		}
	}
	return out
}

var roles = map[abi.Role]string{abi.RoleSystem: "system", abi.RoleHuman: "user", abi.RoleAI: "assistant"}

// inputParts returns the content of a message of a client.
func inputParts(m *abi.Message) []map[string]any {
	out := []map[string]any{}
	for _, block := range m.Content.Blocks() {
		address := block.String("url")
		if data := block.Data(); data != nil {
			address = "data:" + block.String("mime_type") + ";base64," + base64.StdEncoding.EncodeToString(data)
		}
		switch block.Type() {
		case abi.BlockText:
			kind := "input_text"
			if m.Role == abi.RoleAI {
				kind = "output_text"
			}
			out = append(out, map[string]any{"type": kind, "text": block.Text()})
		case abi.BlockRefusal:
			out = append(out, map[string]any{"type": "refusal", "refusal": block.Text()})
		case abi.BlockImage:
			out = append(out, map[string]any{"type": "input_image", "image_url": address, "detail": "auto"})
		case abi.BlockFile:
			out = append(out, map[string]any{"type": "input_file", "filename": block.String("name"), "file_data": address})
		case abi.BlockAudio:
			out = append(out, map[string]any{"type": "input_audio", "input_audio": map[string]any{
				"data": base64.StdEncoding.EncodeToString(block.Data()), "format": block.String("mime_type"),
			}})
		}
	}
	return out
}
