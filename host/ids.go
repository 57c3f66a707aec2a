package host

import (
	"slices"
	"strconv"
)

// idSource gives ids to the messages and interrupts of a run: no other run gives them, and they follow from the run's seed.
type idSource struct {
	seed  uint64
	n     int
	ahead []string // given to messages that are not in the history yet
}

// New returns the next id of a message.
func (s *idSource) New() string { return s.next("msg-") }

func (s *idSource) next(prefix string) string {
	s.n++
	var buf [48]byte
	id := strconv.AppendUint(append(buf[:0], prefix...), s.seed, 16)
	id = strconv.AppendInt(append(id, '-'), int64(s.n), 10)
	return string(id)
}

// Ahead returns the next id for a message that hooks may see, and change, before it gets into the history.
func (s *idSource) Ahead() string {
	id := s.New()
	s.ahead = append(s.ahead, id)
	return id
}

// Take reports whether id was given ahead of time and is not used yet.
func (s *idSource) Take(id string) bool {
	i := slices.Index(s.ahead, id)
	if i < 0 {
		return false
	}
	s.ahead = slices.Delete(s.ahead, i, i+1)
	return true
}

// settle forgets the ids of messages that did not get into the history.
func (s *idSource) settle() { s.ahead = s.ahead[:0] }
