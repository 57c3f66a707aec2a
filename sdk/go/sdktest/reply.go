package sdktest

import (
	"github.com/agenthost/agenthost/abi"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

// Reply is the reply to one Next: messages of the model or the answer of a tool, an error, or a status.
type Reply struct {
	Messages []sdk.Message
	Error    *sdk.Error // the inner layers failed
	Status   abi.Status // a refusal such as abi.ELIMIT, or abi.StatusInterrupted or abi.StatusCancelled, which close the call

	// Other keys of a model's response.
	Model, StopReason string
	Structured        sdk.Raw
}

// Says returns a reply of the model.
func Says(messages ...sdk.Message) Reply { return Reply{Messages: messages} }

// Answers returns a reply in which the tool answers with this text.
func Answers(text string) Reply {
	return Reply{Messages: []sdk.Message{{Role: abi.RoleTool, Content: sdk.Text(text)}}}
}

// Fails returns a reply with an error of the inner layers.
func Fails(e *sdk.Error) Reply { return Reply{Error: e} }

// Refuses returns a status without a reply.
func Refuses(status abi.Status) Reply { return Reply{Status: status} }

// Next implements [sdk.Host]. The SDK calls it for the plugin.
func (h *Host) Next(payload []byte) (abi.Status, []byte) {
	h.t.Helper()
	c := h.current
	wrapsModel := c.export == string(abi.WrapModelCall)
	if !wrapsModel && c.export != string(abi.WrapToolCall) {
		h.t.Fatalf("sdktest: %s calls Next, which is for wrap hooks", c.export)
	}
	if c.closed != 0 {
		return c.closed, nil
	}
	h.note(c, wrapsModel, payload)
	if len(h.Replies) == 0 {
		h.t.Fatalf("sdktest: %s calls Next, and there is no reply left: fill Host.Replies", c.export)
	}
	reply := h.Replies[0]
	h.Replies = h.Replies[1:]
	switch {
	case reply.Status == abi.StatusInterrupted || reply.Status == abi.StatusCancelled:
		c.closed = reply.Status
		return reply.Status, nil
	case reply.Status != 0:
		return reply.Status, nil
	case reply.Error != nil:
		c.last = &reply
		return abi.StatusFailed, encoded(reply.Error.MarshalMsg(nil))
	case wrapsModel:
		c.last, c.replies = &reply, nil
		for _, m := range reply.Messages {
			c.replies = append(c.replies, h.named(m))
		}
		return abi.StatusOK, encoded((&abi.ModelResponse{
			Messages: c.replies, Model: reply.Model, StopReason: reply.StopReason, Structured: reply.Structured,
		}).MarshalMsg(nil))
	default:
		c.last = &reply
		return abi.StatusOK, encoded((&abi.ToolReply{ToolMessage: reply.Messages[0]}).MarshalMsg(nil))
	}
}

// note records the argument that was passed to Next.
func (h *Host) note(c *call, wrapsModel bool, payload []byte) {
	h.t.Helper()
	var request sdk.RequestChange
	var change sdk.CallChange
	var err error
	switch {
	case wrapsModel && len(payload) > 0:
		_, err = request.UnmarshalMsg(payload)
	case len(payload) > 0:
		_, err = change.UnmarshalMsg(payload)
	}
	if err != nil {
		h.t.Fatalf("sdktest: what %s passes to Next: %v", c.export, err)
	}
	if wrapsModel {
		c.out.Requests = append(c.out.Requests, request)
	} else {
		c.out.Calls = append(c.out.Calls, change)
	}
}

// passOn fetches a reply for a hook that neither called Next nor wrote a result of its own, as the host would.
func (h *Host) passOn(c *call) {
	h.t.Helper()
	if len(c.out.Requests)+len(c.out.Calls) > 0 || c.out.Result.Response != nil || c.out.ToolMessage != nil {
		if c.last != nil && c.last.Error != nil && c.out.Result.Response == nil && c.out.ToolMessage == nil {
			c.out.Error = c.last.Error // the host passes it to the outer layers
		}
		return
	}
	if status, _ := h.Next(nil); status == abi.StatusFailed {
		c.out.Error = c.last.Error
	}
	c.out.Requests, c.out.Calls = nil, nil // the plugin did not call Next
}

func encoded(b []byte, err error) []byte {
	if err != nil {
		panic("sdktest: " + err.Error()) // the test made these documents itself
	}
	return b
}
