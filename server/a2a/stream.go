package a2a

import (
	"context"
	"errors"
	"iter"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/a2a/internal/updates"
)

// streams yields the events of a stream until one fails, or the answer has ended.
func streams(ctx context.Context, do func(c *call, yield func(a2a.Event) bool) error) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		c := callOf(ctx)
		if !c.enter() {
			return
		}
		defer c.work.Done()
		err := do(c, func(e a2a.Event) bool { return ctx.Err() == nil && yield(e, nil) })
		if err != nil && !errors.Is(err, errStopped) && ctx.Err() == nil {
			yield(nil, c.fail(ctx, err))
		}
	}
}

// errStopped means that nobody reads the stream any more.
var errStopped = errors.New("nobody reads the stream any more")

// SendStreamingMessage submits a run, and shows its task as it was before the run began, and then all that happens: a client gets the same events however
// fast the run is.
func (s *service) SendStreamingMessage(ctx context.Context, req *a2a.SendMessageRequest) iter.Seq2[a2a.Event, error] {
	return streams(ctx, func(c *call, yield func(a2a.Event) bool) error {
		t, err := s.h.submit(ctx, c, req)
		if err != nil {
			return err
		}
		look := shown{artifacts: true}
		if req.Config != nil {
			look.history = req.Config.HistoryLength
		}
		if err := s.h.show(ctx, t, look, yield); err != nil {
			return err
		}
		return s.h.goOn(ctx, t, updates.New(t.TaskInfo()), 0, yield)
	})
}

// SubscribeToTask follows a task that is not over. If it waits for input, the stream waits too.
func (s *service) SubscribeToTask(ctx context.Context, req *a2a.SubscribeToTaskRequest) iter.Seq2[a2a.Event, error] {
	return streams(ctx, func(c *call, yield func(a2a.Event) bool) error {
		t, err := s.h.taskNamed(ctx, c, req.ID)
		if err != nil {
			return err
		}
		if t.state().Terminal() {
			return problemf(a2a.ErrUnsupportedOperation, "the task is over (%s); get it instead", t.state())
		}
		if !t.waits {
			return s.h.follow(ctx, t, yield)
		}
		if err := s.h.show(ctx, t, shown{artifacts: true}, yield); err != nil {
			return err
		}
		if t, err = s.h.answered(ctx, t); err != nil {
			return err
		}
		return s.h.goOn(ctx, t, updates.New(t.TaskInfo()), 0, yield)
	})
}

// show shows a task as it is.
func (h *Handler) show(ctx context.Context, t *task, s shown, yield func(a2a.Event) bool) error {
	task, err := h.render(ctx, t, s)
	if err != nil {
		return err
	}
	if !yield(task) {
		return errStopped
	}
	return nil
}

// answered waits until a task does not wait for input any more.
func (h *Handler) answered(ctx context.Context, t *task) (*task, error) {
	news, end := h.Service.Reader().WatchThread(t.thread.ID)
	defer end()
	for {
		now, err := h.taskOf(ctx, &t.runs[0])
		if err != nil || !now.waits || len(now.runs) > len(t.runs) {
			return now, err
		}
		select {
		case <-news:
		case <-ctx.Done():
			return nil, errStopped
		}
	}
}

// follow shows a task with all that has happened so far, and then what happens.
func (h *Handler) follow(ctx context.Context, t *task, yield func(a2a.Event) bool) error {
	task, err := h.render(ctx, t, shown{artifacts: true})
	if err != nil {
		return err
	}
	// What has happened is in the task, with the part of an answer that is not saved yet.
	translator, after := updates.New(t.TaskInfo()), uint64(0)
	for event, err := range runs.AllEvents(ctx, h.Service, t.thread.Owner, t.last().ID, 0) {
		if err != nil {
			return err
		}
		all, err := translator.Translate(&event)
		if err != nil {
			return err
		}
		for _, e := range all {
			updates.Apply(task, e)
		}
		after = event.Seq
	}
	if !yield(task) {
		return errStopped
	}
	return h.goOn(ctx, t, translator, after, yield)
}

// goOn shows what happens in a task until it is over, or needs input.
func (h *Handler) goOn(ctx context.Context, t *task, translator *updates.Translator, after uint64, yield func(a2a.Event) bool) error {
	for {
		run := t.last().ID
		for event, err := range h.Service.Reader().Follow(ctx, t.thread.Owner, run, after) {
			if err != nil {
				return err
			}
			all, err := translator.Translate(&event)
			if err != nil {
				return err
			}
			for _, e := range all {
				if !yield(e) {
					return errStopped
				}
			}
		}
		now, err := h.taskOf(ctx, &t.runs[0])
		if err != nil {
			return err
		}
		if t = now; t.last().ID == run {
			break
		}
		translator, after = updates.New(t.TaskInfo()), 0 // somebody has answered already
	}
	if !yield(&a2a.TaskStatusUpdateEvent{TaskID: t.id(), ContextID: t.thread.ID, Status: t.status()}) {
		return errStopped
	}
	return nil
}
