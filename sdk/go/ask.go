package sdk

// Throughout the SDK, documents are encoded and decoded by their own methods. If those were called through an interface,
// TinyGo would link the codecs of all documents into every plugin. These functions are therefore generic, which TinyGo
// resolves at compile time.

type encoder interface {
	MarshalMsg(dst []byte) ([]byte, error)
}

type decoder[T any] interface {
	*T
	UnmarshalMsg(b []byte) ([]byte, error)
}

// request performs an operation and returns its reply undecoded. Some callers ignore the reply.
func request[Q encoder](c *Call, op string, query Q) ([]byte, error) {
	payload, err := query.MarshalMsg(nil)
	if err != nil {
		return nil, err
	}
	if tooDeep(payload) {
		return nil, ErrTooDeep
	}
	c.readReply()
	return accept(c.host.HostCall(op, payload))
}

// ask performs an operation and decodes its reply.
func ask[R any, P decoder[R], Q encoder](c *Call, op string, query Q) (*R, error) {
	doc, err := request(c, op, query)
	if err != nil {
		return nil, err
	}
	reply := new(R)
	if _, err = P(reply).UnmarshalMsg(doc); err != nil {
		return nil, err
	}
	return reply, nil
}

// noQuery is the query of an operation without a query.
type noQuery struct{}

func (noQuery) MarshalMsg(dst []byte) ([]byte, error) { return dst, nil }

// next calls the inner layers with a change, which may be nil, and takes their reply.
func next[T any, P interface {
	*T
	encoder
}](c *Call, change P, r *nextReply) error {
	var payload []byte
	if change != nil {
		var err error
		if payload, err = change.MarshalMsg(nil); err != nil {
			return err
		}
	}
	if tooDeep(payload) {
		return ErrTooDeep
	}
	return c.next(payload, r)
}
