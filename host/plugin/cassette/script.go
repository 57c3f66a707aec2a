package cassette

import "github.com/agenthost/agenthost/abi"

// Script returns a recording's answers, in order, when its call is repeated.
//
// It answers an event.emit even if it was not recorded, and skips a recorded one that the guest does not repeat. Events do not
// affect what follows, so the rest can still be compared.
type Script struct {
	exchanges []Exchange
	at        int
	missed    []int // skipped exchanges
}

// NewScript returns a Script that starts with the first exchange.
func NewScript(f *Frame) *Script { return &Script{exchanges: f.Exchanges} }

// Next returns the index of the exchange that answers the next call of next (""), or of an operation. The index is -1 for an
// unrecorded event.emit, which needs no answer. Next returns false if the recording has another call at this point, or no
// further call.
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

// pass skips all exchanges before end.
func (s *Script) pass(end int) {
	for ; s.at < end; s.at++ {
		s.missed = append(s.missed, s.at)
	}
}
