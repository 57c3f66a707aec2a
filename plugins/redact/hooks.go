package main

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/plugins/redact/scan"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

// BeforeModel looks at the user's messages that are new since its last call.
func (r *redactor) BeforeModel(c *sdk.Call) (*sdk.Update, error) {
	var found tally
	update := &sdk.Update{}
	messages := c.Messages()
	for i := range messages {
		if messages[i].Role != abi.RoleHuman {
			continue
		}
		content, changed, err := r.clean(messages[i].Content, &found)
		if err != nil {
			return nil, err
		}
		if changed {
			update.Patch = append(update.Patch, sdk.NewPatch(messages[i].ID).SetContent(content))
		}
	}
	return update, found.report(c, update)
}

// WrapToolCall looks at the result of a tool.
func (r *redactor) WrapToolCall(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) {
	answer, err := c.Next(nil)
	if err != nil {
		return nil, nil, err
	}
	var found tally
	content, changed, err := r.clean(answer.Message().Content, &found)
	if err != nil || !changed {
		return nil, nil, err
	}
	patch := sdk.NewPatch("").SetContent(content)
	update := &sdk.Update{}
	return &patch, update, found.report(&c.Call, update)
}

// clean returns the content with what the scanner finds in its texts replaced. Blocks of other kinds stay as they are.
func (r *redactor) clean(content sdk.Content, found *tally) (cleaned sdk.Content, changed bool, err error) {
	if content.IsText() {
		text, changed, err := r.cleanText(content.Text(), found)
		return sdk.Text(text), changed, err
	}
	blocks := append([]abi.Block(nil), content.Blocks()...)
	for i := range blocks {
		if kind := blocks[i].Type(); kind != abi.BlockText && kind != abi.BlockRefusal {
			continue
		}
		text, replaced, err := r.cleanText(blocks[i].Text(), found)
		if err != nil {
			return content, false, err
		}
		if replaced {
			blocks[i] = blocks[i].WithText(text)
			changed = true
		}
	}
	return abi.Blocks(blocks...), changed, nil
}

func (r *redactor) cleanText(text string, found *tally) (cleaned string, changed bool, err error) {
	r.matches = r.scanner.Find(text, r.matches[:0])
	if len(r.matches) == 0 {
		return text, false, nil
	}
	if r.strategy == scan.Block {
		return text, false, &sdk.Error{Type: "pii_detected", Message: scan.Detected(r.matches)}
	}
	for _, m := range r.matches {
		found[m.Kind]++
	}
	return string(scan.Apply(nil, text, r.matches, r.strategy)), true, nil
}

// tally counts the finds of one call by kind.
type tally [scan.PrivateKey + 1]int64

// report puts the sum into the update and the numbers into an event, if there is anything to tell.
func (t *tally) report(c *sdk.Call, update *sdk.Update) error {
	var sum int64
	var kinds sdk.Map
	for kind, n := range t {
		if n > 0 {
			sum += n
			kinds.Set(scan.Kind(kind).String(), sdk.Int(n))
		}
	}
	if sum == 0 {
		return nil
	}
	redactions.Set(update, sum)
	return c.Emit("redacted", kinds.Raw())
}
