package host

import (
	"slices"
	"strconv"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
)

// idSource makes the ids of a run's messages and interrupts. They are derived from the run's seed, and unique to the run.
type idSource struct {
	seed  uint64
	n     int
	ahead []string // ids of messages that are not in the history yet
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

// Ahead returns the next id for a message that hooks may see and change before it enters the history.
func (s *idSource) Ahead() string {
	id := s.New()
	s.ahead = append(s.ahead, id)
	return id
}

// Take uses up an id that was given ahead of time; false if it was not, or is used already.
func (s *idSource) Take(id string) bool {
	i := slices.Index(s.ahead, id)
	if i < 0 {
		return false
	}
	s.ahead = slices.Delete(s.ahead, i, i+1)
	return true
}

// settle forgets the ids of messages that did not enter the history.
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
