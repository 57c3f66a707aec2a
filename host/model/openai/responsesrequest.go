package openai

import (
	"encoding/json"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// responsesReserved lists the fields of a request that settings cannot set.
var responsesReserved = []string{"input", "instructions", "model", "stream", "previous_response_id", "conversation", "background"}

// encryptedReasoning must be included in responses to send reasoning back when OpenAI does not store it.
const encryptedReasoning = "reasoning.encrypted_content"

// plainModels matches models that do not reason. They refuse requests for encrypted reasoning ("Encrypted content is not
// supported with this model"), and requests that contain it.
var plainModels = lazyregexp.New(`^(.*[:/])?(chatgpt|gpt-[34])|-chat\b`)

// responsesBody makes the body of a request with this history.
func (m *Model) responsesBody(req *model.Request, history *past, stream bool) (object, error) {
	body, err := m.responsesSettings(req.Settings)
	if err != nil {
		return nil, err
	}
	rename(body, "max_tokens", "max_output_tokens")
	if _, ok := body["store"]; !ok {
		body["store"] = m.UsePreviousResponseID
	}
	stored := body["store"] == true
	history.plain = plainModels().MatchString(m.Name)
	if _, ok := body["include"]; !ok && (!stored || m.UsePreviousResponseID) && !history.plain {
		body["include"] = []any{encryptedReasoning}
	}
	body["model"] = m.Name
	history.put(body, req.Messages.Messages(), stored)
	if !req.System.IsZero() {
		body["instructions"] = textOf(req.System)
	}
	tools := make([]object, len(req.Tools))
	for i := range req.Tools {
		tools[i] = function(&req.Tools[i])
		tools[i]["type"], tools[i]["strict"] = "function", false // strict is the default of this API, and changes schemas
		provider.AddExtras(tools[i], &req.Tools[i], extras...)
	}
	choice := chosen(req.ToolChoice, func(name string) object { return object{"type": "function", "name": name} })
	if tools, err = m.addProviderTools(tools, req.ProviderTools); err != nil {
		return nil, err
	}
	if err := m.addTools(body, tools, choice); err != nil {
		return nil, err
	}
	if req.Format != nil {
		format := schemaOf(req.Format)
		format["type"] = "json_schema"
		text, ok := body["text"].(object) // other keys of the setting stay
		if !ok {
			text = object{}
		}
		text["format"] = format
		body["text"] = text
	}
	if req.TopLogprobs > 0 {
		askForTokens(body, req.TopLogprobs)
	}
	if stream {
		body["stream"] = true
	}
	return body, nil
}

// past converts a history for a request.
type past struct {
	model   *Model
	stored  bool // OpenAI stores its answers
	plain   bool // the model does not reason
	items   []any
	waiting openCalls

	whole    bool   // the history is sent, whatever OpenAI has stored
	previous string // the id of the answer that is sent in place of the history up to it; "": the history is sent
	mark     string // identifies the history; "" if the answer is not stored
}

// read returns the items of the history.
func (p *past) read(all []abi.Message) []any {
	for i := range all {
		switch m := &all[i]; m.Role {
		case abi.RoleSystem:
			p.add(object{"role": "system", "content": textOf(m.Content)})
		case abi.RoleTool:
			p.result(m)
		case abi.RoleAI:
			p.answer(m, all[i+1:])
		default:
			p.add(object{"role": "user", "content": inputContent(m.Content)})
		}
	}
	if len(p.items) == 0 { // the API refuses an empty list
		p.add(object{"role": "user", "content": ""})
	}
	return p.items
}

func (p *past) add(items ...any) { p.items = append(p.items, items...) }

// result adds the answer to a call. The API has no field for its status.
func (p *past) result(m *abi.Message) {
	if p.waiting.take(m) {
		p.add(object{"type": "function_call_output", "call_id": p.model.idOf(m.ToolCallID), "output": inputContent(m.Content)})
		return
	}
	content := abi.Blocks(append([]abi.Block{abi.TextBlock(returned(m))}, m.Content.Blocks()...)...)
	p.add(object{"role": "user", "content": inputContent(content)})
}

// answer adds the items of a message of the model, in their original order as far as it is known. Calls follow the rest.
func (p *past) answer(m *abi.Message, following []abi.Message) {
	mine := p.model.mine(m)
	before := map[string][]any{} // from the id of a call to the reasoning that led to it
	thinks := 0                  // number of reasoning items at the end, which the API refuses if nothing follows
	for _, block := range m.Content.Blocks() {
		own := block.Fields().Get(KeyItem)
		switch id := block.String(keyBefore); {
		case block.Type() == abi.BlockReasoning:
			thought, ok := p.thought(block)
			switch {
			case !ok || !mine:
			case id != "":
				before[id] = append(before[id], thought)
			default:
				p.add(thought)
				thinks++
			}
			continue
		case block.Type() == blockItem && mine && own.IsMap():
			p.add(own)
		default:
			said := p.said(block, mine)
			if said == nil {
				continue
			}
			p.add(said)
		}
		thinks = 0
	}
	calls := callsOf(m, following)
	if len(calls) == 0 {
		p.items = p.items[:len(p.items)-thinks]
	}
	for _, call := range calls {
		p.add(before[call.id]...)
		delete(before, call.id)
		p.add(object{"type": "function_call", "call_id": p.model.idOf(call.id), "name": call.name, "arguments": call.arguments})
	}
	p.waiting = openCallsOf(calls)
}

// thought returns the item for a reasoning block; false if it would be useless: not stored, not encrypted, and without text.
func (p *past) thought(block abi.Block) (any, bool) {
	own, signature := block.Fields().Get(KeyItem), block.String("signature")
	if !own.IsMap() || p.plain {
		return nil, false
	}
	fields := fieldsOf(own)
	if signature != "" {
		fields[keyEncrypted], _ = json.Marshal(signature) //nolint:errchkjson // a string can always be encoded
	}
	return fields, p.stored || signature != "" || isSet(fields["content"]) && string(fields["content"]) != "[]"
}

// said returns the item for a block of the model's output; nil if it is empty.
func (p *past) said(block abi.Block, mine bool) any {
	part := object{"type": "output_text", "text": provider.SaidOf(block), "annotations": []any{}}
	if given := block.Fields().Get(keyAnnotations); mine && given.IsArray() {
		part[keyAnnotations] = given
	}
	out := object{"type": "message", "role": "assistant", "content": []any{part}}
	if own, ok := p.model.partOf(block); ok && mine {
		out["content"] = []any{own}
	} else if part["text"] == "" {
		return nil
	}
	if phase := block.String(keyPhase); phase != "" && mine {
		out["phase"] = phase
	}
	return out
}
