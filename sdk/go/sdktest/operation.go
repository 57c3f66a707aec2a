package sdktest

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/agenthost/agenthost/abi"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

// Log implements [sdk.Host]. The SDK calls it for the plugin.
func (h *Host) Log(level abi.LogLevel, line string) {
	names := []string{"debug", "info", "warn", "error"}
	h.current.out.Log = append(h.current.out.Log, names[level]+" "+line)
}

// HostCall implements [sdk.Host]. The SDK calls it for the plugin.
func (h *Host) HostCall(op string, payload []byte) (abi.Status, []byte) {
	h.t.Helper()
	c := h.current
	switch {
	case c.spec == nil:
		h.t.Fatalf("sdktest: %s calls %s, which is not allowed there", c.export, op)
	case c.closed != 0:
		return c.closed, nil
	}
	switch op {
	case abi.OpStateRead:
		return h.stateRead(c, payload)
	case abi.OpEventEmit:
		var event abi.EventEmit
		h.understand(op, payload, &event)
		c.out.Events = append(c.out.Events, event)
		return abi.StatusOK, nil
	case abi.OpBudget:
		return abi.StatusOK, encoded(abi.Budget{HostCalls: 1000, Next: 10}.MarshalMsg(nil))
	case abi.OpBatch:
		return h.batch(payload)
	}
	if status, reply, ok := h.inform(op, payload); ok {
		return status, reply
	}
	asked := slices.ContainsFunc(h.description.Capabilities, func(a sdk.Capability) bool { return a.Op == op })
	switch {
	case !asked && op != "":
		h.t.Fatalf("sdktest: %s calls %s, and the Description does not ask for that capability", c.export, op)
	case slices.Contains(h.Denied, op):
		return abi.EDENIED, nil
	}
	return h.capability(op, payload)
}

func (h *Host) stateRead(c *call, payload []byte) (abi.Status, []byte) {
	h.t.Helper()
	var query abi.StateQuery
	h.understand(abi.OpStateRead, payload, &query)
	var reply abi.StateReply
	if query.Fields == nil {
		from := min(query.From, uint64(len(h.Messages)))
		to := min(from+min(query.Count, uint64(len(h.Messages))), uint64(len(h.Messages)))
		reply.Items = h.Messages[from:to]
	}
	for _, name := range query.Fields {
		if !slices.Contains(c.spec.Reads, name) {
			return abi.EDENIED, nil
		}
	}
	reply.State = h.fields(query.Fields)
	return abi.StatusOK, encoded(reply.MarshalMsg(nil))
}

// capability performs an operation that the Description asks for.
func (h *Host) capability(op string, payload []byte) (abi.Status, []byte) {
	h.t.Helper()
	switch op {
	case abi.OpHTTPFetch:
		var request abi.FetchRequest
		h.understand(op, payload, &request)
		h.need(op, h.Fetch != nil, "Fetch")
		response, err := h.Fetch(&request)
		return h.outcome(response, err)
	case abi.OpModelGenerate:
		var request abi.GenerateRequest
		h.understand(op, payload, &request)
		h.need(op, h.Generate != nil, "Generate")
		response, err := h.Generate(&request)
		return h.outcome(response, err)
	case abi.OpToolCall:
		var request abi.ToolRequest
		h.understand(op, payload, &request)
		h.need(op, h.CallTool != nil, "CallTool")
		var args sdk.Map
		h.understand(op, request.Args, &args)
		message, err := h.CallTool(request.Name, args)
		if err != nil {
			return h.outcome(nil, err)
		}
		return h.outcome(&abi.ToolReply{ToolMessage: *message}, nil)
	case abi.OpClockNow:
		return abi.StatusOK, encoded(abi.Clock{UnixNS: uint64(h.Now.UnixNano())}.MarshalMsg(nil))
	case abi.OpClockSleep:
		var request abi.SleepRequest
		h.understand(op, payload, &request)
		h.Slept += time.Duration(request.DurationMS) * time.Millisecond
		return abi.StatusOK, nil
	case abi.OpRandomBytes:
		var request abi.RandomRequest
		h.understand(op, payload, &request)
		if request.Count > abi.MaxRandomBytes {
			return abi.EINVAL, nil
		}
		var seed [32]byte
		binary.LittleEndian.PutUint64(seed[:], h.Seed)
		random := make([]byte, request.Count)
		_, _ = rand.NewChaCha8(seed).Read(random) // it never fails
		return abi.StatusOK, encoded((&abi.RandomBytes{Bytes: random}).MarshalMsg(nil))
	default:
		if strings.HasPrefix(op, "kv.") {
			return h.kv(op, payload)
		}
		return abi.ENOENT, nil
	}
}

func (h *Host) need(op string, there bool, field string) {
	h.t.Helper()
	if !there {
		h.t.Fatalf("sdktest: the plugin calls %s: give the host a %s", op, field)
	}
}

// RefusedError is the error of Fetch, Generate and CallTool for a status without a reply, such as abi.EBUSY.
type RefusedError abi.Status

func (r RefusedError) Error() string { return abi.Status(r).String() }

// encoder is a document.
type encoder interface {
	MarshalMsg(dst []byte) ([]byte, error)
}

func (h *Host) outcome(document encoder, err error) (abi.Status, []byte) {
	if refused, ok := errors.AsType[RefusedError](err); ok {
		status := abi.Status(refused)
		if status == abi.StatusInterrupted || status == abi.StatusCancelled {
			h.current.closed = status
		}
		return status, nil
	}
	if err != nil {
		e, ok := errors.AsType[*sdk.Error](err)
		if !ok {
			e = &sdk.Error{Type: "error", Message: err.Error()}
		}
		return abi.StatusFailed, encoded(e.MarshalMsg(nil))
	}
	return abi.StatusOK, encoded(document.MarshalMsg(nil))
}

func (h *Host) understand(op string, payload []byte, into interface {
	UnmarshalMsg(b []byte) ([]byte, error)
},
) {
	h.t.Helper()
	if _, err := into.UnmarshalMsg(payload); err != nil {
		h.t.Fatalf("sdktest: what the plugin passes to %s: %v", op, err)
	}
}
