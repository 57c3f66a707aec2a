package plugin

import (
	"crypto/rand"

	"github.com/agenthost/agenthost/abi"
)

// clockNow returns the time of the agent's clock; the guest's own clock is virtual.
func (i *instance) clockNow() (abi.Status, []byte) {
	return i.bounded(&abi.Clock{UnixNS: uint64(max(0, i.frame.rt.Now().UnixNano()))})
}

// randomBytes returns unpredictable bytes; the guest's own random numbers follow from its input.
func (i *instance) randomBytes(request *abi.RandomRequest) (abi.Status, []byte) {
	if request.Count > abi.MaxRandomBytes {
		return abi.EINVAL, nil
	}
	reply := abi.RandomBytes{Bytes: make([]byte, request.Count)}
	_, _ = rand.Read(reply.Bytes) // never fails
	return i.bounded(&reply)
}
