package plugin

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
)

// toolCall calls a tool of the agent.
func (i *instance) toolCall(request *abi.ToolRequest) (abi.Status, []byte) {
	if !request.Args.IsNil() && !request.Args.IsMap() {
		return abi.EINVAL, nil
	}
	if !slices.Contains(i.plugin.grant.ToolCall, request.Name) {
		return abi.EDENIED, nil
	}
	var answer *abi.Message
	var err error
	i.waits(func() { answer, err = i.frame.rt.CallTool(i.frame.ctx, request.Name, request.Args) })
	switch {
	case err == nil:
		return i.bounded(&abi.ToolReply{ToolMessage: *answer})
	case refuses(err, host.ErrUnknownTool):
		return abi.ENOENT, nil
	case refuses(err, host.ErrBusy):
		return abi.EBUSY, nil
	case refuses(err, host.ErrTooDeep):
		return abi.ELIMIT, nil
	default:
		return i.failed(err)
	}
}

// refuses reports whether a call did not start for this reason. If another error wraps the reason, it concerns a call that
// the tool itself made: the tool has run.
func refuses(err, reason error) bool {
	return err == reason //nolint:errorlint // see above
}
