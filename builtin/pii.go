package builtin

import (
	"context"
	"errors"

	"github.com/agenthost/agenthost/builtin/internal/pii"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// PII finds one kind of personal data in what goes to the model and what comes back, and redacts it in the thread itself: a
// message is replaced by one that keeps its id, its blocks and all else. Several may stand in one agent, one for each kind.
//
// Before each model call it looks at the last human message and at the answers of tools since the model spoke last; after
// it at the model's answer, as far as the apply_to keys say. Texts and reasoning are edited block by block. Reasoning that
// was changed loses the signature of its provider, which is of other words.
//
// Kinds, strategies and texts are those of LangChain's PIIMiddleware, with these differences. The kind ip takes in IPv6
// addresses. A card number is found behind other digits, as in "2024 4111 1111 1111 1111", and a URL inside of another
// one's path. What counts as a letter is ASCII for all kinds, so that a value next to another script is found. The detector
// is an expression of Go's package regexp, which knows no lookaround; matches that overlap are joined, and empty ones are
// none.
//
// With apply_to_output the tokens that stream are edited too, in the same way as the whole answer: what may become a match
// is held back, usually a word. All of the answer is held back by the strategy block, by a function as the detector, and by
// an expression that may match any punctuation and white space. The event of the model call itself, and the state that its
// step leaves to the hooks after it, hold what the model said: the middleware's own hook comes then. An answer of several text
// blocks streams as one text: what stands at the end of one and the beginning of the next is then judged together.
type PII struct {
	// PIIType is what to look for: email, credit_card, ip, mac_address, url, or any name if there is a detector. Required.
	// It stands in the texts that take the place of what is found.
	PIIType string `yaml:"pii_type"`
	// Strategy says what becomes of it. "redact" (or ""): [REDACTED_EMAIL] takes its place. "mask": a part stays readable, as
	// in ****-****-****-1111. "hash": <email_hash:71d4f55f>, the same for the same value; whoever can guess the value can check
	// the guess. "block": the run fails with a [PIIError].
	Strategy string `yaml:"strategy" schema:"default=redact,enum=redact|mask|hash|block"`
	// Detector is a regular expression of Go's package regexp that says what to look for; "": what the type says. ^ and $ are the
	// ends of a text, or of its lines after (?m).
	Detector string `yaml:"detector"`
	// ApplyToInput looks at the last human message. nil: true.
	ApplyToInput *bool `yaml:"apply_to_input" schema:"default=true"`
	// ApplyToOutput looks at the model's answers, and at their tokens as they stream.
	ApplyToOutput bool `yaml:"apply_to_output" schema:"default=false"`
	// ApplyToToolResults looks at the answers of tools.
	ApplyToToolResults bool `yaml:"apply_to_tool_results" schema:"default=false"`
	// ApplyToToolCalls looks at the texts in the arguments of the tool calls that the model asks for, also where they could not
	// be parsed. The tools run with the redacted ones. LangChain does not have this.
	ApplyToToolCalls bool `yaml:"apply_to_tool_calls" schema:"default=false"`

	// Detect finds what to look for, in place of Detector. Several goroutines call it at once. It is asked about whole texts.
	Detect func(text string) []PIIMatch `yaml:"-"`
}

// PIIMatch is one place in a text where personal data stands.
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
		return nil, errors.New("it has both Detector and Detect; use one of them")
	default:
		return pii.NewDetector(p.PIIType, pii.Strategy(p.Strategy), p.Detect)
	}
}

// order says where the hook after the model comes too late, or not at all.
func (p *PII) order() []host.Order {
	orders := []host.Order{{
		Inside: "tool_call_limit",
		Reason: "where the limit ends the run, the hooks outside of it are left out, and the answer stays as it is",
	}}
	if p.ApplyToToolCalls {
		orders = append(orders, host.Order{
			Inside: "human_in_the_loop",
			Reason: "the arguments change after a human has approved them, who is asked again",
		})
	}
	return orders
}

// passModelCall is a hook that only stands there for the tokens.
func passModelCall(
	ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
) (*model.Response, *host.Update, error) {
	resp, err := next(ctx, req)
	return resp, nil, err
}
