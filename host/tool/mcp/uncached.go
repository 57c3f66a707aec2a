package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The SDK keeps the last result for each resource and page until the session ends, even if the server did not allow it to. uncached
// takes a result out before the SDK sees it, because a model may read any number of resources.

// heldKey is the context key of a *sdk.Result that takes the result of a request.
type heldKey struct{}

// uncached performs a request of the SDK that returns an R.
func uncached[R sdk.Result](ctx context.Context, request func(context.Context) (R, error)) (R, error) {
	var held sdk.Result
	empty, err := request(context.WithValue(ctx, heldKey{}, &held))
	if result, ok := held.(R); ok && err == nil {
		return result, nil
	}
	return empty, err
}

// hold hands results to uncached, and empty ones to the SDK.
func hold(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, req)
		into, ok := ctx.Value(heldKey{}).(*sdk.Result)
		if !ok || err != nil {
			return result, err
		}
		*into = result
		switch result.(type) {
		case *sdk.ReadResourceResult:
			return &sdk.ReadResourceResult{}, nil
		case *sdk.ListResourcesResult:
			return &sdk.ListResourcesResult{}, nil
		case *sdk.ListResourceTemplatesResult:
			return &sdk.ListResourceTemplatesResult{}, nil
		case *sdk.ListPromptsResult:
			return &sdk.ListPromptsResult{}, nil
		default:
			return result, nil
		}
	}
}
