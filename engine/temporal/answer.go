package temporal

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/runs"
)

// MaxAnswer is how long an [Answer] may be, in bytes, since the history of the workflow keeps it.
const MaxAnswer = 64 << 10

// ErrorLarge is the type of the error of [Ask] if the answer is longer than [MaxAnswer].
const ErrorLarge = "agenthost.large"

// Answer is how the run of a [Call] ended, and what the agent answered.
type Answer struct {
	Result

	// Text is the agent's answer: a structured one as JSON, otherwise its last text. It is "" unless the run has succeeded and waits for nobody.
	Text string
}

// Ask is [Agent] for a workflow that needs what the agent answers. If the answer is too long, it returns the rest of it with an error of the
// type [ErrorLarge]; the run has succeeded all the same.
func Ask(ctx workflow.Context, c Call) (*Answer, error) {
	result, err := Agent(ctx, c)
	if err != nil {
		return nil, err
	}
	a := &Answer{Result: *result}
	if a.Status != runs.Success || len(a.Waiting) > 0 {
		return a, nil
	}
	of := submission{Owner: c.Owner, Thread: a.Thread, Run: a.Run, Agent: c.Agent}
	return a, workflow.ExecuteActivity(activityOptions(ctx, c.Queue), answerName, of).Get(ctx, &a.Text)
}

// answer returns what an agent answered in a run; "" if somebody has removed the run or its thread in the meantime.
func (w *Worker) answer(ctx context.Context, s submission) (string, error) {
	r, err := w.store.Run(ctx, s.Owner, s.Run)
	if errors.Is(err, runs.ErrNoRun) || err == nil && r.After == 0 {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	agent, ok := w.agents[r.Agent]
	if !ok {
		return "", invalid("the workers of the queue %q have no agent %q any more", w.config.Queue, r.Agent)
	}
	then, err := agent.State(ctx, runs.ThreadName(r.Owner, r.Thread), r.After)
	switch {
	case errors.Is(err, checkpoint.ErrNoThread), errors.Is(err, checkpoint.ErrNoCheckpoint), errors.Is(err, host.ErrUnknownThread):
		return "", nil
	case err != nil:
		return "", err
	}
	text := then.Answer()
	if len(text) > MaxAnswer {
		err := fmt.Errorf("the answer of the agent %q in the thread %s has %d bytes; at most %d are possible, so let the agent write what is long to a "+
			"file or a store", r.Agent, r.Thread, len(text), MaxAnswer)
		return "", temporal.NewNonRetryableApplicationError(err.Error(), ErrorLarge, err)
	}
	return text, nil
}
