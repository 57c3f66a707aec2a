package certify

import (
	"context"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// Statuses that this minor version and earlier ones do not have.
const (
	unknownErrno  = abi.Status(-19)
	unknownErrno2 = abi.Status(-9)
)

// unknownStatuses returns statuses that are not errnos, so that no minor version can add them.
func unknownStatuses() []abi.Status { return []abi.Status{-23, 1} }

// errnos returns all existing errnos.
func errnos() []abi.Status {
	return []abi.Status{abi.EINVAL, abi.ENOENT, abi.ETOOBIG, abi.EDENIED, abi.ENOTSUP, abi.EBUSY, abi.ELIMIT, abi.ECONFLICT}
}

func always(status abi.Status, reply []byte) func(int) (abi.Status, []byte) {
	return func(int) (abi.Status, []byte) { return status, reply }
}

// fullError returns an Error with all keys.
func fullError(retryable bool) []byte {
	return document(&abi.Error{
		Type: "overloaded", Message: "The model is overloaded: Grüße\n\x00", Retryable: retryable, Data: value(map[string]any{"status": 529}),
	})
}

// playWrap plays a wrap hook with every possible outcome of next.
func (c *certifier) playWrap(ctx context.Context, base *scene) {
	for _, s := range []*scene{base, c.full(base)} {
		with := func(check string, change func(*scene)) {
			w := *s
			change(&w)
			c.nested(ctx, check, &w)
		}
		next := func(check string, f func(int) (abi.Status, []byte)) { with(check, func(w *scene) { w.next = f }) }
		for _, reply := range c.replies(s) {
			next("wrap.ok", always(abi.StatusOK, reply))
		}
		next("wrap.failed", always(abi.StatusFailed, fullError(false)))
		next("wrap.failed", always(abi.StatusFailed, document(&abi.Error{})))
		for _, status := range errnos() {
			next("wrap.errno", always(status, nil))
		}
		next("wrap.unknown-errno", always(unknownErrno, nil))
		next("wrap.unknown-errno", always(unknownErrno2, nil))
		for _, status := range unknownStatuses() {
			next("wrap.unknown-status", always(status, nil))
		}
		next("wrap.too-big", always(abi.ETOOBIG, nil))
		next("wrap.retries", always(abi.StatusFailed, fullError(true)))
		for _, second := range []abi.Status{abi.StatusOK, abi.ETOOBIG, abi.EBUSY, unknownErrno, abi.StatusFailed} {
			next("wrap.retries", func(n int) (abi.Status, []byte) {
				switch {
				case n == 1:
					return abi.StatusFailed, fullError(true)
				case second == abi.StatusOK:
					return second, s.reply()
				case second == abi.StatusFailed:
					return second, fullError(false)
				default:
					return second, nil
				}
			})
		}
		for _, status := range []abi.Status{abi.StatusInterrupted, abi.StatusCancelled} {
			next("closed.returns", always(status, nil))
		}
		with("wrap.limit", func(w *scene) { w.nexts = 0 })
		with("wrap.limit", func(w *scene) { w.nexts, w.next = 1, always(abi.StatusFailed, fullError(true)) })
		next("wrap.unknown-keys", always(abi.StatusOK, later(s.reply())))
		next("wrap.unknown-keys", always(abi.StatusFailed, later(fullError(false))))
		for _, size := range []int{70_000, 1_200_000} {
			next("wrap.long", always(abi.StatusOK, s.replyOf(abi.Text(strings.Repeat("lorem ipsum ", size/12)))))
			next("wrap.long", always(abi.StatusFailed, document(&abi.Error{Type: "error", Message: strings.Repeat("x", size)})))
		}
	}
}

// nested plays a scene in which next behaves specially. The check applies if the guest calls next.
func (c *certifier) nested(ctx context.Context, check string, s *scene) {
	f := c.frame(ctx, s)
	if f == nil || f.nexts == 0 || check == "closed.returns" {
		return
	}
	broke := f.Fault != nil && f.Fault.Kind != faultProtocol && f.closed == 0
	c.checkf(check, !broke, "%s: %v", s.export, f.Fault)
}

// replyOf returns a reply of the inner layers with this content.
func (s *scene) replyOf(content abi.Content) []byte {
	m := abi.Message{Role: abi.RoleAI, ID: "reply-1", Content: content}
	if s.export == string(abi.WrapModelCall) {
		return document(&abi.ModelResponse{Messages: []abi.Message{m}})
	}
	m.Role, m.Name, m.ToolCallID = abi.RoleTool, s.call.Name, s.call.ID
	return document(&abi.ToolReply{ToolMessage: m})
}

// replies returns replies of the inner layers in all shapes.
func (c *certifier) replies(s *scene) [][]byte {
	out := [][]byte{s.reply(), s.replyOf(abi.Content{}), s.replyOf(strangeBlocks(c.rng))}
	if s.export == string(abi.WrapToolCall) {
		m := abi.ToolFailure(s.call, "it failed")
		m.ID, m.Artifact, m.Meta = "reply-1", nested(deepInMessage), strangeMap(c.rng)
		return append(out, document(&abi.ToolReply{ToolMessage: m}))
	}
	ai := abi.AI("", abi.Call("c9", "search", map[string]any{"q": "x"}), abi.Call("c8", "fetch", nil))
	ai.ID, ai.Usage, ai.Meta = "reply-2", &abi.Usage{TotalTokens: 1 << 63}, strangeMap(c.rng)
	ai.InvalidToolCalls = []abi.InvalidToolCall{{Args: "{", ID: "c7", Name: "search"}}
	structured := abi.AI("{}")
	structured.ID = "reply-1"
	answer := abi.ToolResult(abi.Call("c9", "search", nil), "kept")
	answer.ID = "reply-3"
	return append(
		out, document(&abi.ModelResponse{Messages: []abi.Message{structured, ai, answer}}),
		document(&abi.ModelResponse{
			Messages: []abi.Message{structured}, Structured: strangeMap(c.rng).Raw(), Model: "other", StopReason: "length",
		}),
		document(&abi.ModelResponse{Messages: []abi.Message{structured}, Structured: wire.AppendNil(nil)}),
	)
}

// randomNext returns a next with random outcomes.
func (c *certifier) randomNext(s *scene) func(int) (abi.Status, []byte) {
	replies := c.replies(s)
	const most = 10
	script := make([]int, most)
	for i := range script {
		script[i] = c.rng.IntN(most)
	}
	return func(n int) (abi.Status, []byte) {
		switch at := script[(n-1)%most]; at {
		case 0:
			return abi.StatusFailed, fullError(true)
		case 1:
			return abi.StatusFailed, fullError(false)
		case 2:
			return abi.EBUSY, nil
		default:
			return abi.StatusOK, replies[at%len(replies)]
		}
	}
}
