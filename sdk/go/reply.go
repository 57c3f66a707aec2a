package sdk

import "github.com/agenthost/agenthost/abi"

// laterHost is a Host that keeps the reply of Next until the guest reads it. The next call of the host discards it.
type laterHost interface {
	// nextLater is Next, but returns the length of the reply.
	nextLater(payload []byte) (abi.Status, int)
	// readReply reads the reply of the last nextLater.
	readReply(length int) []byte
}

// nextReply is the document that Next returned. It stays with the host until a hook looks at it or makes another call of the host, so
// a hook that only passes it on pays nothing.
type nextReply struct {
	call     *Call
	length   int // of a document that the host may still have; 0: it was read
	document []byte
}

// raw returns the document.
func (r *nextReply) raw() []byte {
	if r.length > 0 {
		if r.call.unread != r {
			panic("sdk: a reply of Next was first looked at after its hook had returned; look at it in the hook")
		}
		r.call.readReply()
	}
	return r.document
}

// readReply reads the reply of the last Next if the host still has it.
func (c *Call) readReply() {
	r := c.unread
	if r == nil {
		return
	}
	c.unread = nil
	r.document, r.length = c.host.(laterHost).readReply(r.length), 0 //nolint:forcetypeassert // only such a host leaves a reply unread
}

// next calls the inner layers and takes their reply. A refusal does not count as a failure of the inner layers.
func (c *Call) next(payload []byte, r *nextReply) (err error) {
	c.readReply()
	c.failure = nil
	later, ok := c.host.(laterHost)
	if !ok {
		status, document := c.host.Next(payload)
		r.document, err = accept(status, document)
		return c.failed(status, err)
	}
	status, length := later.nextLater(payload)
	if status == abi.StatusOK {
		if length > 0 {
			r.call, r.length, c.unread = c, length, r
		}
		return nil
	}
	_, err = accept(status, later.readReply(length))
	return c.failed(status, err)
}

// failed notes the error of Next if the inner layers failed.
func (c *Call) failed(status abi.Status, err error) error {
	if status == abi.StatusFailed {
		c.failure = err
	}
	return err
}
