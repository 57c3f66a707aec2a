package builtin

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
)

// shorterRequest is what becomes of a request that is too long, and what then changes in the thread.
type shorterRequest struct {
	messages history.List
	remove   []string // ids of messages of the thread
	put      []abi.Message
	note     string // for the user
}

// shortener shortens messages that are too long for the model; nil: it cannot.
type shortener func(ctx context.Context, rt *host.Runtime, files *historyCall, messages history.List) (*shorterRequest, error)

// wrapModel calls the model without long arguments. If the request is too long for the model, it is sent again with a summary,
// and then with clipped results. It is never sent again if it did not become smaller.
func (r *summarizer) wrapModel(
	ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler,
) (*model.Response, *host.Update, error) {
	if r.args != nil {
		req = req.WithMessages(r.withoutLongArgs(req.Messages))
	}
	if r.systemPrompt != "" {
		req = req.WithSystem(appendSystem(req.System, r.systemPrompt))
	}
	resp, err := next(ctx, req)
	if !r.recovers || !isOverflow(err) {
		return resp, nil, err
	}
	update, retried, files := &host.Update{}, false, r.openHistory(rt, "")
	for _, shorten := range []shortener{r.summarized, clipped} {
		shorter, failure := shorten(ctx, rt, files, req.Messages)
		switch {
		case failure != nil && (host.IsControlFlow(failure) || ctx.Err() != nil):
			return nil, nil, failure
		case failure != nil:
			return nil, nil, fmt.Errorf("%w; %w", err, failure)
		case shorter == nil:
			continue
		}
		rt.Warn("summarization: the request is too long for the model; " + shorter.note)
		req, retried = req.WithMessages(shorter.messages), true
		update.Remove = append(update.Remove, shorter.remove...)
		update.Messages = append(update.Messages, shorter.put...)
		if resp, err = next(ctx, req); err == nil {
			update.State, err = files.changes()
		}
		if !isOverflow(err) {
			return resp, update, err
		}
	}
	if retried {
		err = fmt.Errorf("the request is still too long after its history was shortened; shorten the input or the system prompt, "+
			"offer fewer tools, or lower the limit of output tokens: %w", err)
	}
	return nil, nil, err
}

// isOverflow reports whether a model refused a request because it is longer than its context.
func isOverflow(err error) bool {
	failure, ok := errors.AsType[*host.ModelError](err)
	return ok && failure.Kind == model.ErrorContextLength && !host.IsControlFlow(err)
}

// summarized returns messages with a summary in place of the older ones; nil if that makes them no shorter.
func (r *summarizer) summarized(
	ctx context.Context, rt *host.Runtime, files *historyCall, messages history.List,
) (*shorterRequest, error) {
	cut := r.cut(messages)
	older := messages.Slice(0, cut)
	if !worthSummary(older) {
		return nil, nil //nolint:nilnil // there is nothing to shorten
	}
	thread := rt.State().Messages()
	ids := prefixWith(thread, older)
	if len(ids) == 0 {
		return nil, nil //nolint:nilnil // other middleware has made up the messages; the thread has no such part
	}
	text, err := r.summary(ctx, rt, older)
	if err != nil {
		return nil, err
	}
	shorter := history.Of(slices.Insert(messages.Slice(cut, messages.Len()).Messages(), 0, summaryMessage(text, ""))...)
	if r.counter.of(shorter) >= r.counter.of(messages) {
		return nil, nil //nolint:nilnil // the summary is longer than what it replaces
	}
	summary := summaryMessage(text, files.add(ctx, thread.Slice(0, len(ids))))
	update := replaceBySummary(ids, summary)
	return &shorterRequest{
		messages: shorter.Replace(map[int]*abi.Message{0: &summary}), remove: update.Remove, put: update.Messages,
		note: fmt.Sprintf("it is sent again with a summary of its first %d messages", cut),
	}, nil
}

// worthSummary reports whether there is more in some messages than system messages and earlier summaries.
func worthSummary(messages history.List) bool {
	for _, m := range messages.All() {
		if !isHead(m) {
			return true
		}
	}
	return false
}

// replaceBySummary returns an update that replaces messages at the start of a thread. The summary takes the id of the first one,
// and so its place. An overwrite would discard the updates of others in the same step, such as the model's answer.
func replaceBySummary(ids []string, summary abi.Message) *host.Update {
	summary.ID = ids[0]
	return &host.Update{Remove: ids[1:], Messages: []abi.Message{summary}}
}

// prefixWith returns the ids of the messages of a thread up to the last of some messages of a request, which other middleware
// may have changed. It returns none if that would separate a call from its answer.
func prefixWith(thread, some history.List) []string {
	wanted := make(map[string]bool, some.Len())
	for _, m := range some.All() {
		wanted[m.ID] = true
	}
	ids, end := make([]string, thread.Len()), 0
	for i, m := range thread.All() {
		if ids[i] = m.ID; wanted[m.ID] {
			end = i + 1
		}
	}
	if end == 0 || wholeCalls(thread, end) != end {
		return nil
	}
	return ids[:end]
}
