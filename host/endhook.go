package host

import "context"

// over reports whether the run has just ended for good, so that nobody can go on with it.
func (r *run) over(failure error) bool {
	return r.thread.begun && !r.thread.wasOver && (r.thread.id == "" || (failure == nil && r.progress.step == endStep))
}

// tellEnd tells the middleware that a run is over.
func (a *build) tellEnd(ctx context.Context, id string) {
	for _, m := range a.middleware {
		if m.hooks.End == nil {
			continue
		}
		if err := callEnd(context.WithoutCancel(ctx), m.hooks.End, id); err != nil {
			a.logger.Error("a middleware failed at the end of a run", "middleware", m.name, "run", id, "error", err)
		}
	}
}

func callEnd(ctx context.Context, end func(context.Context, string), id string) (err error) {
	defer catchPanic(&err)
	end(ctx, id)
	return nil
}
