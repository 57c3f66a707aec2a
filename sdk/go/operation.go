package sdk

import "github.com/agenthost/agenthost/abi"

// Operations that need a capability. Without its grant their error is [ErrDenied].

// Fetch makes an HTTP request, and follows its redirects, to a host that is granted: capability http.fetch. A response of
// any status is no error. In the value of a header ${secret:NAME} stands for a secret of the grant.
func (c *Call) Fetch(request *FetchRequest) (*FetchResponse, error) {
	return ask[FetchResponse](c, abi.OpHTTPFetch, request)
}

// Generate lets the granted model answer, without tools and without the hooks around a model call of the agent:
// capability model.generate. When the granted calls are used up the error is [ErrLimit].
func (c *Call) Generate(request *GenerateRequest) (*ModelResponse, error) {
	return ask[ModelResponse](c, abi.OpModelGenerate, request)
}

// CallTool runs a tool of the agent and returns its answer: capability tool.call. The error is [ErrBusy] when nothing is free
// to run it, and [ErrClosed] when the tool asks something: then the hook must return.
func (c *Call) CallTool(name string, args Map) (*Message, error) {
	reply, err := ask[abi.ToolReply](c, abi.OpToolCall, &abi.ToolRequest{Args: args.Raw(), Name: name})
	if err != nil {
		return nil, err
	}
	return &reply.ToolMessage, nil
}

// ClockNow returns the real time, in nanoseconds since 1970-01-01 UTC: capability clock.now. The clock of package time is
// a virtual one.
func (c *Call) ClockNow() (unixNS uint64, err error) {
	clock, err := ask[abi.Clock](c, abi.OpClockNow, noQuery{})
	if err != nil {
		return 0, err
	}
	return clock.UnixNS, nil
}

// RandomBytes returns at most 64 KiB that nobody can predict: capability random.bytes. Other sources of random numbers are
// predictable in a guest.
func (c *Call) RandomBytes(count uint64) ([]byte, error) {
	random, err := ask[abi.RandomBytes](c, abi.OpRandomBytes, abi.RandomRequest{Count: count})
	if err != nil {
		return nil, err
	}
	return random.Bytes, nil
}
