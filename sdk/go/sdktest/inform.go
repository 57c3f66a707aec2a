package sdktest

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

// inform performs an operation that tells the plugin about its run, and reports whether op is one.
func (h *Host) inform(op string, payload []byte) (abi.Status, []byte, bool) {
	h.t.Helper()
	switch op {
	case abi.OpRunInfo:
		return abi.StatusOK, encoded(h.RunInfo.MarshalMsg(nil)), true
	case abi.OpModelInfo:
		var query abi.ModelQuery
		h.understand(op, payload, &query)
		m := h.model(query.Model)
		if m == nil {
			return abi.ENOENT, nil, true
		}
		return abi.StatusOK, encoded(m.MarshalMsg(nil)), true
	case abi.OpToolsRead:
		request := h.current.request
		if request == nil {
			return abi.ENOTSUP, nil, true
		}
		var list abi.ToolList
		for _, name := range request.Tools {
			spec := sdk.ToolSpec{Name: name}
			if at := slices.IndexFunc(h.Tools, func(s sdk.ToolSpec) bool { return s.Name == name }); at >= 0 {
				spec = h.Tools[at]
			}
			list.Tools = append(list.Tools, spec)
		}
		return abi.StatusOK, encoded(list.MarshalMsg(nil)), true
	case abi.OpTokensCount:
		var query abi.TokenQuery
		h.understand(op, payload, &query)
		if h.model(query.Model) == nil {
			return abi.ENOENT, nil, true
		}
		var count abi.TokenCount
		for i := range query.Messages { // as the host does for a model that cannot count
			count.Tokens += uint64(len([]rune(query.Messages[i].Content.Text()))+3) / 4
		}
		return abi.StatusOK, encoded(count.MarshalMsg(nil)), true
	default:
		return 0, nil, false
	}
}

// model returns a configured model; "" means that of the request, or the first. nil: there is none of that name.
func (h *Host) model(name string) *sdk.ModelInfo {
	if r := h.current.request; name == "" && r != nil {
		name = r.Model
	}
	for i := range h.Models {
		if name == "" || h.Models[i].Name == name {
			return &h.Models[i]
		}
	}
	return nil
}

// batch performs operations one after the other.
func (h *Host) batch(payload []byte) (abi.Status, []byte) {
	h.t.Helper()
	var batch abi.Batch
	h.understand(abi.OpBatch, payload, &batch)
	if len(batch.Calls) == 0 || len(batch.Calls) > abi.MaxBatch {
		return abi.EINVAL, nil
	}
	var replies abi.BatchReplies
	for _, call := range batch.Calls {
		status, reply := abi.ENOTSUP, []byte(nil)
		if call.Op == abi.OpHTTPFetch || call.Op == abi.OpModelGenerate {
			status, reply = h.HostCall(call.Op, call.Payload)
		}
		replies.Replies = append(replies.Replies, abi.BatchReply{Status: status, Reply: reply})
	}
	if closed := h.current.closed; closed != 0 {
		return closed, nil
	}
	return abi.StatusOK, encoded(replies.MarshalMsg(nil))
}
