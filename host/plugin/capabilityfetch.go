package plugin

import (
	"context"
	"errors"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/fetch"
)

// httpFetch makes a request.
func (i *instance) httpFetch(request *abi.FetchRequest) (abi.Status, []byte) {
	return i.await(i.fetch(request))
}

// fetch prepares a request. The client's error texts are fit for a guest.
func (i *instance) fetch(request *abi.FetchRequest) waiting {
	var response *abi.FetchResponse
	var err error
	return waiting{
		perform: func(ctx context.Context, _ func(string)) {
			response, err = i.plugin.capabilities.client.Do(ctx, request)
		},
		reply: func() (abi.Status, []byte) {
			if failure, ok := errors.AsType[*fetch.Error](err); ok {
				status := failure.Status()
				if status != abi.StatusFailed {
					i.refused(failure.Error())
					return status, nil
				}
				return status, errorReply(failure.Document())
			}
			if err != nil {
				return i.failed(err)
			}
			return i.bounded(response)
		},
	}
}
