package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
)

// Summarization replaces the older part of a long history by a summary that a model writes. When a trigger is reached
// before a model call, the messages before those to keep become one human message, which begins with "Here is a summary of
// the conversation to date:". The kept messages do not change. A tool call and its answers are never separated: a cut
// between them moves back to the call.
//
// A summary replaces a history only if a model has written it. A call that fails, or that returns an empty text, is
// repeated twice, with the pauses that the provider asks for, unless the error is permanent. A prompt that is too long for
// the model is sent once more without the middle of the transcript. After that the run fails, and the thread keeps its
// history. The tokens of a summary count as the run's and are not streamed.
//
// If the agent's model refuses a request because it is longer than its context, the history is summarized at once, whatever
// the trigger, and the request is sent again. If it is still too long, or if there is nothing to summarize, the newest tool
// results, which end the request, are clipped to 4,000 characters each, and it is sent for the last time. A result of read_file
// then ends with the path of its file; the middle of other results is left out. The thread changes in the same way, but only if
// the model answers. An error of the last attempt fails the run. See on_overflow.
//
// Tokens are counted by token_counter, without the system prompt and the tools. If the last answer of the same provider has
// reported more tokens, that number counts, because it covers everything that was sent.
//
// Behaviour and texts are those of LangChain 1.5.0's SummarizationMiddleware, with compact JSON in the transcript and these
// differences, which keep what was said. An earlier summary stays in a trimmed transcript. The rest of a trimmed transcript
// begins with a human message only if that costs at most half of it; if LangChain finds no such message, it writes
// "Previous conversation was too long to summarize." in place of the history. A late answer is not separated from its call,
// and an empty text is not a summary. What happens on an overflow, truncate_args_settings, compact_conversation and
// offload_history are from deepagents 0.7.32, which clips results in the same attempt in which it summarizes.
type Summarization struct {
	// Model is the named model whose context is kept small; "": the agent's own. It determines fractions and reported
	// tokens, and writes the summary.
	Model string `yaml:"model"`
	// Trigger is the size at which the history is summarized. Not given: never.
	Trigger ContextTriggers `yaml:"trigger" strict:"optional"`
	// Keep is how much of the end of the history stays: a number of messages, a number of tokens, or a fraction. Not given: 20
	// messages.
	Keep ContextSize `yaml:"keep"`
	// TokenCounter is the method of counting tokens.
	TokenCounter TokenCounter `yaml:"token_counter"`
	// SummaryPrompt is the request for the summary, with {messages}, the transcript. "": a default, which asks for the
	// sections SESSION INTENT, SUMMARY, ARTIFACTS and NEXT STEPS.
	SummaryPrompt string `yaml:"summary_prompt"`
	// TrimTokensToSummarize is the largest number of tokens that the model sees of the messages to summarize; the beginning is
	// cut off. nil: 4000; 0 (null in a manifest): all of them.
	TrimTokensToSummarize *int `yaml:"trim_tokens_to_summarize" schema:"default=4000"`
	// Summarizer is the named model that writes the summary in place of model. "": the same model.
	Summarizer string `yaml:"summarizer"`
	// OnOverflow is the reaction to a request that the agent's model refuses as too long for its context. "summarize" (or ""): the
	// history is summarized, and the model is asked again, at most twice. "fail": the run fails with the model's error.
	OnOverflow string `yaml:"on_overflow" schema:"enum=summarize|fail,default=summarize"`
	// TruncateArgsSettings clips long arguments of older calls of write_file and edit_file in what the model is sent, which may make
	// a summary unnecessary. Not given: they stay.
	TruncateArgsSettings *TruncateArgsSettings `yaml:"truncate_args_settings"`

	// CompactConversation gives the model a tool compact_conversation, with which it asks for a summary itself, for example when it
	// begins with another task. The tool acts from half of a trigger on, which must be set; before, it answers that there is nothing
	// to compact yet. In deepagents it comes from `SummarizationToolMiddleware`.
	CompactConversation bool `yaml:"compact_conversation"`
	// SystemPrompt is added after the system prompt, to tell the model when to use the tool compact_conversation. "": nothing is
	// added, since the tool describes itself.
	SystemPrompt string `yaml:"system_prompt"`

	// OffloadHistory appends the messages of the thread that a summary replaces, with whole arguments, to the file /conversation_history/session_RUN.md, which
	// the summary names, in the backend of the agent's middleware filesystem, below its artifacts_root. The model reads it with read_file when it
	// needs a detail. Long results that an overflow would clip go to files below /large_tool_results. Bytes of images and other media
	// are left out.
	OffloadHistory bool `yaml:"offload_history"`

	// Summarize writes the summary in place of a model. It gets all messages that the summary replaces.
	Summarize func(ctx context.Context, rt *host.Runtime, messages history.List) (string, error) `yaml:"-"`
}

var summarizationEntry = Entry{
	Name:    "summarization",
	Summary: "replaces the older part of a long history by a summary",
	Example: `- summarization:
    model: small
    trigger: [{tokens: 100000}, {messages: 200}]
    keep: {messages: 20}
    truncate_args_settings: {trigger: {messages: 40}}
    compact_conversation: true
`,
	Needs: needsSmallModel,
	New:   func() host.Middleware { return &Summarization{} },
}

// The defaults.
const (
	summaryTrim = 4000 // tokens
	summaryKeep = 20   // messages
)

// summaryPrefix begins the message with the summary.
const summaryPrefix = "Here is a summary of the conversation to date:\n\n"

// sourceKey is the key in a message's Meta that names the middleware that has made the message, as in LangChain.
const sourceKey = "lc_source"

// Name returns "summarization".
func (s Summarization) Name() string { return "summarization" }

// UnmarshalYAML decodes a configuration in which trim_tokens_to_summarize may be null.
func (s *Summarization) UnmarshalYAML(decode func(into any) error) error {
	type fields Summarization
	given := fields{TrimTokensToSummarize: new(summaryTrim)}
	if err := decode(&given); err != nil {
		return err
	}
	if given.TrimTokensToSummarize == nil {
		given.TrimTokensToSummarize = new(0)
	}
	*s = Summarization(given)
	return nil
}

// Hooks checks the sizes and the prompt.
func (s Summarization) Hooks(ctx context.Context, env host.Env) (*host.Hooks, error) {
	r, err := s.summarizer(&env)
	if err != nil {
		return nil, err
	}
	hooks := &host.Hooks{
		BeforeModel: host.NodeHook{Func: r.shorten},
		Order: []host.Order{{
			Inside: "pii", Reason: "otherwise the model that writes the summary is sent data that pii has not redacted yet",
			Protects: true,
		}, outsideOfCaching},
	}
	if r.recovers || r.args != nil || r.systemPrompt != "" {
		hooks.WrapModelCall = host.WrapModelHook{Func: r.wrapModel, PassesTokens: true}
	}
	if s.OffloadHistory {
		if r.history, err = openHistoryFiles(ctx, &env, hooks); err != nil {
			return nil, err
		}
	}
	if s.CompactConversation {
		compact, err := r.compactTool()
		if err != nil {
			return nil, err
		}
		hooks.Tools = []host.Tool{compact}
	}
	return hooks, nil
}

// summarizer is a checked [Summarization].
type summarizer struct {
	model    model.Model // the model whose context is kept small
	provider string      // the provider of that model
	writer   model.Model
	write    func(ctx context.Context, rt *host.Runtime, messages history.List) (string, error) // replaces the writer; may be nil
	triggers []contextSize
	keep     contextSize // messages or tokens
	counter  *messageCounter
	prompt   template
	trim     int          // tokens; 0 means no limit
	args     *argsClipper // may be nil
	recovers bool         // from an overflow

	systemPrompt string        // to be added
	history      *historyFiles // may be nil
}

// summarizer checks the configuration.
func (s *Summarization) summarizer(env *host.Env) (*summarizer, error) {
	r := &summarizer{write: s.Summarize, trim: summaryTrim}
	err := r.models(s, env)
	if err != nil {
		return nil, err
	}
	if r.counter, err = s.TokenCounter.compile(charsPerToken(r.model)); err != nil {
		return nil, err
	}
	info := r.model.Info()
	r.provider = info.Provider
	if r.triggers, err = s.Trigger.sizes(&info); err != nil {
		return nil, err
	}
	if r.keep, err = s.Keep.kept(&info); err != nil {
		return nil, err
	}
	if r.prompt, err = newTemplate("summary_prompt", cmp.Or(s.SummaryPrompt, summaryPrompt), "{messages}"); err != nil {
		return nil, err
	}
	if !strings.Contains(r.prompt.text, "{messages}") {
		return nil, errors.New("summary_prompt has no {messages}; the model would not see what to summarize")
	}
	if r.args, err = s.TruncateArgsSettings.compile(&info); err != nil {
		return nil, fmt.Errorf("truncate_args_settings: %w", err)
	}
	switch s.OnOverflow {
	case "", "summarize":
		r.recovers = true
	case "fail":
	default:
		return nil, fmt.Errorf("on_overflow is %q; use summarize or fail", s.OnOverflow)
	}
	switch {
	case s.CompactConversation && len(r.triggers) == 0:
		return nil, errors.New("compact_conversation needs a trigger: the tool acts from half of it on; add one, such as {tokens: 100000}")
	case !s.CompactConversation && s.SystemPrompt != "":
		return nil, errors.New("system_prompt is about the tool compact_conversation; add compact_conversation: true")
	}
	r.systemPrompt = s.SystemPrompt
	if s.TrimTokensToSummarize != nil {
		r.trim = *s.TrimTokensToSummarize
	}
	if r.trim < 0 {
		return nil, fmt.Errorf("trim_tokens_to_summarize is %d; it must not be negative, use null for no limit", r.trim)
	}
	return r, nil
}

// kept checks how much to keep and returns it for a model.
func (s *ContextSize) kept(info *model.Info) (contextSize, error) {
	switch s.parts() {
	case 0:
		return contextSize{messages: summaryKeep}, nil
	case 1:
		if err := s.check("keep"); err != nil {
			return contextSize{}, err
		}
		return s.of(info)
	default:
		return contextSize{}, errors.New("keep has several sizes; use one of 'tokens', 'messages', 'fraction'")
	}
}

// models finds the models of the configuration.
func (r *summarizer) models(s *Summarization, env *host.Env) (err error) {
	r.model = env.Model
	if s.Model != "" {
		if r.model, err = modelOf(env, "model", s.Model); err != nil {
			return err
		}
	}
	if r.model == nil {
		return errors.New("model is missing, and the agent has no model of its own; name one")
	}
	r.writer = r.model
	if s.Summarizer == "" {
		return nil
	}
	if s.Summarize != nil {
		return errors.New("both Summarize and summarizer are set; use one of them")
	}
	r.writer, err = modelOf(env, "summarizer", s.Summarizer)
	return err
}

// shorten replaces the older part of a history that is too long.
func (r *summarizer) shorten(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
	messages := rt.State().Messages()
	shown := r.withoutLongArgs(messages)
	if !r.reached(shown, r.triggers...) {
		return nil, nil
	}
	cut := r.cut(shown)
	if cut <= 0 {
		return nil, nil
	}
	text, err := r.summary(ctx, rt, shown.Slice(0, cut))
	if err != nil {
		return nil, err
	}
	files := r.openHistory(rt, "")
	summary := summaryMessage(text, files.add(ctx, messages.Slice(0, cut)))
	update := &host.Update{Overwrite: true, Messages: slices.Insert(messages.Slice(cut, messages.Len()).Messages(), 0, summary)}
	update.State, err = files.changes()
	return update, err
}

// summaryMessage returns the message that takes the place of the summarized ones. The path is that of their file; "": there is none.
func summaryMessage(text, path string) abi.Message {
	m := abi.Human(summaryPrefix + text)
	if path != "" {
		m = abi.Human(fmt.Sprintf(summaryWithFile, path, text))
	}
	m.Meta = wire.Map{{Key: sourceKey, Value: wire.String("summarization")}}
	return m
}

// isSummary reports whether this middleware has made a message.
func isSummary(m *abi.Message) bool {
	source, _ := m.Meta.Get(sourceKey).AsString()
	return m.Role == abi.RoleHuman && source == "summarization"
}

// reached reports whether one of the triggers is reached.
func (r *summarizer) reached(messages history.List, triggers ...contextSize) bool {
	tokens := -1
	return slices.ContainsFunc(triggers, func(size contextSize) bool {
		if messages.Len() < size.messages {
			return false
		}
		if size.tokens > 0 && tokens < 0 {
			tokens = max(r.counter.corrected(messages), r.reported(messages))
		}
		return tokens >= size.tokens || size.tokens == 0
	})
}

// reported returns the tokens that the last answer reports, if the model's provider has sent it.
func (r *summarizer) reported(messages history.List) int {
	at := messages.LastAI()
	if at < 0 {
		return 0
	}
	m := messages.Entry(at).Message()
	by, _ := m.Meta.Get("provider").AsString()
	if m.Usage == nil || by == "" || by != r.provider || compactedAfter(messages, at) {
		return 0
	}
	return int(min(m.Usage.TotalTokens, math.MaxInt))
}
