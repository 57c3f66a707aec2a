package sdk

import "github.com/agenthost/agenthost/abi"

// Operations that need a capability. Without its grant their error is [ErrDenied].

// Fetch makes an HTTP request, and follows its redirects, to a host that is granted: capability http.fetch. A response of
// any status is no error. In the value of a header ${secret:NAME} stands for a secret of the grant.
func (c *Call) Fetch(request *FetchRequest) (*FetchResponse, error) {
	payload, err := request.MarshalMsg(nil)
	if err != nil {
		return nil, err
	}
	doc, err := accept(c.host.HostCall(abi.OpHTTPFetch, payload))
	if err != nil {
		return nil, err
	}
	response := &FetchResponse{}
	_, err = response.UnmarshalMsg(doc)
	return response, err
}

// Generate lets the granted model answer, without tools and without the hooks around a model call of the agent:
// capability model.generate. When the granted calls are used up the error is [ErrLimit].
func (c *Call) Generate(request *GenerateRequest) (*ModelResponse, error) {
	payload, err := request.MarshalMsg(nil)
	if err != nil {
		return nil, err
	}
	doc, err := accept(c.host.HostCall(abi.OpModelGenerate, payload))
	if err != nil {
		return nil, err
	}
	response := &ModelResponse{}
	_, err = response.UnmarshalMsg(doc)
	return response, err
}

// CallTool runs a tool of the agent and returns its answer: capability tool.call. The error is [ErrBusy] when nothing is free
// to run it, and [ErrClosed] when the tool asks something: then the hook must return.
func (c *Call) CallTool(name string, args Map) (*Message, error) {
	request := abi.ToolRequest{Args: args.Raw(), Name: name}
	payload, err := request.MarshalMsg(nil)
	if err != nil {
		return nil, err
	}
	doc, err := accept(c.host.HostCall(abi.OpToolCall, payload))
	if err != nil {
		return nil, err
	}
	reply := &abi.ToolReply{}
	_, err = reply.UnmarshalMsg(doc)
	return &reply.ToolMessage, err
}

// ClockNow returns the real time, in nanoseconds since 1970-01-01 UTC: capability clock.now. The clock of package time is
// a virtual one.
func (c *Call) ClockNow() (unixNS uint64, err error) {
	doc, err := accept(c.host.HostCall(abi.OpClockNow, nil))
	if err != nil {
		return 0, err
	}
	var clock abi.Clock
	_, err = clock.UnmarshalMsg(doc)
	return clock.UnixNS, err
}

// RandomBytes returns at most 64 KiB that nobody can predict: capability random.bytes. Other sources of random numbers are
// predictable in a guest.
func (c *Call) RandomBytes(count uint64) ([]byte, error) {
	payload, err := abi.RandomRequest{Count: count}.MarshalMsg(nil)
	if err != nil {
		return nil, err
	}
	doc, err := accept(c.host.HostCall(abi.OpRandomBytes, payload))
	if err != nil {
		return nil, err
	}
	var random abi.RandomBytes
	_, err = random.UnmarshalMsg(doc)
	return random.Bytes, err
}
