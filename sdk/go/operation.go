package sdk

import (
	"time"

	"github.com/agenthost/agenthost/abi"
)

// Operations that need a capability. If the capability is not granted, the error is [ErrDenied].

// Fetch makes an HTTP request to a granted host and follows redirects. It needs the capability http.fetch. No response
// status counts as an error. In the value of a header, ${secret:NAME} is replaced by a secret of the grant.
func (c *Call) Fetch(request *FetchRequest) (*FetchResponse, error) {
	return ask[FetchResponse](c, abi.OpHTTPFetch, request)
}

// Generate calls the granted model, without tools and without the hooks that run around a model call of the
// agent. It needs the capability model.generate. When the granted calls are used up, the error is [ErrLimit].
func (c *Call) Generate(request *GenerateRequest) (*ModelResponse, error) {
	return ask[ModelResponse](c, abi.OpModelGenerate, request)
}

// CallTool runs a tool of the agent and returns its answer. It needs the capability tool.call. The error is [ErrBusy] if no
// instance is free to run the tool. It is [ErrClosed] if the tool asks a question; the hook must then return.
func (c *Call) CallTool(name string, args Map) (*Message, error) {
	reply, err := ask[abi.ToolReply](c, abi.OpToolCall, &abi.ToolRequest{Args: args.Raw(), Name: name})
	if err != nil {
		return nil, err
	}
	return &reply.ToolMessage, nil
}

// ClockNow returns the real time in nanoseconds since 1970-01-01 UTC. It needs the capability clock.now. The clock of
// package time is virtual.
func (c *Call) ClockNow() (unixNS uint64, err error) {
	clock, err := ask[abi.Clock](c, abi.OpClockNow, noQuery{})
	if err != nil {
		return 0, err
	}
	return clock.UnixNS, nil
}

// Sleep waits. It needs the capability clock.sleep, and does not count as the plugin's own time. It is [ErrLimit] if the call may not wait that long.
// It is new in version 1.1 of the ABI.
func (c *Call) Sleep(d time.Duration) error {
	_, err := request(c, abi.OpClockSleep, abi.SleepRequest{DurationMS: uint64(max(0, d.Milliseconds()))})
	return err
}

// RandomBytes returns at most 64 KiB of unpredictable random bytes. It needs the capability random.bytes. All other
// sources of random numbers are predictable in a guest.
func (c *Call) RandomBytes(count uint64) ([]byte, error) {
	random, err := ask[abi.RandomBytes](c, abi.OpRandomBytes, abi.RandomRequest{Count: count})
	if err != nil {
		return nil, err
	}
	return random.Bytes, nil
}
