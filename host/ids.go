package host

import (
	"slices"
	"strconv"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
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

// identify gives ids to messages that have none.
func (s *idSource) identify(messages []abi.Message) {
	for i := range messages {
		if messages[i].ID == "" {
			messages[i].ID = s.Ahead()
		}
	}
}

// identified returns a response whose messages all have ids, so that outer layers and events can name them. If an id is missing
// it returns a copy, since a wrap may return one response again and again.
func (s *idSource) identified(resp *model.Response) *model.Response {
	if !slices.ContainsFunc(resp.Messages, func(m abi.Message) bool { return m.ID == "" }) {
		return resp
	}
	out := *resp
	out.Messages = slices.Clone(resp.Messages)
	s.identify(out.Messages)
	return &out
}
