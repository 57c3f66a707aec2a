package builtin

import (
	"context"
	"errors"

	"github.com/agenthost/agenthost/builtin/internal/pii"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// PII finds one kind of personal data in messages to and from the model, and redacts it in the thread itself: it replaces a
// message by one with the same id, blocks and other fields. An agent may have several, one for each kind.
//
// Before each model call it checks the last human message and the tool results since the model's last answer. After the
// call it checks the model's answer. The apply_to keys select what is checked. Texts and reasoning are edited block by
// block. Edited reasoning loses the provider's signature, which would no longer be valid.
//
// Kinds, strategies and texts are those of LangChain's PIIMiddleware, with these differences. The kind ip includes IPv6
// addresses. A card number is found even after other digits, as in "2024 4111 1111 1111 1111", and a URL even inside the path
// of another URL. For all kinds, only ASCII letters count as letters, so a value next to another script is found. The detector
// is an expression of Go's package regexp, which has no lookaround. Overlapping matches are joined, and empty matches are
// ignored.
//
// With apply_to_output, streamed tokens are edited in the same way as the whole answer: text that may become part of a
// match is held back, usually one word. The strategy block, a Go function as the detector, and an expression that may match
// any punctuation and white space hold back the whole answer. The event of the model call and the state for later hooks of
// the same step contain the original answer, because the middleware's own hook runs after the step. The text blocks of an
// answer are streamed as one text, so the end of one block and the beginning of the next are checked together.
type PII struct {
	// PIIType is the kind of data to look for: email, credit_card, ip, mac_address, url, or any name if there is a detector.
	// Required. The replacement texts contain this name.
	PIIType string `yaml:"pii_type"`
	// Strategy is what happens to a value. "redact" (or ""): [REDACTED_EMAIL] takes its place. "mask": a part stays
	// readable, as in ****-****-****-1111. "hash": <email_hash:71d4f55f>, the same for the same value; anyone who can guess
	// the value can check the guess. "block": the run fails with a PIIError.
	Strategy string `yaml:"strategy" schema:"default=redact,enum=redact|mask|hash|block"`
	// Detector is a regular expression of Go's package regexp that finds the values; "": the detector of the type. ^ and $
	// are the ends of a text, or of its lines after (?m).
	Detector string `yaml:"detector"`
	// ApplyToInput checks the last human message. nil: true.
	ApplyToInput *bool `yaml:"apply_to_input" schema:"default=true"`
	// ApplyToOutput checks the model's answers, and their tokens as they stream.
	ApplyToOutput bool `yaml:"apply_to_output" schema:"default=false"`
	// ApplyToToolResults checks the answers of tools.
	ApplyToToolResults bool `yaml:"apply_to_tool_results" schema:"default=false"`
	// ApplyToToolCalls checks the texts in the arguments of the tool calls that the model asks for, including malformed
	// arguments. The tools run with the redacted arguments. LangChain does not have this key.
	ApplyToToolCalls bool `yaml:"apply_to_tool_calls" schema:"default=false"`

	// Detect finds the values, in place of Detector. It gets whole texts, and several goroutines may call it at once.
	Detect func(text string) []PIIMatch `yaml:"-"`
}

// PIIMatch is a place with personal data in a text.
type PIIMatch = pii.Match

// PIIError is the error of a run in which the strategy block has found personal data.
type PIIError = pii.BlockedError

var piiEntry = Entry{
	Name:    "pii",
	Summary: "redacts, masks, hashes or blocks personal data in messages, answers, tool results and tool calls",
	Example: `- pii:
    pii_type: email
    strategy: redact
    apply_to_output: true
    apply_to_tool_results: true
`,
	New: func() host.Middleware { return &PII{} },
}

// Name returns "pii", with the type in brackets.
func (p PII) Name() string {
	if p.PIIType == "" {
		return "pii"
	}
	return "pii[" + p.PIIType + "]"
}

// Hooks checks the type, the strategy and the detector.
func (p PII) Hooks(context.Context, host.Env) (*host.Hooks, error) {
	rule, err := p.rule()
	if err != nil {
		return nil, err
	}
	redactor := &redactor{PII: p, rule: rule, input: p.ApplyToInput == nil || *p.ApplyToInput}
	hooks := &host.Hooks{}
	if redactor.input || p.ApplyToToolResults {
		hooks.BeforeModel.Func = redactor.before
	}
	if p.ApplyToOutput || p.ApplyToToolCalls {
		hooks.AfterModel.Func = redactor.after
		hooks.Order = p.order()
	}
	if p.ApplyToOutput {
		hooks.WrapModelCall = host.WrapModelHook{
			Func: passModelCall, StreamFilter: func() host.StreamFilter { return rule.Stream() },
		}
	}
	return hooks, nil
}

func (p *PII) rule() (*pii.Rule, error) {
	switch {
	case p.PIIType == "":
		return nil, errors.New("pii_type is missing; give it one of email, credit_card, ip, mac_address, url, or a name and a detector")
	case p.Detect == nil:
		return pii.New(p.PIIType, pii.Strategy(p.Strategy), p.Detector)
	case p.Detector != "":
		return nil, errors.New("both Detector and Detect are set; use one of them")
	default:
		return pii.NewDetector(p.PIIType, pii.Strategy(p.Strategy), p.Detect)
	}
}

// order returns the positions in which the hook after the model would come too late, or not run.
func (p *PII) order() []host.Order {
	orders := []host.Order{{
		Inside:   "tool_call_limit",
		Reason:   "when the limit ends the run, the hooks outside of it do not run, and the answer is not redacted",
		Protects: true,
	}}
	if p.ApplyToToolCalls {
		orders = append(orders, host.Order{
			Inside: "human_in_the_loop",
			Reason: "otherwise the arguments change after a human has approved them, and the human is asked again",
		})
	}
	return orders
}

// passModelCall is a hook that does nothing: its stream filter edits the tokens.
func passModelCall(
	ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
) (*model.Response, *host.Update, error) {
	resp, err := next(ctx, req)
	return resp, nil, err
}
