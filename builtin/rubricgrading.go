package builtin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool"
)

// The results of gradings.
const (
	rubricSatisfied     = "satisfied"
	rubricNeedsRevision = "needs_revision"
	rubricFailed        = "failed"
	rubricMaxIterations = "max_iterations_reached"
	rubricGraderError   = "grader_error"
)

// RubricEvaluation is the outcome of one grading.
type RubricEvaluation struct {
	GradingRunID string // of the attempt
	Iteration    int    // from 0
	Result       string // "satisfied", "needs_revision", "failed", "max_iterations_reached" or "grader_error"
	Explanation  string
	Criteria     []RubricCriterion
	Unverified   bool // the grader did not account for every criterion
}

// RubricCriterion is the verdict on one criterion.
type RubricCriterion struct {
	Name   string `json:"name" jsonschema:"What is checked, in words that say it exactly."`
	Passed bool   `json:"passed" jsonschema:"Whether the work does it, as far as can be confirmed."`
	Gap    string `json:"gap,omitempty" jsonschema:"If it did not pass: what is missing or wrong, short enough to act on."`
}

// rubricVerdict is what the grader answers.
type rubricVerdict struct {
	Result      string            `json:"result" jsonschema:"The verdict on the whole work." enum:"satisfied,needs_revision,failed"`
	Explanation string            `json:"explanation" jsonschema:"The verdict in a few words."`
	Criteria    []RubricCriterion `json:"criteria" jsonschema:"One entry for each criterion of the rubric."`
}

// check refuses a verdict that contradicts its criteria.
func (v *rubricVerdict) check() error {
	failing := slices.ContainsFunc(v.Criteria, func(c RubricCriterion) bool { return !c.Passed })
	switch {
	case v.Result == rubricSatisfied && failing:
		return errors.New("result is satisfied, but a criterion did not pass")
	case v.Result == rubricNeedsRevision && !failing && len(v.Criteria) > 0:
		return errors.New("result is needs_revision, but every criterion passed")
	}
	return nil
}

// rubricGrading is a checked [Rubric].
type rubricGrading struct {
	name    string
	limit   int
	crew    *crew // the grader
	prepare func([]abi.Message) []abi.Message
	told    func(context.Context, *host.Runtime, *RubricEvaluation) error
}

// begin begins an attempt, unless an earlier run has broken one off.
func (g *rubricGrading) begin(_ context.Context, rt *host.Runtime) (*host.Update, error) {
	attempt, fresh, err := g.attempt(rt)
	if err != nil || attempt == nil || !fresh {
		return nil, err
	}
	return g.keep(rt, &host.Update{}, attempt)
}

// attempt returns the present attempt and whether it is a new one; nil if there is no rubric.
func (g *rubricGrading) attempt(rt *host.Runtime) (attempt *rubricAttempt, fresh bool, err error) {
	rubric, _, err := rubrics.Get(rt.State())
	if err != nil || rubric == "" {
		return nil, false, err
	}
	all, _, err := rubricAttempts.Get(rt.State())
	if err != nil {
		return nil, false, err
	}
	held := all[g.name]
	if held.Rubric == rubric && !held.final() {
		return &held, false, nil
	}
	return &rubricAttempt{Rubric: rubric, ID: derived(rt, "attempt")}, true, nil
}

// keep puts an attempt into an update, beside those of other rubric middleware.
func (g *rubricGrading) keep(rt *host.Runtime, update *host.Update, attempt *rubricAttempt) (*host.Update, error) {
	all, _, err := rubricAttempts.Get(rt.State())
	if err != nil {
		return nil, err
	}
	if all == nil {
		all = map[string]rubricAttempt{}
	}
	all[g.name] = *attempt
	return update, rubricAttempts.Set(update, all)
}

// derived returns 16 hexadecimal digits that nobody can guess who does not know the run's seed.
func derived(rt *host.Runtime, purpose string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%016x %s", rt.Seed(), purpose))
	return hex.EncodeToString(sum[:8])
}

// grade has the work graded, and sends it back to the model if it needs a revision.
func (g *rubricGrading) grade(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
	attempt, _, err := g.attempt(rt)
	if err != nil || attempt == nil {
		return nil, err
	}
	evaluation := &RubricEvaluation{GradingRunID: attempt.ID, Iteration: attempt.Iteration}
	if err := emit(rt, "rubric_evaluation_start", map[string]any{"grading_run_id": attempt.ID, "iteration": attempt.Iteration}); err != nil {
		return nil, err
	}
	if err := g.evaluate(ctx, rt, attempt, evaluation); err != nil {
		return nil, err
	}
	left, limited := rt.ModelStepsLeft()
	if evaluation.Result == rubricNeedsRevision && (attempt.Iteration >= g.limit-1 || limited && left == 0) {
		evaluation.Result = rubricMaxIterations
	}
	if err := g.tell(ctx, rt, evaluation); err != nil {
		return nil, err
	}
	attempt.Iteration++
	attempt.Result = evaluation.Result
	if len(attempt.Criteria) == 0 && evaluation.Result != rubricFailed {
		for i := range evaluation.Criteria {
			attempt.Criteria = append(attempt.Criteria, evaluation.Criteria[i].Name)
		}
	}
	update := &host.Update{}
	if evaluation.Result == rubricNeedsRevision {
		asks := abi.Human(evaluation.feedback())
		asks.Name = graderName
		asks.Meta.Set("source", wire.String(graderName))
		update.JumpTo, update.Messages = abi.JumpModel, []abi.Message{asks}
	}
	return g.keep(rt, update, attempt)
}

// evaluate asks the grader, and once more if its verdict does not account for every criterion. Only interrupts and the end of the run are
// errors.
func (g *rubricGrading) evaluate(ctx context.Context, rt *host.Runtime, attempt *rubricAttempt, into *RubricEvaluation) error {
	prompt := g.prompt(rt, attempt)
	verdict, err := g.ask(ctx, rt, attempt, prompt, "")
	switch {
	case host.IsControlFlow(err):
		return err
	case err != nil:
		rt.Warn("the work is not graded: " + err.Error())
		into.Result = rubricGraderError
		into.Explanation = host.ErrorDocument(err).Type + ": " + host.ErrorDocument(err).Message
		return nil
	}
	if !attempt.accounts(verdict) {
		second, err := g.ask(ctx, rt, attempt, prompt+"\n\n"+attempt.correction(), "-again")
		switch {
		case host.IsControlFlow(err):
			return err
		case err == nil:
			verdict = second
		}
	}
	into.Result, into.Explanation, into.Criteria = verdict.Result, verdict.Explanation, verdict.Criteria
	if verdict.Result == rubricSatisfied && !attempt.accounts(verdict) {
		into.Result, into.Unverified, into.Explanation = rubricNeedsRevision, true, unverifiedText+verdict.Explanation
	}
	return nil
}

// accounts reports whether a verdict has an entry for every criterion.
func (a *rubricAttempt) accounts(v *rubricVerdict) bool {
	return v.Result == rubricFailed || len(v.Criteria) > 0 && len(v.Criteria) >= len(a.Criteria)
}

// ask runs the grader. In a thread, it has one of its own for each grading, so that it can ask a person.
func (g *rubricGrading) ask(ctx context.Context, rt *host.Runtime, attempt *rubricAttempt, prompt, suffix string) (*rubricVerdict, error) {
	grader := g.crew.agents[0].agent
	result, err := tool.RunAgent(ctx, rt, graderName, grader, host.Input{
		Thread:   fmt.Sprintf("%s-%s-%s-%d%s", graderName, rt.RunID(), attempt.ID, attempt.Iteration, suffix),
		Messages: []abi.Message{abi.Human(prompt)}, Context: rt.ContextValue(), AcceptChanges: rt.AcceptsChanges(),
	})
	if result.Thread != "" {
		g.crew.threads.add(rt.RunID(), grader, result.Thread)
	}
	if err != nil {
		return nil, err
	}
	verdict, err := host.Structured[rubricVerdict](result)
	return &verdict, err
}

// tell reports an evaluation as an event and to the callback.
func (g *rubricGrading) tell(ctx context.Context, rt *host.Runtime, e *RubricEvaluation) error {
	criteria := make([]any, len(e.Criteria))
	for i, c := range e.Criteria {
		shown := map[string]any{"name": c.Name, "passed": c.Passed}
		if !c.Passed {
			shown["gap"] = c.Gap
		}
		criteria[i] = shown
	}
	err := emit(rt, "rubric_evaluation_end", map[string]any{
		"grading_run_id": e.GradingRunID, "iteration": e.Iteration, "result": e.Result, "explanation": e.Explanation,
		"criteria": criteria, "unverified": e.Unverified,
	})
	if err != nil || g.told == nil {
		return err
	}
	if err := g.told(ctx, rt, e); host.IsControlFlow(err) {
		return err
	} else if err != nil {
		rt.Warn("on_evaluation: " + err.Error())
	}
	return nil
}

func emit(rt *host.Runtime, name string, data map[string]any) error {
	raw, err := wire.Of(data)
	if err == nil {
		rt.Emit(name, raw)
	}
	return err
}
