package openai

import (
	"encoding/json"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// KeyItem is the key for the original item in a block of the Responses API, which is sent back in its place. Reasoning blocks
// have it, without the encrypted content, which is the block's signature. So do blocks of the type "openai_item", which hold
// all items without a block type here, such as web search results.
const KeyItem = "openai_item"

// blockItem is the type of a block for any other item.
const blockItem = "openai_item"

// These keys belong to blocks made from items. keyBefore in reasoning is the id of the call that it led to, before which it is
// sent back. In a text, keyPhase is what the API calls its phase, and keyAnnotations lists its sources.
const (
	keyBefore      = "openai_before"
	keyPhase       = "openai_phase"
	keyAnnotations = "annotations"
)

// keyEncrypted is the key in a reasoning item for content that only OpenAI can read.
const keyEncrypted = "encrypted_content"

// item is a part of an answer.
type item struct {
	Type      string          `json:"type"`
	CallID    provider.ID     `json:"call_id"`
	Name      string          `json:"name"`
	Arguments argsPiece       `json:"arguments"`
	Input     string          `json:"input"` // of a call with text instead of arguments
	Phase     string          `json:"phase"`
	Content   json.RawMessage `json:"content"`
	Summary   json.RawMessage `json:"summary"`
}

// itemPart is a part of an item.
type itemPart struct {
	Type        string          `json:"type"`
	Text        string          `json:"text"`
	Refusal     string          `json:"refusal"`
	Annotations json.RawMessage `json:"annotations"`
	Logprobs    json.RawMessage `json:"logprobs"`
}

// reader converts items to a message.
type reader struct {
	message *abi.Message
	blocks  []abi.Block
	text    []byte // plain text after the blocks
	led     int    // index of the first block that may be reasoning for a call still to come
	refused bool

	logprobs []model.Logprob // the candidates for the first token
}

// add adds an item.
func (r *reader) add(text json.RawMessage) error {
	var i item
	if err := json.Unmarshal(text, &i); err != nil {
		return err
	}
	switch i.Type {
	case "message":
		return r.addMessage(&i)
	case "function_call":
		r.addCall(string(i.CallID), i.Name, string(i.Arguments))
		return nil
	case "custom_tool_call":
		r.addCall(string(i.CallID), i.Name, i.Input)
		return nil
	case "reasoning":
		return r.addReasoning(&i, text)
	}
	value, err := wire.FromJSON(text, wire.Limits{MaxBytes: provider.MaxResponse}) // it may contain an image
	if err != nil {
		return err
	}
	r.addBlock(abi.BlockOf(wire.Map{{Key: KeyItem, Value: value}, {Key: "type", Value: wire.String(blockItem)}}))
	r.led = len(r.blocks)
	return nil
}

func (r *reader) addBlock(block abi.Block) {
	if len(r.text) > 0 {
		r.blocks = append(r.blocks, abi.TextBlock(string(r.text)))
	}
	r.text = nil
	r.blocks = append(r.blocks, block)
}

// addMessage adds a message of the model.
func (r *reader) addMessage(i *item) error {
	var parts list
	if err := json.Unmarshal(i.Content, &parts); err != nil {
		return err
	}
	for _, text := range parts {
		var p itemPart
		if err := json.Unmarshal(text, &p); err != nil {
			return err
		}
		block := abi.TextBlock(p.Text)
		switch p.Type {
		case "output_text", "text":
			if r.logprobs == nil {
				r.logprobs = firstToken(p.Logprobs)
			}
		case "refusal":
			r.refused = true
			block = abi.RefusalBlock(p.Refusal, "")
		default:
			var err error
			if block, err = partBlock(text); err != nil {
				return err
			}
			block = provider.With(block, keyAPI, wire.String(string(Responses)))
		}
		if len(p.Annotations) > 2 && p.Annotations[0] == '[' { // []
			value, err := wire.FromJSON(p.Annotations, wire.Limits{MaxBytes: provider.MaxResponse})
			if err != nil {
				return err
			}
			block = provider.With(block, keyAnnotations, value)
		}
		if i.Phase != "" {
			block = provider.With(block, keyPhase, wire.String(i.Phase))
		}
		if plain := len(block.Fields()) == 2 && block.Type() == abi.BlockText; plain {
			r.text = append(r.text, block.Text()...)
		} else {
			r.addBlock(block)
		}
	}
	r.led = len(r.blocks)
	return nil
}

// addCall adds a call. The reasoning that led to it must be sent back before it, but calls follow the content of a message; so
// the reasoning records the call's id.
func (r *reader) addCall(id, name, arguments string) {
	provider.AddCall(r.message, id, name, arguments)
	for ; r.led < len(r.blocks); r.led++ {
		if block := r.blocks[r.led]; block.Type() == abi.BlockReasoning {
			r.blocks[r.led] = provider.With(block, keyBefore, wire.String(id))
		}
	}
}

// addReasoning adds reasoning.
func (r *reader) addReasoning(i *item, text json.RawMessage) error {
	var kept wire.Map
	value, err := wire.FromJSON(text, wire.Limits{MaxBytes: provider.MaxResponse})
	if err != nil {
		return err
	}
	if _, err := kept.UnmarshalMsg(value); err != nil {
		return err
	}
	signature, _ := kept.Get(keyEncrypted).AsString()
	if signature != "" {
		kept.Delete(keyEncrypted)
	}
	var said []string
	for _, texts := range []json.RawMessage{i.Summary, i.Content} {
		var parts list
		if len(texts) == 0 {
			continue
		}
		if err := json.Unmarshal(texts, &parts); err != nil {
			return err
		}
		for _, text := range parts {
			var p itemPart
			if err := json.Unmarshal(text, &p); err != nil {
				return err
			}
			said = append(said, p.Text)
		}
	}
	r.addBlock(provider.With(abi.ReasoningBlock(strings.Join(said, "\n\n"), signature), KeyItem, kept.Raw()))
	return nil
}

// end sets the content of the message.
func (r *reader) end() {
	if len(r.text) > 0 {
		r.blocks = append(r.blocks, abi.TextBlock(string(r.text)))
	}
	r.message.Content = provider.Blocks(r.blocks)
}
