package gemini

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// answer collects the model's output, from one response or from pieces.
type answer struct {
	provider string // its name

	say func(model.Chunk) error // receives the pieces; nil: not streamed

	about         wire.Map // fields kept unchanged in the message's Meta
	blocked       string   // why the prompt was refused
	blocks        []abi.Block
	calls         []functionCall
	finishMessage string
	finishReason  string
	id            string
	model         string
	notes         []callMeta // of the calls
	open          string     // type of the block in progress, text or reasoning; "": none
	spent         abi.Usage
	some          bool // a candidate has arrived
	parts         int
	token         string // to continue the answer; "": it is complete
	usage         *usage // of this response
	written       strings.Builder
}

// add adds a response, or a piece of one. Only the first of several candidates counts.
func (a *answer) add(d *document) error {
	if d.ModelVersion != "" {
		a.model = d.ModelVersion
	}
	if d.ResponseID != "" && a.id == "" {
		a.id = string(d.ResponseID)
	}
	if d.UsageMetadata != nil { // cumulative in each piece
		a.usage = d.UsageMetadata
	}
	if why := d.PromptFeedback; why.BlockReason != "" {
		a.blocked = strings.TrimSpace(why.BlockReason + " " + why.BlockReasonMessage)
	}
	for i := range d.Candidates {
		if d.Candidates[i].Index == 0 {
			return a.addCandidate(&d.Candidates[i])
		}
	}
	return nil
}

func (a *answer) addCandidate(c *candidate) error {
	a.some = true
	if c.FinishReason != "" && c.FinishReason != "FINISH_REASON_UNSPECIFIED" {
		a.finishReason, a.finishMessage = c.FinishReason, c.FinishMessage
	}
	if c.ContinuationToken != "" {
		a.token = c.ContinuationToken
	}
	for key, value := range c.about() {
		if !isSet(value) {
			continue
		}
		if raw, err := wire.FromJSON(value, wire.Limits{}); err == nil {
			a.about.Set(key, raw)
		}
	}
	for _, text := range c.Content.Parts {
		if err := a.addPart(text); err != nil {
			return err
		}
	}
	return nil
}

func (a *answer) addPart(text json.RawMessage) error {
	var p said
	if err := json.Unmarshal(text, &p); err != nil {
		return provider.Broken(Provider, "a part of the answer cannot be read: "+err.Error())
	}
	a.parts++
	switch {
	case p.FunctionCall != nil:
		return a.addCall(p.FunctionCall, p.ThoughtSignature)
	case p.Text != nil:
		return a.addText(*p.Text, p.Thought, p.ThoughtSignature)
	case p.InlineData != nil && !p.Thought:
		block := abi.ImageBlock(p.InlineData.MIMEType, p.InlineData.Data)
		if !strings.HasPrefix(p.InlineData.MIMEType, "image/") {
			block = provider.With(block, "type", wire.String(abi.BlockFile))
		}
		a.addBlock(signed(block, p.ThoughtSignature))
		return nil
	}
	if kind := otherKind(text); kind != "" {
		raw, err := wire.FromJSON(text, wire.Limits{MaxBytes: provider.MaxResponse})
		if err != nil {
			return provider.Broken(Provider, "a part of the answer cannot be stored: "+err.Error())
		}
		a.addBlock(abi.BlockOf(wire.Map{{Key: keyPart, Value: raw}, {Key: "type", Value: wire.String(blockPrefix + kind)}}))
		return nil
	}
	return a.addText("", p.Thought, p.ThoughtSignature)
}

// otherKind returns the key of a part of an unknown kind; "" if it has none.
func otherKind(text json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return ""
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if key != "thought" && key != "thoughtSignature" && isSet(fields[key]) {
			return key
		}
	}
	return ""
}

func (a *answer) addCall(call *functionCall, signature string) error {
	if call.Name == "" {
		return provider.Broken(Provider, "the model calls a tool without a name")
	}
	a.calls = append(a.calls, *call) // not a block: the text before it may continue
	a.notes = append(a.notes, callMeta{call.Name, string(call.ID), signature})
	return nil
}

// addText adds a text or a thought. One with a signature stays a separate block, because signatures must be sent back in their
// original place.
func (a *answer) addText(text string, thought bool, signature string) error {
	kind, chunk := abi.BlockText, model.Chunk{Text: text}
	if thought {
		kind, chunk = abi.BlockReasoning, model.Chunk{Reasoning: text}
	}
	if text == "" && signature == "" {
		return nil
	}
	if a.open != kind || signature != "" {
		a.flush()
	}
	if signature == "" {
		a.open = kind
		a.written.WriteString(text)
	} else {
		a.blocks = append(a.blocks, signed(textBlock(kind, text), signature))
	}
	if a.say == nil || text == "" {
		return nil
	}
	return a.say(chunk)
}

func (a *answer) addBlock(block abi.Block) {
	a.flush()
	a.blocks = append(a.blocks, block)
}

// flush completes the block in progress.
func (a *answer) flush() {
	if a.open != "" {
		a.blocks = append(a.blocks, textBlock(a.open, a.written.String()))
	}
	a.open = ""
	a.written.Reset()
}

func textBlock(kind, text string) abi.Block {
	if kind == abi.BlockReasoning {
		return abi.ReasoningBlock(text, "")
	}
	return abi.TextBlock(text)
}

// next returns the token for continuing the answer in another response; "" if it is complete.
func (a *answer) next() string {
	token := a.token
	if a.finishReason != "CONTINUATION" || token == "" {
		return ""
	}
	if a.usage != nil {
		a.spent = a.spent.Add(a.usage.tokens())
	}
	a.finishReason, a.token, a.usage = "", "", nil
	return token
}

// response returns the complete answer.
func (a *answer) response(req *model.Request) (*model.Response, error) {
	a.flush()
	message := abi.Message{Content: provider.Blocks(a.blocks)}
	for _, call := range a.calls {
		args := string(call.Args)
		if !isSet(call.Args) {
			args = ""
		}
		provider.AddCall(&message, string(call.ID), call.Name, args)
	}
	if err := a.judge(&message, req); err != nil {
		return nil, err
	}
	if a.usage != nil || a.spent.TotalTokens > 0 {
		total := a.spent
		if a.usage != nil {
			total = total.Add(a.usage.tokens())
		}
		message.Usage = &total
	}
	for key, value := range map[string]string{"provider": a.provider, "model": a.model, "stop_reason": a.finishReason, "id": a.id} {
		if value != "" {
			message.Meta.Set(key, wire.String(value))
		}
	}
	if notes := writeNotes(a.notes); notes != nil {
		message.Meta.Set(MetaCalls, notes)
	}
	if !a.about.IsZero() {
		message.Meta.Set(MetaAbout, a.about.Raw())
	}
	out := model.Reply(message)
	out.Model, out.StopReason = a.model, a.finishReason
	if req.Format != nil {
		out.Structured = provider.Structured(&message)
	}
	return out, nil
}

// MetaAbout is the key in a message's Meta for what the API reports about its answer, by the API's names, such as
// groundingMetadata and citationMetadata. If a stream sends a field several times, the last value is kept.
const MetaAbout = Provider
