package a2a

import (
	"context"
	"errors"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/door"
)

// service does what the library's transports have read.
type service struct{ h *Handler }

var _ a2asrv.RequestHandler = (*service)(nil)

// does calls what a method does, and notes why it fails.
func does[T any](ctx context.Context, do func(c *call) (T, error)) (out T, err error) {
	c := callOf(ctx)
	if out, err = do(c); err != nil {
		return out, c.fail(ctx, err)
	}
	return out, nil
}

// GetTask returns a task. It needs the scope runs alone, so that whoever may start a task can poll it.
func (s *service) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	return does(ctx, func(c *call) (*a2a.Task, error) {
		t, err := s.h.taskNamed(ctx, c, req.ID)
		if err != nil {
			return nil, err
		}
		return s.h.render(ctx, t, shown{history: req.HistoryLength, artifacts: true})
	})
}

// SendMessage submits a run and, unless the client does not want that, waits until it is over. If the server stops meanwhile, the client gets the task
// as it is, and asks again.
func (s *service) SendMessage(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendMessageResult, error) {
	out, err := does(ctx, func(c *call) (*a2a.Task, error) {
		t, err := door.Aside(func() (*task, error) { return s.h.submit(ctx, c, req) })
		if err != nil {
			return nil, err
		}
		config := req.Config
		if config == nil {
			config = &a2a.SendMessageConfig{}
		}
		if !config.ReturnImmediately {
			_, err := s.h.Service.Reader().Wait(ctx, c.Owner, t.last().ID)
			switch {
			case errors.Is(err, runs.ErrNoRun):
				return nil, noTask(t.id())
			case err != nil && s.h.Closing.Err() == nil:
				return nil, err
			}
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
		defer cancel()
		return door.Aside(func() (*a2a.Task, error) {
			if t, err = s.h.taskOf(ctx, &t.runs[0]); err != nil {
				return nil, err
			}
			return s.h.render(ctx, t, shown{history: config.HistoryLength, artifacts: true})
		})
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// lookTime is how long it may take to read a task once a run is over.
const lookTime = 10 * time.Second

// CancelTask cancels a task, and returns it as it is soon after.
func (s *service) CancelTask(ctx context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	return does(ctx, func(c *call) (*a2a.Task, error) {
		t, err := s.h.taskNamed(ctx, c, req.ID)
		if err != nil {
			return nil, err
		}
		switch {
		case t.state().Terminal():
			return nil, problemf(a2a.ErrTaskNotCancelable, "the task is over (%s)", t.state())
		case t.waits:
			err = s.h.abandon(ctx, t)
		default:
			err = s.h.cancel(ctx, t.last())
		}
		if err != nil {
			return nil, err
		}
		if t, err = s.h.taskOf(ctx, &t.runs[0]); err != nil {
			return nil, err
		}
		return s.h.render(ctx, t, shown{artifacts: true})
	})
}

// cancelTime is how long the answer to a cancellation waits for the end of the run.
const cancelTime = 5 * time.Second

// cancel cancels a run, and waits a little for its end.
func (h *Handler) cancel(ctx context.Context, r *runs.Run) error {
	now, err := h.Service.Cancel(ctx, r.Owner, r.ID, runs.CancelKeep)
	if err != nil {
		return err
	}
	if now.Status.Over() {
		h.tell(now)
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, cancelTime)
	defer stop()
	if _, err := h.Service.Reader().Wait(ctx, r.Owner, r.ID); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}

// tell tells of a run that has ended without being performed.
func (h *Handler) tell(r *runs.Run) {
	if h.ended != nil {
		h.ended(r)
	}
}

// abandon cancels a task that waits for input: its questions are withdrawn, so that nobody answers them by another door, and a run that is
// cancelled before it begins says what has become of it.
func (h *Handler) abandon(ctx context.Context, t *task) error {
	thread := *t.thread
	thread.Agent = t.last().Agent
	if _, err := h.Service.UpdateState(ctx, &thread, host.StateUpdate{Goto: host.EndStep}); err != nil {
		return err
	}
	assistant, err := h.Service.Resolve(ctx, t.thread.Owner, t.last().Agent)
	if err != nil {
		return err
	}
	mark, err := h.Service.Submit(ctx, &runs.Submission{
		Owner: t.thread.Owner, Thread: t.thread.ID, Assistant: assistant, Task: runs.Task{Continue: true}, Strategy: runs.StrategyReject, After: time.Hour,
	})
	if err != nil {
		return err
	}
	if mark, err = h.Service.Cancel(ctx, mark.Owner, mark.ID, runs.CancelKeep); err != nil {
		return err
	}
	h.tell(mark)
	return nil
}

// GetExtendedAgentCard fails: the cards say all.
func (s *service) GetExtendedAgentCard(ctx context.Context, _ *a2a.GetExtendedAgentCardRequest) (*a2a.AgentCard, error) {
	return does(ctx, func(*call) (*a2a.AgentCard, error) {
		return nil, problemf(a2a.ErrUnsupportedOperation, "there is no extended card: the agent's card says all")
	})
}
