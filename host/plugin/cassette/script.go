package cassette

import "github.com/agenthost/agenthost/abi"

// Script gives the answers of a recording to who performs its call again, in order.
//
// An event.emit that was not recorded is answered all the same, and a recorded one that is not made is passed over: it
// has no effect on what follows, so that what follows can still be compared.
type Script struct {
	exchanges []Exchange
	at        int
	missed    []int // that were passed over
}

// NewScript begins with the first exchange.
func NewScript(f *Frame) *Script { return &Script{exchanges: f.Exchanges} }

// Next returns the place of the exchange that answers the next call of next (""), or of an operation; -1 if it is an
// event.emit, which needs none. It returns false if another call stands there, or no more.
func (s *Script) Next(op string) (at int, ok bool) {
	if op == abi.OpEventEmit {
		if s.at == len(s.exchanges) || s.exchanges[s.at].Op != op {
			return -1, true
		}
		s.at++
		return s.at - 1, true
	}
	next := s.at
	for next < len(s.exchanges) && s.exchanges[next].Op == abi.OpEventEmit {
		next++
	}
	if next == len(s.exchanges) || s.exchanges[next].Op != op {
		return 0, false
	}
	s.pass(next)
	s.at = next + 1
	return next, true
}

// pass passes over what stands before an exchange.
func (s *Script) pass(end int) {
	for ; s.at < end; s.at++ {
		s.missed = append(s.missed, s.at)
	}
}
