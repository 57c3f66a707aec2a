package builtin

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
)

// Rubric has the work of a run graded before the run ends. The field rubric of the state, a text that the caller sets, says what the
// work must be like; it stays with the thread, and without it nothing is graded. A grader, which is an agent with a prompt of its own,
// reads the rubric and the conversation and judges each criterion. If one fails, the model is told which and goes on, at most
// max_iterations times; otherwise the run ends with the answer as it is.
//
// The first verdict of an attempt fixes the list of criteria. A verdict that leaves some out is asked for once more; if it still
// does, and says that the work is satisfactory, it is not believed. A new attempt begins with another rubric, or in the run after a
// final verdict. If the grader fails, the run ends as it would have without it, with a warning: this middleware improves work, and
// guards nothing.
//
// The run's result does not show the verdicts. Each grading has the events rubric_evaluation_start {grading_run_id, iteration} and
// rubric_evaluation_end {grading_run_id, iteration, result, explanation, criteria, unverified}, of the type custom. Results are
// satisfied, needs_revision, failed (the rubric cannot be judged), max_iterations_reached and grader_error. Tokens of the grader
// count as the run's.
//
// The conversation is data to the grader: between tags with a random name, and text that looks like the end of a tag is changed. It
// consists of the last 30 messages and the first question, each cut after 4,000 characters.
//
// Behaviour and the texts for the model are those of deepagents 0.7.32's RubricMiddleware; the prompts of the grader are our own. The
// reference's schemas for the grader's state and context are not here: a grader has the context of the run and no fields.
type Rubric struct {
	// Model is the name of the agent's model that grades. Required.
	Model string `yaml:"model"`
	// SystemPrompt replaces the grader's system prompt. "": a default.
	SystemPrompt string `yaml:"system_prompt"`
	// ToolNames are those of the agent's own tools that the grader may use, for example to run tests. The agent's reviews by
	// human_in_the_loop apply to them. Not given: none. In Go, use Tools for others.
	ToolNames []string `yaml:"tools"`
	// MaxIterations is how often the work is graded at most before it is taken as it is; at least 1. nil: 3.
	MaxIterations *int `yaml:"max_iterations" schema:"default=3,min=1"`

	Tools            []host.Tool       `yaml:"-"` // more tools of the grader
	GraderMiddleware []host.Middleware `yaml:"-"` // middleware of the grader

	// PrepareMessages chooses the messages that the grader reads, from all of the thread's. nil: the last 30 and the first question.
	PrepareMessages func(messages []abi.Message) []abi.Message `yaml:"-"`
	// OnEvaluation is called after each grading. Its error is logged and has no other effect, except that of an interrupt.
	OnEvaluation func(ctx context.Context, rt *host.Runtime, evaluation *RubricEvaluation) error `yaml:"-"`
}

var rubricEntry = Entry{
	Name:    "rubric",
	Summary: "has the work of a run graded before it ends, and lets the model improve it",
	Example: `- rubric:
    model: large
    max_iterations: 2
`,
	Needs: "models:\n  large: anthropic:claude-opus-4-5\n",
	New:   func() host.Middleware { return &Rubric{} },
}

// graderName names the grader in events and threads, and its messages in the history.
const graderName = "rubric_grader"

// rubrics is the field with the rubric.
var rubrics = host.NewField[string]("rubric")

// rubricAttempts holds the attempts of all rubric middleware of the agent, by name.
var rubricAttempts = host.NewField[map[string]rubricAttempt]("rubric_attempt", host.Hidden)

// rubricAttempt is an attempt to satisfy a rubric, over one or more runs.
type rubricAttempt struct {
	Rubric    string   `msgpack:"rubric"`
	ID        string   `msgpack:"id"`
	Iteration int      `msgpack:"iteration,omitempty"` // gradings so far
	Result    string   `msgpack:"result,omitempty"`    // of the last grading
	Criteria  []string `msgpack:"criteria,omitempty"`  // the names that the first verdict has fixed
}

// final reports whether the last verdict ended the attempt.
func (a *rubricAttempt) final() bool { return a.Result != "" && a.Result != rubricNeedsRevision }

// Name returns "rubric".
func (r Rubric) Name() string { return "rubric" }

// Hooks builds the grader.
func (r Rubric) Hooks(ctx context.Context, env host.Env) (*host.Hooks, error) {
	g := &rubricGrading{name: env.Name, limit: 3, prepare: r.PrepareMessages, told: r.OnEvaluation}
	if r.MaxIterations != nil {
		g.limit = *r.MaxIterations
	}
	if g.limit < 1 {
		return nil, fmt.Errorf("max_iterations is %d; it must be at least 1", g.limit)
	}
	if r.Model == "" {
		return nil, errors.New("model is missing; name the agent's model that grades")
	}
	if _, err := modelOf(&env, "model", r.Model); err != nil {
		return nil, err
	}
	spec := subagentSpec{Subagent{
		Name: graderName, Model: r.Model, SystemPrompt: r.SystemPrompt, Tools: slices.Clone(r.Tools), Middleware: r.GraderMiddleware,
		ResponseFormat: graderResponse(),
	}, -1}
	if spec.SystemPrompt == "" {
		spec.SystemPrompt = graderPrompt
	}
	if spec.Tools == nil {
		spec.Tools = []host.Tool{}
	}
	for i, name := range r.ToolNames {
		at := slices.IndexFunc(env.Tools, func(t host.Tool) bool { return t.Spec().Name == name })
		if at < 0 {
			return nil, fmt.Errorf("tools[%d]: the agent has no tool %q of its own", i, name)
		}
		spec.Tools = append(spec.Tools, env.Tools[at])
	}
	if _, err := deeper(ctx); err != nil {
		return nil, err
	}
	var err error
	if g.crew, err = makeCrew(ctx, &env, []subagentSpec{spec}, refusingTask{}); err != nil {
		return nil, err
	}
	return &host.Hooks{
		State:       []host.Field{rubrics.Field, rubricAttempts.Field},
		BeforeAgent: host.NodeHook{Func: g.begin},
		AfterAgent:  host.NodeHook{Func: g.grade, CanJumpTo: []abi.Target{abi.JumpModel}},
		UsesTools:   len(r.ToolNames) > 0,
		End:         g.crew.end,
		Close:       g.crew.close,
		Order: []host.Order{
			{Inside: shellEntry.Name, Reason: "otherwise the session's shutdown commands run before each grading, even if the agent then goes on"},
		},
	}, nil
}
