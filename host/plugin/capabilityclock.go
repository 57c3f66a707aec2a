package plugin

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/agenthost/agenthost/abi"
)

// clockNow returns the time of the agent's clock; the guest's own clock is virtual.
func (i *instance) clockNow() (abi.Status, []byte) {
	return i.bounded(&abi.Clock{UnixNS: uint64(max(0, i.frame.rt.Now().UnixNano()))})
}

// clockSleep waits, unless that would take longer than the call may still wait.
func (i *instance) clockSleep(request *abi.SleepRequest) (abi.Status, []byte) {
	left := i.plugin.limits.Wait - i.account.waited
	if left <= 0 || request.DurationMS > uint64(left/time.Millisecond) {
		i.limited("time for waiting", "wait")
		return abi.ELIMIT, nil
	}
	i.waits(func() {
		timer := time.NewTimer(time.Duration(request.DurationMS) * time.Millisecond) //nolint:forbidigo // guests wait in real time
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-i.frame.ctx.Done():
		}
	})
	if i.frame.ctx.Err() != nil {
		return i.failed(context.Cause(i.frame.ctx))
	}
	return abi.StatusOK, nil
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
