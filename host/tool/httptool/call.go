package httptool

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin/fetch" //nolint:depguard // as in client.go
	"github.com/agenthost/agenthost/internal/terminal"
)

// errTimeout is the cancellation cause when the tool's timeout ends a request.
var errTimeout = errors.New("the time for the request is over")

// Call makes the request. Problems with it are a failed result; the end of ctx is an error.
func (t *Tool) Call(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
	var args wire.Map
	if !call.Args.IsNil() {
		if _, err := args.UnmarshalMsg(call.Args); err != nil {
			return t.failure("the arguments are not an object"), nil
		}
	}
	key := ""
	if rt != nil {
		key = rt.IdempotencyKey()
	}
	request, err := t.request(t.schema.WithDefaults(args), key)
	if err != nil {
		return t.failure(err.Error()), nil
	}
	inTime, stop := context.WithTimeoutCause(ctx, t.config.Timeout, errTimeout)
	defer stop()
	response, err := t.exchange(inTime, request)
	switch {
	case err == nil:
		return t.output(response), nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case inTime.Err() != nil:
		return t.failure(fmt.Sprintf("there was no complete response within %v", t.config.Timeout)), nil
	default:
		return t.failure(reason(err)), nil
	}
}

// reason returns an error as the model sees it. Errors of the client contain no server text and no secret.
func reason(err error) string {
	if failure, ok := errors.AsType[*fetch.Error](err); ok {
		return failure.Text
	}
	return err.Error()
}

// failure returns a result that says what went wrong.
func (t *Tool) failure(text string) *host.ToolOutput {
	out := host.TextOutput("Error: " + terminal.Line(t.secrets.Text(text)))
	out.Failed = true
	return out
}
