package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// chatPath is the path of the API.
const chatPath = "chat/completions"

// completion is an answer of the Chat Completions API, or a piece of one.
type completion struct {
	ID      provider.ID     `json:"id"`
	Model   string          `json:"model"`
	Object  string          `json:"object"`
	Choices list            `json:"choices"`
	Usage   json.RawMessage `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

// failed reports whether it is an error, in OpenAI's format or vLLM's older one.
func (c *completion) failed() bool { return isSet(c.Error) || c.Object == "error" }

type chatChoice struct {
	Index        int64           `json:"index"`
	FinishReason string          `json:"finish_reason"`
	Message      message         `json:"message"`
	Delta        message         `json:"delta"`                  // in a stream
	Error        json.RawMessage `json:"error"`                  // of OpenRouter's upstream
	Filter       json.RawMessage `json:"content_filter_results"` // of Azure
	Logprobs     json.RawMessage `json:"logprobs"`
}

// logprobs returns the candidates for the first token.
func (c *chatChoice) logprobs() []model.Logprob {
	var said struct {
		Content json.RawMessage `json:"content"`
	}
	if len(c.Logprobs) == 0 || json.Unmarshal(c.Logprobs, &said) != nil { // some servers have another format
		return nil
	}
	return firstToken(said.Content)
}

// message is a model's message.
type message struct {
	Content          json.RawMessage `json:"content"` // a text, or a list of parts
	Refusal          string          `json:"refusal"`
	ToolCalls        list            `json:"tool_calls"`
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	Reasoning        json.RawMessage `json:"reasoning"`
	ReasoningDetails json.RawMessage `json:"reasoning_details"`
	ThinkingBlocks   json.RawMessage `json:"thinking_blocks"` // from LiteLLM
}

// complete answers a request with the Chat Completions API.
func (m *Model) complete(ctx context.Context, req *model.Request) (*model.Response, error) {
	body, err := m.chatBody(req, false)
	if err != nil {
		return nil, err
	}
	text, err := m.endpoint.Ask(ctx, provider.Call{Path: chatPath, Body: body})
	if err != nil {
		return nil, err
	}
	return m.completed(text, req)
}

// completed reads a response that was not streamed.
func (m *Model) completed(text []byte, req *model.Request) (*model.Response, error) {
	var c completion
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, m.unreadable(text, "cannot be read: "+err.Error())
	}
	if c.failed() {
		return nil, provider.InStream(m.provider(), text)
	}
	d := draft{model: m}
	if _, err := d.add(&c, false); err != nil {
		return nil, err
	}
	if !d.begun {
		return nil, m.unreadable(text, "has no choices")
	}
	return d.response(req)
}

// draft is an answer of the Chat Completions API, complete or so far.
type draft struct {
	model    *Model
	begun    bool // a choice has arrived
	thoughts thoughts
	blocks   []abi.Block // blocks before the text in progress
	text     []byte
	refusal  []byte
	calls    calls
	usage    *abi.Usage
	end      answerEnd
}

// add adds an answer, or a piece of one, and returns what is new. Only the first of several choices counts.
func (d *draft) add(c *completion, streamed bool) (piece model.Chunk, err error) {
	if d.end.id == "" {
		d.end.id = string(c.ID)
	}
	if d.end.model == "" {
		d.end.model = c.Model
	}
	if usage := tokens(c.Usage); usage != nil {
		d.usage = usage
	}
	for _, text := range c.Choices {
		var choice chatChoice
		if err := json.Unmarshal(text, &choice); err != nil {
			return piece, d.broken(err)
		}
		if choice.Index != 0 {
			continue
		}
		if isSet(choice.Error) {
			return piece, provider.InStream(d.model.provider(), text)
		}
		d.begun = true
		if found := provider.Filtered(choice.Filter); len(found) > 0 {
			d.end.filtered = found
		}
		if d.end.logprobs == nil {
			d.end.logprobs = choice.logprobs()
		}
		if choice.FinishReason != "" {
			d.end.stop = choice.FinishReason
		}
		said := &choice.Message
		if streamed {
			said = &choice.Delta
		}
		if piece, err = d.say(said, streamed); err != nil {
			return piece, d.broken(err)
		}
		break
	}
	return piece, nil
}

// broken returns the error for an answer that cannot be read in part.
func (d *draft) broken(err error) error {
	return provider.Broken(d.model.provider(), "the answer cannot be read: "+err.Error())
}

// say adds the content of a message.
func (d *draft) say(m *message, streamed bool) (piece model.Chunk, err error) {
	if piece.Reasoning, err = d.thoughts.add(m, streamed); err != nil {
		return piece, err
	}
	var text, thought strings.Builder
	thought.WriteString(piece.Reasoning)
	if err := d.content(m.Content, &text, &thought); err != nil {
		return piece, err
	}
	text.WriteString(m.Refusal)
	d.refusal = append(d.refusal, m.Refusal...)
	piece.Text, piece.Reasoning = text.String(), thought.String()
	for _, entry := range m.ToolCalls {
		call, err := readCall(entry)
		if err != nil {
			return piece, err
		}
		grown, err := d.calls.add(call, streamed)
		if err != nil {
			return piece, err
		}
		if grown.Says() {
			piece.Calls = append(piece.Calls, grown)
		}
	}
	return piece, nil
}

// content adds the content of a message: a text, or the parts that some servers send.
func (d *draft) content(content json.RawMessage, text, thought *strings.Builder) error {
	if len(content) == 0 {
		return nil
	}
	if content[0] != '[' {
		var said string
		err := json.Unmarshal(content, &said)
		d.text = append(d.text, said...)
		text.WriteString(said)
		return err
	}
	var parts list
	if err := json.Unmarshal(content, &parts); err != nil {
		return err
	}
	for _, part := range parts {
		if err := d.part(part, text, thought); err != nil {
			return err
		}
	}
	return nil
}

// contentPart is a part of a message's content.
type contentPart struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Refusal  string          `json:"refusal"`
	Thinking json.RawMessage `json:"thinking"` // from Mistral: a list of parts
}

// part adds a part of a message's content.
func (d *draft) part(of json.RawMessage, text, thought *strings.Builder) error {
	var p contentPart
	if err := json.Unmarshal(of, &p); err != nil {
		return err
	}
	switch p.Type {
	case "text", "output_text":
		d.text = append(d.text, p.Text...)
		text.WriteString(p.Text)
		return nil
	case "refusal":
		d.refusal = append(d.refusal, p.Refusal...)
		text.WriteString(p.Refusal)
		return nil
	case keyThinking:
		said, err := p.thought()
		thought.WriteString(d.thoughts.say(keyThinking, said))
		return err
	}
	block, err := partBlock(of)
	if err != nil {
		return err
	}
	if len(d.blocks) >= maxList {
		return fmt.Errorf("the content has more than %d parts", maxList)
	}
	d.flush()
	d.blocks = append(d.blocks, block)
	return nil
}

// thought returns the text of a thinking part.
func (p *contentPart) thought() (string, error) {
	var plain string
	if json.Unmarshal(p.Thinking, &plain) == nil {
		return plain, nil
	}
	var parts list
	if err := json.Unmarshal(p.Thinking, &parts); err != nil {
		return "", err
	}
	var out []byte
	for _, part := range parts {
		var p contentPart
		if err := json.Unmarshal(part, &p); err != nil {
			return "", err
		}
		out = append(out, p.Text...)
	}
	return string(out), nil
}

// partBlock returns the block for a part that only the server understands.
func partBlock(text json.RawMessage) (abi.Block, error) {
	value, err := wire.FromJSON(text, wire.Limits{MaxBytes: provider.MaxResponse})
	if err != nil {
		return abi.Block{}, err
	}
	return abi.BlockOf(wire.Map{{Key: KeyPart, Value: value}, {Key: "type", Value: wire.String(blockPart)}}), nil
}

// flush completes the text in progress.
func (d *draft) flush() {
	if len(d.text) > 0 {
		d.blocks = append(d.blocks, abi.TextBlock(string(d.text)))
	}
	d.text = nil
}

// response returns the answer to a request.
func (d *draft) response(req *model.Request) (*model.Response, error) {
	out := abi.Message{Usage: d.usage}
	calls := d.calls.whole()
	for _, call := range calls {
		provider.AddCall(&out, call.id, call.name, call.arguments)
	}
	if err := keep(&out, calls); err != nil {
		return nil, d.broken(err)
	}
	d.flush()
	if len(d.refusal) > 0 {
		d.end.stop = stopRefusal
		d.blocks = append(d.blocks, abi.RefusalBlock(string(d.refusal), ""))
	}
	thought, ok, err := d.thoughts.block(len(calls) > 0)
	if err != nil {
		return nil, d.broken(err)
	}
	if ok {
		d.blocks = append([]abi.Block{thought}, d.blocks...)
	}
	out.Content = provider.Blocks(d.blocks)
	return d.model.response(&out, d.end, req)
}
