package builtin

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin/internal/tokencount"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
)

// ContextEditing removes old tool results from model requests when the history has too many tokens. A placeholder takes the
// place of their text, so the model still sees which calls it has made and may repeat one. The newest results stay. The
// messages of the thread do not change, unless persist is true.
//
// Edits are applied one after the other. Unchanged messages are shared, and counting takes time in proportion to the length
// of the history.
//
// Behaviour is that of LangChain 1.5.0's ContextEditingMiddleware, with two differences: the artifact of a result, which no
// model sees, stays; and the key persist is new. An edit invalidates the provider's prompt cache; a larger clear_at_least
// makes edits rarer.
type ContextEditing struct {
	// Edits are the edits, in the order in which they are made. None: one edit with its defaults.
	Edits []ContextEdit `yaml:"edits" strict:"optional"`
	// TokenCountMethod is how tokens are counted. "approximate" (or ""): token_counter counts the messages only. "model": the
	// model counts the messages, the system prompt and the tools; it must implement counting, which the models of the built-in
	// providers do not.
	TokenCountMethod string `yaml:"token_count_method" schema:"enum=approximate|model,default=approximate"`
	// TokenCounter is the method of counting tokens. If it is set, it overrides token_count_method.
	TokenCounter TokenCounter `yaml:"token_counter" strict:"optional"`
	// Persist writes the edits into the thread, in a step of its own before the model call. The messages keep their ids, places,
	// artifacts and status, and later calls need not edit and count them again. Cleared text is gone from the thread. Tokens are
	// counted in the history of the thread, not in the request as other middleware has changed it. LangChain has no such option.
	Persist bool `yaml:"persist"`
}

// ContextEdit is one edit of [ContextEditing].
type ContextEdit struct {
	// Type is the type of the edit. The only type is "clear_tool_uses" (or ""), which clears old results of tools.
	Type string `yaml:"type" schema:"enum=clear_tool_uses,default=clear_tool_uses"`
	// Trigger is the number of tokens above which the edit acts. nil: 100,000.
	Trigger *int `yaml:"trigger" schema:"default=100000,min=0"`
	// ClearAtLeast is the number of tokens to gain: the oldest results are cleared until it is reached. 0: all results that
	// may be cleared.
	ClearAtLeast int `yaml:"clear_at_least" schema:"default=0,min=0"`
	// Keep is the number of newest results that are never cleared. nil: 3.
	Keep *int `yaml:"keep" schema:"default=3,min=0"`
	// ClearToolInputs also clears the arguments of the calls whose results are cleared.
	ClearToolInputs bool `yaml:"clear_tool_inputs"`
	// ExcludeTools are tools whose results are never cleared.
	ExcludeTools []string `yaml:"exclude_tools" strict:"optional"`
	// Placeholder is the text that replaces a result. "": "[cleared]".
	Placeholder string `yaml:"placeholder" schema:"default=[cleared]"`
}

var contextEditingEntry = Entry{
	Name:    "context_editing",
	Summary: "clears old tool results in what the model is sent, or in the thread",
	Example: `- context_editing:
    edits:
      - {type: clear_tool_uses, trigger: 50000, keep: 5, clear_at_least: 10000, exclude_tools: [send_mail]}
    persist: true
`,
	New: func() host.Middleware { return &ContextEditing{} },
}

// The defaults of an edit.
const (
	clearTrigger     = 100_000
	clearKeep        = 3
	clearPlaceholder = "[cleared]"
)

// clearToolUses is the only type of edit.
const clearToolUses = "clear_tool_uses"

// Name returns "context_editing".
func (c ContextEditing) Name() string { return "context_editing" }

// Hooks checks the edits.
func (c ContextEditing) Hooks(_ context.Context, env host.Env) (*host.Hooks, error) {
	e := &contextEditor{model: env.Model}
	var err error
	if e.counter, err = c.TokenCounter.compile(tokencount.CharsPerToken); err != nil {
		return nil, err
	}
	if e.byModel, err = c.countsByModel(env.Model); err != nil {
		return nil, err
	}
	edits := c.Edits
	if len(edits) == 0 {
		edits = []ContextEdit{{}}
	}
	var excluded []string
	for i := range edits {
		excluded = append(excluded, edits[i].ExcludeTools...)
		edit, err := edits[i].compile()
		if err != nil {
			return nil, fmt.Errorf("edits[%d]: %w", i, err)
		}
		e.edits = append(e.edits, edit)
	}
	if c.Persist {
		return &host.Hooks{
			BeforeModel: host.NodeHook{Func: e.persist}, Expects: excluded,
			Order: []host.Order{{
				Outside: "summarization", Reason: "the summary would otherwise be made of results that only need to be cleared",
			}, outsideOfCaching},
		}, nil
	}
	return &host.Hooks{
		WrapModelCall: host.WrapModelHook{Func: e.wrap, PassesTokens: true}, Expects: excluded, Order: []host.Order{outsideOfCaching},
	}, nil
}

// countsByModel checks the method and reports whether the model counts tokens.
func (c *ContextEditing) countsByModel(m model.Model) (bool, error) {
	switch c.TokenCountMethod {
	case "", "approximate":
		return false, nil
	case "model":
	default:
		return false, fmt.Errorf("invalid token_count_method: '%s'. Must be 'approximate' or 'model'", c.TokenCountMethod)
	}
	if c.TokenCounter.isSet() {
		return false, nil
	}
	if c.Persist {
		return false, errors.New("token_count_method model counts whole requests, but persist edits the thread; use approximate, or token_counter")
	}
	if _, ok := model.As[model.TokenCounter](m); !ok {
		return false, errors.New("token_count_method model: the agent's model does not count tokens itself; use approximate, or token_counter")
	}
	return true, nil
}

// contextEditor is a checked [ContextEditing].
type contextEditor struct {
	edits   []*clearEdit
	counter *messageCounter
	byModel bool // the model counts tokens
	model   model.Model
}

// wrap edits the request.
func (e *contextEditor) wrap(
	ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
) (*model.Response, *host.Update, error) {
	each, further := e.requestCounter(req)
	changed := e.edit(req.Messages, each, further)
	if len(changed) > 0 {
		req = req.WithMessages(req.Messages.Replace(changed))
	}
	resp, err := next(ctx, req)
	return resp, nil, err
}

// persist edits the thread.
func (e *contextEditor) persist(_ context.Context, rt *host.Runtime) (*host.Update, error) {
	messages := rt.State().Messages()
	changed := e.edit(messages, e.counter.each, 0)
	if len(changed) == 0 {
		return nil, nil
	}
	update := &host.Update{Messages: make([]abi.Message, 0, len(changed))}
	for i := range messages.All() {
		if m := changed[i]; m != nil {
			update.Messages = append(update.Messages, *m)
		}
	}
	return update, nil
}

// requestCounter returns a function that counts the tokens of a message, and the tokens of the request besides its
// messages.
func (e *contextEditor) requestCounter(req *model.Request) (each func(*abi.Message) int, further int) {
	m := req.Model
	if m == nil {
		m = e.model
	}
	if counter, ok := model.As[model.TokenCounter](m); ok && e.byModel {
		each = func(m *abi.Message) int { return max(0, counter.CountTokens(m)) }
		if !req.System.IsZero() {
			further = each(&abi.Message{Role: abi.RoleSystem, Content: req.System})
		}
		for i := range req.Tools {
			tool := &req.Tools[i]
			text := abi.System(tool.Name + "\n" + tool.Description + "\n" + tool.Parameters.JSON())
			further += each(&text)
		}
		return each, further
	}
	return e.counter.each, 0
}

// edit applies the edits and returns the changed messages, by index.
func (e *contextEditor) edit(messages history.List, each func(*abi.Message) int, further int) map[int]*abi.Message {
	if messages.Len() == 0 {
		return nil
	}
	edited := &editedMessages{list: messages, each: each, tokens: further}
	for _, m := range messages.All() {
		edited.tokens += each(m)
	}
	for _, edit := range e.edits {
		edit.apply(edited)
	}
	return edited.changed
}

// editedMessages are messages after some edits.
type editedMessages struct {
	list    history.List
	changed map[int]*abi.Message // by index; nil if none has changed
	each    func(*abi.Message) int
	tokens  int
}

func (e *editedMessages) at(i int) *abi.Message {
	if m := e.changed[i]; m != nil {
		return m
	}
	return e.list.Entry(i).Message()
}

func (e *editedMessages) set(i int, m *abi.Message) {
	e.tokens += e.each(m) - e.each(e.at(i))
	if e.changed == nil {
		e.changed = map[int]*abi.Message{}
	}
	e.changed[i] = m
}
