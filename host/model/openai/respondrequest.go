package openai

import (
	"encoding/json"
	"regexp"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// responsesReserved are the fields of a request that are no settings.
var responsesReserved = []string{"input", "instructions", "model", "stream", "previous_response_id", "conversation", "background"}

// encryptedReasoning is what must be included so that reasoning can be sent back by who does not store it at OpenAI.
const encryptedReasoning = "reasoning.encrypted_content"

// plainModels are the names of models that do not think. They refuse to be asked for encrypted reasoning ("Encrypted content
// is not supported with this model"), and to be sent any.
var plainModels = regexp.MustCompile(`^(.*[:/])?(chatgpt|gpt-[34])|-chat\b`)

// responsesBody makes the body of a request.
func (m *Model) responsesBody(req *model.Request, stream bool) (object, error) {
	body, err := provider.Settings(m.provider(), m.Settings, req.Settings, responsesReserved...)
	if err != nil {
		return nil, err
	}
	rename(body, "max_tokens", "max_output_tokens")
	if _, ok := body["store"]; !ok {
		body["store"] = false
	}
	past := past{model: m, stored: body["store"] == true, plain: plainModels.MatchString(m.Name)}
	if _, ok := body["include"]; !ok && !past.stored && !past.plain {
		body["include"] = []any{encryptedReasoning}
	}
	body["model"], body["input"] = m.Name, past.read(req.Messages.Messages())
	if !req.System.IsZero() {
		body["instructions"] = textOf(req.System)
	}
	tools := make([]object, len(req.Tools))
	for i := range req.Tools {
		tools[i] = function(&req.Tools[i])
		tools[i]["type"], tools[i]["strict"] = "function", false // strict is the default here, and changes schemas
	}
	choice := chosen(req.ToolChoice, func(name string) object { return object{"type": "function", "name": name} })
	if err := m.addTools(body, tools, choice); err != nil {
		return nil, err
	}
	if req.Format != nil {
		format := schemaOf(req.Format)
		format["type"] = "json_schema"
		text, ok := body["text"].(object) // what else a setting says of it stays
		if !ok {
			text = object{}
		}
		text["format"] = format
		body["text"] = text
	}
	if stream {
		body["stream"] = true
	}
	return body, nil
}

// past is a history on its way into a request.
type past struct {
	model   *Model
	stored  bool // OpenAI keeps its answers
	plain   bool // the model does not think
	items   []any
	waiting waiting
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
	if len(p.items) == 0 { // which the API refuses
		p.add(object{"role": "user", "content": ""})
	}
	return p.items
}

func (p *past) add(items ...any) { p.items = append(p.items, items...) }

// result adds the answer to a call. The API has no place for its status.
func (p *past) result(m *abi.Message) {
	if p.waiting.take(m) {
		p.add(object{"type": "function_call_output", "call_id": m.ToolCallID, "output": inputContent(m.Content)})
		return
	}
	content := abi.Blocks(append([]abi.Block{abi.TextBlock(returned(m))}, m.Content.Blocks()...)...)
	p.add(object{"role": "user", "content": inputContent(content)})
}

// answer adds the items of a message of the model, in the order in which they came as far as that is known: calls stand
// behind the rest.
func (p *past) answer(m *abi.Message, following []abi.Message) {
	mine := p.model.mine(m)
	before := map[string][]any{} // calls: the reasoning that led to them
	thinks := 0                  // how many items of reasoning stand last, which the API refuses where nothing follows
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
		p.add(object{"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments})
	}
	p.waiting = waitingFor(calls)
}

// thought is the item of a reasoning block; false if nobody could read it: what is neither stored nor encrypted, nor said.
func (p *past) thought(block abi.Block) (any, bool) {
	own, signature := block.Fields().Get(KeyItem), block.String("signature")
	if !own.IsMap() || p.plain {
		return nil, false
	}
	fields := fieldsOf(own)
	if signature != "" {
		fields[keyEncrypted], _ = json.Marshal(signature) //nolint:errchkjson // a string has a form
	}
	return fields, p.stored || signature != "" || isSet(fields["content"]) && string(fields["content"]) != "[]"
}

// said is the item of what the model says; nil if it says nothing.
func (p *past) said(block abi.Block, mine bool) any {
	part := object{"type": "output_text", "text": provider.TextOf(block), "annotations": []any{}}
	if given := block.Fields().Get(keyAnnotations); mine && given.IsArray() {
		part[keyAnnotations] = given
	}
	out := object{"type": "message", "role": "assistant", "content": []any{part}}
	if own := block.Fields().Get(KeyPart); block.Type() == blockPart && mine && own.IsMap() {
		out["content"] = []any{own}
	} else if part["text"] == "" {
		return nil
	}
	if phase := block.String(keyPhase); phase != "" && mine {
		out["phase"] = phase
	}
	return out
}
