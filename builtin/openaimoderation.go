package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// OpenAIModeration has OpenAI's moderation judge what the user says, what the model answers and, if asked to, what tools return. A
// flagged text ends the run with a notice, fails it, or is replaced.
//
// The last human message is judged before every model call, and with check_tool_results so are the results behind the model's last
// message. An answer is judged when it is complete: its tokens may have been shown. Only texts are judged, not images or other
// media. If the moderation does not answer, the run fails.
//
// The moderation is asked with the key and the address of a model of OpenAI; it costs nothing there. With the behavior end, a flagged
// answer stays in the thread before the notice, and its tool calls do not run.
//
// Behaviour and texts are those of langchain-openai 1.7.4's OpenAIModerationMiddleware.
type OpenAIModeration struct {
	// Client is the name of one of the agent's models of OpenAI, whose key and address are used. "": the agent's own model.
	Client string `yaml:"client"`
	// Model is the moderation model. "": "omni-moderation-latest".
	Model string `yaml:"model" schema:"default=omni-moderation-latest"`
	// CheckInput judges the last human message. nil: true.
	CheckInput *bool `yaml:"check_input" schema:"default=true"`
	// CheckOutput judges the model's answers. nil: true.
	CheckOutput *bool `yaml:"check_output" schema:"default=true"`
	// CheckToolResults judges the results of tools.
	CheckToolResults bool `yaml:"check_tool_results" schema:"default=false"`
	// ExitBehavior is what happens to a flagged text. "end" (or ""): the run ends with a notice as the model's answer; "error": the
	// run fails; "replace": the notice takes the place of the text.
	ExitBehavior string `yaml:"exit_behavior" schema:"default=end,enum=end|error|replace"`
	// ViolationMessage is the notice. It may contain {categories}, {category_scores} as JSON, and {original_content}; a notice with
	// other placeholders is used unchanged. "": LangChain's.
	ViolationMessage string `yaml:"violation_message"`
}

var openAIModerationEntry = Entry{
	Name:    "openai_moderation",
	Summary: "has OpenAI's moderation judge what users say and what the model answers",
	Example: `- openai_moderation:
    client: moderator
    exit_behavior: replace
`,
	Needs: "models:\n  moderator: openai:gpt-5-nano\n",
	New:   func() host.Middleware { return &OpenAIModeration{} },
}

// OpenAIModerationError is a flagged text with the behavior error.
type OpenAIModerationError struct {
	Content    string // the flagged text
	Stage      string // "input", "output" or "tool"
	Moderation *model.Moderation
	Message    string // the notice
}

// Error returns the notice.
func (e *OpenAIModerationError) Error() string { return e.Message }

// ErrorType returns "moderation".
func (*OpenAIModerationError) ErrorType() string { return "moderation" }

const (
	moderationNotice = "I'm sorry, but I can't comply with that request. It was flagged for {categories}."
	// moderationPolicies stands for the categories where none is named.
	moderationPolicies = "OpenAI's safety policies"
)

// Name returns "openai_moderation".
func (m OpenAIModeration) Name() string { return "openai_moderation" }

// Hooks finds the moderator.
func (m OpenAIModeration) Hooks(_ context.Context, env host.Env) (*host.Hooks, error) {
	checker := &moderationChecker{
		OpenAIModeration: m,
		input:            m.CheckInput == nil || *m.CheckInput, output: m.CheckOutput == nil || *m.CheckOutput,
	}
	checker.Model = cmp.Or(m.Model, "omni-moderation-latest")
	checker.ViolationMessage = cmp.Or(m.ViolationMessage, moderationNotice)
	switch m.ExitBehavior {
	case "", "end", "error", "replace":
	default:
		return nil, fmt.Errorf("exit_behavior is %q; use end, error or replace", m.ExitBehavior)
	}
	if !checker.input && !checker.output && !m.CheckToolResults {
		return nil, errors.New("check_input, check_output and check_tool_results are all false, so it would judge nothing; set one of them")
	}
	client := env.Model
	if m.Client != "" {
		var err error
		if client, err = modelOf(&env, "client", m.Client); err != nil {
			return nil, err
		}
	}
	var ok bool
	if checker.moderator, ok = model.ModeratorOf(client); !ok {
		return nil, fmt.Errorf("client: the model %q has no moderation; name a model of OpenAI", client.Info().Name)
	}
	hooks := &host.Hooks{}
	jumps := []abi.Target{abi.JumpEnd}
	if checker.input || m.CheckToolResults {
		hooks.BeforeModel = host.NodeHook{Func: checker.before, CanJumpTo: jumps}
	}
	if checker.output {
		hooks.AfterModel = host.NodeHook{Func: checker.after, CanJumpTo: jumps}
	}
	return hooks, nil
}

// moderationChecker is a checked [OpenAIModeration].
type moderationChecker struct {
	OpenAIModeration

	input, output bool
	moderator     model.Moderator
}

// before judges the results of tools, and then what the user said.
func (c *moderationChecker) before(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
	ctx = model.WithNotice(ctx, rt.Warn)
	messages := rt.State().Messages()
	update := &host.Update{}
	if at := messages.LastAI(); c.CheckToolResults && at >= 0 {
		for i := at + 1; i < messages.Len(); i++ {
			m := messages.At(i)
			if m.Role != abi.RoleTool {
				continue
			}
			if err := c.judge(ctx, update, &m, "tool"); err != nil || update.JumpTo != "" {
				return update, err
			}
		}
	}
	if human, ok := lastHuman(messages); c.input && ok {
		if err := c.judge(ctx, update, &human, "input"); err != nil {
			return nil, err
		}
	}
	return update, nil
}

// after judges the model's answer.
func (c *moderationChecker) after(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
	messages := rt.State().Messages()
	at := messages.LastAI()
	if at < 0 {
		return nil, nil
	}
	update, answer := &host.Update{}, messages.At(at)
	return update, c.judge(model.WithNotice(ctx, rt.Warn), update, &answer, "output")
}

// judge adds to an update what follows from the judgement of a message.
func (c *moderationChecker) judge(ctx context.Context, update *host.Update, m *abi.Message, stage string) error {
	said := m.Content.Text()
	if said == "" {
		return nil
	}
	judgement, err := c.moderator.Moderate(ctx, c.Model, said)
	if err == nil && judgement == nil {
		err = errors.New("the moderator has returned neither a judgement nor an error")
	}
	if err != nil || !judgement.Flagged {
		return err
	}
	notice := c.notice(said, judgement)
	switch c.ExitBehavior {
	case "error":
		return &OpenAIModerationError{Content: said, Stage: stage, Moderation: judgement, Message: notice}
	case "replace":
		replaced := *m
		replaced.Content = abi.Text(notice)
		update.Messages = append(update.Messages, replaced)
	default:
		*update = host.Update{JumpTo: abi.JumpEnd, Messages: []abi.Message{abi.AI(notice)}}
	}
	return nil
}

// moderationWords matches the placeholders of a notice.
var moderationWords = lazyregexp.New(`\{[^{}]*\}`)

// notice fills in the text of the notice.
func (c *moderationChecker) notice(said string, m *model.Moderation) string {
	values := map[string]string{
		"{categories}": moderationPolicies, "{category_scores}": spacedObject(m.Scores), "{original_content}": said,
	}
	if len(m.Categories) > 0 {
		names := slices.Clone(m.Categories)
		for i, name := range names {
			names[i] = strings.ReplaceAll(name, "_", " ")
		}
		values["{categories}"] = strings.Join(names, ", ")
	}
	var pairs []string
	for _, word := range moderationWords().FindAllString(c.ViolationMessage, -1) {
		value, ok := values[word]
		if !ok {
			return c.ViolationMessage
		}
		pairs = append(pairs, word, value)
	}
	return strings.NewReplacer(pairs...).Replace(c.ViolationMessage)
}
