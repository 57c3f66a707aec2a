package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// part is a block of an answer.
type part map[string]json.RawMessage

// parts holds the blocks of an answer.
type parts []part

// maxParts is the maximum number of blocks in an answer: far more than any has, yet few enough for memory.
const maxParts = 1 << 14

var errParts = fmt.Errorf("there are more than %d blocks", maxParts)

// UnmarshalJSON reads a list of at most maxParts blocks.
func (p *parts) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	switch begin, err := d.Token(); {
	case err != nil || begin == nil:
		return err
	case begin != json.Delim('['):
		return errors.New("the content is not a list of blocks")
	}
	*p = parts{}
	for d.More() {
		if len(*p) == maxParts {
			return errParts
		}
		var one part
		if err := d.Decode(&one); err != nil {
			return err
		}
		*p = append(*p, one)
	}
	return nil
}

// callsLast returns the index after the last block that is not a call. Calls from there on need no place among the blocks.
func (p parts) callsLast() int {
	end := len(p)
	for end > 0 && string(p[end-1]["type"]) == `"`+kindToolUse+`"` {
		end--
	}
	return end
}

// read returns the block of a part, or an empty one for a call at the end. It adds calls to the message.
func (p part) read(m *abi.Message, placed bool) (block abi.Block, err error) {
	switch kind, err := p.text("type"); {
	case err != nil:
		return block, err
	case kind == "":
		return block, errors.New("the type of the block is missing")
	case kind == kindText:
		return p.readText()
	case kind == kindThinking:
		return p.readThinking()
	case kind == kindRedactedThinking:
		data, err := p.text("data")
		if err != nil || data == "" {
			return block, err
		}
		return provider.With(abi.ReasoningBlock("", ""), redacted, wire.String(data)), nil
	case kind == kindToolUse:
		return p.readCall(m, placed)
	default:
		return p.own(kind)
	}
}

// text returns the text under a key; "" if there is none.
func (p part) text(key string) (text string, err error) {
	if raw, ok := p[key]; ok {
		if err := json.Unmarshal(raw, &text); err != nil {
			return "", fmt.Errorf("%q: %w", key, err)
		}
	}
	return text, nil
}

// id returns the id of a call; "" if there is none.
func (p part) id() (id string, err error) {
	if raw, ok := p["id"]; ok {
		if err := json.Unmarshal(raw, (*provider.ID)(&id)); err != nil {
			return "", fmt.Errorf("\"id\": %w", err)
		}
	}
	return id, nil
}

func (p part) readText() (block abi.Block, err error) {
	text, err := p.text("text")
	if err != nil {
		return block, err
	}
	var citations []json.RawMessage
	if raw, ok := p["citations"]; ok {
		if err := json.Unmarshal(raw, &citations); err != nil {
			return block, fmt.Errorf(`"citations": %w`, err)
		}
	}
	if len(citations) == 0 {
		return abi.TextBlock(text), nil
	}
	kept, err := wire.FromJSON(p["citations"], wire.Limits{})
	if err != nil {
		return block, err
	}
	return provider.With(abi.TextBlock(text), "citations", kept), nil
}

func (p part) readThinking() (block abi.Block, err error) {
	text, err := p.text("thinking")
	if err != nil {
		return block, err
	}
	signature, err := p.text("signature")
	if err != nil || text == "" && signature == "" {
		return block, err
	}
	return abi.ReasoningBlock(text, signature), nil
}

// argsKey is the key of a part for the arguments of a streamed call, as a string.
const argsKey = "\x00args"

// readCall adds a call to the message. Its block holds extra fields of the call and, if it is placed, marks its position.
func (p part) readCall(m *abi.Message, placed bool) (block abi.Block, err error) {
	id, err := p.id()
	if err != nil {
		return block, err
	}
	name, err := p.text("name")
	if err != nil {
		return block, err
	}
	args, err := p.arguments()
	if err != nil {
		return block, err
	}
	provider.AddCall(m, id, name, args)
	further := part{}
	for key, value := range p {
		switch key {
		case "type", "id", "name", "input", argsKey:
		default:
			if string(value) != "null" && (key != "caller" || !plainCaller(value)) {
				further[key] = value
			}
		}
	}
	if id == "" || !placed && len(further) == 0 {
		return block, nil
	}
	if further["id"], err = json.Marshal(id); err != nil {
		return block, err
	}
	return further.own(kindToolUse)
}

// arguments returns the arguments of a call as the model wrote them.
func (p part) arguments() (string, error) {
	if _, ok := p[argsKey]; ok {
		return p.text(argsKey)
	}
	if raw := p["input"]; string(raw) != "null" {
		return string(raw), nil
	}
	return "", nil
}

// plainCaller reports whether the model itself made the call.
func plainCaller(raw json.RawMessage) bool {
	var caller struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(raw, &caller) == nil && caller.Type == "direct"
}

// own returns a block of the provider's own kind, with all its keys.
func (p part) own(kind string) (abi.Block, error) {
	fields := make(wire.Map, 0, len(p)+1)
	for key, raw := range p {
		if key == argsKey {
			continue
		}
		value, err := wire.FromJSON(raw, wire.Limits{MaxBytes: provider.MaxResponse}) // it may contain a file
		if err != nil {
			return abi.Block{}, fmt.Errorf("%q: %w", key, err)
		}
		fields.Set(key, value)
	}
	fields.Set("type", wire.String(ownPrefix+kind))
	return abi.BlockOf(fields), nil
}
