package frames

import (
	"encoding/json"
	"strconv"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/server/internal/langchain"
)

// chains shows a run as LangChain's astream_events does: chains, models and tools that begin, go on and end. A nil chains shows nothing.
type chains struct {
	t     *Translator
	calls int // model calls of the present step
}

func newChains(t *Translator) *chains { return &chains{t: t} }

// emit adds a frame of one event.
func (c *chains) emit(event, name, id string, tags, parents []string, data map[string]any) {
	c.t.emit("events", map[string]any{
		"event": event, "name": name, "run_id": id, "tags": tags, "parent_ids": parents, "metadata": c.t.metadata(), "data": data,
	})
}

func (c *chains) root(event string, data map[string]any) {
	run := c.t.config.Run
	c.emit(event, run.Agent, run.ID, []string{}, []string{}, data)
}

func (c *chains) step(event string, data map[string]any) {
	k := c.t.task
	c.emit(event, k.name, k.id, []string{"graph:step:" + strconv.Itoa(k.step)}, []string{c.t.config.Run.ID}, data)
}

// inner adds a frame about a model or a tool.
func (c *chains) inner(event, name, id string, data map[string]any) {
	parents := []string{c.t.config.Run.ID}
	if c.t.task != nil {
		parents = append(parents, c.t.task.id)
	}
	c.emit(event, name, id, []string{"seq:step:1"}, parents, data)
}

// began shows that the run begins.
func (c *chains) began() {
	if c != nil {
		input := c.t.config.Input
		if input == nil {
			input = json.RawMessage("null")
		}
		c.root("on_chain_start", map[string]any{"input": input})
	}
}

// started shows that a step begins.
func (c *chains) started() {
	if c == nil {
		return
	}
	c.calls = 0
	c.step("on_chain_start", map[string]any{"input": c.t.task.before})
	if c.t.task.name == "model" {
		c.inner("on_chat_model_start", c.modelName(), c.modelID(), c.question())
	}
}

// The name of a model is known when it has answered, so that it is called by its kind.
func (c *chains) modelName() string { return "ChatModel" }

func (c *chains) modelID() string { return c.t.id("model/" + c.stepID() + "/" + strconv.Itoa(c.calls)) }

func (c *chains) stepID() string {
	if c.t.task == nil {
		return ""
	}
	return c.t.task.id
}

func (c *chains) question() map[string]any {
	messages := make([]json.RawMessage, len(c.t.now.messages))
	for i := range messages {
		messages[i] = c.t.now.messages[i].text
	}
	return map[string]any{"input": map[string]any{"messages": [][]json.RawMessage{messages}}}
}

// piece shows a piece of an answer.
func (c *chains) piece(chunk json.RawMessage) {
	if c != nil {
		c.inner("on_chat_model_stream", c.modelName(), c.modelID(), map[string]any{"chunk": chunk})
	}
}

// answered shows the answer of a model.
func (c *chains) answered(m *abi.Message) {
	if c == nil || c.t.task == nil {
		return
	}
	data := c.question()
	data["output"] = langchain.Message(m)
	c.inner("on_chat_model_end", c.modelName(), c.modelID(), data)
	c.calls++
}

// called shows the beginning or the end of a tool call.
func (c *chains) called(e *host.Event) {
	if c == nil || e.Call == nil {
		return
	}
	id := c.t.id("tool/" + c.stepID() + "/" + e.Call.ID)
	data := map[string]any{"input": json.RawMessage(e.Call.Args.JSON())}
	switch {
	case e.Error != nil:
		data["error"] = e.Error.Message
		c.inner("on_tool_error", e.Call.Name, id, data)
	case len(e.Messages) > 0:
		data["output"] = langchain.Message(&e.Messages[0])
		c.inner("on_tool_end", e.Call.Name, id, data)
	case e.Duration == 0:
		c.inner("on_tool_start", e.Call.Name, id, data)
	}
}

// finished shows that a step has ended.
func (c *chains) finished(result map[string]any) {
	if c == nil {
		return
	}
	c.step("on_chain_stream", map[string]any{"chunk": result})
	c.step("on_chain_end", map[string]any{"output": result, "input": c.t.task.before})
}

// ended shows that the run has ended.
func (c *chains) ended() {
	if c != nil {
		c.root("on_chain_end", map[string]any{"output": c.t.now})
	}
}
