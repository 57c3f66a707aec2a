package plugin

import (
	"errors"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/fetch"
)

// httpFetch makes a request. The client's error texts are fit for a guest.
func (i *instance) httpFetch(request *abi.FetchRequest) (abi.Status, []byte) {
	var response *abi.FetchResponse
	var err error
	i.waits(func() { response, err = i.plugin.capabilities.client.Do(i.frame.ctx, request) })
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
}
