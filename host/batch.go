package host

import (
	"cmp"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// batch holds the results of the present tools step until all calls of the response are done, so that results come in the order
// of the calls, and calls that run again find the same state as the others did.
type batch struct{ results []pendingResult }

// pendingResult is the result of a call that is done while others of its response are not: they failed, or wait for an answer.
type pendingResult struct {
	asked   string // id of the message that asks for the call
	index   int    // of the call in that message
	call    string // id of the call
	message abi.Message
	updates []sourcedUpdate
}

// add records the result of a call of the message asked.
func (b *batch) add(asked string, index int, call string, message *abi.Message, updates []sourcedUpdate) {
	result := pendingResult{asked, index, call, *message, updates}
	if id := message.ID; id != "" && slices.ContainsFunc(b.results, func(p pendingResult) bool { return p.message.ID == id }) {
		result.message.ID = "" // or one answer would replace the other
	}
	b.results = append(b.results, result)
}

// answers reports whether a call is done: it has a result, or the update of another call answers it.
func (b *batch) answers(call string) bool {
	return slices.ContainsFunc(b.results, func(p pendingResult) bool { return p.call == call || answerIn(p.updates, call) != nil })
}

// updates returns the updates of the calls that are done, in the order of the calls: only the answers or, if whole, everything
// that came with them.
func (b *batch) updates(whole bool) []sourcedUpdate {
	slices.SortFunc(b.results, func(x, y pendingResult) int { return cmp.Compare(x.index, y.index) })
	updates := make([]sourcedUpdate, 0, len(b.results))
	answers := make([]struct {
		Update
		messages [1]abi.Message
	}, len(b.results))
	for i := range b.results {
		p, answer := &b.results[i], &answers[i]
		answer.messages[0] = p.message
		answer.Messages = answer.messages[:]
		updates = append(updates, sourcedUpdate{&answer.Update, ToolsStep})
		if whole {
			updates = append(updates, p.updates...)
		}
	}
	return updates
}

// clear forgets the results and keeps the memory for those of the next round.
func (b *batch) clear() {
	clear(b.results)
	b.results = b.results[:0]
}

// dropUpdates keeps nothing of the results but the answers.
func (b *batch) dropUpdates() {
	for i := range b.results {
		b.results[i].updates = nil
	}
}

// identify gives ids to the messages of results that a checkpoint will hold, so that they keep the ids that they are shown with.
func (b *batch) identify(newID func() string) {
	give := func(messages []abi.Message) []abi.Message {
		out := slices.Clone(messages)
		for i := range out {
			if out[i].ID == "" {
				out[i].ID = newID()
			}
		}
		return out
	}
	for i := range b.results {
		p := &b.results[i]
		p.message = give([]abi.Message{p.message})[0]
		p.updates = slices.Clone(p.updates)
		for j, u := range p.updates {
			if len(u.Messages) > 0 {
				named := *u.Update
				named.Messages = give(u.Messages)
				p.updates[j].Update = &named
			}
		}
	}
}

// applyTo returns a state with the results applied, see updates. The given state stays as it is.
func (b *batch) applyTo(s *State, ids *idSource, whole bool) (*State, error) {
	base := *s
	base.log = s.log.Fork()
	return base.commit(b.updates(whole), ids)
}

// asking returns the id of the last AI message, whose calls the tools step performs; "" if there is none.
func (s *State) asking() string {
	messages := s.Messages()
	at := messages.LastAI()
	if at < 0 {
		return ""
	}
	return messages.Entry(at).Message().ID
}

// isAbout reports whether a question concerns no tool call, or one that the model still asks for.
func (s *State) isAbout(q *checkpoint.Question) bool {
	return q.Message == "" || q.Message == s.asking()
}

// shown returns the state as a result shows it: with the results of calls that are done.
func (r *run) shown() *State {
	if len(r.batch.results) == 0 {
		return r.state
	}
	state, err := r.batch.applyTo(r.state, &r.ids, true)
	if err != nil {
		state, _ = r.batch.applyTo(r.state, &r.ids, false)
	}
	return state
}

// commitBatch applies the results of the calls that are done. If the update of one of them cannot be applied, it returns an
// error, but all answers are kept.
func (r *run) commitBatch() error {
	err := r.commit(ToolsStep, r.batch.updates(true))
	if err != nil {
		_ = r.commit(ToolsStep, r.batch.updates(false)) // answers have new ids, so they can always be appended
	}
	r.batch.clear()
	return err
}

// checkpointResults returns the results as a checkpoint holds them.
func (b *batch) checkpointResults() []checkpoint.FinishedCall {
	if len(b.results) == 0 {
		return nil
	}
	out := make([]checkpoint.FinishedCall, 0, len(b.results))
	for i := range b.results {
		p := &b.results[i]
		out = append(out, checkpoint.FinishedCall{
			Asked: p.asked, Index: p.index, CallID: p.call, Message: p.message, Updates: checkpointUpdates(p.updates),
		})
	}
	return out
}

// restore takes over the results of a checkpoint whose calls the message asking still asks for. A caller may have replaced the
// message that asked for the others.
func (b *batch) restore(held []checkpoint.FinishedCall, asking string) {
	for i := range held {
		if f := &held[i]; f.Asked == asking {
			b.results = append(b.results, pendingResult{
				asked: f.Asked, index: f.Index, call: f.CallID, message: f.Message, updates: sourcedUpdates(f.Updates),
			})
		}
	}
}

func checkpointUpdates(updates []sourcedUpdate) (out []checkpoint.Update) {
	for _, u := range updates {
		out = append(out, checkpoint.Update{Step: u.step, Update: u.Update})
	}
	return out
}

func sourcedUpdates(updates []checkpoint.Update) (out []sourcedUpdate) {
	for _, u := range updates {
		out = append(out, sourcedUpdate{u.Update, u.Step})
	}
	return out
}
