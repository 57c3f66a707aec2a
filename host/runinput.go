package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/internal/text"
)

// configure takes over what the input says about how to run.
func (r *run) configure() (err error) {
	in, a := &r.input, r.agent
	if in.Context, err = a.context.check(in.Context); err != nil {
		return err
	}
	if err := r.equip(in.ClientTools); err != nil {
		return err
	}
	if in.Model != "" {
		if r.model = a.config.Models[in.Model]; r.model == nil {
			return &ConfigError{ConfigSubject{}, fmt.Errorf("the input names the model %q, which the agent does not have; its named models are %q",
				in.Model, slices.Sorted(maps.Keys(a.config.Models)))}
		}
	}
	switch limit := in.RecursionLimit; {
	case limit < 0:
		return &ConfigError{ConfigSubject{}, fmt.Errorf("the input's RecursionLimit is %d; it must be positive, or 0 for the agent's", limit)}
	case limit > 0:
		r.budget.recursion = min(limit, a.limit)
	}
	return nil
}

// start applies the input and saves it: a new run, or answers to an interrupted one.
func (r *run) start(ctx context.Context) error {
	if !r.input.goesOn() {
		if err := r.applyInput(); err != nil {
			return err
		}
	}
	if err := r.saveStart(ctx); err != nil {
		return err
	}
	r.thread.begun = true
	if r.thread.givenUp != "" {
		r.agent.tellEnd(ctx, r.thread.givenUp)
	}
	return nil
}

// saveStart saves what the input changes. A run that goes on from an older checkpoint always saves, since the journal of its
// tools must follow a checkpoint of its own branch.
func (r *run) saveStart(ctx context.Context) error {
	t := &r.thread
	switch {
	case !t.kept(), r.input.Continue && !t.branches:
		return nil
	case !t.savesMeanwhile():
		t.unsaved = true
		return nil
	case r.input.goesOn() && t.branches:
		return r.save(ctx, checkpoint.SourceFork, nil)
	case r.input.goesOn():
		return r.save(ctx, checkpoint.SourceResume, nil)
	default:
		return r.save(ctx, checkpoint.SourceInput, nil)
	}
}

// giveUp ends the thread's earlier run, if it did not end by itself: fields that live as long as a run or a step are not kept.
func (r *run) giveUp() {
	r.leaveStep()
	if update := r.answerUnmet(); !update.IsZero() {
		if err := r.commit(ToolsStep, []sourcedUpdate{{update, ToolsStep}}); err != nil {
			r.warn(ToolsStep, "calls of client tools stay without an answer: "+err.Error())
		}
	}
	r.state = r.state.forNewRun()
}

// leaveStep ends the step in which the run stopped: results of its tools are kept, and open calls whose tools were cut off are
// answered.
func (r *run) leaveStep() {
	if len(r.batch.results) > 0 {
		if err := r.commitBatch(); err != nil {
			r.warn(ToolsStep, "only the answers of the thread's last run are kept: "+err.Error())
		}
	}
	if update := r.answerCutOff(); !update.IsZero() {
		if err := r.commit(ToolsStep, []sourcedUpdate{{update, ToolsStep}}); err != nil {
			r.warn(ToolsStep, "the outcome of tool calls that were cut off is not kept: "+err.Error())
		}
	}
	r.journal.tell()
	r.journal.drop(r.warn)
}

// undeclared says that the caller set a field that is not there, and which one may be meant.
func (t *fieldTable) undeclared(name string) error {
	var callers []string // fields that are the caller's to set
	for slot := range t.fields {
		if f := &t.fields[slot]; !f.HideInput && !f.Sealed {
			callers = append(callers, f.Name)
		}
	}
	if near, ok := text.Nearest(name, callers); ok {
		return fmt.Errorf("is not declared; did you mean %q?", near)
	}
	if len(callers) == 0 {
		return errors.New("is not declared: neither the agent's State nor a middleware has a field that the caller may set")
	}
	return fmt.Errorf("is not declared; the caller may set: %s", strings.Join(callers, ", "))
}

// applyInput applies what an earlier run of the thread left, and then the input's messages and fields.
func (r *run) applyInput() error {
	a := r.agent
	r.giveUp()
	update := &Update{Messages: r.input.Messages}
	for _, name := range slices.Sorted(maps.Keys(r.input.State)) {
		slot, ok := a.fields.slots[name]
		if !ok {
			return &UpdateError{Step: inputStep, Field: name, Err: a.fields.undeclared(name)}
		}
		if a.fields.fields[slot].HideInput {
			r.warn(inputStep, fmt.Sprintf("field %q is hidden from the caller; its value is ignored", name))
			continue
		}
		raw, err := Encode(r.input.State[name])
		if err != nil {
			return &UpdateError{Step: inputStep, Field: name, Err: err}
		}
		update.State.Set(name, raw)
	}
	if update.IsZero() {
		return r.commit(inputStep, nil)
	}
	if err := checkCallersUpdate(update); err != nil {
		return &UpdateError{Step: inputStep, Err: err}
	}
	return r.commit(inputStep, []sourcedUpdate{{update, inputStep}})
}
